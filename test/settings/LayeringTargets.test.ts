import { assert, describe, it } from "@effect/vitest"
import type { SettingsTarget } from "../../src/settings/Layering.ts"
import { device, memberFiles, settingsOf, snapshotWith } from "./repository.ts"

const vxlans = (...names: ReadonlyArray<string>) =>
  `vxlans:\n${names.map((name, index) => `  ${name}: {vni: ${index + 1}, vlan_id: ${index + 1}, vlan_name: ${name}}\n`).join("")}`

const GROUPS = { "global/groups.yml": "groups: [{group: {name: WING, regex: 'sw', group_priority: 10}}]\n" }

describe("values for other devices", () => {
  it("are omitted from users, vrfs, options and vxlans, by groups and by name", () => {
    const snapshot = snapshotWith({
      ...GROUPS,
      "global/base_system.yml": `users: [{username: u, groups: [WING]}, {username: v, groups: [Z]}]
interface_tag_options: {a: {groups: [Z]}, b: {groups: [WING]}}
port_template_options: {a: {groups: [Z]}}
`,
      "global/routing.yml": "vrfs: [{name: A, vrf_id: 1, groups: [Z]}, {name: B, vrf_id: 2}]\n",
      "global/vxlans.yml": `vxlans:
  a: {vni: 1, vlan_id: 1, vlan_name: a, groups: [Z], devices: [sw1]}
  b: {vni: 2, vlan_id: 2, vlan_name: b, devices: [sw2]}
  c: {vni: 3, vlan_id: 3, vlan_name: c, groups: [WING]}
`
    })
    const { origins, settings } = settingsOf(snapshot.layering.forDevice(device("sw1", "ACCESS")))
    assert.deepStrictEqual(
      settings.users.map(({ username }) => username),
      ["u"]
    )
    assert.deepStrictEqual([...settings.interface_tag_options.keys()], ["b"])
    assert.strictEqual(settings.port_template_options.size, 0)
    assert.isFalse(origins.has("port_template_options"))
    assert.deepStrictEqual(
      settings.vrfs.map(({ name }) => name),
      ["B"]
    )
    assert.deepStrictEqual([...settings.vxlans.keys()], ["a", "c"])
    const other = settingsOf(snapshot.layering.forDevice(device("x", "ACCESS")))
    assert.strictEqual(other.settings.vxlans.size, 0)
    assert.strictEqual(other.origins.get("vxlans"), "default")
  })

  it("are omitted from a device's routing.yml by groups, and nowhere else", () => {
    const snapshot = snapshotWith(
      memberFiles("devices/sw", {
        base_system: "users: [{username: u, groups: [Z]}]\n",
        routing: "vrfs: [{vrf_id: 1, groups: [Z]}, {vrf_id: 2}]\n"
      })
    )
    const { settings } = settingsOf(snapshot.layering.forDevice(device("sw", "DIST")))
    assert.strictEqual(settings.users.length, 1)
    assert.deepStrictEqual(
      settings.vrfs.map(({ vrf_id }) => vrf_id),
      [2]
    )
  })
})

describe("the VXLANs of access switches", () => {
  const snapshot = snapshotWith({
    "global/vxlans.yml": vxlans("shared").replace("vlan_name: shared", "vlan_name: shared, devices: [dist, acc1]"),
    ...memberFiles("devices/acc1", { base_system: vxlans("shared", "one") }),
    ...memberFiles("devices/acc2", { base_system: vxlans("two", "one") })
  })
  const below = [device("acc1", "ACCESS"), device("acc2", "ACCESS")]
  const keys = (target: SettingsTarget) => [
    ...settingsOf(snapshot.layering.forDevice(target, below)).settings.vxlans.keys()
  ]

  it("are added to the distribution switch above, its own first and each name once", () => {
    assert.deepStrictEqual(keys(device("dist", "DIST")), ["shared", "one", "two"])
  })

  it("are not added to other types", () => {
    assert.deepStrictEqual(keys(device("core", "CORE")), [])
  })

  it("are included without a second request", () => {
    const twice = [1, 2].map(() => snapshot.layering.forDevice(device("dist", "DIST"), below))
    assert.strictEqual(twice[0], twice[1])
  })
})
