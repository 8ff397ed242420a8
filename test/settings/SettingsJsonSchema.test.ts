import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { Patterns } from "../../src/settings/SettingRule.ts"
import { settingsJsonSchema, settingsToJson, unknownKeys } from "../../src/settings/FileModels.ts"
import { settingKeys, validateSettings } from "../../src/settings/SettingValidator.ts"
import { success } from "./repository.ts"

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((inner: unknown, key) => (Predicate.isObject(inner) ? inner[key] : undefined), value)

const keysOf = (value: unknown): ReadonlyArray<string> => (Predicate.isObject(value) ? Object.keys(value) : [])

describe("GET /settings/model", () => {
  it("describes f_root with every key of the model", () => {
    assert.strictEqual(at(settingsJsonSchema, "title"), "f_root")
    assert.strictEqual(at(settingsJsonSchema, "type"), "object")
    assert.deepStrictEqual(keysOf(at(settingsJsonSchema, "properties")), settingKeys)
    assert.isUndefined(at(settingsJsonSchema, "required"))
    assert.notInclude(keysOf(at(settingsJsonSchema, "properties")), "groups")
  })

  it("has the documented shape for lists, bounded numbers and mappings", () => {
    const property = (name: string) => at(settingsJsonSchema, "properties", name)
    assert.deepStrictEqual(property("radius_servers"), {
      title: "Radius Servers",
      type: "array",
      items: { $ref: "#/definitions/f_radius_server" },
      default: []
    })
    assert.deepStrictEqual(property("dot1x_fail_vlan"), {
      title: "Dot1X Fail Vlan",
      description: "Numeric 802.1Q VLAN ID, 1-4094",
      anyOf: [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 4095 }, { type: "null" }],
      default: null
    })
    assert.deepStrictEqual(property("vxlans"), {
      title: "Vxlans",
      type: "object",
      additionalProperties: { $ref: "#/definitions/f_vxlan" },
      default: {}
    })
    assert.deepStrictEqual(property("underlay"), {
      title: "Underlay",
      anyOf: [{ $ref: "#/definitions/f_underlay" }, { type: "null" }],
      default: null
    })
    assert.deepStrictEqual(at(property("upgrade_post_waittime"), "default"), { default: 600 })
  })

  it("defines each model with its required fields, patterns and descriptions", () => {
    assert.deepStrictEqual(at(settingsJsonSchema, "definitions", "f_radius_server"), {
      title: "f_radius_server",
      type: "object",
      properties: {
        host: {
          title: "Host",
          description: "Hostname, FQDN or IP address",
          type: "string",
          maxLength: 253,
          pattern: Patterns.host.source
        },
        port: {
          title: "Port",
          description: "TCP or UDP port number, 0-65535",
          anyOf: [{ type: "integer", minimum: 0, exclusiveMaximum: 65_536 }, { type: "null" }],
          default: null
        }
      },
      required: ["host"]
    })
    assert.deepStrictEqual(at(settingsJsonSchema, "definitions", "f_vxlan", "required"), [
      "vni",
      "vlan_id",
      "vlan_name"
    ])
    assert.deepStrictEqual(at(settingsJsonSchema, "definitions", "f_port_template", "properties", "vlan_config"), {
      title: "Vlan Config",
      type: "string",
      enum: ["none", "tagged", "untagged"],
      default: "tagged"
    })
  })

  it("has the definitions under $defs as well, and every $ref leads to one", () => {
    const definitions = at(settingsJsonSchema, "definitions")
    assert.deepStrictEqual(at(settingsJsonSchema, "$defs"), definitions)
    const names = new Set(keysOf(definitions))
    for (const [, name] of JSON.stringify(settingsJsonSchema).matchAll(/"\$ref":"#\/definitions\/(\w+)"/g)) {
      assert.isTrue(names.has(name ?? ""), name)
    }
    assert.strictEqual(names.size, 35)
  })

  it("publishes patterns that compile, with and without Unicode", () => {
    for (const { source } of Object.values(Patterns)) {
      assert.doesNotThrow(() => [new RegExp(source), new RegExp(source, "u")])
    }
  })
})

describe("settings as JSON", () => {
  it("show mappings as objects and keep null", () => {
    const settings = success(validateSettings({ vxlans: { a: { vni: 1, vlan_id: 1, vlan_name: "A" } } }))
    const json = settingsToJson(settings)
    assert.strictEqual(at(json, "vxlans", "a", "vni"), 1)
    assert.isNull(at(json, "dhcp_relays"))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(json)), json)
  })

  it("name unknown keys of a request", () => {
    assert.deepStrictEqual(unknownKeys(["vxlans", "x", 5]), ["x", "5"])
  })
})
