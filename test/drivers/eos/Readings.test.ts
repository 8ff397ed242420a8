/**
 * Readings of the state of switches: over SSH from switches of a lab that speak BGP, OSPF, MLAG and the rest with each other, and from
 * answers that releases give in other forms.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import {
  type Question,
  type Reading,
  readingKinds,
  type ReadingItems,
  type ReadingKind
} from "../../../src/domain/checks/Readings.ts"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import * as EosDriver from "../../../src/drivers/eos/Driver.ts"
import {
  bgpOf,
  interfacesOf,
  logOf,
  mlagOf,
  ntpOf,
  ospfOf,
  routesOf,
  spanningTreeOf
} from "../../../src/drivers/eos/StateTables.ts"
import { pingOf } from "../../../src/drivers/ReadingItems.ts"
import { parseAddressMap, SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import { offered, readTogether } from "../../../src/drivers/Verbs.ts"
import { makeLab } from "../../../src/lab/Lab.ts"

const common = (name: string, management: string) => `hostname ${name}
username admin privilege 15 role network-admin secret admin
aaa authorization exec default local
ntp server 10.99.0.5 prefer
ntp server 10.99.0.6
spanning-tree mode mstp
interface Management1
   ip address ${management}/16
`

const spine = `${common("spine1", "10.66.0.1")}vrf instance BLUE
interface Loopback0
   ip address 10.98.0.1/32
interface Ethernet1
   no switchport
   ip address 10.97.0.0/31
interface Ethernet2
   no switchport
   vrf BLUE
   ip address 10.97.1.0/31
interface Ethernet3
   no switchport
   ip address 10.97.2.0/31
router bgp 65001
   router-id 10.98.0.1
   neighbor LEAVES peer group
   neighbor LEAVES remote-as 65002
   neighbor 10.97.0.1 peer group LEAVES
   address-family ipv4
      network 10.98.0.1/32
   vrf BLUE
      neighbor 10.97.1.1 remote-as 65002
      redistribute connected
router ospf 1
   router-id 10.98.0.1
   network 10.97.2.0/31 area 0
   network 10.98.0.0/24 area 0
ip route 10.0.0.0/8 Null0
`

const leaf = `${common("leaf1", "10.66.0.2")}spanning-tree mst 0 priority 4096
vrf instance BLUE
vlan 10
vlan 4094
interface Loopback0
   ip address 10.98.0.2/32
interface Ethernet1
   no switchport
   ip address 10.97.0.1/31
interface Ethernet2
   no switchport
   vrf BLUE
   ip address 10.97.1.1/31
interface Ethernet3
   no switchport
   ip address 10.97.2.1/31
interface Ethernet5
   switchport access vlan 10
interface Ethernet11
   channel-group 1 mode active
interface Ethernet12
   channel-group 1 mode active
interface Port-Channel1
   switchport mode trunk
interface Vlan10
   ip address 10.10.0.2/24
   vrrp 1 ipv4 10.10.0.1
   vrrp 1 priority-level 200
interface Vlan4094
   ip address 10.94.0.0/31
mlag configuration
   domain-id rack1
   local-interface Vlan4094
   peer-address 10.94.0.1
   peer-link Port-Channel1
router bgp 65002
   router-id 10.98.0.2
   neighbor 10.97.0.0 remote-as 65001
   address-family ipv4
      network 10.98.0.2/32
      network 10.10.0.0/24
   vrf BLUE
      neighbor 10.97.1.0 remote-as 65001
router ospf 1
   router-id 10.98.0.2
   network 10.97.2.0/31 area 0.0.0.0
   network 10.98.0.0/24 area 0.0.0.0
`

const twin = `${common("leaf2", "10.66.0.3")}vlan 10
vlan 4094
interface Ethernet11
   channel-group 1 mode active
interface Ethernet12
   channel-group 1 mode active
interface Port-Channel1
   switchport mode trunk
interface Vlan10
   ip address 10.10.0.3/24
   vrrp 1 ipv4 10.10.0.1
interface Vlan4094
   ip address 10.94.0.1/31
mlag configuration
   domain-id rack1
   local-interface Vlan4094
   peer-address 10.94.0.0
   peer-link Port-Channel1
`

const fabric = {
  name: "fabric",
  topology: {
    defaults: { users: { admin: "admin" } },
    nodes: {
      spine1: { "startup-config": spine },
      leaf1: {
        "startup-config": leaf,
        hosts: { Ethernet5: [{ mac: "00:50:56:aa:00:01", ip: "10.10.0.57" }, { mac: "00:50:56:aa:00:02" }] }
      },
      leaf2: { "startup-config": twin }
    },
    links: [
      ...["1", "2", "3"].map((port) => ({ endpoints: [`spine1:Ethernet${port}`, `leaf1:Ethernet${port}`] as const })),
      ...["11", "12"].map((port) => ({ endpoints: [`leaf1:Ethernet${port}`, `leaf2:Ethernet${port}`] as const }))
    ]
  }
}

const ADDRESSES: Readonly<Record<string, string>> = { spine1: "10.66.0.1", leaf1: "10.66.0.2", leaf2: "10.66.0.3" }

const makeFabric = Effect.gen(function* () {
  const lab = yield* makeLab(fabric)
  const addressMap = Result.getOrThrow(parseAddressMap("10.0.0.0/8=127.0.0.0/8"))
  const driver = yield* EosDriver.make.pipe(
    Effect.provide(SshLimits.layer({ port: lab.port, addressMap, refusedRetries: 3, refusedDelay: 0.05 }))
  )
  const open = (hostname: string) =>
    driver.open({
      hostname,
      address: ADDRESSES[hostname] ?? "",
      username: "admin",
      password: Redacted.make("admin"),
      hostKey: { _tag: "accept" },
      timeouts: { show: 5 }
    })
  /** Reads over a login of its own. */
  const read = (hostname: string, question: Question) =>
    Effect.scoped(Effect.flatMap(open(hostname), (session) => readOn(session, hostname, question)))
  const items = <Kind extends Exclude<ReadingKind, "log" | "ping">>(hostname: string, reads: Kind) =>
    Effect.map(read(hostname, { reads }), (reading) => itemsOf(reading, reads))
  const device = (name: string) => lab.get(name)
  return { device, items, open, read }
})

const readOn = (session: DriverSession, hostname: string, question: Question) =>
  Effect.flatMap(offered(session, "readings", hostname), ({ read }) => read(question))

const itemsOf = <Kind extends ReadingKind>(reading: Reading, kind: Kind): ReadingItems<Kind> => {
  if (!isOf(reading, kind)) throw new Error(`${reading.reads} is not ${kind}`)
  return reading.items
}

const isOf = <Kind extends ReadingKind>(
  reading: Reading,
  kind: Kind
): reading is Reading & { readonly items: ReadingItems<Kind> } => reading.reads === kind

describe("readings of the state of a switch", () => {
  it.live("show the sessions of BGP of all VRFs on both sides, and the prefixes that came", () =>
    Effect.gen(function* () {
      const { items } = yield* makeFabric
      expect(yield* items("spine1", "bgp")).toEqual({
        "BLUE 10.97.1.1": { state: "established", is_established: true, prefixes_received: 0, asn: 65_002 },
        "default 10.97.0.1": { state: "established", is_established: true, prefixes_received: 2, asn: 65_002 }
      })
      expect(yield* items("leaf1", "bgp")).toMatchObject({
        "BLUE 10.97.1.0": { is_established: true, prefixes_received: 1, asn: 65_001 },
        "default 10.97.0.0": { is_established: true, prefixes_received: 1, asn: 65_001 }
      })
      expect(yield* items("leaf2", "bgp")).toEqual({})
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["a wrong number of an autonomous system", "router bgp 65002\n   neighbor 10.97.0.0 remote-as 65009\n"],
    ["a neighbour that is gone", "router bgp 65002\n   no neighbor 10.97.0.0\n"],
    ["a neighbour that is shut down", "router bgp 65002\n   neighbor 10.97.0.0 shutdown\n"],
    ["a port that is shut down", "interface Ethernet1\n   shutdown\n"],
    ["another address on the port", "interface Ethernet1\n   ip address 10.97.7.1/31\n"]
  ])("show on the other switch what %s has broken, and nothing else", ([, lines = ""]) =>
    Effect.gen(function* () {
      const { device, items } = yield* makeFabric
      ;(yield* device("leaf1")).configure(lines)
      const seen = yield* items("spine1", "bgp")
      expect(seen["default 10.97.0.1"]?.is_established).toBe(false)
      expect(seen["default 10.97.0.1"]?.prefixes_received).toBe(0)
      expect(seen["BLUE 10.97.1.1"]?.is_established).toBe(true)
    }).pipe(Effect.scoped)
  )

  it.live("show OSPF, routes by protocol, and how a wrong area ends the adjacency", () =>
    Effect.gen(function* () {
      const { device, items } = yield* makeFabric
      expect(yield* items("leaf1", "ospf")).toEqual({
        "default 10.98.0.1 Ethernet3": { state: "full", is_full: true }
      })
      expect(yield* items("spine1", "routes")).toMatchObject({
        "default connected": { count: 4 },
        "default static": { count: 1 },
        "default bgp": { count: 2 },
        "default ospf": { count: 1 },
        "BLUE connected": { count: 1 }
      })
      ;(yield* device("spine1")).configure(
        "router ospf 1\n   no network 10.97.2.0/31 area 0\n   network 10.97.2.0/31 area 7\n"
      )
      expect(yield* items("leaf1", "ospf")).toEqual({})
    }).pipe(Effect.scoped)
  )

  it.live("show MLAG, VRRP, members of port-channels and the root of the spanning tree", () =>
    Effect.gen(function* () {
      const { device, items } = yield* makeFabric
      expect(yield* items("leaf1", "mlag")).toEqual({
        rack1: { state: "active", is_active: true, peer_link_up: true, sane: true }
      })
      expect(yield* items("spine1", "mlag")).toEqual({})
      expect(yield* items("leaf1", "vrrp")).toEqual({ "Vlan10 1": { state: "master" } })
      expect(yield* items("leaf2", "vrrp")).toEqual({ "Vlan10 1": { state: "backup" } })
      expect(yield* items("leaf2", "spanning_tree")).toMatchObject({
        MST0: { root: expect.stringMatching(/^4096 /), is_root: false }
      })
      expect((yield* items("leaf1", "spanning_tree"))["MST0"]?.is_root).toBe(true)
      ;(yield* device("leaf2")).configure(
        "interface Ethernet11\n   no channel-group 1\ninterface Ethernet12\n   shutdown\n"
      )
      expect(yield* items("leaf1", "port_channels")).toEqual({
        "Port-Channel1": { members: ["Ethernet11", "Ethernet12"], active: [] }
      })
    }).pipe(Effect.scoped)
  )

  it.live("count errors that grow, MAC and ARP entries, and show the box, its processes and its time", () =>
    Effect.gen(function* () {
      const { device, items } = yield* makeFabric
      ;(yield* device("leaf1")).setFault({ kind: "errorsGrow", port: "Ethernet5", by: 7 })
      const before = yield* items("leaf1", "errors")
      const after = yield* items("leaf1", "errors")
      expect([before["Ethernet5"]?.total, after["Ethernet5"]?.total]).toEqual([7, 14])
      expect(after["Ethernet1"]?.total).toBe(0)
      expect(yield* items("leaf1", "macs")).toEqual({ "10": { count: 2 } })
      expect(yield* items("leaf1", "arp")).toEqual({ Vlan10: { count: 1 } })
      expect(yield* items("leaf1", "environment")).toMatchObject({
        TempSensor1: { ok: true, state: "ok" },
        "Fan 1/1": { ok: true },
        "Power supply 1": { ok: true }
      })
      expect(Object.keys(yield* items("leaf1", "processes"))).toContain("Bgp")
      expect(yield* items("leaf1", "ntp")).toMatchObject({
        "10.99.0.5": { is_synchronized: true, stratum: 2 },
        "10.99.0.6": { is_synchronized: false }
      })
      expect(yield* items("leaf1", "interfaces")).toMatchObject({
        Ethernet1: { is_up: true, is_enabled: true },
        Ethernet6: { is_up: false, is_enabled: true }
      })
      expect(Object.keys(yield* items("leaf1", "neighbours"))).toContain("Ethernet1 spine1")
    }).pipe(Effect.scoped)
  )

  it.live("ping along the links of a VRF, and say what a shut port loses", () =>
    Effect.gen(function* () {
      const { device, read } = yield* makeFabric
      const ping = (more: object) => read("leaf1", { reads: "ping", to: "10.98.0.1", count: 3, ...more })
      expect(yield* ping({ source: "Loopback0" })).toMatchObject({
        items: { "10.98.0.1": { sent: 3, received: 3, loss_percent: 0, rtt_ms: 0.312 } }
      })
      expect(yield* ping({ to: "10.97.1.0", vrf: "BLUE" })).toMatchObject({ items: { "10.97.1.0": { received: 3 } } })
      const refused = yield* Effect.flip(ping({ vrf: "RED" }))
      expect(refused).toMatchObject({ _tag: "CommandRejected", message: "% VRF RED does not exist" })
      ;(yield* device("spine1")).configure("interface Ethernet2\n   shutdown\n")
      expect(yield* ping({ to: "10.97.1.0", vrf: "BLUE" })).toMatchObject({
        items: { "10.97.1.0": { sent: 3, received: 0, loss_percent: 100, rtt_ms: null } }
      })
    }).pipe(Effect.scoped)
  )

  it.live("show messages of the log since a time and from a severity on, the first hundred of a flood", () =>
    Effect.gen(function* () {
      const { device, read } = yield* makeFabric
      const since = Date.now() - 10_000
      const leaf1 = yield* device("leaf1")
      const log = (severity: "error" | "notice") => read("leaf1", { reads: "log", severity, since })
      expect(yield* log("error")).toEqual({ reads: "log", items: {} })
      leaf1.setFault({ kind: "logFlood", messages: 3000, severity: 3 })
      const { items } = yield* log("error")
      expect(Object.keys(items)).toHaveLength(100)
      expect(items["1"]).toEqual({
        severity: "error",
        message: "%FWD-3-HARDWARE_FULL: table is full, entry 1 was not taken",
        at: null
      })
    }).pipe(Effect.scoped)
  )

  it.live("fail by name when the switch refuses, hangs or answers with nonsense, and never are empty instead", () =>
    Effect.gen(function* () {
      const { device, read } = yield* makeFabric
      const leaf1 = yield* device("leaf1")
      const kinds = readingKinds.filter((kind) => kind !== "log" && kind !== "ping")
      leaf1.setFault({ kind: "error", message: "% Invalid input" })
      for (const reads of kinds)
        expect([reads, (yield* Effect.flip(read("leaf1", { reads })))._tag]).toEqual([
          reads,
          expect.stringMatching(/^(?:CommandRejected|UnexpectedAnswer)$/)
        ])
      leaf1.clearFaults()
      for (const step of ["show", "showState", "showLldp", "ping"] as const) leaf1.setFault({ kind: "garbage", step })
      for (const question of [
        ...kinds.map((reads) => ({ reads })),
        { reads: "log", severity: "debugging", since: 0 } as const,
        { reads: "ping", to: "10.98.0.1", count: 1 } as const
      ])
        expect([question.reads, (yield* Effect.flip(read("leaf1", question)))._tag]).toEqual([
          question.reads,
          "UnexpectedAnswer"
        ])
      leaf1.clearFaults()
      leaf1.setFault({ kind: "silent", step: "showState" })
      expect(yield* Effect.flip(read("leaf1", { reads: "bgp" }))).toMatchObject({ _tag: "CommandTimeout" })
    }).pipe(Effect.scoped)
  )

  it.live("settle as late as a fault says", () =>
    Effect.gen(function* () {
      const { device, items } = yield* makeFabric
      const leaf1 = yield* device("leaf1")
      leaf1.setFault({ kind: "settlesLate", milliseconds: 600_000 })
      leaf1.configure("interface Ethernet9\n   description changed\n")
      expect((yield* items("spine1", "bgp"))["default 10.97.0.1"]).toMatchObject({
        state: "connect",
        is_established: false
      })
      leaf1.clearFaults()
      expect((yield* items("spine1", "bgp"))["default 10.97.0.1"]).toMatchObject({ is_established: true })
    }).pipe(Effect.scoped)
  )

  it.live("share the commands of questions that are asked together, each with a result of its own", () =>
    Effect.gen(function* () {
      const { device, open } = yield* makeFabric
      const leaf1 = yield* device("leaf1")
      const session = yield* open("leaf1")
      const verbs = yield* offered(session, "readings", "leaf1")
      leaf1.setFault({ kind: "error", step: "showState", message: "% Invalid input", times: 2 })
      const results = yield* readTogether(verbs, [{ reads: "bgp" }, { reads: "interfaces" }, { reads: "errors" }])
      expect(results.map(Result.isSuccess)).toEqual([false, true, true])
      const asked = leaf1.commands().filter(({ command }) => command === "show interfaces | json")
      assert.lengthOf(asked, 1)
      yield* verbs.read({ reads: "errors" })
      assert.lengthOf(
        leaf1.commands().filter(({ command }) => command === "show interfaces | json"),
        2
      )
    }).pipe(Effect.scoped)
  )
})

describe("answers of releases about their state", () => {
  it("count prefixes of all address families of a session, and read both notations of numbers", () => {
    const peers = {
      "10.1.0.1": {
        peerState: "Established",
        peerAsn: "1.10",
        ipv4Unicast: { nlrisReceived: 3 },
        l2VpnEvpn: { nlrisReceived: 40 }
      },
      "2001:db8::1": { peerState: "Idle", asn: "4200000001", prefixReceived: 0 }
    }
    expect(Result.getOrThrow(bgpOf({ vrfs: { default: { peers } } }))).toEqual({
      "default 10.1.0.1": { state: "established", is_established: true, prefixes_received: 43, asn: 65_546 },
      "default 2001:db8::1": { state: "idle", is_established: false, prefixes_received: 0, asn: 4_200_000_001 }
    })
  })

  it.each([
    ["BGP without its table", () => bgpOf({ peers: {} }), "it gives no vrfs"],
    [
      "a session without a state",
      () => bgpOf({ vrfs: { default: { peers: { "10.1.0.1": { asn: "1" } } } } }),
      "it gives no peerState at default 10.1.0.1"
    ],
    ["OSPF without its table", () => ospfOf({}), "it gives no vrfs"],
    ["a VRF without routes of any protocol", () => routesOf({ vrfs: { BLUE: {} } }), "it counts no routes at BLUE"],
    ["MLAG without a state", () => mlagOf({ domainId: "x" }), "it gives no state"],
    ["a spanning tree without instances", () => spanningTreeOf({}, {}, 0), "it gives no spanningTreeInstances"],
    ["sources of time without a table", () => ntpOf({}), "it gives no peers"],
    ["a log with other text", () => logOf("what?", 3), "this is no message of a log: what?"]
  ])("are no reading when they show %s", (_what, read, message) => {
    expect(read()).toEqual(Result.fail(message))
  })

  it("say whether a port is up by either of its states", () => {
    const interfaces = { Ethernet1: { interfaceStatus: "connected" }, Ethernet2: { lineProtocolStatus: "down" } }
    expect(Result.getOrThrow(interfacesOf({ interfaces }))).toEqual({
      Ethernet1: { is_up: true, is_enabled: true },
      Ethernet2: { is_up: false, is_enabled: null }
    })
    expect(interfacesOf({ interfaces: { Ethernet3: {} } })).toEqual(
      Result.fail("it gives no lineProtocolStatus at Ethernet3")
    )
  })

  it("give null for what a release does not say", () => {
    expect(Result.getOrThrow(mlagOf({ state: "active", domainId: "a" }))).toEqual({
      a: { state: "active", is_active: true, peer_link_up: null, sane: null }
    })
    expect(Result.getOrThrow(ntpOf({ peers: { "10.0.0.1": {} } }))).toEqual({
      "10.0.0.1": { is_synchronized: false, offset_ms: null, stratum: null }
    })
  })

  it("read changes of a topology, and the root by its priority", () => {
    const shown = {
      spanningTreeInstances: {
        MST0: {
          bridge: { priority: 32_768, macAddress: "00:1c:73:00:00:02", systemIdExtension: 0 },
          rootBridge: { priority: 4096, macAddress: "00:1c:73:00:00:01", systemIdExtension: 0 }
        }
      }
    }
    const topologies = {
      topologies: {
        Cist: {
          interfaces: { Ethernet1: { numChanges: 3, lastChange: 940 }, Ethernet2: { numChanges: 2, lastChange: 100 } }
        }
      }
    }
    expect(Result.getOrThrow(spanningTreeOf(shown, topologies, 1000))).toEqual({
      MST0: { root: "4096 00:1c:73:00:00:01", is_root: false, topology_changes: 5, since_change: 60 }
    })
  })

  it("lose everything to an address without a route, and mask secrets in the log", () => {
    const question = { reads: "ping", to: "10.0.0.9", count: 4 } as const
    expect(Result.getOrThrow(pingOf("ping: connect: Network is unreachable", question))).toEqual({
      "10.0.0.9": { sent: 4, received: 0, loss_percent: 100, rtt_ms: null }
    })
    const line = "Nov 26 18:00:00 leaf1 Cli: %SYS-3-CONFIG: username admin secret 0 tulip-1"
    expect(JSON.stringify(Result.getOrThrow(logOf(line, 7)))).not.toContain("tulip-1")
  })
})
