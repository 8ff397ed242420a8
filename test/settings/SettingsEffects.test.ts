/** The effects of changed settings, as tables: groups and their uses, VLANs and the ports that name them, and excessive changes. */
import { assert, describe, it } from "@effect/vitest"
import { type CommitEffects, NO_CONFIGURATIONS, NO_EFFECTS, type RemovedKind } from "../../src/domain/CommitEffects.ts"
import { effectSentences, reasonsToAsk } from "../../src/domain/words/EffectSentences.ts"
import type { Interface } from "../../src/domain/Interface.ts"
import { type GroupRule, settingsEffects } from "../../src/settings/SettingsEffects.ts"
import { vlanIdOf, type Vxlans } from "../../src/settings/SettingsModel.ts"
import { device, memberFiles, settingsOf, snapshotWith } from "./repository.ts"

const HOSTS = ["acc1", "acc2", "acc3"]
const devices = [...HOSTS, "spare"].map((name, id) => ({ ...device(name, "ACCESS"), id }))

const groupsFile = (regex: string, more = "") =>
  `groups:\n  - group: {name: WING, regex: '${regex}', group_priority: 10${more}}\n  - group: {name: ALL, regex: '.*'}\n`
const vxlansFile = (entries: Readonly<Record<string, readonly [name: string, id: number, more?: string]>>) =>
  `vxlans:${Object.keys(entries).length === 0 ? " {}" : ""}\n${Object.entries(entries)
    .map(([key, [name, id, more = ""]]) => `  ${key}: {vni: ${id}, vlan_id: ${id}, vlan_name: ${name}${more}}\n`)
    .join("")}`

type Files = Readonly<Record<string, string | null>>

const WINDOW: GroupRule = { kind: "window", name: "night", groups: ["WING"], deviceTypes: null }
const OTHERS: ReadonlyArray<GroupRule> = [
  { kind: "freeze", name: "xmas", groups: ["ALL"], deviceTypes: null },
  { kind: "role", name: "dist only", groups: ["WING"], deviceTypes: ["DIST"] }
]

const find = (before: Files, after: Files, rules: ReadonlyArray<GroupRule> = [WINDOW, ...OTHERS]) => {
  const steps = settingsEffects({
    before: snapshotWith(before),
    after: snapshotWith(after),
    devices,
    below: new Map(),
    affected: new Set(devices.map(({ hostname }) => hostname)),
    rules
  })
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

describe("groups after a commit", () => {
  const CASES: ReadonlyArray<readonly [regex: string, before: number, after: number, lost: number, gained: number]> = [
    ["acc[0-9]$", 3, 3, 0, 0],
    ["acx", 3, 0, 3, 0],
    ["acc1$", 3, 1, 2, 0],
    [".*", 3, 4, 0, 1],
    ["acc[12]$|spare", 3, 3, 1, 1]
  ]
  for (const [regex, before, after, lost, gained] of CASES) {
    it(`${regex}: ${before} members become ${after}, and the settings for the group change in the same way`, () => {
      const found = find({ "global/groups.yml": groupsFile("acc") }, { "global/groups.yml": groupsFile(regex) })
      if (lost + gained === 0) {
        assert.deepEqual([found.groups, found.rules], [[], []])
        return
      }
      const [group] = found.groups
      assert.lengthOf(found.groups, 1, "ALL has the same members")
      assert.deepInclude(group, { name: "WING", before, after, lost, gained })
      assert.deepEqual(
        found.rules.map(({ kind, name, ...counts }) => [kind, name, counts.before, counts.after]),
        [["window", "night", before, after]],
        "only what is for other devices"
      )
      assert.deepEqual(group?.used_by, [
        { kind: "window", name: "night" },
        { kind: "role", name: "dist only" }
      ])
    })
  }

  it("that were removed have lost all, and branches, directories and parts of files are uses as well", () => {
    const found = find(
      {
        "global/groups.yml": groupsFile("acc", ", templates_branch: trial"),
        "global/vxlans.yml": vxlansFile({ a: ["A", 1, ", groups: [WING]"] }),
        ...memberFiles("groups/WING", {})
      },
      { "global/groups.yml": "groups:\n  - group: {name: ALL, regex: '.*'}\n" },
      []
    )
    assert.deepEqual(found.groups[0]?.used_by, [
      { kind: "templates_branch", name: "trial" },
      { kind: "settings", name: "global/vxlans.yml" },
      { kind: "settings", name: "groups/WING" }
    ])
    assert.deepInclude(found.groups[0], { name: "WING", before: 3, after: 0 })
    assert.deepInclude([...found.removed], { kind: "groups", before: 3, removed: 1, names: ["WING"] })
  })

  it("emptied ones come first, and rules of alerts are read from the commit itself", () => {
    const alerts = (groups: string) =>
      `receivers: {ops: {type: webhook, url: "https://a.example.org/", secret: A}}\nrules: {failed: {kind: job, to: ops, groups: [${groups}]}}\n`
    const two = (wing: string, other: string) =>
      `groups:\n  - group: {name: OTHER, regex: '${other}'}\n  - group: {name: WING, regex: '${wing}'}\n`
    const found = find(
      { "global/groups.yml": two("acc1", "acc"), "alerts.yml": alerts("WING, OTHER") },
      { "global/groups.yml": two("none", "acc[23]"), "alerts.yml": alerts("WING") },
      []
    )
    assert.deepEqual(
      found.groups.map(({ name }) => name),
      ["WING", "OTHER"]
    )
    assert.deepInclude(found.rules[0], { kind: "alert rule", name: "failed", before: 3, after: 0 })
  })
})

describe("VLANs after a commit", () => {
  const BEFORE = vxlansFile({ a: ["A", 1], b: ["B", 2], c: ["C", 3] })
  const port = (name: string, data: Interface["data"]): Interface => ({
    device_id: 0,
    name,
    configtype: "ACCESS_TAGGED",
    data
  })
  const PORTS = [
    port("by name", { untagged_vlan: "A" }),
    port("by key", { untagged_vlan: "a" }),
    port("by id", { untagged_vlan: 1 }),
    port("tagged", { tagged_vlan_list: ["B", "A", 1] }),
    port("vxlan", { vxlan: "a" }),
    port("other", { untagged_vlan: "B", description: "A" }),
    port("none", null)
  ]
  const CASES: ReadonlyArray<
    readonly [
      what: string,
      after: Parameters<typeof vxlansFile>[0],
      change: string | undefined,
      ports: ReadonlyArray<string>,
      removed: number
    ]
  > = [
    ["stays", { a: ["A", 1], b: ["B", 2], c: ["C", 3] }, undefined, [], 0],
    [
      "vanishes",
      { b: ["B", 2], c: ["C", 3] },
      "vanished",
      ["by name", "by key", "by id", "tagged", "tagged", "vxlan"],
      1
    ],
    ["is renamed", { a: ["X", 1], b: ["B", 2], c: ["C", 3] }, "renamed", ["by name", "tagged"], 0],
    [
      "gets another id",
      { a: ["A", 9], b: ["B", 2], c: ["C", 3] },
      "renumbered",
      ["by name", "by key", "by id", "tagged", "tagged"],
      0
    ],
    ["gets another key", { x: ["A", 1], b: ["B", 2], c: ["C", 3] }, "moved", ["by key", "vxlan"], 0],
    ["gives its name to another", { a: ["X", 1], b: ["A", 2], c: ["C", 3] }, "renamed", ["by name", "tagged"], 0]
  ]
  for (const [what, after, change, names, removed] of CASES) {
    it(`one that ${what}: ports ${names.join(", ") || "none"}`, () => {
      const found = find({ "global/vxlans.yml": BEFORE }, { "global/vxlans.yml": vxlansFile(after) })
      const vlan = found.vlans.effects(PORTS).find(({ key }) => key === "a")
      assert.strictEqual<string | undefined>(vlan?.change, change)
      assert.deepEqual(vlan?.port_list.map((one) => one.interface) ?? [], [...names])
      assert.strictEqual(found.vlans.removed.removed, removed)
      assert.isEmpty(vlan?.port_list.filter(({ hostname }) => hostname !== "acc1") ?? [])
    })
  }

  it("two that exchange names are renamed at once, device by device", () => {
    const found = find(
      { "global/vxlans.yml": BEFORE },
      { "global/vxlans.yml": vxlansFile({ a: ["B", 1], b: ["A", 2], c: ["C", 3] }) }
    )
    assert.deepEqual(found.vlans.renames, [{ ids: [0, 1, 2, 3], names: { A: "B", B: "A" } }])
  })

  it("one that a mistyped audience removes from every device counts as removed", () => {
    const found = find(
      { "global/groups.yml": groupsFile("acc"), "global/vxlans.yml": BEFORE },
      {
        "global/groups.yml": groupsFile("acc"),
        "global/vxlans.yml": vxlansFile({ a: ["A", 1, ", groups: [WINGG]"], b: ["B", 2], c: ["C", 3] })
      }
    )
    assert.deepInclude(found.vlans.removed, { before: 3, removed: 1, names: ["a"] })
    assert.deepInclude(found.vlans.effects([])[0], { change: "vanished", key: "a", devices: 4 })
  })

  it("ports that the settings describe name them by id, in ranges too", () => {
    const dist = { ...device("dist1", "DIST"), id: 9 }
    const interfaces = `interfaces:
  - {name: Ethernet1, ifclass: custom, untagged_vlan: 1}
  - {name: Ethernet2, ifclass: custom, tagged_vlan_list: [7, 1-2]}
  - {name: Ethernet3, ifclass: custom, tagged_vlan_list: [2-3]}
`
    const files = (vxlans: string) => ({ "global/vxlans.yml": vxlans, ...memberFiles("devices/dist1", { interfaces }) })
    const steps = settingsEffects({
      before: snapshotWith(files(BEFORE)),
      after: snapshotWith(files(vxlansFile({ b: ["B", 2], c: ["C", 3] }))),
      devices: [dist],
      below: new Map(),
      affected: new Set(["dist1"]),
      rules: []
    })
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    assert.deepEqual(
      step.value.vlans.effects([])[0]?.port_list.map((one) => [one.interface, one.as]),
      [
        ["Ethernet1", "untagged"],
        ["Ethernet2", "tagged"]
      ]
    )
  })
})

describe("names of VLANs", () => {
  const vxlans = (entries: Parameters<typeof vxlansFile>[0]): Vxlans =>
    settingsOf(snapshotWith({ "global/vxlans.yml": vxlansFile(entries) }).layering.forDevice(device("a", "ACCESS")))
      .settings.vxlans
  const site = vxlans({ staff: ["STUDENT", 1], student: ["GUEST", 2], STUDENT: ["LAB", 3] })
  const CASES: ReadonlyArray<readonly [vlan: unknown, id: number | null]> = [
    ["STUDENT", 1],
    ["GUEST", 2],
    ["student", 2],
    ["staff", 1],
    ["LAB", 3],
    ["no", null],
    ["", null],
    [7, 7],
    [1.5, null],
    [null, null]
  ]
  it.each(CASES)("%s is VLAN %s: a name counts before the key of another", (vlan, id) => {
    assert.strictEqual(vlanIdOf(site, vlan), id)
  })
})

describe("an excessive change", () => {
  const LIMITS = { removed: 20, losing: 50 }
  const removed = (kind: RemovedKind["kind"], before: number, count: number): Partial<CommitEffects> => ({
    removed: [{ kind, before, removed: count, names: [] }]
  })
  const losing = (managed: number, count: number): Partial<CommitEffects> => ({
    configurations: { ...NO_CONFIGURATIONS, managed, losing: count }
  })
  const group = (before: number, after: number, used: boolean): Partial<CommitEffects> => ({
    groups: [
      {
        name: "G",
        before,
        after,
        gained: 0,
        lost: before - after,
        gained_names: [],
        lost_names: [],
        used_by: used ? [{ kind: "window", name: "w" }] : []
      }
    ]
  })
  const CASES: ReadonlyArray<readonly [what: string, effects: Partial<CommitEffects>, asked: boolean]> = [
    ["nothing", {}, false],
    ["4 of 5 templates", removed("templates", 5, 4), false],
    ["5 of 25 groups", removed("groups", 25, 5), false],
    ["5 of 24 groups", removed("groups", 24, 5), true],
    ["6 of 100 directories", removed("directories of devices", 100, 6), false],
    ["21 of 100 directories", removed("directories of devices", 100, 21), true],
    ["2 of 2 VLANs", removed("VLANs", 2, 2), true],
    ["1 of 1 VLANs", removed("VLANs", 1, 1), false],
    ["2 of 2 templates", removed("templates", 2, 2), false],
    ["4 of 4 devices that lose lines", losing(4, 4), false],
    ["5 of 10 devices that lose lines", losing(10, 5), false],
    ["6 of 10 devices that lose lines", losing(10, 6), true],
    ["an emptied group that is used", group(1, 0, true), true],
    ["an emptied group that nothing uses", group(9, 0, false), false],
    ["a group that keeps one member", group(9, 1, true), false]
  ]
  it.each(CASES)("%s", (_what, effects, asked) => {
    assert.strictEqual(reasonsToAsk({ ...NO_EFFECTS, ...effects }, LIMITS).length > 0, asked)
  })

  it("is only an emptied group if the limits are 100 %", () => {
    const none = { removed: 100, losing: 100 }
    for (const [what, effects] of CASES) {
      const asked = reasonsToAsk({ ...NO_EFFECTS, ...effects }, none).length > 0
      assert.strictEqual(asked, what === "an emptied group that is used", what)
    }
  })

  it("is described in plain words", () => {
    const sentences = effectSentences({
      ...NO_EFFECTS,
      ...group(3, 0, true),
      vlans: [
        {
          change: "renamed",
          key: "a",
          vlan_name: "A",
          vlan_id: 1,
          new_key: null,
          new_name: "B",
          new_id: 1,
          devices: 1,
          ports: 1,
          port_list: [{ hostname: "acc1", interface: "Ethernet1", as: "tagged" }]
        }
      ]
    })
    assert.deepEqual(sentences, [
      "Group G loses 3 devices (3 before, 0 after). It is used by window w",
      "VLAN A (1, key a) is renamed to B on 1 device. 1 port names it: acc1 Ethernet1 (tagged)"
    ])
  })
})
