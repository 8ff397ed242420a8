/** Addresses, peers and interfaces of distribution and core switches (docs/templates.md#variables-of-dist-and-core). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { f_interface, type SettingsInterface } from "../../src/settings/SettingsModel.ts"
import { SettingValidator } from "../../src/settings/SettingValidator.ts"
import { deviceVariables } from "../../src/templates/DeviceVariables.ts"
import type { VariableInputs } from "../../src/templates/VariableInputs.ts"
import { deviceOf, faultOf, inputsOf, mgmtDomains, site, variablesOf } from "./Campus.ts"

const dist1 = inputsOf("lhv-dist1")
const core1 = inputsOf("lhv-core1")

const entry = (fields: Readonly<Record<string, unknown>>): SettingsInterface =>
  Result.getOrThrow(new SettingValidator().value(f_interface, new Map(Object.entries(fields))))

const withEntries = (
  entries: ReadonlyArray<Readonly<Record<string, unknown>>>,
  changes: Partial<VariableInputs> = {}
): VariableInputs => ({ ...dist1, settings: { ...dist1.settings, interfaces: entries.map(entry) }, ...changes })

const interfacesOf = (inputs: VariableInputs): ReadonlyArray<unknown> => {
  const { interfaces } = variablesOf(inputs)
  return Array.isArray(interfaces) ? interfaces : []
}

const UNSET = { aggregate_id: null, enabled: null, cli_append_str: "", metric: null, mtu: null, tags: null }

const infra = (infra_ip: string | null) => faultOf({ ...dist1, device: { ...dist1.device, infra_ip } })

describe("the addresses of a fabric device", () => {
  it("are single addresses, and its AS number follows from the infra address", () => {
    const device = { ...dist1.device, infra_ip: "10.198.1.7" }
    assert.deepInclude(variablesOf({ ...dist1, device }), {
      asn: 4_200_000_263,
      infra_ip: "10.198.1.7",
      infra_ipif: "10.198.1.7/32",
      mgmt_ip: "10.199.3.11",
      mgmt_ipif: "10.199.3.11/32",
      mgmt_prefixlen: 32
    })
  })

  it("are refused without an infra address, or with one that is not an IPv4 address", () => {
    assert.strictEqual(infra(null), "Could not find infra IP for device lhv-dist1")
    assert.strictEqual(infra("2001:db8::1"), "Infra IP of device lhv-dist1 is not an IPv4 address: 2001:db8::1")
  })
})

describe("the BGP peers of a fabric device", () => {
  it("are one for each link to a fabric neighbour, two links two entries", () => {
    const [first] = dist1.links
    assert.isDefined(first)
    const second = { ...first, port: "Ethernet51/1", peerIp: "10.197.0.8", ip: "10.197.0.9" }
    const peers = variablesOf({ ...dist1, links: [...dist1.links, second] })["bgp_ipv4_peers"]
    const peer = { peer_hostname: "lhv-core1", peer_infra_lo: "10.198.0.1", peer_asn: 4_200_000_001 }
    assert.deepEqual(peers, [
      { ...peer, peer_ip: "10.197.0.0" },
      { peer_hostname: "lhv-core2", peer_infra_lo: "10.198.0.2", peer_asn: 4_200_000_002, peer_ip: "10.197.0.4" },
      { ...peer, peer_ip: "10.197.0.8" }
    ])
  })

  it("include one whose port is not of class fabric, with a remark", () => {
    const inputs = withEntries([
      { name: "Ethernet49/1", ifclass: "downlink" },
      { name: "Ethernet50/1", ifclass: "fabric" }
    ])
    const { variables, warnings } = Result.getOrThrow(deviceVariables(inputs, site))
    const text = "Interface Ethernet49/1 on device lhv-dist1 not configured as linknet because of wrong ifclass"
    assert.deepEqual(warnings, [text])
    assert.lengthOf(Object(variables.get("bgp_ipv4_peers")), 2)
  })

  it("are refused when a neighbour has no infra address", () => {
    const links = dist1.links.map((link) => ({ ...link, peer: { ...link.peer, infra_ip: null } }))
    assert.strictEqual(faultOf({ ...dist1, links }), "Could not find infra IP for device lhv-core1")
  })
})

const named = (...hostnames: ReadonlyArray<string>) => ({
  ...core1,
  settings: { ...core1.settings, evpn_peers: hostnames.map((hostname) => ({ hostname })) }
})

describe("the EVPN peers of a fabric device", () => {
  const core2 = { peer_hostname: "lhv-core2", peer_infra_lo: "10.198.0.2", peer_asn: 4_200_000_002 }
  const dist = { peer_hostname: "lhv-dist1", peer_infra_lo: "10.198.0.11", peer_asn: 4_200_000_011 }
  const evpnPeers = new Map([...site.evpnPeers, ["lhv-dist1", deviceOf("lhv-dist1")]])

  it("are those that the settings name, in that order, without the device itself", () => {
    const peers = variablesOf(named("lhv-dist1", "lhv-core1", "lhv-core2"), { evpnPeers })["bgp_evpn_peers"]
    assert.deepEqual(peers, [dist, core2])
  })

  it("are empty when only the device itself is named", () => {
    assert.deepEqual(variablesOf(named("lhv-core1"))["bgp_evpn_peers"], [])
  })

  it("are all core switches when the setting is empty or names unknown devices only", () => {
    assert.deepEqual(variablesOf(named())["bgp_evpn_peers"], [core2])
    assert.deepEqual(variablesOf(named("lhv-core9"), { evpnPeers: new Map() })["bgp_evpn_peers"], [core2])
  })

  it("ignore a name that is not a hostname, with a remark", () => {
    const { variables, warnings } = Result.getOrThrow(deviceVariables(named("bad name", "lhv-core2"), site))
    assert.deepEqual(warnings, ['EVPN peer "bad name" is not a valid hostname'])
    assert.deepEqual(variables.get("bgp_evpn_peers"), [core2])
  })
})

describe("the management domains of a fabric device", () => {
  const [domain] = mgmtDomains
  assert.isDefined(domain)

  it("are those that it is a member of, with its own address", () => {
    const expected = {
      id: 1,
      ipv4_gw: "10.196.16.1/24",
      ipv6_gw: null,
      vlan: 3016,
      description: "Lindhaven switch management",
      esi_mac: null
    }
    assert.deepEqual(variablesOf(dist1)["mgmtdomains"], [{ ...expected, ipv4_ip: "10.196.16.2" }])
    assert.deepEqual(variablesOf(inputsOf("lhv-dist2"))["mgmtdomains"], [{ ...expected, ipv4_ip: "10.196.16.3" }])
    assert.deepEqual(variablesOf(core1)["mgmtdomains"], [])
  })

  it("say None if it has no address", () => {
    const { mgmtdomains } = variablesOf(dist1, { mgmtDomains: [{ ...domain, device_a_ip: null }] })
    assert.deepInclude(Array.isArray(mgmtdomains) ? mgmtdomains[0] : null, { ipv4_ip: "None" })
  })
})

describe("an interface of a fabric device", () => {
  it("of class downlink describes what is connected", () => {
    const inputs = withEntries([
      { name: "Ethernet[1-2]", ifclass: "downlink", aggregate_id: 34, tags: ["x"] },
      { name: "Ethernet9", ifclass: "downlink", redundant_link: false, enabled: false }
    ])
    const common = { ifclass: "downlink", redundant_link: true }
    const extra = { ...UNSET, aggregate_id: 34, tags: ["x"] }
    assert.deepEqual(interfacesOf(inputs), [
      { name: "Ethernet1", ...common, indexnum: 2, data: { description: "lhv-acc1" }, ...extra },
      { name: "Ethernet2", ...common, indexnum: 3, data: { description: "lhv-acc2" }, ...extra },
      {
        name: "Ethernet9",
        ifclass: "downlink",
        redundant_link: false,
        indexnum: 10,
        data: {},
        ...UNSET,
        enabled: false
      }
    ])
  })

  it("of class fabric has the addresses of its link", () => {
    assert.deepEqual(interfacesOf(withEntries([{ name: "Ethernet49/1", ifclass: "fabric", mtu: 9214 }])), [
      {
        name: "Ethernet49/1",
        ifclass: "fabric",
        ipv4if: "10.197.0.1/31",
        peer_hostname: "lhv-core1",
        peer_infra_lo: "10.198.0.1",
        peer_ip: "10.197.0.0",
        peer_asn: 4_200_000_001,
        indexnum: 5002,
        ...UNSET,
        mtu: 9214
      }
    ])
  })

  it("of class fabric without a link to a fabric device waits for provisioning", () => {
    assert.deepEqual(interfacesOf(withEntries([{ name: "Ethernet1", ifclass: "fabric" }])), [
      {
        name: "Ethernet1",
        ifclass: "fabric",
        indexnum: 2,
        ipv4if: null,
        peer_hostname: "ztp",
        peer_infra_lo: null,
        peer_ip: null,
        peer_asn: null
      }
    ])
  })

  it("of class custom brings its own lines", () => {
    const inputs = withEntries([{ name: "Ethernet48", ifclass: "custom", config: "no switchport" }])
    const expected = { name: "Ethernet48", ifclass: "custom", config: "no switchport", indexnum: 49 }
    assert.deepEqual(interfacesOf(inputs), [expected])
  })

  it("of a port template has all fields", () => {
    const fields = { name: "Ethernet20", ifclass: "port_template_camera", untagged_vlan: 150 }
    assert.deepEqual(interfacesOf(withEntries([fields])), [{ indexnum: 21, ...entry(fields) }])
    assert.lengthOf(Object.keys(Object(interfacesOf(withEntries([fields]))[0])), 21)
  })
})

const other = (...entries: ReadonlyArray<Readonly<Record<string, unknown>>>) => ({
  mirrorSource: { hostname: "lhv-dist2", interfaces: entries.map(entry) }
})

describe("an interface of class mirror", () => {
  const mirror = { name: "Ethernet20", ifclass: "mirror" }
  const camera = { name: "Ethernet[19-20]", ifclass: "port_template_camera", description: "there", enabled: true }

  it("copies the interface of the other device of the management domain", () => {
    const expected = { ...entry({ ...camera, name: "Ethernet20" }), indexnum: 21 }
    assert.deepEqual(interfacesOf(withEntries([mirror], other(camera))), [expected])
  })

  it("keeps its own description and whether it is enabled", () => {
    const here = { ...mirror, description: "here", enabled: false }
    const [copy] = interfacesOf(withEntries([here], other(camera)))
    assert.deepInclude(copy, { ifclass: "port_template_camera", description: "here", enabled: false })
  })

  it.each(["fabric", "downlink", "mirror"])("cannot copy one of class %s", (ifclass) => {
    const inputs = withEntries([mirror], other({ ...camera, ifclass }))
    assert.strictEqual(faultOf(inputs), `Cannot mirror ${ifclass} interface`)
  })

  it("needs an original", () => {
    const lonely = "Cannot mirror interface Ethernet20: no other device in the management domain"
    assert.strictEqual(faultOf(withEntries([mirror])), lonely)
    const missing = "Cannot mirror interface Ethernet20: not configured on device lhv-dist2"
    assert.strictEqual(faultOf(withEntries([mirror], other())), missing)
  })
})
