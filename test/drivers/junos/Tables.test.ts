/** Neighbours, stations and states of Junos, from answers in the forms of several families. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import {
  arpEntriesOf,
  joinedOf,
  macEntriesOf,
  ndEntriesOf,
  neighbourDetailsOf,
  neighboursOf,
  vlansOf
} from "../../../src/drivers/junos/Neighbours.ts"
import {
  bgpOf,
  environmentOf,
  errorsOf,
  ospfOf,
  portChannelsOf,
  routesOf,
  upStatesOf
} from "../../../src/drivers/junos/Readings.ts"
import { reply, several, terse } from "./Answers.ts"

const lldp = (...entries: ReadonlyArray<string>) =>
  reply(
    `<lldp-neighbors-information junos:style="brief">${entries.map((one) => `<lldp-neighbor-information>${one}</lldp-neighbor-information>`).join("")}</lldp-neighbors-information>`
  )
const heard = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, text]) => `<lldp-${name}>${text}</lldp-${name}>`)
    .join("")

describe("LLDP neighbours of Junos", () => {
  it.each([
    [
      "a name of the port",
      {
        "local-port-id": "xe-4/3/6",
        "remote-port-id-subtype": "Interface name",
        "remote-port-id": "Ethernet1",
        "remote-system-name": "dist1"
      },
      { "xe-4/3/6": [{ hostname: "dist1", port: "Ethernet1" }] }
    ],
    [
      "a number, and the name as the description",
      {
        "local-interface": "ge-0/0/0.0",
        "remote-port-id": "523",
        "remote-port-description": "xe-0/0/0",
        "remote-system-name": "spine00"
      },
      { "ge-0/0/0": [{ hostname: "spine00", port: "xe-0/0/0" }] }
    ],
    [
      "a number that is the name",
      {
        "local-interface": "me0.0",
        "remote-port-id": "27",
        "remote-port-description": "27",
        "remote-system-name": "old"
      },
      { me0: [{ hostname: "old", port: "27" }] }
    ],
    [
      "the description of an older release alone",
      { "local-interface": "ge-0/0/9.0", "remote-port-description": "ge-0/1/2.0", "remote-system-name": "old" },
      { "ge-0/0/9": [{ hostname: "old", port: "ge-0/1/2" }] }
    ],
    [
      "an address, and no name of the system",
      {
        "local-port-id": "ge-0/0/3",
        "remote-chassis-id": "00:1c:73:8f:0a:ed",
        "remote-port-id-subtype": "Mac address",
        "remote-port-id": "00:1c:73:8f:0a:ee",
        "remote-port-description": "eth0"
      },
      { "ge-0/0/3": [{ hostname: "00:1C:73:8F:0A:ED", port: "eth0" }] }
    ]
  ] as const)("are read from %s", (_, fields, neighbours) => {
    expect(neighboursOf(lldp(heard(fields)))).toEqual(neighbours)
  })

  it("are in the order of the ports, and no list is no empty list", () => {
    const two = lldp(heard({ "local-interface": "ge-0/0/10.0" }), heard({ "local-interface": "ge-0/0/9.0" }))
    expect(Object.keys(neighboursOf(two) ?? {})).toEqual(["ge-0/0/9", "ge-0/0/10"])
    expect(neighboursOf(reply("<output/>"))).toBeNull()
    expect(neighboursOf(lldp())).toEqual({})
  })

  it("are told in detail, with the number of a detailed answer left aside, and by the short form otherwise", () => {
    const short = lldp(
      heard({ "local-interface": "xe-0/1/0.0", "remote-port-id": "Ethernet3/2/1", "remote-system-name": "core05" }),
      heard({ "local-interface": "xe-0/1/1.0", "remote-port-id": "Ethernet4", "remote-system-name": "core06" })
    )
    const long = lldp(
      `${heard({
        "local-interface": "xe-0/1/0.0",
        "local-parent-interface-name": "ae0.0",
        "local-port-id": "600",
        "remote-chassis-id": "00:1c:73:ee:c0:46",
        "remote-port-id": "Ethernet3/2/1",
        "remote-system-name": "core05",
        "remote-system-capabilities-supported": "Bridge WLAN Access Point Router Station Only ",
        "remote-system-capabilities-enabled": "Bridge "
      })}<lldp-system-description><lldp-remote-system-description>EOS 4.14</lldp-remote-system-description></lldp-system-description>`
    )
    const nothing = {
      parent_interface: "",
      remote_chassis_id: "",
      remote_port_description: "",
      remote_system_description: ""
    }
    expect(neighbourDetailsOf(short, new Map([["xe-0/1/0.0", long]]))).toEqual({
      "xe-0/1/0": [
        {
          parent_interface: "ae0",
          remote_port: "Ethernet3/2/1",
          remote_port_description: "",
          remote_chassis_id: "00:1C:73:EE:C0:46",
          remote_system_name: "core05",
          remote_system_description: "EOS 4.14",
          remote_system_capab: ["Bridge", "WLAN Access Point", "Router", "Station Only"],
          remote_system_enable_capab: ["Bridge"]
        }
      ],
      "xe-0/1/1": [
        {
          ...nothing,
          remote_port: "Ethernet4",
          remote_system_name: "core06",
          remote_system_capab: [],
          remote_system_enable_capab: []
        }
      ]
    })
  })
})

describe("stations of Junos", () => {
  it("are read from the form of older access switches, without floods and the switch itself", () => {
    const entry = (mac: string, on: string, tag = "<mac-vlan-tag>9</mac-vlan-tag>") =>
      `<mac-table-entry><mac-vlan>vlan9</mac-vlan>${tag}<mac-address>${mac}</mac-address>${on}</mac-table-entry>`
    const answer = reply(
      `<ethernet-switching-table-information><ethernet-switching-table junos:style="extensive">${entry("*", "<mac-interface>All-members</mac-interface>")}${entry("88:5b:dd:3f:3f:80", "<mac-interface>ge-0/0/0.0</mac-interface>")}${entry("88:5b:dd:3f:3f:81", "<mac-interfaces-list><mac-interfaces>ae0.0</mac-interfaces></mac-interfaces-list>", "")}${entry("88:5b:dd:3f:3f:82", "<mac-interface>Router</mac-interface>")}</ethernet-switching-table></ethernet-switching-table-information>`
    )
    expect(macEntriesOf(answer)).toEqual([
      { port: "ge-0/0/0", vlan: 9, mac: "88:5B:DD:3F:3F:80" },
      { port: "ae0", vlan: null, mac: "88:5B:DD:3F:3F:81" }
    ])
    expect(macEntriesOf(answer, new Map([["vlan9", 9]]))?.[1]?.vlan).toBe(9)
  })

  it("are read from the later form, once for all members, with numbers of VLANs from their names", () => {
    const table = (vlan: string) =>
      `<l2ng-l2ald-rtb-macdb xmlns="http://xml.juniper.net/junos/21.4R3/junos-l2al"><l2ng-l2ald-mac-entry-vlan junos:style="brief-rtb">${vlan}<l2ng-mac-entry><l2ng-l2-mac-vlan-name>staff</l2ng-l2-mac-vlan-name><l2ng-l2-mac-address>00:11:22:33:44:55</l2ng-l2-mac-address><l2ng-l2-mac-flags>D</l2ng-l2-mac-flags><l2ng-l2-mac-logical-interface>xe-0/0/1.0</l2ng-l2-mac-logical-interface></l2ng-mac-entry></l2ng-l2ald-mac-entry-vlan></l2ng-l2ald-rtb-macdb>`
    const found = [{ port: "xe-0/0/1", vlan: 10, mac: "00:11:22:33:44:55" }]
    expect(macEntriesOf(reply(table("<l2ng-l2-vlan-id>10</l2ng-l2-vlan-id>")))).toEqual(found)
    const vlans = vlansOf(
      reply(
        "<l2ng-l2ald-vlan-instance-information><l2ng-l2ald-vlan-instance-group><l2ng-l2rtb-vlan-name>staff</l2ng-l2rtb-vlan-name><l2ng-l2rtb-vlan-tag>10</l2ng-l2rtb-vlan-tag></l2ng-l2ald-vlan-instance-group></l2ng-l2ald-vlan-instance-information>"
      )
    )
    expect(macEntriesOf(reply(several({ fpc0: table(""), fpc1: table("") })), vlans)).toEqual(found)
    expect(macEntriesOf(reply("<l2ng-l2ald-rtb-macdb/>"))).toEqual([])
    expect(macEntriesOf(reply("<output/>"))).toBeNull()
  })

  it("have no VLAN by the number of a group that holds several", () => {
    const entry = (vlan: string, last: string) =>
      `<l2ng-mac-entry><l2ng-l2-mac-vlan-name>${vlan}</l2ng-l2-mac-vlan-name><l2ng-l2-mac-address>00:11:22:33:44:${last}</l2ng-l2-mac-address><l2ng-l2-mac-logical-interface>ge-0/0/1.0</l2ng-l2-mac-logical-interface></l2ng-mac-entry>`
    const answer = reply(
      `<l2ng-l2ald-rtb-macdb><l2ng-l2ald-mac-entry-vlan junos:style="brief-rtb"><mac-count-global>2</mac-count-global><l2ng-l2-vlan-id>10</l2ng-l2-vlan-id>${entry("staff", "01")}${entry("voice", "02")}</l2ng-l2ald-mac-entry-vlan></l2ng-l2ald-rtb-macdb>`
    )
    const vlans = new Map([
      ["staff", 10],
      ["voice", 20]
    ])
    expect(macEntriesOf(answer, vlans)?.map(({ vlan }) => vlan)).toEqual([10, 20])
    expect(macEntriesOf(answer)?.map(({ vlan }) => vlan)).toEqual([null, null])
  })

  it("are read from the longer form of later switches, in which each station is a group", () => {
    const answer = reply(
      '<l2ng-l2ald-rtb-macdb><l2ng-l2ald-mac-entry-vlan junos:style="extensive"><l2ng-l2-mac-address>00:11:22:33:44:55</l2ng-l2-mac-address><l2ng-l2-vlan-id>30</l2ng-l2-vlan-id><l2ng-l2-mac-vlan-name>iot</l2ng-l2-mac-vlan-name><l2ng-l2-mac-logical-interface>ae4.0</l2ng-l2-mac-logical-interface></l2ng-l2ald-mac-entry-vlan></l2ng-l2ald-rtb-macdb>'
    )
    expect(macEntriesOf(answer)).toEqual([{ port: "ae4", vlan: 30, mac: "00:11:22:33:44:55" }])
  })

  it("are read from the form of routers that groups stations by their domain", () => {
    const station = (last: string) =>
      `<l2-mac-entry><l2-mac-address>00:11:22:33:44:${last}</l2-mac-address><l2-mac-flags>D</l2-mac-flags><l2-mac-logical-interface>xe-0/0/1.7</l2-mac-logical-interface></l2-mac-entry>`
    const group = (vlan: string, inside: string) =>
      `<l2ald-mac-entry junos:style="brief-rtb"><l2-mac-bridging-domain>d</l2-mac-bridging-domain><l2-bridge-vlan>${vlan}</l2-bridge-vlan>${inside}</l2ald-mac-entry>`
    const answer = reply(
      `<l2ald-rtb-macdb>${group("7", station("01") + station("02"))}${group("none", station("03"))}</l2ald-rtb-macdb>`
    )
    expect(macEntriesOf(answer)?.map(({ vlan }) => vlan)).toEqual([7, 7, null])
  })

  it("are read from the form of routers, and bundles have their members", () => {
    const answer = reply(
      "<l2ald-rtb-macdb><l2ald-mac-entry><l2-mac-address>00:11:22:33:44:55</l2-mac-address><l2-mac-logical-interface>ae1.0</l2-mac-logical-interface><l2-bridge-vlan>7</l2-bridge-vlan></l2ald-mac-entry></l2ald-rtb-macdb>"
    )
    const entries = macEntriesOf(answer) ?? []
    expect(entries).toEqual([{ port: "ae1", vlan: 7, mac: "00:11:22:33:44:55" }])
    const logical = (name: string, bundle: string) =>
      `<physical-interface><name>${name}</name><logical-interface><name>${name}.0</name><address-family><address-family-name>aenet</address-family-name><ae-bundle-name>${bundle}</ae-bundle-name></address-family></logical-interface></physical-interface>`
    const interfaces = reply(
      `<interface-information>${logical("xe-0/0/10", "ae1.0")}${logical("xe-0/0/2", "ae1.0")}${logical("xe-0/0/3", "ae11.0")}</interface-information>`
    )
    const longer = reply(
      `<interface-information>${logical("xe-0/0/4", "ae1.0   Link Index: 0")}</interface-information>`
    )
    expect(joinedOf(entries, longer)[0]?.members).toEqual(["xe-0/0/4"])
    const tunnel = { port: "vtep.32769", vlan: 7, mac: "00:11:22:33:44:56" }
    expect(joinedOf([...entries, tunnel], interfaces)).toEqual([
      { port: "ae1", members: ["xe-0/0/2", "xe-0/0/10"], isTunnel: false },
      { port: "vtep.32769", members: [], isTunnel: true }
    ])
  })

  it("have addresses of both versions; one without an address of its own is left out", () => {
    const arp = reply(
      "<arp-table-information><arp-table-entry><mac-address>\n00:11:22:33:44:55\n</mac-address><ip-address>\n10.0.0.7\n</ip-address><interface-name>\nirb.10 [xe-0/0/1.0]\n</interface-name></arp-table-entry><arp-table-entry><mac-address>02:00:00:00:00:11</mac-address><ip-address>128.0.0.17</ip-address><interface-name>bme0.0</interface-name></arp-table-entry></arp-table-information>"
    )
    expect(arpEntriesOf(arp)).toEqual([{ ip: "10.0.0.7", mac: "00:11:22:33:44:55", interface: "irb.10" }])
    expect(arpEntriesOf(reply("<output/>"))).toBeNull()
    const on = (port: string, ip: string) =>
      `<arp-table-entry><mac-address>00:11:22:33:44:55</mac-address><ip-address>${ip}</ip-address><interface-name>${port}</interface-name></arp-table-entry>`
    const management = reply(
      `<arp-table-information>${on("em0.0", "10.9.0.1")}${on("em0.0", "128.0.0.4")}${on("em2.32768", "192.168.1.1")}</arp-table-information>`
    )
    expect(arpEntriesOf(management)?.map(({ ip }) => ip)).toEqual(["10.9.0.1"])
    const nd = (mac: string) =>
      `<ipv6-nd-entry><ipv6-nd-neighbor-address>2001:db8::3</ipv6-nd-neighbor-address><ipv6-nd-neighbor-l2-address>${mac}</ipv6-nd-neighbor-l2-address><ipv6-nd-interface-name>ae0.3</ipv6-nd-interface-name></ipv6-nd-entry>`
    expect(
      ndEntriesOf(reply(`<ipv6-nd-information>${nd("none")}${nd("00:11:22:33:44:55")}</ipv6-nd-information>`))
    ).toEqual([{ ip: "2001:db8::3", mac: "00:11:22:33:44:55", interface: "ae0.3" }])
  })
})

describe("a protocol that Junos does not run", () => {
  const warning = (message: string) =>
    `<rpc-error><error-severity>warning</error-severity><error-message>${message}</error-message></rpc-error>`

  it("has no items, in whichever form the device says it", () => {
    expect(Result.getOrThrow(bgpOf(reply("<output>BGP is not running</output>")))).toEqual({})
    expect(Result.getOrThrow(ospfOf(reply("<output>\nOSPF instance is not running\n</output>")))).toEqual({})
    expect(
      Result.getOrThrow(portChannelsOf(reply(warning("lacp subsystem not running - not needed by configuration."))))
    ).toEqual({})
    const older =
      '<xnm:warning xmlns="http://xml.juniper.net/xnm/1.1/xnm" xmlns:xnm="http://xml.juniper.net/xnm/1.1/xnm"><message>lldp subsystem not running - not needed by configuration.</message></xnm:warning>'
    expect(neighboursOf(reply(older))).toEqual({})
  })

  it("is not one whose daemon does not answer", () => {
    expect(Result.isFailure(ospfOf(reply("<output>instance is not running</output>")))).toBe(true)
    expect(Result.isFailure(bgpOf(reply("<output>error: the routing subsystem is not running</output>")))).toBe(true)
    expect(neighboursOf(reply(warning("the l2cpd-service subsystem is not responding")))).toBeNull()
  })
})

describe("states of Junos for checks", () => {
  it("are those of BGP, by instance, whatever state the session is in", () => {
    const peer = (address: string, state: string, more = "") =>
      `<bgp-peer><peer-address>${address}</peer-address><peer-as>65001</peer-as><peer-state>${state}</peer-state>${more}</bgp-peer>`
    const rib = (count: number) =>
      `<bgp-rib><name>inet.0</name><received-prefix-count>${count}</received-prefix-count></bgp-rib>`
    const answer = reply(
      `<bgp-information>${peer("10.0.0.1+179", "Established", `<peer-cfg-rti>master</peer-cfg-rti>${rib(4)}${rib(3)}`)}${peer("10.0.0.2", "Active", "<peer-cfg-rti>students</peer-cfg-rti>")}</bgp-information>`
    )
    expect(Result.getOrThrow(bgpOf(answer))).toEqual({
      "default 10.0.0.1": { state: "established", is_established: true, prefixes_received: 7, asn: 65_001 },
      "students 10.0.0.2": { state: "active", is_established: false, prefixes_received: null, asn: 65_001 }
    })
    expect(bgpOf(reply("<bgp-information><bgp-peer/></bgp-information>"))).toMatchObject({
      failure: expect.stringContaining("no peer-state")
    })
    expect(bgpOf(reply("<output/>"))).toMatchObject({ failure: "it gives no bgp-information" })
  })

  it("are those of OSPF, of all instances or of the main one", () => {
    const list = (state: string) =>
      `<ospf-neighbor><neighbor-address>10.1.0.1</neighbor-address><interface-name>ae0.0</interface-name><ospf-neighbor-state>${state}</ospf-neighbor-state><neighbor-id>10.0.0.9</neighbor-id></ospf-neighbor>`
    const all = reply(
      `<ospf-neighbor-information-all><ospf-instance-neighbor><ospf-instance-name>master</ospf-instance-name>${list("Full")}</ospf-instance-neighbor><ospf-instance-neighbor><ospf-instance-name>students</ospf-instance-name>${list("ExStart")}</ospf-instance-neighbor></ospf-neighbor-information-all>`
    )
    expect(Result.getOrThrow(ospfOf(all))).toEqual({
      "default 10.0.0.9 ae0": { state: "full", is_full: true },
      "students 10.0.0.9 ae0": { state: "exstart", is_full: false }
    })
    const main = reply(`<ospf-neighbor-information>${list("2Way")}</ospf-neighbor-information>`)
    expect(Result.getOrThrow(ospfOf(main))).toMatchObject({ "default 10.0.0.9 ae0": { is_full: false } })
    expect(Result.isFailure(ospfOf(reply("<output/>")))).toBe(true)
  })

  it("are counts of routes, of none too", () => {
    const answer = reply(
      "<route-summary-information><route-table><table-name>inet.0</table-name><protocols><protocol-name>Direct</protocol-name><protocol-route-count>4</protocol-route-count><active-route-count>3</active-route-count></protocols></route-table><route-table><table-name>students.inet6.0</table-name><protocols><protocol-name>BGP</protocol-name><active-route-count>9</active-route-count></protocols></route-table><route-table><table-name>mpls.0</table-name></route-table></route-summary-information>"
    )
    const counts = Result.getOrThrow(routesOf(answer))
    expect(counts).toMatchObject({
      "default connected": { count: 3 },
      "default bgp": { count: 0 },
      "students bgp ipv6": { count: 9 }
    })
    expect(Object.keys(counts).length).toBe(8)
  })

  it("are ports, bundles and the environment", () => {
    expect(Result.getOrThrow(upStatesOf(reply(terse("ge-0/0/1"))))).toEqual({
      "ge-0/0/1": { is_up: true, is_enabled: true }
    })
    expect(Result.getOrThrow(errorsOf(reply(terse("ge-0/0/1"))))).toEqual({})
    const link = (name: string, state: string) =>
      `<lag-lacp-protocol><name>${name}</name><lacp-mux-state>${state}</lacp-mux-state></lag-lacp-protocol>`
    const lacp = reply(
      `<lacp-interface-information-list><lacp-interface-information><lag-lacp-header><aggregate-name>ae0</aggregate-name></lag-lacp-header>${link("xe-0/0/2", "Collecting distributing")}${link("xe-0/0/1", "Detached")}</lacp-interface-information></lacp-interface-information-list>`
    )
    expect(Result.getOrThrow(portChannelsOf(lacp))).toEqual({
      ae0: { members: ["xe-0/0/1", "xe-0/0/2"], active: ["xe-0/0/2"] }
    })
    const item = (name: string, status: string, more = "") =>
      `<environment-item><name>${name}</name><status>${status}</status>${more}</environment-item>`
    const box = (inside: string) => `<environment-information>${inside}</environment-information>`
    const environment = reply(
      several({
        fpc0: box(item("PEM 0", "OK", '<temperature junos:celsius="30">30 degrees C</temperature>')),
        fpc1: box(`${item("PEM 0", "Failed")}${item("PEM 1", "Absent")}`)
      })
    )
    expect(Result.getOrThrow(environmentOf(environment))).toEqual({
      "fpc0 PEM 0": { ok: true, state: "ok", value: 30 },
      "fpc1 PEM 0": { ok: false, state: "failed", value: null }
    })
    const twice = reply(
      box(`${item("PEM 0", "Check")}${item("PEM 0", "OK")}${item("FPC 0 Power Supply 1", "Present")}`)
    )
    expect(Result.getOrThrow(environmentOf(twice))).toEqual({
      "FPC 0 Power Supply 1": { ok: false, state: "present", value: null },
      "PEM 0": { ok: false, state: "check", value: null }
    })
  })
})
