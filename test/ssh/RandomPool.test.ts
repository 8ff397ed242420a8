import { describe, expect, it } from "@effect/vitest"
import { fill } from "../../src/ssh/RandomPool.ts"

describe("the pool of random bytes", () => {
  it("gives none out twice", () => {
    const seen = new Set<string>()
    for (let draw = 0; draw < 20_000; draw++) seen.add(fill(Buffer.alloc(12)).toString("hex"))
    expect(seen.size).toBe(20_000)
  })

  it("fills exactly what was asked for", () => {
    const untouched = Buffer.alloc(40)
    const touched = new Set<number>()
    for (let draw = 0; draw < 1_000; draw++) {
      const target = fill(Buffer.from(untouched), 5, 19)
      for (const [at, byte] of target.entries()) if (byte !== 0) touched.add(at)
    }
    expect([...touched].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 19 }, (_, at) => at + 5))
  })

  it("serves more than it holds", () => {
    const large = fill(Buffer.alloc(50_000))
    const values = new Set(large.subarray(-1_000))
    expect(values.size).toBeGreaterThan(200)
  })

  it("refuses to write beyond the end", () => {
    expect(() => fill(Buffer.alloc(8), 4, 5)).toThrow(RangeError)
  })
})
