import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { BackgroundWork, type Processor } from "../../src/runtime/BackgroundWork.ts"

/** A processor under the test's control: other load on the machine takes nothing from it. */
const makeProcessor = () => {
  let spent = 0
  return {
    processor: { now: () => spent, busy: () => spent } satisfies Processor,
    /** Keeps it busy for so many milliseconds. */
    work: (milliseconds: number) => void (spent += milliseconds)
  }
}

/** A turn of the event loop. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const untilTrue = (condition: () => boolean) => Effect.repeat(turn, { until: condition })

/** Clients of which each asks again when it was answered, so many milliseconds of work each time. */
const readers = (count: number, ask: () => void) =>
  Effect.gen(function* () {
    const { request } = yield* BackgroundWork
    const reader = Effect.forever(
      Effect.gen(function* () {
        yield* request
        ask()
        yield* turn
      })
    )
    return yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: count }, () => reader),
        { concurrency: "unbounded" }
      )
    )
  })

/** Devices of a job, each of which has something to do as soon as it had its turn. */
const DEVICES = 2000

describe("background work", () => {
  it.live("is done in the order of arrival, including nested work, each piece once", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* BackgroundWork
      const order: Array<number> = []
      const most = 5000
      const add = (value: number): void =>
        inTurn(() => {
          order.push(value)
          if (value + 3 < most) add(value + 3)
        })
      for (const value of [0, 1, 2]) add(value)
      yield* untilTrue(() => order.length >= most)
      assert.deepEqual(
        order,
        Array.from({ length: most }, (_, index) => index)
      )
    }).pipe(Effect.provide(BackgroundWork.layer))
  )

  it.live("begins new work one after the other, and slowly while work never ends", () => {
    const { processor, work } = makeProcessor()
    return Effect.gen(function* () {
      const { beginning, inTurn } = yield* BackgroundWork
      let goesOn = true
      const again = () => {
        work(1)
        if (goesOn) inTurn(again)
      }
      again()
      const begun: Array<number> = []
      const since = processor.now()
      const beginnings = Array.from({ length: 20 }, (_, index) => beginning(Effect.sync(() => begun.push(index))))
      yield* Effect.all(beginnings, { concurrency: "unbounded" })
      goesOn = false
      // at most one in 25 ms
      assert.isAtLeast(processor.now() - since, 19 * 25)
      assert.deepEqual(
        begun,
        Array.from({ length: 20 }, (_, index) => index)
      )
    }).pipe(Effect.provide(BackgroundWork.layerOn(processor)))
  })

  it.live("does not begin work that was given up while it waited", () =>
    Effect.gen(function* () {
      const { beginning, inTurn } = yield* BackgroundWork
      let begun = 0
      const counted = beginning(Effect.sync(() => ++begun))
      inTurn(() => undefined)
      const first = yield* Effect.forkChild(counted, { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* counted
      assert.strictEqual(begun, 1)
    }).pipe(Effect.provide(BackgroundWork.layer))
  )

  it.live("lets the event loop turn while much remains to do", () => {
    const { processor, work } = makeProcessor()
    return Effect.gen(function* () {
      const { inTurn } = yield* BackgroundWork
      let done = 0
      for (let piece = 0; piece < 100; piece++) {
        inTurn(() => {
          work(2)
          done++
        })
      }
      const seen = new Set<number>()
      yield* untilTrue(() => seen.add(done).has(100))
      // the longest slice is 25 ms
      assert.isAtLeast(seen.size, 8)
    }).pipe(Effect.provide(BackgroundWork.layerOn(processor)))
  })

  for (const { count, milliseconds } of [
    { count: 32, milliseconds: 1 },
    { count: 200, milliseconds: 1 },
    { count: 32, milliseconds: 5 }
  ]) {
    it.live(`has half of the processor with ${count} readers who never pause, ${milliseconds} ms a request`, () => {
      const { processor, work } = makeProcessor()
      return Effect.gen(function* () {
        const { inTurn } = yield* BackgroundWork
        let background = 0
        let requests = 0
        const fiber = yield* readers(count, () => {
          requests += milliseconds
          work(milliseconds)
        })
        const goOn = (): void => {
          background += 0.5
          work(0.5)
          inTurn(goOn)
        }
        for (let piece = 0; piece < DEVICES; piece++) inTurn(goOn)
        // the first turns are those of pieces that are not late
        yield* untilTrue(() => background + requests > 1000)
        background = requests = 0
        yield* untilTrue(() => background + requests > 5000)
        yield* Fiber.interrupt(fiber)
        assert.isAtLeast(background / (background + requests), 0.45)
        // they are not kept out either
        assert.isAtLeast(requests / (background + requests), 0.45)
      }).pipe(Effect.provide(BackgroundWork.layerOn(processor)))
    })
  }

  it.live("does not delay a single request, which begins at once", () =>
    Effect.gen(function* () {
      const { request } = yield* BackgroundWork
      const fiber = yield* Effect.forkChild(request, { startImmediately: true })
      assert.isDefined(fiber.pollUnsafe())
    }).pipe(Effect.provide(BackgroundWork.layer))
  )

  it.live("lets a few requests begin in a turn, in their order, without those that were cancelled", () =>
    Effect.gen(function* () {
      const { request } = yield* BackgroundWork
      const begun: Array<number> = []
      const fibers = yield* Effect.forEach(Array.from({ length: 20 }), (_, number) =>
        Effect.forkChild(
          Effect.andThen(
            request,
            Effect.sync(() => void begun.push(number))
          ),
          { startImmediately: true }
        )
      )
      assert.deepEqual(begun, [0, 1, 2, 3])
      for (const index of [5, 12]) yield* Fiber.interrupt(fibers[index]!)
      yield* untilTrue(() => begun.length === 18)
      assert.deepEqual(
        begun,
        Array.from({ length: 20 }, (_, index) => index).filter((number) => number !== 5 && number !== 12)
      )
    }).pipe(Effect.provide(BackgroundWork.layer))
  )
})
