/** Spines of data centres: routers of the underlay, route reflectors and route servers of the overlay. */
import { asOf, link, router } from "./Leaves.ts"
import { each, type Part, section } from "./Part.ts"

/** A spine that is a route reflector or an EVPN route server. */
export const spine = (
  number: number,
  leaves: number,
  underlay: "bgp" | "ospf" | "isis",
  serves: boolean
): ReadonlyArray<Part> => [
  "hardware counter feature ip in",
  "platform trident forwarding-table partition 2",
  "spanning-tree mode none",
  section("vrf instance MGMT"),
  ...each(leaves, (index) =>
    section(
      `interface Ethernet${index + 1}/1`,
      `description leaf${index + 1}`,
      "mtu 9214",
      ...(index % 8 === 7 ? ["shutdown"] : []),
      "no switchport",
      `ip address ${link(index + 1, number, 0)}/31`,
      ...(underlay === "ospf"
        ? ["ip ospf network point-to-point", "ip ospf area 0.0.0.0", "ip ospf authentication message-digest"]
        : []),
      ...(underlay === "isis" ? ["isis enable UNDERLAY", "isis network point-to-point"] : []),
      ...(index % 5 === 0 ? ["ptp enable"] : [])
    )
  ),
  section("interface Loopback0", `ip address 10.255.9.${number}/32`),
  section("interface Management1", "vrf MGMT", `ip address 10.9.0.${number}/24`),
  "ip routing",
  "no ip routing vrf MGMT",
  section("ip prefix-list LOOPBACKS", "seq 10 permit 10.255.0.0/16 eq 32"),
  "ip route vrf MGMT 0.0.0.0/0 10.9.0.254",
  section("route-map LOOPBACKS permit 10", "match ip address prefix-list LOOPBACKS"),
  section("route-map KEEP-NEXT-HOP permit 10", "set ip next-hop unchanged"),
  section("peer-filter LEAVES", "10 match as-range 65100-65199 result accept", "20 match as-range 65200 result reject"),
  ...(underlay === "bgp" ? [] : underlayOfSpine(number, leaves, underlay)),
  section(
    "router bgp 65000",
    `router-id 10.255.9.${number}`,
    "no bgp default ipv4-unicast",
    "bgp graceful-restart",
    "maximum-paths 64 ecmp 64",
    ...(underlay === "bgp" ? ["bgp listen range 10.254.0.0/16 peer-group UNDERLAY peer-filter LEAVES"] : []),
    ...(serves ? ["bgp listen range 10.255.0.0/24 peer-group OVERLAY peer-filter LEAVES"] : []),
    ...(serves
      ? [
          "neighbor OVERLAY peer group",
          "neighbor OVERLAY next-hop-unchanged",
          "neighbor OVERLAY update-source Loopback0",
          "neighbor OVERLAY bfd",
          "neighbor OVERLAY ebgp-multihop 3",
          "neighbor OVERLAY send-community",
          "neighbor OVERLAY maximum-routes 0"
        ]
      : []),
    ...(underlay === "bgp"
      ? ["neighbor UNDERLAY peer group", "neighbor UNDERLAY route-map LOOPBACKS in", "neighbor UNDERLAY send-community"]
      : []),
    ...each(serves ? leaves : 0, (index) => [
      `neighbor ${router(index + 1)} peer group OVERLAY`,
      `neighbor ${router(index + 1)} remote-as ${asOf(index + 1)}`,
      `neighbor ${router(index + 1)} description leaf${index + 1}`
    ]).flat(),
    "redistribute connected route-map LOOPBACKS",
    ...(serves
      ? [
          section("address-family evpn", "bgp next-hop-unchanged", "neighbor OVERLAY activate"),
          section("address-family rt-membership", "neighbor OVERLAY activate")
        ]
      : []),
    ...(underlay === "bgp" ? [section("address-family ipv4", "neighbor UNDERLAY activate")] : []),
    ...(number % 2 === 1
      ? [
          section(
            "address-family vpn-ipv4",
            "neighbor OVERLAY activate",
            "neighbor default encapsulation mpls next-hop-self source-interface Loopback0"
          )
        ]
      : [])
  )
]

const underlayOfSpine = (number: number, leaves: number, underlay: "ospf" | "isis"): ReadonlyArray<Part> =>
  underlay === "ospf"
    ? [
        section(
          "router ospf 1",
          `router-id 10.255.9.${number}`,
          "bfd default",
          "network 10.254.0.0/16 area 0.0.0.0",
          "max-lsa 12000",
          `maximum-paths ${Math.min(leaves, 32)}`
        )
      ]
    : [
        section(
          "router isis UNDERLAY",
          `net 49.0001.0000.0000.9${String(number).padStart(3, "0")}.00`,
          "is-type level-2",
          "timers lsp refresh 30000",
          "authentication mode sha key-id 7",
          section("address-family ipv4 unicast", "bfd all-interfaces", "maximum-paths 32"),
          section("address-family ipv6 unicast", "multi-topology")
        )
      ]
