/** What happened to a device, in sentences, and the steps of its life. */
import { assert, describe, it } from "@effect/vitest"
import { type Event, eventRows, newestFirst, reachedStates } from "../../../../web/screens/device/happened.ts"

const event = (id: number, kind: string, action: string, data: Event["data"] = {}, actor = "anna"): Event => ({
  id,
  at: `2026-03-02T09:12:0${id}`,
  kind,
  action,
  actor,
  way: "token",
  address: null,
  device_id: 4,
  hostname: "lhv-a1",
  job_id: null,
  data
})

describe("An event of a device", () => {
  const cases: ReadonlyArray<readonly [Event, sentence: string, tone: string]> = [
    [event(1, "change", "confirmed"), "Change: confirmed", "good"],
    [event(1, "sync", "needed", { cause: "refresh_settings" }), "Out of sync: the settings changed", "warn"],
    [event(1, "sync", "needed", { cause: "of_tomorrow" }), "Out of sync: of tomorrow", "quiet"],
    [event(1, "interface", "updated", { key: "Ethernet3" }), "Ethernet3 updated", "info"],
    [event(1, "device", "updated", { after: { state: "MANAGED" } }), "Managed", "good"],
    [event(1, "device", "updated", { after: { os_version: "4.31" } }), "Record changed: os version", "quiet"],
    [event(1, "reachability", "unreachable"), "Stopped answering", "bad"],
    [event(1, "host_key", "created"), "Key of a switch created", "quiet"]
  ]
  for (const [one, sentence, tone] of cases)
    it(`is told as ${sentence}`, () => {
      const [row] = eventRows([one])
      assert.deepStrictEqual([row?.sentence, row?.tone, row?.by], [sentence, tone, "anna"])
    })

  it("is left out if another event says the same, and has nobody if the server did it", () => {
    const rows = eventRows([
      event(1, "device", "updated", { after: { synchronized: true } }),
      event(2, "change", "confirmed", {}, "server")
    ])
    assert.deepStrictEqual(
      rows.map(({ by, key }) => [by, key]),
      [[null, "event 2"]]
    )
  })

  it("stands in the order of time among others", () => {
    const [early, late] = [eventRows([event(1, "host_key", "created")]), eventRows([event(2, "host_key", "created")])]
    assert.deepStrictEqual(
      newestFirst(early, late).map(({ key }) => key),
      ["event 2", "event 1"]
    )
  })
})

describe("The life of a device", () => {
  it("has the newest time of each state, and who brought it there", () => {
    const reached = reachedStates([
      event(3, "device", "updated", { after: { state: "MANAGED" } }),
      event(2, "device", "updated", { after: { state: "INIT" } }, "server"),
      event(1, "device", "updated", { after: { state: "MANAGED" } })
    ])
    assert.deepStrictEqual(
      [...reached],
      [
        ["MANAGED", { at: "2026-03-02T09:12:03", by: "anna" }],
        ["INIT", { at: "2026-03-02T09:12:02", by: null }]
      ]
    )
  })
})
