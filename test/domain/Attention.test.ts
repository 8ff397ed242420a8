import { assert, describe, it } from "@effect/vitest"
import { type AttentionFacts, attentionOf } from "../../src/domain/Attention.ts"
import { remark } from "../../src/domain/Repository.ts"

const NOTHING: AttentionFacts = {
  silent: [],
  uplinks: new Map(),
  rollouts: [],
  approvals: [],
  commits: [],
  changed: [],
  alerts: [],
  waiting: [],
  certificates: []
}

const at = (hour: number) => `2026-03-02T0${hour}:00:00`
const since = (hostname: string, hour: number) => ({ hostname, since: at(hour) })
const rollout = {
  job_id: 26,
  comment: "guest network",
  is_running: true,
  since: at(3),
  failed: ["acc10", "acc2"],
  total: 100
}
const approval = { about: "job 31", title: "“voice”", asked_by: "otto", since: at(2), until: at(9) }
const commit = {
  repository: "settings",
  commit: "903a6fe",
  state: "refused",
  since: at(1),
  message: "it is wrong",
  problem: remark("a list may not stand here", { file: "global/base_system.yml", line: 7 })
} as const
const alert = { rule: "disk_low", level: "critical", since: at(1), title: "disk is low", count: 1, devices: [] }

describe("What needs attention", () => {
  it("is nothing when all is well", () => assert.deepEqual(attentionOf(NOTHING), []))

  it("is ranked by kind, whatever its age and size", () => {
    const all = attentionOf({
      ...NOTHING,
      silent: [since("acc3", 8)],
      rollouts: [rollout],
      approvals: [approval],
      commits: [commit],
      changed: [since("acc7", 1)],
      alerts: [alert],
      waiting: [since("mac-1", 1), since("mac-2", 1), since("mac-3", 2)],
      certificates: [{ hostname: "acc9", until: at(9), has_ended: false }]
    })
    assert.deepEqual(
      all.map(({ action, kind, place, sentence }) => [kind, sentence, action, place.screen, place.of]),
      [
        ["silent", "1 switch has stopped answering", "show_devices", "device", "acc3"],
        ["rollout", "2 switches of 100 failed in a running rollout", "open_job", "job", "26"],
        ["approval", "1 request waits for your approval", "decide", "job", "31"],
        ["commit", "The newest commit of the settings was refused", "show_commit", "repository", "settings"],
        ["changed_by_hand", "1 switch was changed by hand", "compare", "device", "acc7"],
        ["alert", "1 alert is open: disk low", "show_alerts", "alerts", null],
        ["new_device", "3 new switches wait to be set up", "set_up", "new_devices", null],
        ["certificate", "The certificate of 1 switch ends soon", "renew", "device", "acc9"]
      ]
    )
    assert.strictEqual(all[3]?.detail, "global/base_system.yml, line 7: a list may not stand here")
  })

  it("groups switches that do not answer by their likely cause, the largest group first", () => {
    const uplinks = new Map([
      ["acc2", new Set(["dist2"])],
      ["acc10", new Set(["dist2"])],
      ["acc3", new Set<string>()]
    ])
    const silent = [since("acc10", 3), since("acc3", 1), since("acc2", 2)]
    const [first, second] = attentionOf({ ...NOTHING, silent, uplinks })
    assert.deepInclude(first, {
      key: "silent dist2",
      since: at(2),
      count: 2,
      devices: ["acc2", "acc10"],
      uplinks: ["dist2"],
      detail: "All on dist2. Look there first.",
      place: { screen: "devices", of: "filter[unreachable]=true" }
    })
    assert.deepInclude(second, { key: "silent", devices: ["acc3"], detail: null })
  })

  it("names the oldest of several approvals, and the first deadline of all", () => {
    const newer = { ...approval, about: "request 3", title: "request 3", since: at(4), until: at(5) }
    const [found] = attentionOf({ ...NOTHING, approvals: [newer, approval] })
    assert.deepInclude(found, {
      count: 2,
      since: at(2),
      until: at(5),
      sentence: "2 requests wait for your approval",
      detail: "The oldest: “voice”, asked for by otto",
      place: { screen: "approvals", of: null }
    })
  })

  it("names the first hundred devices, and counts all", () => {
    const changed = Array.from({ length: 150 }, (_, index) => since(`acc${index + 1}`, 1))
    const [found] = attentionOf({ ...NOTHING, changed })
    assert.strictEqual(found?.count, 150)
    assert.strictEqual(found?.devices.length, 100)
    assert.deepEqual(found?.devices.slice(0, 3), ["acc1", "acc2", "acc3"])
  })
})
