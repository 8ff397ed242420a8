/** The common variables of all device types (docs/templates.md). */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { deviceVariables } from "../../src/templates/DeviceVariables.ts"
import { deviceOf, faultOf, inputsOf, site, variablesOf } from "./Campus.ts"

const acc1 = inputsOf("lhv-acc1")
const changed = (fields: Partial<typeof acc1.device>) => ({ ...acc1, device: { ...acc1.device, ...fields } })

describe("variables of every device", () => {
  it("name the device, its model and its software", () => {
    const variables = variablesOf(changed({ model: null, os_version: null }))
    assert.deepInclude(variables, { host: "lhv-acc1", hostname: "lhv-acc1", device_id: 5 })
    assert.deepInclude(variables, { device_model: null, device_os_version: null, stack_members: [] })
  })

  it("list the members of a stack", () => {
    const stackMembers = [
      { member_no: 1, hardware_id: "JPE001", priority: 3 },
      { member_no: null, hardware_id: "JPE002", priority: null }
    ]
    assert.deepEqual(variablesOf({ ...acc1, stackMembers })["stack_members"], [
      { priority: 3, hardware_id: "JPE001", member_no: 1 },
      { priority: null, hardware_id: "JPE002", member_no: null }
    ])
  })

  it("contain every settings key, absent ones with their default", () => {
    const variables = variablesOf(acc1)
    assert.deepEqual(variables["ntp_servers"], [{ host: "10.20.0.1" }, { host: "10.20.0.2" }])
    assert.strictEqual(variables["dot1x_fail_vlan"], 199)
    assert.strictEqual(variables["internal_vlans"], null)
  })

  it("contain secrets under their full names and, without the prefix, in one mapping", () => {
    const secrets = new Map([["TEMPLATE_SECRET_FOO", Redacted.make("bar")]])
    const variables = variablesOf(acc1, { secrets })
    assert.strictEqual(variables["TEMPLATE_SECRET_FOO"], "bar")
    assert.deepEqual(variables["TEMPLATE_SECRET"], { FOO: "bar" })
    assert.deepEqual(variablesOf(acc1, { secrets: new Map() })["TEMPLATE_SECRET"], {})
  })

  it("let SETTINGS_OVERRIDE win over settings, device and secrets, but not over the name", () => {
    const override = {
      domain_name: "test.example",
      mgmt_gw: "10.0.0.1",
      TEMPLATE_SECRET_RADIUS: "other",
      host: "x",
      extra: [1]
    }
    const variables = variablesOf(acc1, { override })
    assert.deepInclude(variables, { ...override, host: "lhv-acc1" })
    assert.strictEqual(Object.keys(variables).at(-1), "host")
  })

  it("contain the running configuration only if it was read", () => {
    assert.notProperty(variablesOf(acc1), "running_config")
    assert.strictEqual(variablesOf({ ...acc1, runningConfig: "hostname x\n" })["running_config"], "hostname x\n")
  })

  it("omit names of old documentation", () => {
    for (const name of ["uplinks", "access_auto", "links"]) assert.notProperty(variablesOf(acc1), name)
  })

  it.each([
    ["without a type", changed({ device_type: "UNKNOWN" }), "Can't populate device vars for device type UNKNOWN"],
    ["without a platform", changed({ platform: null }), "Unknown platform: None"],
    [
      "without a management address",
      changed({ management_ip: null }),
      "Could not find management IP for device lhv-acc1"
    ],
    [
      "with a management address outside of all domains",
      changed({ management_ip: "10.9.9.9" }),
      "Could not find appropriate management domain for management_ip: 10.9.9.9"
    ]
  ] as const)("cannot be made for a device %s", (_, inputs, message) => {
    assert.strictEqual(faultOf(inputs), message)
  })

  it("name the device in their error", () => {
    const failed = deviceVariables(changed({ management_ip: null }), site)
    assert.isTrue(Result.isFailure(failed) && failed.failure.hostname === deviceOf("lhv-acc1").hostname)
  })
})
