/** Lines that FRR shows otherwise than they are given (docs/frr.md#lines-that-frr-spells-otherwise). */
import { describe, expect, it } from "@effect/vitest"
import { respelled, undefinedNeighbours, withoutSilent } from "../../../src/drivers/frr/Spelling.ts"

const text = (...lines: ReadonlyArray<string>) => lines.join("\n")

describe("the spelling of FRR", () => {
  it.each([
    ["ip route 10.99.0.0 255.255.0.0 Null0", "ip route 10.99.0.0/16 Null0"],
    ["ip route 10.99.0.0 255.255.0.0 10.0.0.1 100", "ip route 10.99.0.0/16 10.0.0.1 100"],
    ["ip route 10.99.0.0/16 NULL0", "ip route 10.99.0.0/16 Null0"],
    ["ipv6 route 2001:db8::/32 null0 200", "ipv6 route 2001:db8::/32 Null0 200"],
    ["ip route 10.99.0.0/16 10.0.0.1 1", "ip route 10.99.0.0/16 10.0.0.1"],
    ["ip route 10.99.0.0 255.255.0.0 10.0.0.1 eth0 1", "ip route 10.99.0.0/16 10.0.0.1 eth0"],
    ["ip route 10.99.0.0/16 10.0.0.1 tag 1 1", "ip route 10.99.0.0/16 10.0.0.1 tag 1"],
    ["router-id 1.1.1.1", "ip router-id 1.1.1.1"]
  ])("%s is sent as it is shown", (given, shown) => expect(respelled(given)).toBe(shown))

  it.each([
    "ip route 10.99.0.0/16 10.0.0.1 tag 1",
    "ip route 10.99.0.0/16 10.0.0.1 table 1",
    "ip route 10.99.0.0/16 10.0.0.1 eth0 tag 1",
    "ip route 10.99.0.0 255.0.255.0 10.0.0.1",
    "ip prefix-list NULL0 seq 5 permit 10.0.0.0/8",
    "! ip route 10.99.0.0 255.255.0.0 Null0"
  ])("%s stays", (line) => expect(respelled(line)).toBe(line))

  it("knows the sections of a line, and keeps the numbers of lines", () =>
    expect(
      respelled(
        text(
          "interface eth0",
          " ipv6 address 2001:DB8:0:0::1/64",
          " description ip route 10.0.0.0 255.0.0.0 null0",
          "exit",
          "!",
          "router bgp 65001",
          " address-family ipv4",
          "  network 10.5.0.0 mask 255.255.0.0",
          "  aggregate-address 10.6.0.0 255.255.0.0 summary-only",
          " exit-address-family",
          "exit",
          "mpls ldp",
          " router-id 1.1.1.1",
          " address-family ipv4",
          " exit-address-family",
          "exit",
          "router ospf",
          " redistribute connected metric-type 2",
          "exit",
          "line vty",
          " no exec-timeout",
          "exit",
          "bgp as-path access-list A permit ^65001$",
          "bgp as-path access-list A deny .*",
          "bgp as-path access-list B seq 7 permit ^1$",
          "bgp as-path access-list B deny .*"
        )
      ).split("\n")
    ).toEqual([
      "interface eth0",
      " ipv6 address 2001:db8::1/64",
      " description ip route 10.0.0.0 255.0.0.0 null0",
      "exit",
      "!",
      "router bgp 65001",
      " address-family ipv4 unicast",
      "  network 10.5.0.0/16",
      "  aggregate-address 10.6.0.0/16 summary-only",
      " exit-address-family",
      "exit",
      "mpls ldp",
      " router-id 1.1.1.1",
      " address-family ipv4",
      " exit-address-family",
      "exit",
      "router ospf",
      " redistribute connected",
      "exit",
      "line vty",
      " exec-timeout 0 0",
      "exit",
      "bgp as-path access-list A seq 5 permit ^65001$",
      "bgp as-path access-list A seq 10 deny .*",
      "bgp as-path access-list B seq 7 permit ^1$",
      "bgp as-path access-list B deny .*"
    ]))
})

const RUNNING = text(
  "frr defaults datacenter",
  "hostname core1",
  "!",
  "interface eth0",
  " ip address 10.99.0.11/24",
  "exit",
  "!",
  "interface swp1",
  " shutdown",
  "exit",
  "!",
  "router bgp 65001",
  " neighbor 10.0.0.2 remote-as 65002",
  "exit",
  "!",
  "router bgp 65001 vrf RED",
  " no bgp default ipv4-unicast",
  " neighbor 10.0.0.3 remote-as 65002",
  " timers bgp 60 180",
  " !",
  " address-family ipv4 unicast",
  "  no neighbor 10.0.0.4 activate",
  " exit-address-family",
  "exit",
  "!",
  "end",
  ""
)

const UNICAST = " address-family ipv4 unicast"

describe("a default that FRR does not show", () => {
  it.each<[...section: ReadonlyArray<string>, line: string]>([
    ["interface eth0", " no shutdown"],
    ["interface eth0", " link-detect"],
    ["line vty"],
    ["interface eth9"],
    ["line vty", " exec-timeout 10 0"],
    ["router bgp 65001", " timers bgp 3 9"],
    ["router bgp 65001", " no bgp ebgp-requires-policy"],
    ["router bgp 65001", UNICAST],
    ["router bgp 65001", UNICAST, "  neighbor 10.0.0.2 activate"],
    ["router bgp 65001", UNICAST, "  neighbor 10.0.0.2 send-community both"],
    ["log facility daemon"]
  ])("is no difference: %s %s %s", (...path) => {
    const edit = { section: path.slice(0, -1), line: path.at(-1) ?? "" }
    expect(withoutSilent([edit], RUNNING)).toEqual([])
  })

  it.each<[...section: ReadonlyArray<string>, line: string]>([
    ["interface swp1", " no shutdown"],
    ["router bgp 65001", " timers bgp 60 180"],
    ["router bgp 65001", " bgp ebgp-requires-policy"],
    ["router bgp 65001 vrf RED", " timers bgp 3 9"],
    ["router bgp 65001 vrf RED", " bgp default ipv4-unicast"],
    ["router bgp 65001 vrf RED", UNICAST, "  neighbor 10.0.0.3 activate"],
    ["router bgp 65001 vrf RED", UNICAST, "  neighbor 10.0.0.4 activate"],
    ["router bgp 65001", " address-family ipv6 unicast", "  neighbor 10.0.0.2 activate"],
    ["interface eth0", " no ipv6 nd suppress-ra"]
  ])("stays a difference where FRR runs something else, or does not have it: %s %s %s", (...path) => {
    const edit = { section: path.slice(0, -1), line: path.at(-1) ?? "" }
    expect(withoutSilent([edit], RUNNING)).toEqual([edit])
  })

  it("stays where the same change brings what makes it none", () => {
    const off = { section: ["router bgp 65001"], line: " no bgp default ipv4-unicast" }
    const activate = { section: ["router bgp 65001", UNICAST], line: "  neighbor 10.0.0.2 activate" }
    expect(withoutSilent([off, activate], RUNNING)).toEqual([off, activate])
    const profile = { section: [], line: "frr defaults traditional" }
    const timers = { section: ["router bgp 65001"], line: " timers bgp 3 9" }
    expect(withoutSilent([profile, timers], RUNNING)).toEqual([profile, timers])
  })

  it("keeps the heading of lines that FRR shows", () => {
    const heading = { section: ["router bgp 65001"], line: UNICAST }
    const network = { section: ["router bgp 65001", UNICAST], line: "  network 10.0.0.0/8" }
    const activate = { section: ["router bgp 65001", UNICAST], line: "  neighbor 10.0.0.2 activate" }
    expect(withoutSilent([heading, activate, network], RUNNING)).toEqual([heading, network])
  })
})

describe("a neighbour that nothing defines", () => {
  it("is named with its line before FRR is asked to run it", () =>
    expect(
      undefinedNeighbours(
        text(
          "router bgp 65001",
          " neighbor F peer-group",
          " neighbor swp1 interface peer-group F",
          " neighbor 2001:DB8::2 remote-as 65002",
          " address-family ipv4 unicast",
          "  neighbor F activate",
          "  neighbor swp1 activate",
          "  neighbor 2001:db8::2 activate",
          "  neighbor 10.0.0.2 activate",
          "  no neighbor 10.0.0.5 activate",
          " exit-address-family",
          "exit",
          "router bgp 65001 vrf RED",
          " neighbor F password secret",
          "exit",
          "router rip",
          " neighbor 10.0.0.9",
          "exit"
        )
      )
    ).toEqual([
      {
        line: "  neighbor 10.0.0.2 activate",
        lineNumber: 9,
        answer: "% Specify remote-as or peer-group commands first at line 9"
      },
      {
        line: " neighbor F password ********",
        lineNumber: 14,
        answer: "% Specify remote-as or peer-group commands first at line 14"
      }
    ]))
})
