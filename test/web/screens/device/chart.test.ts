/** The drawing of statecharts. */
import { describe, expect, it } from "vitest"
import { statecharts } from "../../../../src/devices/ActorShow.ts"
import { laidOut, wordOf } from "../../../../web/screens/device/chart.ts"

describe("the drawing of a statechart", () => {
  it("has every state of the machine in a place of its own", () => {
    for (const chart of Object.values(statecharts)) {
      const { boxes } = laidOut(chart)
      expect(boxes.map(({ state }) => state).toSorted()).toEqual(chart.states.toSorted())
      expect(new Set(boxes.map(({ column, row }) => `${column} ${row}`)).size).toBe(boxes.length)
    }
  })

  it("has the course of a switch from left to right, and states that only people set below it", () => {
    const { boxes } = laidOut(statecharts.life)
    const columnOf = new Map(boxes.map(({ column, state }) => [state, column]))
    expect(["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED", "UNMANAGED"].map((state) => columnOf.get(state))).toEqual([
      0, 1, 2, 3, 4
    ])
    expect(boxes.find(({ state }) => state === "UNKNOWN")?.row).toBe(1)
  })

  it("has one line for all transitions from one state to another", () => {
    const { lines } = laidOut(statecharts.life)
    const line = lines.find(({ from, to }) => from.state === "MANAGED" && to.state === "UNMANAGED")
    expect(line?.words).toEqual(["OPERATOR_SET [operatorWants]", "RESTORED_OLD_CONFIG", "LIVE_APPLY_CONFIG"])
  })

  it("marks a step that is taken at once", () => {
    expect(wordOf({ from: "arriving", to: "over", event: "", rule: "isOver" })).toBe("at once [isOver]")
  })
})
