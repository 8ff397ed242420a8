import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { YamlFloat } from "../../src/settings/PythonText.ts"
import { f_root } from "../../src/settings/SettingsModel.ts"
import { settingsToJson } from "../../src/settings/FileModels.ts"
import { validationMessage } from "../../src/settings/SettingsProblem.ts"
import { settingKeys, validateSettings } from "../../src/settings/SettingValidator.ts"
import { failure, success } from "./repository.ts"
import { type Expected, inVxlan, vxlan, wrongSettings } from "./wrongSettings.ts"

const message = (value: unknown): string => validationMessage(failure(validateSettings(value)), () => "API POST data")

const textOf = ([path, value, rule, description]: Expected): string =>
  `Validation error for setting ${path}, bad value: ${value} (value origin: API POST data)\n` +
  `Message: ${rule}${description === undefined ? "" : `, field should be: ${description}`}\n`

const RIGHT: ReadonlyArray<readonly [given: unknown, key: string, expected: unknown]> = [
  [{ radius_servers: [{ host: "a.-b", port: "1812" }] }, "radius_servers", [{ host: "a.-b", port: 1812 }]],
  [{ radius_servers: [{ host: "::1", port: new YamlFloat(13) }] }, "radius_servers", [{ host: "::1", port: 13 }]],
  [{ radius_servers: [{ host: "a", port: true }] }, "radius_servers", [{ host: "a", port: 1 }]],
  ...["true", "T", "yes", "Y", "on", "1", 1, true].map(
    (word) => [{ dot1x_multi_host: word }, "dot1x_multi_host", true] as const
  ),
  ...["False", "f", "NO", "n", "off", "0", 0, false].map(
    (word) => [{ dot1x_multi_host: word }, "dot1x_multi_host", false] as const
  ),
  ...["ntp.1and1.example", "3com.example", "1.2.3.a", "0-1", "10.20.0.1", "a.b.c-9"].map(
    (host) => [{ ntp_servers: [{ host }] }, "ntp_servers", [{ host }]] as const
  ),
  [{ dot1x_fail_vlan: 4094 }, "dot1x_fail_vlan", 4094],
  [{ dot1x_fail_vlan: null }, "dot1x_fail_vlan", null],
  [{ underlay: null }, "underlay", null],
  [{ unknown: 1, ntp_servers: [{ host: "a", extra: 1 }] }, "ntp_servers", [{ host: "a" }]],
  [
    { interfaces: [{ name: "Ethernet[1-2]/1", ifclass: "port_template_x", tagged_vlan_list: [1, "5-9", "4094"] }] },
    "interfaces",
    undefined
  ],
  [inVxlan({ vrf: "A", ipv4_gw: "10.0.0.0/31" }), "vxlans", undefined],
  [
    { internal_vlans: { vlan_id_low: 1, vlan_id_high: 2 } },
    "internal_vlans",
    { vlan_id_low: 1, vlan_id_high: 2, allocation_order: "ascending" }
  ]
]

const short = (value: unknown): string =>
  JSON.stringify(value instanceof Object ? settingsToJson(value) : value).slice(0, 90)

describe("a wrong setting", () => {
  for (const [given, ...errors] of wrongSettings) {
    it(`${errors[0]?.[0]}: ${short(given)} is refused with the path, value, origin and rule`, () => {
      assert.strictEqual(message(given), errors.map(textOf).join(""))
    })
  }
})

describe("a right setting", () => {
  for (const [given, key, expected] of RIGHT) {
    it(`${key}: ${short(given)} is accepted`, () => {
      const settings = success(validateSettings(given))
      assert.isTrue(Schema.is(f_root)(settings))
      if (expected !== undefined) assert.deepStrictEqual(Reflect.get(settings, key), expected)
    })
  }

  it("keeps the order of VXLANs, also when their names look like numbers", () => {
    const given = new Map([
      ["20", vxlan],
      ["10", { ...vxlan, vni: 5 }]
    ])
    const settings = success(validateSettings(new Map([["vxlans", given]])))
    assert.deepStrictEqual([...settings.vxlans.keys()], ["20", "10"])
  })

  it("is the same after it has been validated once more", () => {
    const once = success(validateSettings(inVxlan({ vrf: "A", ipv4_gw: "10.0.0.1/24" })))
    assert.deepStrictEqual(success(validateSettings(once)), once)
  })
})

describe("unset settings", () => {
  it("have their defaults, every key of the model being present", () => {
    const settings = success(validateSettings({}))
    assert.deepStrictEqual(Object.keys(settings), settingKeys)
    assert.strictEqual(settings.cli_append_str, "")
    assert.isNull(settings.dhcp_relays)
    assert.deepStrictEqual(settings.upgrade_post_waittime, new Map([["default", 600]]))
    assert.isTrue(Schema.is(f_root)(settings))
  })

  it("are not changed by a value that belongs to no device", () => {
    const polluted: unknown = JSON.parse('{"__proto__": {"cli_append_str": "x"}, "constructor": 1}')
    assert.strictEqual(success(validateSettings(polluted)).cli_append_str, "")
    assert.isTrue(Result.isSuccess(validateSettings({})))
  })
})
