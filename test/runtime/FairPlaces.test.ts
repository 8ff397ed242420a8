/** Places of a bounded pool: the order of service, the calls that are dropped when too many wait, and the share of one person. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result, Schema } from "effect"
import { Person } from "../../src/domain/access/Identity.ts"
import * as FairPlaces from "../../src/runtime/FairPlaces.ts"

const as = (person: string) => Effect.provideService(Person, person)

describe("The order in which persons are served", () => {
  it("delays the first call of another person by at most one place, however many calls one has waiting", () => {
    const order = FairPlaces.makeFairOrder<string>()
    for (let n = 0; n < 20; n++) order.add("reader", `r${n}`, 100)
    assert.strictEqual(order.take()?.item, "r0")
    order.add("operator", "o0", 100)
    assert.deepStrictEqual([order.take()?.item, order.take()?.item, order.take()?.item], ["r1", "o0", "r2"])
  })

  const Step = Schema.Struct({ person: Schema.Literals(["a", "b", "c", "d"]), takes: Schema.Boolean })
  it.prop(
    "serves each call once and each person's in order, and no person twice before all earlier waiters",
    [Schema.Array(Step)],
    ([steps]) => {
      const order = FairPlaces.makeFairOrder<number>()
      const waiting = new Map<string, Array<number>>()
      const servedSince = new Map<string, Map<string, number>>()
      for (const [number, { person, takes }] of steps.entries()) {
        if (!takes) {
          assert.isNull(order.add(person, number, 1000))
          if (!waiting.has(person)) servedSince.set(person, new Map())
          waiting.set(person, [...(waiting.get(person) ?? []), number])
          continue
        }
        const next = order.take()
        if (next === undefined) {
          assert.strictEqual(waiting.size, 0)
          continue
        }
        const [expected, ...rest] = waiting.get(next.person) ?? []
        assert.strictEqual(next.item, expected)
        if (rest.length === 0) waiting.delete(next.person)
        else waiting.set(next.person, rest)
        servedSince.set(next.person, new Map())
        for (const [other, counts] of servedSince) {
          if (other === next.person || !waiting.has(other)) continue
          counts.set(next.person, (counts.get(next.person) ?? 0) + 1)
          assert.isAtMost(counts.get(next.person) ?? 0, 1, "somebody was served twice while another waited")
        }
      }
      assert.strictEqual(
        order.size(),
        [...waiting.values()].reduce((sum, { length }) => sum + length, 0)
      )
    }
  )

  it.prop(
    "drops the last call of the person with most waiting calls when there is no room, and never a person's only one for a longer row",
    [Schema.Array(Schema.Literals(["a", "a", "a", "b", "c"]))],
    ([persons]) => {
      const order = FairPlaces.makeFairOrder<{ person: string }>()
      for (const person of persons) {
        const before = new Map(["a", "b", "c"].map((one) => [one, order.waitingOf(one)]))
        const item = { person }
        const gone = order.add(person, item, 4)
        assert.isAtMost(order.size(), 4)
        if (gone === null) continue
        const most = Math.max(...before.values())
        assert.strictEqual(before.get(gone.person), most)
        if (gone === item) assert.strictEqual(before.get(person), most)
        else assert.isBelow(before.get(person) ?? 0, most)
      }
    }
  )
})

describe("Places", () => {
  it.live("are given by turns of persons, and refused to the person with most waiting calls", () =>
    Effect.gen(function* () {
      const places = FairPlaces.make({ what: "tests", places: 1, waiting: 4 })
      const gate = yield* Deferred.make<void>()
      const served: Array<string> = []
      const call = (person: string, what: string) =>
        Effect.forkChild(
          Effect.result(
            places
              .within(
                Effect.andThen(
                  Deferred.await(gate),
                  Effect.sync(() => served.push(what))
                )
              )
              .pipe(as(person))
          )
        )
      const readers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => call("reader", `r${n}`)
      )
      yield* Effect.yieldNow
      const operator = yield* call("operator", "operator")
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      assert.isTrue(Result.isSuccess(yield* Fiber.join(operator)))
      const results = yield* Effect.forEach(readers, Fiber.join)
      assert.strictEqual(results.filter(Result.isSuccess).length, 4)
      assert.isAtMost(served.indexOf("operator"), 2)
    })
  )

  it.live("are released when the work fails, is interrupted, or is given up while it waits", () =>
    Effect.gen(function* () {
      const places = FairPlaces.make({ what: "tests", places: 1, waiting: 10, ofOne: 1 })
      yield* Effect.result(places.within(Effect.fail("no")).pipe(as("a")))
      const held = yield* Effect.forkChild(places.within(Effect.never).pipe(as("a")))
      yield* Effect.yieldNow
      const waits = yield* Effect.forkChild(places.within(Effect.void).pipe(as("b")))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waits)
      yield* Fiber.interrupt(held)
      yield* places.within(Effect.void).pipe(as("c"))
    })
  )

  it.live("leave room for others when work holds them for long", () =>
    Effect.gen(function* () {
      const places = FairPlaces.make({ what: "tests", places: 4, waiting: 100, ofOne: 2 })
      const long = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.forkChild(places.within(Effect.never).pipe(as("reader")))
      )
      yield* Effect.yieldNow
      yield* places.within(Effect.void).pipe(as("operator"))
      yield* Effect.forEach(long, Fiber.interrupt)
    })
  )
})

describe("A share of held places", () => {
  it.prop("is never all of them, whoever else holds some", [Schema.Int], ([seed]) => {
    const most = 1000
    const persons = 1 + (Math.abs(seed) % 5)
    const held = Array.from({ length: persons }, () => 0)
    const all = () => held.reduce((sum, own) => sum + own, 0)
    for (let n = 0; n < most * 2; n++) {
      const who = n % persons
      const own = held[who] ?? 0
      if (FairPlaces.mayHoldAnother({ own, all: all(), most })) held[who] = own + 1
    }
    assert.isAtMost(Math.max(...held), most / 4)
    assert.isBelow(all(), most)
    assert.isTrue(FairPlaces.mayHoldAnother({ own: 0, all: all(), most }))
  })
})
