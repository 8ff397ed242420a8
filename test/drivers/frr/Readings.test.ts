/** Readings of the state of Linux switches: of real routers that speak BGP with each other, and from answers in FRR's form. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import type { Question } from "../../../src/domain/checks/Readings.ts"
import {
  bgpOf,
  BgpSummary,
  errorsOf,
  ospfOf,
  OspfNeighbours,
  processesOf,
  routesOf
} from "../../../src/drivers/frr/Readings.ts"
import { offered } from "../../../src/drivers/Verbs.ts"
import { pair } from "../../../src/fabric/FabricPlan.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { makeOneRouter, name, until } from "./OneRouter.ts"

const configured = (...lines: ReadonlyArray<string>): string =>
  ["vtysh", ...["configure terminal", ...lines].map((line) => `-c '${line}'`)].join(" ")

const speaks = (own: number, address: string, far: string, remote: number) =>
  configured(
    "interface swp1",
    `ip address ${address}/31`,
    "exit",
    `router bgp ${own}`,
    "no bgp ebgp-requires-policy",
    `neighbor ${far} remote-as ${remote}`,
    "address-family ipv4 unicast",
    "redistribute connected"
  )

describeReal("readings of real routers", () => {
  it.live("show sessions of BGP, what came over them, and what the other router has broken", () =>
    Effect.gen(function* () {
      const { driver, fabric, shell, target } = yield* makeOneRouter(pair)
      const session = yield* driver.open(target)
      const verbs = yield* offered(session, "readings", name)
      const items = (question: Question) => Effect.map(verbs.read(question), (reading) => reading.items)
      expect(yield* items({ reads: "bgp" })).toEqual({})
      yield* shell(speaks(65_001, "10.97.0.0", "10.97.0.1", 65_002))
      yield* fabric.run("core2", speaks(65_002, "10.97.0.1", "10.97.0.0", 65_001))
      const isEstablished = Effect.map(items({ reads: "bgp" }), (found) =>
        JSON.stringify(found).includes('"is_established":true')
      )
      yield* until(isEstablished)
      yield* until(
        Effect.map(items({ reads: "bgp" }), (found) => JSON.stringify(found).includes('"prefixes_received":2'))
      )
      expect(yield* items({ reads: "bgp" })).toEqual({
        "default 10.97.0.1": { state: "established", is_established: true, prefixes_received: 2, asn: 65_002 }
      })
      expect(yield* items({ reads: "routes" })).toMatchObject({ "default connected": { count: expect.any(Number) } })
      expect(yield* items({ reads: "interfaces" })).toMatchObject({ swp1: { is_up: true, is_enabled: true } })
      expect(yield* items({ reads: "errors" })).toMatchObject({ swp1: { in_errors: 0, out_errors: 0 } })
      expect(Object.keys(yield* items({ reads: "processes" }))).toEqual(expect.arrayContaining(["bgpd", "zebra"]))
      expect(yield* items({ reads: "ping", to: "10.97.0.1", source: "swp1", count: 2 })).toMatchObject({
        "10.97.0.1": { sent: 2, received: 2, loss_percent: 0 }
      })
      expect(yield* items({ reads: "ping", to: "192.0.2.1", count: 1 })).toMatchObject({
        "192.0.2.1": { received: 0, loss_percent: 100, rtt_ms: null }
      })
      expect(yield* Effect.flip(verbs.read({ reads: "ospf" }))).toMatchObject({
        _tag: "CommandRejected",
        message: "ospfd is not running"
      })
      expect(yield* Effect.flip(verbs.read({ reads: "mlag" }))).toMatchObject({ _tag: "NotOffered" })
      yield* fabric.run("core2", configured("router bgp 65002", "neighbor 10.97.0.0 remote-as 65009"))
      yield* until(Effect.map(isEstablished, (still) => !still))
    }).pipe(Effect.scoped)
  )
})

describe("answers of FRR about its state", () => {
  it("are one session for all address families of a neighbour", () => {
    const shown = Schema.decodeUnknownSync(BgpSummary)({
      default: {
        ipv4Unicast: {
          routerId: "10.0.0.1",
          peers: { "10.1.0.1": { state: "Established", pfxRcd: 3, remoteAs: 65_001 } }
        },
        l2VpnEvpn: { peers: { "10.1.0.1": { state: "Established", pfxRcd: 4, remoteAs: 65_001 } } }
      },
      BLUE: { ipv4Unicast: { peers: { "10.2.0.1": { state: "Idle (Admin)" } } } }
    })
    expect(bgpOf(shown)).toEqual({
      "BLUE 10.2.0.1": { state: "idle", is_established: false, prefixes_received: null, asn: null },
      "default 10.1.0.1": { state: "established", is_established: true, prefixes_received: 7, asn: 65_001 }
    })
  })

  it("are refused when a session has no state", () => {
    expect(() =>
      Schema.decodeUnknownSync(BgpSummary)({ default: { ipv4Unicast: { peers: { "10.1.0.1": { pfxRcd: 3 } } } } })
    ).toThrow(/state/)
  })

  it("name neighbours of OSPF by their interface without its address, in each form of the state", () => {
    const read = (entry: object) =>
      ospfOf(
        Schema.decodeUnknownSync(OspfNeighbours)({
          default: { vrfId: 0, neighbors: { "10.0.0.2": [{ ifaceName: "swp1:10.97.0.0", ...entry }] } }
        })
      )
    const full = { "default 10.0.0.2 swp1": { state: "full", is_full: true } }
    expect(read({ nbrState: "Full/DR" })).toEqual(Result.succeed(full))
    expect(read({ converged: "Full", nbrState: "Full/Backup" })).toEqual(Result.succeed(full))
    expect(read({ state: "ExStart/DR" })).toEqual(
      Result.succeed({ "default 10.0.0.2 swp1": { state: "exstart", is_full: false } })
    )
    expect(read({})).toEqual(Result.fail("it gives no nbrState at default 10.0.0.2 swp1"))
  })

  it("count routes of both kinds of BGP as one, errors of ports, and the oldest process of a name", () => {
    const routes = [
      { type: "ebgp", rib: 3 },
      { type: "ibgp", rib: 2 },
      { type: "static", rib: 1 }
    ]
    expect(routesOf("BLUE", { routes }, " ipv6")).toEqual({
      "BLUE bgp ipv6": { count: 5 },
      "BLUE connected ipv6": { count: 0 },
      "BLUE ospf ipv6": { count: 0 },
      "BLUE static ipv6": { count: 1 }
    })
    const stats64 = { rx: { errors: 2, dropped: 1 }, tx: { errors: 0, dropped: 4 } }
    expect(errorsOf([{ ifname: "swp1@if3", flags: [], stats64 }])).toEqual({
      swp1: { in_errors: 2, out_errors: 0, in_discards: 1, out_discards: 4, total: 7 }
    })
    expect(processesOf("sh 5\nlldpd 7\nlldpd 9\nbgpd 11\n")).toEqual(
      Result.succeed({ bgpd: { uptime: 11 }, lldpd: { uptime: 9 } })
    )
    expect(processesOf("sh 5\n")).toEqual(Result.fail("it lists no daemon of FRRouting"))
  })
})
