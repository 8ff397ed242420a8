/** Management network, MLAG peer and ports of an access switch (docs/templates.md#variables-of-access-switches). */
import { assert, describe, it } from "@effect/vitest"
import type { ConfigType, InterfaceData } from "../../src/domain/Interface.ts"
import { endOf, type Linknet } from "../../src/domain/Linknet.ts"
import type { DeviceLink } from "../../src/templates/VariableInputs.ts"
import { deviceOf, faultOf, inputsOf, linknets, mgmtDomains, variablesOf } from "./Campus.ts"

const acc1 = inputsOf("lhv-acc1")
const domain = mgmtDomains[0]
const template = linknets[4]
if (domain === undefined || template === undefined) throw new Error("the campus has no management domain or no link")

const dualStack = [{ ...domain, ipv6_gw: "2001:DB8:16::1/64" }]

const port = (name: string, configtype: ConfigType, data: InterfaceData | null) => ({
  device_id: 5,
  name,
  configtype,
  data
})

const linkTo = (hostname: string, portName: string, id = 90): DeviceLink => {
  const peer = deviceOf(hostname)
  const linknet: Linknet = {
    ...template,
    id,
    device_a_id: 5,
    device_a_port: portName,
    device_b_id: peer.id,
    device_b_port: "Ethernet27"
  }
  const end = endOf(linknet, 5)
  if (end === null) throw new Error("the link has no end at lhv-acc1")
  return { ...end, peer }
}

const withPort = (configtype: ConfigType, data: InterfaceData | null, links: ReadonlyArray<DeviceLink> = []) => {
  const { interfaces } = variablesOf({ ...acc1, interfaces: [port("Ethernet3", configtype, data)], links })
  return Array.isArray(interfaces) ? interfaces[0] : interfaces
}

describe("the management network of an access switch", () => {
  it("is that of the domain whose gateway network holds its address", () => {
    assert.deepInclude(variablesOf(acc1), {
      mgmt_ip: "10.196.16.6",
      mgmt_vlan_id: 3016,
      mgmt_gw: "10.196.16.1",
      mgmt_ipif: "10.196.16.6/24",
      mgmt_prefixlen: 24
    })
    assert.notProperty(variablesOf(acc1), "secondary_mgmt_ip")
  })

  it("has a secondary address of the other family on a dual-stack domain", () => {
    const device = { ...acc1.device, secondary_management_ip: "2001:db8:16::6" }
    assert.deepInclude(variablesOf({ ...acc1, device }, { mgmtDomains: dualStack }), {
      mgmt_gw: "10.196.16.1",
      secondary_mgmt_ip: "2001:db8:16::6",
      secondary_mgmt_ipif: "2001:db8:16::6/64",
      secondary_mgmt_gw: "2001:db8:16::1",
      secondary_mgmt_prefixlen: 64
    })
  })

  it("has the gateway of the primary address's family if that is IPv6", () => {
    const device = { ...acc1.device, management_ip: "2001:db8:16::6", secondary_management_ip: "10.196.16.6" }
    assert.deepInclude(variablesOf({ ...acc1, device }, { mgmtDomains: dualStack }), {
      mgmt_gw: "2001:db8:16::1",
      mgmt_ipif: "2001:db8:16::6/64",
      secondary_mgmt_ipif: "10.196.16.6/24"
    })
  })

  it("is refused when the secondary address belongs to no gateway of the domain", () => {
    const device = { ...acc1.device, secondary_management_ip: "2001:db8:16::6" }
    const message = "Could not find appropriate management domain for management_ip: 2001:db8:16::6"
    assert.strictEqual(faultOf({ ...acc1, device }), message)
  })

  it("is not found through a gateway that is not an address", () => {
    const broken = [{ ...domain, ipv4_gw: "gateway" }]
    const message = "Could not find appropriate management domain for management_ip: 10.196.16.6"
    assert.strictEqual(faultOf(acc1, { mgmtDomains: broken }), message)
  })
})

const peerPort = (name: string) => port(name, "MLAG_PEER", { neighbor_id: 6 })

describe("the MLAG peer of an access switch", () => {
  it("is the device at the far end of its MLAG ports", () => {
    const interfaces = [peerPort("Ethernet27"), peerPort("Ethernet28")]
    const links = [linkTo("lhv-acc2", "Ethernet27"), linkTo("lhv-acc2", "Ethernet28", 91)]
    assert.deepInclude(variablesOf({ ...acc1, interfaces, links }), {
      mlag_peer: true,
      mlag_peer_hostname: "lhv-acc2",
      mlag_peer_low: true
    })
    const higher = { ...acc1, device: { ...acc1.device, id: 77 }, interfaces, links }
    assert.strictEqual(variablesOf(higher)["mlag_peer_low"], false)
  })

  it("is missing when the port has no link", () => {
    assert.deepInclude(variablesOf({ ...acc1, interfaces: [peerPort("Ethernet27")], links: [] }), {
      mlag_peer: false,
      mlag_peer_hostname: null,
      mlag_peer_low: null
    })
  })

  it("is refused when there are two", () => {
    const interfaces = [peerPort("Ethernet27"), peerPort("Ethernet28")]
    const links = [linkTo("lhv-acc2", "Ethernet27"), linkTo("lhv-acc3", "Ethernet28", 91)]
    const message = "More than one MLAG peer found: ['lhv-acc2', 'lhv-acc3']"
    assert.strictEqual(faultOf({ ...acc1, interfaces, links }), message)
  })

  it("is refused when it is of another type, but not while its type is unknown", () => {
    const interfaces = [peerPort("Ethernet27")]
    const dist = { ...acc1, interfaces, links: [linkTo("lhv-dist1", "Ethernet27")] }
    assert.strictEqual(faultOf(dist), "MLAG peers are not the same device type")
    const link = linkTo("lhv-acc2", "Ethernet27")
    const unknown = { ...link, peer: { ...link.peer, device_type: "UNKNOWN" as const } }
    assert.strictEqual(faultOf({ ...acc1, interfaces, links: [unknown] }), "no fault")
  })
})

const tagged = (list: unknown) => withPort("ACCESS_TAGGED", { tagged_vlan_list: list }).tagged_vlan_list

describe("a port of an access switch", () => {
  it("shows the names of its VLANs as ids, and its data unchanged", () => {
    const data = { tagged_vlan_list: ["STAFF", "VOICE"], description: "Access point 1.02", tags: ["qos-trust"] }
    assert.deepEqual(withPort("ACCESS_TAGGED", data), {
      name: "Ethernet3",
      ifclass: "ACCESS_TAGGED",
      untagged_vlan: null,
      tagged_vlan_list: [110, 140],
      data,
      indexnum: 4
    })
  })

  it.each([
    ["the name of a VLAN", "PRINTER", 130],
    ["the key of a vxlan", "printer", 130],
    ["an integer", 17, 17],
    ["an unknown name", "NO-SUCH-VLAN", null],
    ["null", null, null],
    ["an empty text", "", null],
    ["a boolean", true, null],
    ["a list", ["PRINTER"], null]
  ] as const)("takes %s as untagged VLAN", (_, vlan, id) => {
    assert.deepInclude(withPort("ACCESS_UNTAGGED", { untagged_vlan: vlan }), { untagged_vlan: id })
  })

  it("omits unknown tagged VLANs", () => {
    assert.deepEqual(tagged(["NO-SUCH", "VOICE", 9, null, "", true]), [140, 9])
    assert.deepEqual(tagged(null), [])
    assert.deepEqual(tagged("STAFF"), [])
  })

  it("keeps null data, and describes the neighbour when it has a link", () => {
    assert.isNull(withPort("ACCESS_AUTO", null).data)
    const links = [linkTo("lhv-dist1", "Ethernet3")]
    assert.deepEqual(withPort("ACCESS_UPLINK", null, links).data, { description: "lhv-dist1" })
    assert.deepEqual(withPort("ACCESS_UPLINK", { neighbor: "lhv-dist1", description: "old" }, links).data, {
      neighbor: "lhv-dist1",
      description: "lhv-dist1"
    })
  })

  it.each(["ACCESS_DOWNLINK", "CUSTOM", "UNMANAGED", "MLAG_PEER"] as const)(
    "is of class %s as stored",
    (configtype) => {
      assert.strictEqual(withPort(configtype, null).ifclass, configtype)
    }
  )

  it("is in the natural order of the names", () => {
    const names = ["Ethernet10", "Ethernet2", "Ethernet1/10", "Ethernet1/2", "Ethernet1", "Management1", "ge-0/0/9"]
    const { interfaces } = variablesOf({ ...acc1, interfaces: names.map((name) => port(name, "ACCESS_AUTO", null)) })
    assert.deepEqual(Array.isArray(interfaces) ? interfaces.map(({ name }) => name) : [], [
      "Ethernet1",
      "Ethernet1/2",
      "Ethernet1/10",
      "Ethernet2",
      "Ethernet10",
      "Management1",
      "ge-0/0/9"
    ])
  })
})
