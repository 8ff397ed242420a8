/** What a change is about, what was checked about it, and where it stands in the list. */
import { describe, expect, it } from "vitest"
import { oneOf, placeOf, subjectsOf } from "../../../../web/screens/change/about.ts"
import { changesOf } from "../../../../web/screens/change/changes.ts"
import { checksInShort, checksOf, expectedTime, type Facts, planLines } from "../../../../web/screens/change/checks.ts"

describe("a change", () => {
  it.each([
    ["@@ -1,2 +1,3 @@\n vlan 140\n    name VOICE\n+vlan 160\n+   name GUEST", "vlan 160"],
    ["@@ -1,1 +1,1 @@\n-ntp server 10.0.0.1\n+ntp server 10.0.0.2 prefer", "ntp server"],
    ["@@ -3,2 +3,3 @@\n interface Ethernet3\n    switchport\n+   description desk", "interface Ethernet3"],
    [
      "+ntp server a\n+logging host b\n+snmp-server location c\n+banner motd\n+vlan 5",
      "ntp server, logging host, snmp-server location and 2 more"
    ],
    [
      "@@ -3,3 +3,7 @@\n interfaces {\n     ge-0/0/3 {\n+        mtu 9000;\n     }\n+    ge-0/0/4 {\n+        disable;\n+    }\n }",
      "interfaces ge-0/0/3, interfaces ge-0/0/4"
    ],
    ["@@ -9,3 +9,3 @@\n     ntp {\n-        server 10.0.0.1;\n+        server 10.0.0.2;\n     }", "ntp server"],
    ["@@ -1,2 +1,2 @@\n system {\n-    host-name a;\n+    host-name b;", "system host-name"]
  ])("is about the sections of %j", (diff, said) => {
    expect(subjectsOf(diff)).toBe(said)
  })

  it.each([
    [
      {
        devices: 4,
        sites: [],
        groups: [
          { name: "ALL", count: 4, of: 9 },
          { name: "EAST", count: 4, of: 4 }
        ]
      },
      "EAST"
    ],
    [{ devices: 4, sites: [], groups: [{ name: "EAST", count: 3, of: 3 }] }, null],
    [{ devices: 9, sites: [], groups: [{ name: "ALL", count: 9, of: 9 }] }, null],
    [{ devices: 4, sites: [{ name: "Lindhaven", count: 4 }], groups: [] }, "Lindhaven"]
  ])("is at the smallest place that has all of its switches", (scope, place) => {
    expect(placeOf(scope)).toBe(place)
  })

  it.each([
    [[], "somebody else"],
    [["anna"], "anna"],
    [["anna", "maria"], "anna or maria"],
    [["anna", "bert", "carl", "dora"], "anna, bert, carl or somebody else"]
  ])("is decided by one of %j", (names, said) => {
    expect(oneOf(names)).toBe(said)
  })
})

const facts = (more: Partial<Facts> = {}): Facts => ({
  job: {
    finish_time: "2026-11-26T14:00:00",
    exception: null,
    settings_commit: "903a6fe0",
    templates_commit: null,
    settings_signature: { state: "signed", signer: "sam@lindhaven.example", key: "SHA256:k", why: null },
    templates_signature: null
  },
  groups: [],
  compared: 100,
  failed: 0,
  failures: [],
  scope: { outdated: [], uplinks: [], window: null },
  ...more
})

const NOW = new Date("2026-11-26T14:11:00Z")
const said = (more?: Partial<Facts>) => checksOf(facts(more), NOW).map(({ text }) => text)

describe("checks", () => {
  it("pass where nothing is to note, and say nothing that was not checked", () => {
    const checks = checksOf(facts(), NOW)
    expect(checksInShort(checks)).toBe("6 passed")
    expect(checks.some(({ text }) => text.includes("run it"))).toBe(false)
    expect(checks[0]?.detail).toBe("settings 903a6fe signed by sam@lindhaven.example, templates none")
  })

  it("name switches that could not be compared, that changed since, and uplinks that are touched", () => {
    const scope = {
      outdated: ["lhv-s-acc9"],
      uplinks: [{ hostname: "lhv-s-dist1", ports: ["Ethernet49", "Ethernet50"] }],
      window: { is_open: false, closes_at: null, opens_at: null, why: "South is closed" }
    }
    const failures = [{ class: "LeftConfiguration", count: 1 }]
    const all = said({ failed: 2, failures, scope, proved: { done: 97, of: 100 } })
    expect(all).toContain("2 switches could not be compared")
    expect(all).toContain("1 switch changed since the preview")
    expect(all).toContain("Uplinks are touched")
    expect(all).toContain("Outside of the maintenance windows")
    expect(all).toContain("1 switch would get a command")
    expect(all).toContain("97 of 100 run it")
    expect(checksInShort(checksOf(facts({ failed: 2, failures, scope }), NOW))).toBe("2 passed, 5 to note")
  })

  it.each([
    [null, "not known yet: no switch was changed so far"],
    [20, "less than a minute"],
    [800, "about 14\u00a0min"]
  ])("say how long %s seconds are", (seconds, text) => {
    expect(expectedTime(seconds).replaceAll(/\s/g, " ")).toBe(text.replaceAll(/\s/g, " "))
  })

  it("tell the plan by its stages and its stop", () => {
    const stage = (count: number, is_canary = false) => ({ is_canary, count, hostnames: ["a1", "a2"].slice(0, count) })
    const plan = {
      stages: [stage(2, true), stage(20), stage(20), stage(8)],
      at_once: 20,
      confirm_mode: 1 as const,
      timer_seconds: 300,
      stops_at: 10,
      takes_back: false,
      urgent: false,
      emergency: null,
      waits_for_window: false,
      seconds: 840
    }
    expect(planLines(plan).map(({ text }) => text)).toEqual([
      "First 2 switches",
      "3 stages of up to 20",
      "Stops at 10 failures"
    ])
  })
})

const job = (id: number, more: object = {}) => ({
  id,
  function_name: "sync_devices (dry_run)",
  status: "FINISHED",
  outcome: "success",
  scheduled_by: "otto",
  start_arguments: {},
  counts: { changed: 3 },
  ...more
})
const push = (id: number, of: number | null, more: object = {}) =>
  job(id, { function_name: "sync_devices", start_arguments: of === null ? {} : { dry_run_job: of }, ...more })

describe("the list of changes", () => {
  it.each([
    ["a preview that nobody has rolled out", [job(1)], [[1, "open"]]],
    ["a preview that runs", [job(1, { outcome: null, status: "RUNNING", counts: null })], [[1, "open"]]],
    ["a preview without differences", [job(1, { counts: { changed: 0 } })], [[1, "done"]]],
    ["a preview of the server", [job(1, { scheduled_by: "scheduler" })], []],
    ["a rollout that waits", [push(2, 1, { status: "SCHEDULED", outcome: null }), job(1)], [[1, "waiting"]]],
    ["a rollout that runs", [push(2, 1, { status: "RUNNING", outcome: null }), job(1)], [[1, "rolling"]]],
    ["the newest rollout of a preview", [push(3, 1), push(2, 1, { outcome: "aborted" }), job(1)], [[1, "done"]]],
    ["a rollout without a preview", [push(5, null)], [[5, "done"]]]
  ])("has %s where it belongs", (_, jobs, rows) => {
    expect(changesOf(jobs).map(({ id, view }) => [id, view])).toEqual(rows)
  })
})
