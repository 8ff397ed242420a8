import { assert, describe, it } from "@effect/vitest"
import { affectedDevices, changedFiles, downstreamDevices } from "../../src/settings/SettingsSnapshot.ts"
import { device, memberFiles, snapshotWith } from "./repository.ts"

const snapshot = snapshotWith({
  "global/groups.yml": `groups:
  - group: {name: WING, regex: 'acc', group_priority: 10}
  - group: {name: ALL, regex: '.*'}
`
})
const devices = [
  device("core", "CORE"),
  device("dist", "DIST"),
  device("acc1", "ACCESS"),
  device("acc2", "ACCESS"),
  device("new", "UNKNOWN")
]

const CASES: ReadonlyArray<readonly [changed: ReadonlyArray<string>, hostnames: ReadonlyArray<string>]> = [
  [[], []],
  [["global/README.md"], ["core", "dist", "acc1", "acc2"]],
  [["fabric/base_system.yml"], ["core", "dist"]],
  [["access/base_system.yml"], ["acc1", "acc2"]],
  [["dist/interfaces_x.yml"], ["dist"]],
  [
    ["core/base_system.yml", "devices/acc2/routing.yml"],
    ["core", "acc2"]
  ],
  [["devices/new/base_system.yml"], ["new"]],
  [["groups/WING/base_system.yml"], ["acc1", "acc2"]],
  [["groups/DEFAULT/base_system.yml"], ["core", "dist", "new"]],
  [["groups/ALL/base_system.yml"], []],
  [["README.md", "global", "devices/README.md", "groups/.gitkeep", "firewall/base_system.yml"], []]
]

describe("after a change of", () => {
  for (const [changed, hostnames] of CASES) {
    it(`${changed.join(", ") || "nothing"}, exactly these are unsynchronized: ${hostnames.join(", ") || "none"}`, () => {
      assert.deepStrictEqual(affectedDevices(changed, snapshot, devices), { hostnames, warnings: [] })
    })
  }

  it("devices and groups that do not exist, there are remarks", () => {
    assert.deepStrictEqual(affectedDevices(["devices/gone/x.yml", "groups/GONE/x.yml"], snapshot, devices), {
      hostnames: [],
      warnings: [
        "Settings updated for unknown device: gone",
        "Group GONE not found in database, syncstatus not updated"
      ]
    })
  })
})

describe("two snapshots", () => {
  it("differ in files that were changed, added or removed", () => {
    const before = snapshotWith({ "access/base_system.yml": "a: 1\n", ...memberFiles("devices/x", {}) })
    const after = snapshotWith({ "access/base_system.yml": "a: 2\n", "dist/interfaces_x.yml": "" })
    assert.sameMembers(
      [...changedFiles(before, after)],
      ["access/base_system.yml", "dist/interfaces_x.yml", ...Object.keys(memberFiles("devices/x", {}))]
    )
    assert.deepStrictEqual(changedFiles(before, before), [])
  })
})

describe("the access switches below a distribution switch", () => {
  it("come in the order of the linknets, each once, from either end", () => {
    const all = [
      { id: 1, device_type: "DIST" as const },
      { id: 2, device_type: "ACCESS" as const },
      { id: 3, device_type: "ACCESS" as const },
      { id: 4, device_type: "CORE" as const }
    ]
    const links = [
      { id: 9, device_a_id: 2, device_b_id: 1 },
      { id: 7, device_a_id: 1, device_b_id: 3 },
      { id: 8, device_a_id: 3, device_b_id: 1 },
      { id: 5, device_a_id: 1, device_b_id: 4 },
      { id: 6, device_a_id: 1, device_b_id: 99 },
      { id: 4, device_a_id: 2, device_b_id: 3 }
    ]
    const below = downstreamDevices(all, links)
    assert.deepStrictEqual(
      below.get(1)?.map(({ id }) => id),
      [3, 2]
    )
    assert.deepStrictEqual([...below.keys()], [1])
  })
})
