import { assert, describe, it } from "@effect/vitest"
import { type CountedDevices, historyPoints } from "../../src/domain/OverviewHistory.ts"

const HOUR = 3_600_000
const START = Date.parse("2026-03-02T00:00:00Z")
const counted = (hour: number, unsynchronized: number): CountedDevices => ({
  at: START + hour * HOUR,
  devices: {
    total: 10,
    by_state: { MANAGED: 9, DISCOVERED: 1 },
    unsynchronized,
    unsynchronized_by: { drift: unsynchronized },
    drifted: unsynchronized,
    unreachable: 1,
    in_change: 0
  }
})

describe("The history of the overview", () => {
  it("is empty without counts", () => assert.deepEqual(historyPoints([], 6), []))

  it("has the last count of each step, back from the newest", () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((hour) => counted(hour, hour % 9))
    assert.deepEqual(
      historyPoints(all, 6).map(({ at }) => at.slice(11, 16)),
      ["00:00", "06:00", "12:00"]
    )
  })

  it("leaves out steps without a count", () =>
    assert.deepEqual(
      historyPoints([counted(0, 1), counted(24, 2)], 6).map(({ in_sync, silent, unsynchronized }) => [
        in_sync,
        unsynchronized,
        silent
      ]),
      [
        [8, 1, 1],
        [7, 2, 1]
      ]
    ))
})
