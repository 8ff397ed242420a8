import { assert, describe, it } from "@effect/vitest"
import { originLevel, type SettingsSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import type { SettingsTarget } from "../../src/settings/Layering.ts"
import { device, failure, memberFiles, messages, settingsOf, snapshotWith } from "./repository.ts"

const org = (name: string) => `organization_name: ${name}\n`
const vxlans = (...names: ReadonlyArray<string>) =>
  `vxlans:\n${names.map((name, index) => `  ${name}: {vni: ${index + 1}, vlan_id: ${index + 1}, vlan_name: ${name}}\n`).join("")}`

const resultOf = (snapshot: SettingsSnapshot, target: SettingsTarget) => {
  const { origins, settings } = settingsOf(snapshot.layering.forDevice(target))
  return [settings.organization_name, origins.get("organization_name")]
}

const GROUPS = { "global/groups.yml": "groups: [{group: {name: WING, regex: 'sw', group_priority: 10}}]\n" }

describe("a later layer", () => {
  const layers: ReadonlyArray<
    readonly [files: Record<string, string>, target: SettingsTarget, name: string, origin: string]
  > = [
    [{ "global/base_system.yml": org("base") }, device("x", "ACCESS"), "base", "global->base_system.yml"],
    [{ "fabric/base_system.yml": org("fabric") }, device("x", "DIST"), "fabric", "fabric->base_system.yml"],
    [{ "dist/base_system.yml": org("dist") }, device("x", "DIST"), "dist", "devicetype->base_system.yml"],
    [{ "global/routing.yml": org("routing") }, device("x", "DIST"), "routing", "global->routing.yml"],
    [{ "global/vxlans.yml": org("vxlans") }, device("x", "DIST"), "vxlans", "global->vxlans.yml"],
    [{ "global/access_lists.yml": org("acl") }, device("x", "DIST"), "acl", "global->access_lists.yml"],
    [
      { ...GROUPS, ...memberFiles("groups/WING", { base_system: org("group") }) },
      device("sw", "DIST"),
      "group",
      "groups->WING->base_system.yml"
    ],
    [
      memberFiles("groups/WING", { interfaces: org("group-if") }),
      device("sw", "DIST"),
      "group-if",
      "groups->WING->interfaces.yml"
    ],
    [
      memberFiles("groups/WING", { routing: org("group-rt") }),
      device("sw", "DIST"),
      "group-rt",
      "groups->WING->routing.yml"
    ],
    [
      memberFiles("devices/sw", { base_system: org("dev") }),
      device("sw", "DIST"),
      "dev",
      "device->sw->base_system.yml"
    ],
    [
      memberFiles("devices/sw", { interfaces: org("dev-if") }),
      device("sw", "DIST"),
      "dev-if",
      "device->sw->interfaces.yml"
    ],
    [memberFiles("devices/sw", { routing: org("dev-rt") }), device("sw", "DIST"), "dev-rt", "device->sw->routing.yml"]
  ]
  let all: Record<string, string> = {}
  for (const [files, target, name, origin] of layers) {
    all = { ...all, ...files }
    const changes = all
    it(`overrides all earlier ones: ${origin}`, () => {
      assert.deepStrictEqual(resultOf(snapshotWith(changes), target), [name, origin])
    })
  }

  it("replaces lists and mappings as a whole", () => {
    const snapshot = snapshotWith({
      "global/base_system.yml": "ntp_servers: [{host: a}, {host: b}]\n",
      "access/base_system.yml": "ntp_servers: [{host: c}]\n",
      "global/vxlans.yml": vxlans("one"),
      ...memberFiles("devices/sw", { base_system: vxlans("two") })
    })
    const { settings } = settingsOf(snapshot.layering.forDevice(device("sw", "ACCESS")))
    assert.deepStrictEqual(settings.ntp_servers, [{ host: "c" }])
    assert.deepStrictEqual([...settings.vxlans.keys()], ["two"])
  })

  it("is combined with the previous one for the keys that the server merges, and both origins are named", () => {
    const snapshot = snapshotWith(
      {
        "global/base_system.yml": "ntp_servers: [{host: a}]\ndomain_name: a.b\nusers: [{username: u}]\n",
        "access/base_system.yml": "ntp_servers: [{host: b}]\ndomain_name: c.d\nusers: [{username: v}]\n",
        "global/vxlans.yml": vxlans("one", "two"),
        ...memberFiles("devices/sw", { base_system: vxlans("two", "three") })
      },
      { keysToMerge: ["ntp_servers", "domain_name", "vxlans", "dns_servers"] }
    )
    const { origins, settings } = settingsOf(snapshot.layering.forDevice(device("sw", "ACCESS")))
    assert.deepStrictEqual(settings.ntp_servers, [{ host: "a" }, { host: "b" }])
    assert.strictEqual(origins.get("ntp_servers"), "default, global->base_system.yml, devicetype->base_system.yml")
    assert.strictEqual(originLevel(origins.get("ntp_servers") ?? ""), "default, global, devicetype")
    assert.deepStrictEqual(
      [...settings.vxlans].map(([name, { vni }]) => [name, vni]),
      [
        ["one", 1],
        ["two", 1],
        ["three", 2]
      ]
    )
    assert.strictEqual(settings.domain_name, "c.d")
    assert.strictEqual(origins.get("domain_name"), "devicetype->base_system.yml")
    assert.deepStrictEqual(
      settings.users.map(({ username }) => username),
      ["v"]
    )
    assert.strictEqual(origins.get("dns_servers"), "default")
  })
})

const interfaces = (name: string) => `interfaces: [{name: ${name}, ifclass: fabric}]\n`

describe("the interfaces of a device model", () => {
  const snapshot = snapshotWith({
    "dist/interfaces_veos_lab.yml": interfaces("FromDist"),
    "core/interfaces_veos_lab.yml": interfaces("FromCore"),
    ...memberFiles("devices/own", {})
  })
  const names = (target: SettingsTarget) =>
    settingsOf(snapshot.layering.forDevice(target)).settings.interfaces.map(({ name }) => name)

  it("apply to DIST and CORE devices without a directory of their own", () => {
    assert.deepStrictEqual(names(device("d", "DIST", " vEOS  lab ")), ["FromDist"])
    assert.deepStrictEqual(names(device("c", "CORE", "vEOS lab")), ["FromCore"])
    assert.deepStrictEqual(names(device("own", "DIST", "vEOS lab")), [])
    assert.deepStrictEqual(names(device("a", "ACCESS", "vEOS lab")), [])
    assert.deepStrictEqual(names(device("d", "DIST", null)), [])
    assert.deepStrictEqual(names(device("d", "DIST", "other")), [])
  })

  it("come from the file by name", () => {
    const { origins } = settingsOf(snapshot.layering.forDevice(device("c", "CORE", "vEOS lab")))
    assert.strictEqual(origins.get("interfaces"), "core->interfaces_veos_lab.yml")
    assert.strictEqual(originLevel(origins.get("interfaces") ?? ""), "devicetype")
  })
})

describe("settings without a device", () => {
  const snapshot = snapshotWith({
    ...GROUPS,
    "global/base_system.yml": "users: [{username: u, groups: [NOBODY]}]\n",
    "fabric/base_system.yml": "dot1x_fail_vlan: 5\n",
    "core/base_system.yml": org("core"),
    "global/vxlans.yml": "vxlans: {a: {vni: 1, vlan_id: 1, vlan_name: a, devices: [sw]}}\n",
    ...memberFiles("groups/WING", { base_system: org("group") })
  })

  it("are not filtered", () => {
    const { settings } = settingsOf(snapshot.layering.forType())
    assert.strictEqual(settings.users.length, 1)
    assert.strictEqual(settings.vxlans.size, 1)
    assert.strictEqual(settings.organization_name, "")
  })

  it("of a type have that type's layers", () => {
    const core = settingsOf(snapshot.layering.forType("CORE")).settings
    assert.deepStrictEqual([core.organization_name, core.dot1x_fail_vlan], ["core", 5])
    assert.isNull(settingsOf(snapshot.layering.forType("ACCESS")).settings.dot1x_fail_vlan)
  })

  it("are unavailable for the type UNKNOWN, while a device of that type has them", () => {
    assert.deepStrictEqual(messages(failure(snapshot.layering.forType("UNKNOWN"))), [
      "It's not possible to get settings for devices with type UNKNOWN"
    ])
    assert.strictEqual(settingsOf(snapshot.layering.forDevice(device("x", "UNKNOWN"))).settings.users.length, 0)
  })
})

describe("a wrong value in a layer", () => {
  it("is reported with the origin of its key", () => {
    const snapshot = snapshotWith({ "fabric/base_system.yml": "dot1x_fail_vlan: 5000\n" })
    assert.deepStrictEqual(messages(failure(snapshot.layering.forDevice(device("x", "CORE")))), [
      "Validation error for setting dot1x_fail_vlan, bad value: 5000 (value origin: fabric->base_system.yml)\n" +
        "Message: Input should be less than 4095, field should be: Numeric 802.1Q VLAN ID, 1-4094\n"
    ])
    assert.strictEqual(settingsOf(snapshot.layering.forDevice(device("x", "ACCESS"))).settings.dot1x_fail_vlan, null)
  })

  it("does no harm if a later layer replaces it, unless its file is filtered", () => {
    const wrong = "dot1x_fail_vlan: 5000\n"
    const right = { "dist/base_system.yml": "dot1x_fail_vlan: 5\n" }
    const unfiltered = snapshotWith({ "fabric/base_system.yml": wrong, ...right })
    assert.strictEqual(settingsOf(unfiltered.layering.forDevice(device("x", "DIST"))).settings.dot1x_fail_vlan, 5)
    const filtered = snapshotWith({ "global/base_system.yml": wrong, ...right })
    assert.include(messages(failure(filtered.layering.forDevice(device("x", "DIST"))))[0], "global->base_system.yml")
  })

  it("names both origins of a merged key", () => {
    const snapshot = snapshotWith(
      {
        "global/base_system.yml": "dns_servers: [{host: a}]\n",
        "access/base_system.yml": "dns_servers: [{host: 5}]\n"
      },
      { keysToMerge: ["dns_servers"] }
    )
    assert.include(
      messages(failure(snapshot.layering.forDevice(device("x", "ACCESS"))))[0],
      "dns_servers->1->host, bad value: 5 (value origin: default, global->base_system.yml, devicetype->base_system.yml)"
    )
  })

  it("is reported with its place if the file is not YAML, to readers of the file only", () => {
    const snapshot = snapshotWith(memberFiles("devices/sw", { interfaces: "interfaces: [\n" }))
    assert.match(
      messages(failure(snapshot.layering.forDevice(device("sw", "DIST"))))[0] ?? "",
      /^Could not parse devices\/sw\/interfaces\.yml, line 2, column 1: /
    )
    settingsOf(snapshot.layering.forDevice(device("other", "DIST")))
  })

  it("below groups in a place that is not in the model is reported by the filter", () => {
    const snapshot = snapshotWith({ "global/vxlans.yml": "other: {groups: abc}\n" })
    assert.deepStrictEqual(messages(failure(snapshot.layering.forDevice(device("x", "ACCESS")))), [
      "Groups field must be a list or empty (currently str) in: {'groups': 'abc'}"
    ])
  })

  it("of an unknown key is ignored, but the key keeps its origin", () => {
    const snapshot = snapshotWith({ "access/base_system.yml": "no_such_key: 1\n" })
    const { origins, settings } = settingsOf(snapshot.layering.forDevice(device("x", "ACCESS")))
    assert.strictEqual(origins.get("no_such_key"), "devicetype->base_system.yml")
    assert.notProperty(settings, "no_such_key")
  })
})

describe("devices with the same layers", () => {
  it("share one result, and unchanged files share their values with the next commit", () => {
    const before = snapshotWith({ "global/vxlans.yml": vxlans("a") })
    const one = settingsOf(before.layering.forDevice(device("one", "ACCESS")))
    assert.strictEqual(settingsOf(before.layering.forDevice(device("two", "ACCESS"))), one)
    const after = snapshotWith(
      { "global/vxlans.yml": vxlans("a"), "access/base_system.yml": org("new") },
      { previous: before }
    )
    const next = settingsOf(after.layering.forDevice(device("one", "ACCESS")))
    assert.strictEqual(next.settings.organization_name, "new")
    assert.strictEqual(next.settings.vxlans, one.settings.vxlans)
    assert.strictEqual(one.settings.organization_name, "")
  })
})
