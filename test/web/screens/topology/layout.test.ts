/** Where devices stand in the drawing of the network. */
import { describe, expect, it } from "vitest"
import { ALL, type Cable, drawn, type NodeDevice, wayToCore } from "../../../../web/screens/topology/layout.ts"

const device = (id: number, device_type: string): NodeDevice => ({ id, hostname: `sw${id}`, device_type })

/** A campus of 2 core switches and pairs of distribution switches with so many access switches below each pair. */
const campus = (pairs: number, access: number) => {
  const devices = [device(1, "CORE"), device(2, "CORE")]
  const cables: Array<Cable> = []
  for (let pair = 0; pair < pairs; pair++) {
    const [one, other] = [10 + pair * 2, 11 + pair * 2]
    devices.push(device(one, "DIST"), device(other, "DIST"))
    for (const core of [1, 2]) cables.push({ a: core, b: one }, { a: core, b: other })
    for (let place = 0; place < access; place++) {
      const id = 10_000 + pair * access + place
      devices.push(device(id, "ACCESS"))
      cables.push({ a: id, b: one }, { a: id, b: other })
    }
  }
  return { devices, cables }
}

describe("the drawing of a network", () => {
  it("has core above distribution above access, and access switches of a pair folded into one place", () => {
    const { cables, devices } = campus(2, 5)
    const { edges, spots } = drawn(devices, cables, new Set())
    expect(spots.map(({ layer }) => layer).toSorted()).toEqual([0, 0, 1, 1, 1, 1, 2, 2])
    expect(spots.filter(({ layer }) => layer === 2).map((spot) => spot.devices.length)).toEqual([5, 5])
    expect(edges.find(({ from, to }) => [from, to].includes("below 10+11"))?.cables).toBe(5)
  })

  it("shows the access switches of an opened place separately, and no two places at one position", () => {
    const { cables, devices } = campus(2, 20)
    const { spots } = drawn(devices, cables, new Set(["below 10+11"]))
    expect(spots).toHaveLength(2 + 4 + 20 + 1)
    expect(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size).toBe(spots.length)
  })

  it("shows every access switch separately on request", () => {
    const { cables, devices } = campus(2, 20)
    const { spots } = drawn(devices, cables, new Set([ALL]))
    expect(spots).toHaveLength(2 + 4 + 40)
  })

  it("keeps devices without links, and drops cables to unknown devices", () => {
    const { edges, spots } = drawn([device(1, "ACCESS"), device(2, "UNKNOWN")], [{ a: 1, b: 99 }], new Set())
    expect(spots.flatMap((spot) => spot.devices)).toHaveLength(2)
    expect(edges).toEqual([])
  })

  it("shows the worst of the cables between two places", () => {
    const { cables, devices } = campus(1, 3)
    const [first, ...others] = cables.toReversed()
    const moved: ReadonlyArray<Cable> = [{ ...(first ?? { a: 0, b: 0 }), agreement: "moved" }, ...others]
    const { edges } = drawn(devices, moved, new Set())
    expect(edges.map(({ agreement }) => agreement).toSorted()).toEqual([...edges.slice(1).map(() => "agreed"), "moved"])
  })

  it("has distribution switches above the middle of their block, and core above all", () => {
    const { cables, devices } = campus(2, 30)
    const { spots } = drawn(devices, cables, new Set())
    const middleOf = (ids: ReadonlyArray<string>) => {
      const found = spots.filter(({ id }) => ids.includes(id))
      return found.reduce((sum, { width, x }) => sum + x + width / 2, 0) / found.length
    }
    expect(middleOf(["10", "11"])).toBeCloseTo(middleOf(["below 10+11"]))
    expect(middleOf(["12", "13"])).toBeCloseTo(middleOf(["below 12+13"]))
    expect(middleOf(["1", "2"])).toBeCloseTo(middleOf(["10", "11", "12", "13"]))
  })

  it("knows every shortest way of a switch to the core", () => {
    const { cables, devices } = campus(2, 3)
    expect([...wayToCore(10_000, devices, cables)].toSorted((a, b) => a - b)).toEqual([1, 2, 10, 11, 10_000])
    expect([...wayToCore(10, devices, cables)].toSorted((a, b) => a - b)).toEqual([1, 2, 10])
    expect([...wayToCore(10_000, devices, [])]).toEqual([10_000])
  })

  it("of 2,000 devices has a readable number of places", () => {
    const { cables, devices } = campus(40, 48)
    expect(devices).toHaveLength(2002)
    const { spots } = drawn(devices, cables, new Set())
    expect(spots).toHaveLength(2 + 80 + 40)
  })
})
