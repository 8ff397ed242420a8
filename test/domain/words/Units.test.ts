/** Times, lengths, sizes and counts as people read them, and names in the order in which people count. */
import { assert, describe, it } from "@effect/vitest"
import { inNaturalOrder, sortedBy } from "../../../src/domain/Natural.ts"
import {
  counted,
  duration,
  exactTime,
  light,
  momentOf,
  power,
  relativeTime,
  size,
  speed,
  stampTime,
  switches
} from "../../../src/domain/words/Units.ts"

/** No-break spaces as plain ones, so that the tables below can be read. */
const plain = (text: string) => text.replaceAll("\u00a0", " ")
const UTC = { timeZone: "UTC" }

describe("times", () => {
  const now = new Date("2026-11-26T14:00:00Z")
  const cases = [
    ["2026-11-26T13:59:55Z", "just now"],
    ["2026-11-26T13:59:20Z", "40 seconds ago"],
    ["2026-11-26T13:46:00Z", "14 min ago"],
    ["2026-11-26T12:00:00Z", "2 h ago"],
    ["2026-11-25T15:02:00Z", "yesterday 15:02"],
    ["2026-11-25T09:02:00Z", "yesterday 09:02"],
    ["2026-11-23T09:00:00Z", "3 days ago"],
    ["2026-11-25T13:00:00Z", "yesterday 13:00"],
    ["2026-11-18T09:00:00Z", "18 November"],
    ["2025-11-18T09:00:00Z", "18 November 2025"],
    ["2026-11-26T14:05:00Z", "in 5 min"],
    ["2026-12-26T14:05:00Z", "26 December"]
  ] as const
  for (const [at, said] of cases)
    it(`says ${said}`, () => assert.strictEqual(plain(relativeTime(new Date(at), now, UTC)), said))

  it("gives the exact moment in the chosen zone", () => {
    const at = new Date("2026-03-02T09:12:07Z")
    assert.strictEqual(exactTime(at, UTC), "2 March 2026 at 09:12:07 UTC")
    assert.match(exactTime(at, { timeZone: "Europe/Berlin" }), /10:12:07 (CET|GMT\+1)/)
    assert.strictEqual(stampTime(at, UTC), "2 Mar 2026, 09:12:07")
  })

  it("reads times of the API as UTC", () => {
    for (const at of ["2026-03-02 09:12:07", "2026-03-02T09:12:07", "2026-03-02T10:12:07+01:00", 1772442727])
      assert.strictEqual(momentOf(at)?.toISOString(), "2026-03-02T09:12:07.000Z")
    for (const none of [null, undefined, "", "soon"]) assert.isUndefined(momentOf(none))
  })
})

describe("lengths and amounts", () => {
  const lengths = [
    [0, "0 s"],
    [0.031, "31 ms"],
    [8, "8 s"],
    [286, "4 min 46 s"],
    [7500, "2 h 5 min"],
    [3600, "1 h"],
    [273_600, "3 days 4 h"],
    [86_400, "1 day"]
  ] as const
  for (const [seconds, said] of lengths) it(`says ${said}`, () => assert.strictEqual(plain(duration(seconds)), said))

  it("says sizes and speeds in powers of ten", () => {
    assert.deepEqual([0, 999, 1500, 990_000_000, 1_200_000_000, 999_999].map(size).map(plain), [
      "0 B",
      "999 B",
      "1.5 kB",
      "990 MB",
      "1.2 GB",
      "1 MB"
    ])
    assert.deepEqual([1000, 100, 2500, 40_000, 0, null].map(speed).map(plain), [
      "1 Gb/s",
      "100 Mb/s",
      "2.5 Gb/s",
      "40 Gb/s",
      "–",
      "–"
    ])
    assert.strictEqual(plain(power(6.2)), "6.2 W")
    assert.strictEqual(plain(light(-7.1)), "−7.1 dBm")
  })

  it("agrees with the count", () => {
    assert.deepEqual([0, 1, 2, 12_400].map(switches), ["0 switches", "1 switch", "2 switches", "12,400 switches"])
    assert.strictEqual(counted(1, "port"), "1 port")
  })
})

describe("names", () => {
  it("stand in the order in which people count", () => {
    const names = ["lhv-acc10", "lhv-acc2", "LHV-acc1", "Ethernet1/10", "Ethernet1/9", "lhv-acc02"]
    assert.deepEqual(names.toSorted(inNaturalOrder), [
      "Ethernet1/9",
      "Ethernet1/10",
      "LHV-acc1",
      "lhv-acc2",
      "lhv-acc02",
      "lhv-acc10"
    ])
    assert.deepEqual(
      sortedBy([{ name: "b10" }, { name: "b9" }], ({ name }) => name).map(({ name }) => name),
      ["b9", "b10"]
    )
  })
})
