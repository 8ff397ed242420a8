import { assert, describe, it } from "@effect/vitest"
import {
  changePort,
  type Interface,
  PortChanges,
  type PortContext,
  refersToSettings
} from "../../src/domain/Interface.ts"

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
  it("keeps the valid keys, and lists the mistakes of the others in the order of the keys", () => {
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

  it("keeps no line that is a command, or leaves the section of the port", () => {
    for (const [data, error] of [
      [
        { cli_append_str: "   no lldp transmit\n   commit" },
        'cli_append_str: line 2 is no configuration: "commit" leaves,'
      ],
      [{ cli_append_str: "exit" }, 'cli_append_str: line 1 is no configuration: "exit" leaves the section of the port'],
      [{ cli_append_str: "interface Ethernet6" }, 'cli_append_str: line 1 is no configuration: "interface" leaves'],
      [
        { cli_append_str: "wr mem" },
        'cli_append_str: line 1 is no configuration: "wr" is short for the command "write"'
      ],
      [{ description: "desk\nreload" }, 'description: line 2 is no configuration: "reload" is a command'],
      [{ tags: ["desk", "x\nend"] }, 'tags: line 3 is no configuration: "end" leaves the section of the port']
    ] as const) {
      const { dataChanged, errors } = change({ data })
      assert.isFalse(dataChanged, error)
      assert.lengthOf(errors, 1)
      assert.include(errors[0] ?? "", error)
    }
    for (const data of [{ cli_append_str: "   mtu 9000\n" }, { description: "commit or reload" }, { tags: ["commit"] }])
      assert.deepEqual(change({ data }).errors, [])
  })

  it("removes a key by null, a description by an empty text, and everything by null or {}", () => {
    assert.deepEqual(change({ data: { untagged_vlan: null, description: "" } }).data, {})
    assert.isNull(change({ data: null }).data)
    assert.isNull(change({ data: {} }).data)
  })

  it("names unknown keys by the port's name, and keeps the known ones", () => {
    assert.deepEqual(change({ color: "red", data: { shape: 1 } }), {
      configtype: stored.configtype,
      data: stored.data,
      configtypeChanged: false,
      dataChanged: false,
      errors: [
        "Interface Ethernet1: data.shape: there is no such field",
        "Interface Ethernet1: color: there is no such field, known are configtype, data"
      ]
    })
    const { data, errors } = change({ data: { descripton: "x", enabled: false } })
    assert.deepEqual(data, { ...stored.data, enabled: false })
    assert.deepEqual(errors, [
      "Interface Ethernet1: data.descripton: there is no such field, did you mean description?"
    ])
  })

  it("that is not an object is refused", () => {
    for (const sent of [null, "x", 5, []]) assert.isNull(sentFor(sent))
  })

  it("asks for the settings only when it names VLANs or VXLANs", () => {
    assert.isTrue(refersToSettings(sentFor({ data: { untagged_vlan: 5 } }) ?? null))
    assert.isFalse(refersToSettings(sentFor({ data: { untagged_vlan: null, description: "x" } }) ?? null))
  })
})
