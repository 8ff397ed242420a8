import { assert, describe, it } from "@effect/vitest"
import { changePort, type PortContext, refersToSettings } from "../../src/domain/PortChange.ts"
import { PortChanges } from "../../src/domain/PortFields.ts"
import type { Interface } from "../../src/domain/Interface.ts"

const stored: Interface = {
  device_id: 13,
  name: "Ethernet1",
  configtype: "ACCESS_UNTAGGED",
  data: { untagged_vlan: "STUDENT", description: "room 5" }
}
const context: PortContext = {
  hostname: "a1",
  platform: "eos",
  vlanNames: new Set(["STUDENT"]),
  vxlans: new Set(["student1"])
}

const sentFor = (port: unknown) =>
  PortChanges.check({ interfaces: { Ethernet1: port } }).fields.interfaces?.["Ethernet1"]

const change = (port: unknown) => {
  const sent = sentFor(port)
  assert.isOk(sent)
  return changePort(stored, sent, context)
}

describe("A change of a port", () => {
  it("keeps the good keys, and says in the order of the keys what is wrong with the others", () => {
    const { configtype, data, errors } = change({
      configtype: "access_tagged",
      data: {
        enabled: "yes",
        neighbor: "-",
        tagged_vlan_list: ["STUDENT", "NOBODY"],
        untagged_vlan: "STUDENTS",
        vxlan: "student1"
      }
    })
    assert.strictEqual(configtype, "ACCESS_TAGGED")
    assert.deepEqual(data, { untagged_vlan: "STUDENT", description: "room 5", vxlan: "student1" })
    assert.deepEqual(errors, [
      "Specified VLAN name STUDENTS is not present in a1",
      "Some VLAN names NOBODY are not present in a1",
      "Neighbor must be valid hostname, got: -",
      "Enabled must be a bool, true or false, got: yes"
    ])
  })

  it("removes a key by null, a description by an empty text, and everything by null or {}", () => {
    assert.deepEqual(change({ data: { untagged_vlan: null, description: "" } }).data, {})
    assert.isNull(change({ data: null }).data)
    assert.isNull(change({ data: {} }).data)
  })

  it("of nothing but unknown keys is refused by the port's name", () => {
    assert.deepEqual(change({ colour: "red", data: { shape: 1 } }), {
      configtype: stored.configtype,
      data: stored.data,
      configtypeChanged: false,
      dataChanged: false,
      errors: ["Interface Ethernet1 is unchanged, because these keys are unknown: data.shape, colour"]
    })
  })

  it("that is no object is none", () => {
    for (const sent of [null, "x", 5, []]) assert.isNull(sentFor(sent))
  })

  it("asks for the settings when it names VLANs or VXLANs, and only then", () => {
    assert.isTrue(refersToSettings(sentFor({ data: { untagged_vlan: 5 } }) ?? null))
    assert.isFalse(refersToSettings(sentFor({ data: { untagged_vlan: null, description: "x" } }) ?? null))
  })
})
