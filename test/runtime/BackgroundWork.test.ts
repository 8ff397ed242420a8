import { describe, expect, it } from "@effect/vitest"
import { giveWay, goOn } from "../../src/runtime/BackgroundWork.ts"

/** Keeps the processor busy for so many milliseconds. */
const work = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Does `count` pieces of work of two milliseconds; how often the event loop had come round when each was done. */
const turnsOf = (count: number) =>
  new Promise<ReadonlyArray<number>>((resolve) => {
    const seen: Array<number> = []
    let turns = 0
    const turn = (): void => {
      turns++
      if (seen.length < count) setImmediate(turn)
    }
    setImmediate(turn)
    for (let index = 0; index < count; index++) {
      goOn(() => {
        work(2)
        seen.push(turns)
        if (seen.length === count) resolve(seen)
      })
    }
  })

describe("background work", () => {
  it("lets the event loop come round after every piece while people ask", async () => {
    giveWay()
    const seen = await turnsOf(20)
    expect(new Set(seen).size).toBe(20)
  })

  it("is done in the order in which it came, also what comes from within", async () => {
    const order: Array<number> = []
    await new Promise<void>((resolve) => {
      goOn(() => {
        order.push(1)
        goOn(() => {
          order.push(3)
          resolve()
        })
      })
      goOn(() => order.push(2))
    })
    expect(order).toEqual([1, 2, 3])
  })

  it("does all of what is always followed by more, each once", async () => {
    const order: Array<number> = []
    const most = 5000
    await new Promise<void>((resolve) => {
      const add = (value: number): void =>
        goOn(() => {
          order.push(value)
          if (value + 3 < most) add(value + 3)
          if (order.length === most) resolve()
        })
      for (const value of [0, 1, 2]) add(value)
    })
    expect(order).toEqual(Array.from({ length: most }, (_, index) => index))
  })
})
