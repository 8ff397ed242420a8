import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkFile, fileModelOf } from "../../src/settings/FileModels.ts"
import { settingKeys } from "../../src/settings/SettingValidator.ts"

const keysOf = (path: string) => fileModelOf(path)?.keys

/** The normalised content, or the message. */
const check = (path: string, content: Readonly<Record<string, unknown>>) => {
  const model = fileModelOf(path)
  return model === undefined ? undefined : Result.merge(checkFile(model, content))
}

describe("The model of one settings file", () => {
  it("is found by the file's name or path; other files have none", () => {
    assert.deepStrictEqual(keysOf("vxlans.yml"), ["vxlans"])
    assert.deepStrictEqual(keysOf("devices/lhv-dist1/interfaces.yml"), ["interfaces"])
    assert.deepStrictEqual(keysOf("interfaces_dcs-7050sx3-48yc8-f.yml"), ["interfaces"])
    assert.deepStrictEqual(keysOf("groups.yml"), ["groups"])
    for (const path of ["x.yml", "base_system.yaml", "access_lists.yml", "my_vxlans.yml", "vxlans.yml.bak", ""]) {
      assert.isUndefined(keysOf(path), path)
    }
  })

  it("puts every key of the settings into exactly one file", () => {
    const placed = ["base_system.yml", "routing.yml", "vxlans.yml", "interfaces.yml"].flatMap(
      (name) => keysOf(name) ?? []
    )
    assert.sameMembers(placed, [...settingKeys])
  })

  it("describes the keys with the models that they refer to", () => {
    const schema = fileModelOf("vxlans.yml")?.jsonSchema
    assert.strictEqual(schema?.["title"], "f_vxlans")
    assert.deepNestedPropertyVal(schema, "properties.vxlans.additionalProperties.$ref", "#/definitions/f_vxlan")
    assert.hasAllKeys(schema?.["definitions"], ["f_vxlan", "f_dhcp_relay"])
    assert.deepNestedPropertyVal(
      fileModelOf("groups.yml")?.jsonSchema,
      "definitions.f_group_item.properties.group.$ref",
      "#/definitions/f_group"
    )
  })
})

describe("The check of one settings file", () => {
  it("answers with the file's own keys, converted and with defaults", () => {
    assert.deepStrictEqual(check("interfaces.yml", {}), { interfaces: [] })
    const routing = check("routing.yml", { external_routing_policies: ["RM"] })
    assert.deepNestedInclude(routing, { vrfs: [], external_routing_policies: ["RM"] })
    const base = check("base_system.yml", { radius_servers: [{ host: "10.255.0.7", port: "1812" }] })
    assert.deepNestedInclude(base, { radius_servers: [{ host: "10.255.0.7", port: 1812 }], users: [] })
    assert.notProperty(base, "vxlans")
  })

  it("names the keys that cannot be in the file", () => {
    assert.strictEqual(
      check("vxlans.yml", { vxlans: {}, ntp_servers: [] }),
      "Key: 'ntp_servers' cannot be used in this file and will be filtered, please move them to the correct settings file."
    )
    assert.strictEqual(
      check("base_system.yml", { a: 1, b: 2 }),
      "Keys: 'a, b' cannot be used in this file and will be filtered, please move them to the correct settings file."
    )
  })

  it("names the broken rule of each value", () => {
    const message = check("vxlans.yml", { vxlans: { student: { vni: 100500, vlan_id: 5000, vlan_name: "STUDENT" } } })
    assert.match(
      String(message),
      /^Validation error for setting vxlans->student->vlan_id, bad value: 5000 \(value origin: API POST data\)\nMessage: /
    )
  })

  it("accepts groups in both of their forms, and finds their contradictions", () => {
    const named = (name: string, group_priority: number) => ({ group: { name, regex: "a.*", group_priority } })
    const good = { groups: [named("A", 10), { name: "B", device_filter: { model: "7050" } }] }
    assert.deepStrictEqual(check("groups.yml", good), good)
    assert.match(
      String(check("groups.yml", { groups: [named("A", 10), named("B", 10)] })),
      /^Groups must have unique group_priority values, but group A and B both have priority 10\n$/
    )
    assert.match(
      String(check("groups.yml", { groups: [{ group: { name: "A", group_priority: 200 } }] })),
      /^Validation error for setting groups->0->group->group_priority, bad value: 200 \(value origin: API POST data\)\n/
    )
    assert.strictEqual(check("groups.yml", {}), "groups.yml must contain the key 'groups'\n")
  })
})
