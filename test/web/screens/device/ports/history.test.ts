/** What happened to a port, in words. */
import { expect, it } from "@effect/vitest"
import { historyOf } from "../../../../../web/screens/device/ports/history.ts"

const event = (data: Readonly<Record<string, unknown>>, action = "updated") => ({
  id: 1,
  at: "2026-03-02T09:12:07",
  actor: "erik",
  action,
  data
})
const change = (before: object, after: object) => event({ key: "Ethernet3", before, after })

it.each([
  [
    change(
      { configtype: "ACCESS_AUTO", data: null },
      { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "PRINTER" } }
    ),
    "Moved to PRINTER"
  ],
  [change({ data: { description: "a" } }, { data: { description: "Room 12" } }), "Named “Room 12”"],
  [change({ data: { description: "a" } }, { data: {} }), "Name removed"],
  [change({ data: {} }, { data: { enabled: false } }), "Turned off"],
  [change({ data: { enabled: false } }, { data: { enabled: true } }), "Turned on"],
  [change({ data: {} }, { data: { bpdu_filter: true } }), "Changed"],
  [event({ ports: ["Ethernet3"] }, "bounced"), "Restarted"]
])("says what changed at a port", (happened, sentence) => {
  expect(historyOf([happened], "Ethernet3").map((one) => one.sentence)).toEqual([sentence])
})

it("leaves out what happened to other ports", () => {
  expect(
    historyOf(
      [event({ key: "Ethernet4", before: {}, after: {} }), event({ ports: ["Ethernet5"] }, "bounced")],
      "Ethernet3"
    )
  ).toEqual([])
})
