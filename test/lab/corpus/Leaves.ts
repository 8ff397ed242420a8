/** Leaves and border leaves of data centres, with several underlays and overlays. */
import { each, type Part, section } from "./Part.ts"

/** What tells one leaf from another. */
export interface LeafDesign {
  readonly number: number
  readonly underlay: "bgp" | "ospf" | "isis" | "unnumbered"
  readonly overlay: "none" | "bridged" | "asymmetric" | "symmetric" | "bundles"
  readonly pair: "alone" | "mlag" | "segments"
  readonly tenants: number
  readonly vlansOfTenant: number
  readonly hosts: number
  readonly uplinks: number
  readonly multicast?: boolean
  readonly qos?: boolean
  readonly border?: boolean
}

/** The router id of a leaf. */
export const router = (number: number) => `10.255.${Math.floor(number / 200)}.${(number % 200) + 1}`
/** The address of an end of the link between a leaf and a spine. */
export const link = (number: number, uplink: number, side: 0 | 1) => `10.254.${number % 250}.${uplink * 2 + side}`
/** The AS of a leaf, which it shares with its neighbour. */
export const asOf = (number: number) => 65_100 + Math.floor(number / 2)
const tenant = (index: number) => ["RED", "BLUE", "GREEN", "GOLD", "GREY", "PINK", "TEAL", "LIME"][index] ?? `T${index}`
const vlanOf = (index: number, vlan: number) => 100 * (index + 1) + vlan

const allVlans = ({ tenants, vlansOfTenant }: LeafDesign) =>
  each(tenants, (index) => each(vlansOfTenant, (vlan) => ({ index, vlan: vlanOf(index, vlan) }))).flat()

const isRouted = ({ overlay }: LeafDesign) =>
  overlay === "asymmetric" || overlay === "symmetric" || overlay === "bundles"

const vlans = (design: LeafDesign): ReadonlyArray<Part> => [
  ...(design.pair === "mlag" ? ["no spanning-tree vlan-id 4093-4094"] : []),
  design.number % 2 === 0 ? "spanning-tree mode mstp" : "spanning-tree mode rapid-pvst",
  design.number % 2 === 0 ? "spanning-tree mst 0 priority 4096" : "spanning-tree vlan-id 1-4094 priority 8192",
  "vlan internal order ascending range 3900 4000",
  ...allVlans(design).map(({ index, vlan }) => section(`vlan ${vlan}`, `name ${tenant(index)}-${vlan}`)),
  ...(design.pair === "mlag"
    ? [
        section("vlan 4093", "name L3-TO-PEER", "trunk group LEAF_PEER_L3"),
        section("vlan 4094", "name MLAG", "trunk group MLAG")
      ]
    : []),
  ...(design.multicast === true ? [section("vlan 70,72-74")] : []),
  section("vrf instance MGMT"),
  ...(isRouted(design)
    ? each(design.tenants, (index) => section(`vrf instance ${tenant(index)}`, `description tenant ${index}`))
    : [])
]

const underlayOf = ({ underlay, number }: LeafDesign, uplink: number): ReadonlyArray<Part> => {
  const address = `ip address ${link(number, uplink, 1)}/31`
  if (underlay === "ospf") return [address, "ip ospf network point-to-point", "ip ospf area 0.0.0.0"]
  if (underlay === "isis")
    return [
      address,
      "isis enable UNDERLAY",
      "isis circuit-type level-2",
      "isis metric 50",
      "isis network point-to-point"
    ]
  return underlay === "unnumbered" ? ["ipv6 enable"] : [address]
}

const uplinks = (design: LeafDesign): ReadonlyArray<Part> =>
  each(design.uplinks, (index) =>
    section(
      `interface Ethernet${49 + index}/1`,
      `description spine${index + 1} Ethernet${design.number}/1`,
      "mtu 9214",
      "no switchport",
      ...(design.qos === true ? ["service-profile FABRIC"] : []),
      ...underlayOf(design, index),
      ...(design.multicast === true ? ["pim ipv4 sparse-mode"] : []),
      ...(index % 2 === 1 ? ["bfd interval 300 min-rx 300 multiplier 3"] : []),
      ...(design.number % 3 === 0 ? ["sflow enable"] : [])
    )
  )

const bundles = (design: LeafDesign): ReadonlyArray<Part> => {
  const list = `${vlanOf(0, 0)}-${vlanOf(0, Math.max(1, design.vlansOfTenant - 1))}`
  if (design.pair === "alone") return []
  const hosts = each(Math.min(4, design.hosts), (index) =>
    section(
      `interface Port-Channel${index + 1}`,
      `description server${index + 1} bond`,
      `switchport trunk native vlan ${vlanOf(0, 0)}`,
      `switchport trunk allowed vlan ${list}`,
      "switchport mode trunk",
      ...(design.pair === "mlag" ? [`mlag ${index + 1}`] : []),
      "port-channel lacp fallback static",
      "port-channel lacp fallback timeout 5",
      "spanning-tree portfast",
      ...(design.pair === "segments"
        ? [
            `lacp system-id 0000.0000.${String(1000 + index)}`,
            section(
              "evpn ethernet-segment",
              `identifier 0000:0000:0000:${String(design.number).padStart(4, "0")}:${String(index + 1).padStart(4, "0")}`,
              ...(index === 1
                ? ["redundancy single-active", "designated-forwarder election algorithm preference 100"]
                : []),
              `route-target import 00:00:00:00:${String(design.number).padStart(2, "0")}:0${index + 1}`
            )
          ]
        : [])
    )
  )
  const peer = section(
    "interface Port-Channel2000",
    "description MLAG peer",
    "switchport trunk allowed vlan 2-4094",
    "switchport mode trunk",
    "switchport trunk group LEAF_PEER_L3",
    "switchport trunk group MLAG"
  )
  return design.pair === "mlag" ? [...hosts, peer] : hosts
}

const hosts = (design: LeafDesign): ReadonlyArray<Part> =>
  each(design.hosts, (index) => {
    const port = `interface Ethernet${index + 1}`
    const member = design.pair !== "alone" && index < 4
    if (member)
      return section(
        port,
        `description server${index + 1} nic0`,
        `channel-group ${index + 1} mode active`,
        "lacp timer fast"
      )
    const shared: ReadonlyArray<Part> = [
      `description server${index + 1}`,
      ...(index % 4 === 3 ? ["shutdown"] : []),
      "mtu 9214"
    ]
    if (index % 3 === 0)
      return section(
        port,
        ...shared,
        `switchport access vlan ${vlanOf(index % design.tenants, 0)}`,
        "spanning-tree portfast",
        "spanning-tree bpduguard enable"
      )
    if (index % 3 === 1)
      return section(
        port,
        ...shared,
        `switchport trunk allowed vlan ${vlanOf(index % design.tenants, 0)},${vlanOf(index % design.tenants, 1)}`,
        "switchport mode trunk",
        "storm-control broadcast level 1",
        "error-correction encoding reed-solomon"
      )
    return section(
      port,
      ...shared,
      "speed forced 10000full",
      `switchport access vlan ${vlanOf(index % design.tenants, 1)}`,
      "load-interval 5",
      "no lldp transmit"
    )
  })

const peerPorts = (design: LeafDesign): ReadonlyArray<Part> =>
  design.pair === "mlag"
    ? each(2, (index) =>
        section(`interface Ethernet${47 + index}`, "description MLAG peer", "channel-group 2000 mode active")
      )
    : []

const gateways = (design: LeafDesign): ReadonlyArray<Part> => {
  const routed = isRouted(design)
    ? allVlans(design).map(({ index, vlan }, at) =>
        section(
          `interface Vlan${vlan}`,
          `description ${tenant(index)}`,
          `vrf ${tenant(index)}`,
          ...(at % 3 === 1 ? ["ip helper-address 10.9.0.67 vrf MGMT source-interface Loopback0"] : []),
          ...(at % 4 === 2 ? ["ip access-group TENANT-IN in"] : []),
          ...(design.overlay === "asymmetric"
            ? [
                `ip address 10.${index + 1}.${vlan % 100}.${(design.number % 200) + 2}/24`,
                `ip virtual-router address 10.${index + 1}.${vlan % 100}.1`
              ]
            : [`ip address virtual 10.${index + 1}.${vlan % 100}.1/24`]),
          ...(at % 3 === 0 ? ["ipv6 enable", `ipv6 address virtual 2001:db8:${vlan}::1/64`] : []),
          ...(design.multicast === true ? ["pim ipv4 local-interface Loopback0"] : [])
        )
      )
    : []
  if (design.pair !== "mlag") return routed
  return [
    ...routed,
    section(
      "interface Vlan4093",
      "description routed to the peer",
      "mtu 9214",
      `ip address 10.253.0.${design.number % 2}/31`
    ),
    section("interface Vlan4094", "description MLAG", "no autostate", `ip address 10.253.1.${design.number % 2}/31`)
  ]
}

const vxlan = (design: LeafDesign): ReadonlyArray<Part> =>
  design.overlay === "none"
    ? []
    : [
        section(
          "interface Vxlan1",
          "description overlay",
          "vxlan source-interface Loopback1",
          ...(design.pair === "mlag" ? ["vxlan virtual-router encapsulation mac-address mlag-system-id"] : []),
          "vxlan udp-port 4789",
          ...allVlans(design).map(({ vlan }) => `vxlan vlan ${vlan} vni ${10_000 + vlan}`),
          ...(design.overlay === "symmetric" || design.overlay === "bundles"
            ? each(design.tenants, (index) => `vxlan vrf ${tenant(index)} vni ${50_001 + index}`)
            : []),
          ...(design.overlay === "bridged" ? ["vxlan flood vtep 10.255.8.1 10.255.8.2"] : [])
        )
      ]

const overlaySections = (design: LeafDesign): ReadonlyArray<Part> => {
  const { overlay, number } = design
  if (overlay === "none") return []
  const macVrfs =
    overlay === "bundles"
      ? each(design.tenants, (index) =>
          section(
            `vlan-aware-bundle ${tenant(index)}`,
            `rd ${router(number)}:${index + 1}`,
            `route-target both ${index + 1}:${index + 1}`,
            "redistribute learned",
            `vlan ${vlanOf(index, 0)}-${vlanOf(index, design.vlansOfTenant - 1)}`
          )
        )
      : allVlans(design).map(({ vlan }) =>
          section(
            `vlan ${vlan}`,
            `rd ${router(number)}:${vlan}`,
            `route-target both ${vlan}:${vlan}`,
            "redistribute learned"
          )
        )
  const families = [
    section(
      "address-family evpn",
      ...(number % 4 === 1 ? ["host-flap detection window 20 threshold 3"] : []),
      "neighbor OVERLAY activate",
      ...(design.border === true ? ["neighbor CORE activate", "neighbor CORE domain remote"] : [])
    ),
    section("address-family ipv4", "no neighbor OVERLAY activate")
  ]
  const vrfs = isRouted(design)
    ? each(design.tenants, (index) =>
        section(
          `vrf ${tenant(index)}`,
          `rd ${router(number)}:${50_001 + index}`,
          `route-target import evpn ${50_001 + index}:${50_001 + index}`,
          `route-target export evpn ${50_001 + index}:${50_001 + index}`,
          ...(design.border === true
            ? [`neighbor 192.0.2.${index * 2} remote-as 64999`, `neighbor 192.0.2.${index * 2} route-map FROM-WAN in`]
            : []),
          "redistribute connected",
          ...(design.border === true ? [section("address-family ipv4", `neighbor 192.0.2.${index * 2} activate`)] : [])
        )
      )
    : []
  return [...macVrfs, ...families, ...vrfs]
}

const bgp = (design: LeafDesign): Part =>
  section(
    `router bgp ${asOf(design.number)}`,
    `router-id ${router(design.number)}`,
    "update wait-for-convergence",
    "distance bgp 20 200 200",
    "graceful-restart restart-time 300",
    "maximum-paths 4 ecmp 64",
    ...(design.underlay === "bgp" || design.underlay === "unnumbered"
      ? ["neighbor UNDERLAY peer group", "neighbor UNDERLAY send-community", "neighbor UNDERLAY maximum-routes 12000"]
      : []),
    ...(design.overlay === "none"
      ? []
      : [
          "neighbor OVERLAY peer group",
          "neighbor OVERLAY update-source Loopback0",
          "neighbor OVERLAY bfd",
          "neighbor OVERLAY ebgp-multihop 3",
          "neighbor OVERLAY password 7 0832494D1B1C11",
          "neighbor OVERLAY send-community extended",
          "neighbor OVERLAY maximum-routes 0"
        ]),
    ...(design.border === true
      ? [
          "neighbor CORE peer group",
          "neighbor CORE remote-as 64512",
          "neighbor CORE ebgp-multihop 5",
          "neighbor 10.250.0.1 peer group CORE"
        ]
      : []),
    ...(design.underlay === "bgp"
      ? each(design.uplinks, (index) => [
          `neighbor ${link(design.number, index, 0)} peer group UNDERLAY`,
          `neighbor ${link(design.number, index, 0)} remote-as 65000`
        ]).flat()
      : []),
    ...(design.underlay === "unnumbered"
      ? [`neighbor interface Ethernet49/1-${48 + design.uplinks}/1 peer-group UNDERLAY remote-as 65000`]
      : []),
    ...(design.overlay === "none"
      ? []
      : each(2, (index) => [
          `neighbor 10.255.9.${index + 1} peer group OVERLAY`,
          `neighbor 10.255.9.${index + 1} remote-as 65000`
        ]).flat()),
    "redistribute connected route-map LOOPBACKS",
    overlaySections(design)
  )

const underlay = ({ number, underlay, uplinks }: LeafDesign): ReadonlyArray<Part> => {
  if (underlay === "ospf")
    return [
      section(
        "router ospf 1",
        `router-id ${router(number)}`,
        "auto-cost reference-bandwidth 400000",
        "passive-interface default",
        ...each(uplinks, (index) => `no passive-interface Ethernet${49 + index}/1`),
        "max-lsa 12000",
        "max-metric router-lsa on-startup 300",
        "log-adjacency-changes detail"
      )
    ]
  if (underlay === "isis")
    return [
      section(
        "router isis UNDERLAY",
        `net 49.0001.0000.0000.${String(number).padStart(4, "0")}.00`,
        "is-type level-2",
        "log-adjacency-changes",
        "set-overload-bit on-startup 300",
        "authentication mode md5",
        "authentication key 7 0832494D1B1C11",
        section("address-family ipv4 unicast", "maximum-paths 4", "fast-reroute ti-lfa mode link-protection"),
        ...(number % 2 === 0
          ? [section("segment-routing mpls", "no shutdown", `prefix-segment ${router(number)}/32 index ${number}`)]
          : [])
      )
    ]
  return []
}

const lists = (design: LeafDesign): ReadonlyArray<Part> => [
  ...(isRouted(design)
    ? [
        section(
          "ip access-list TENANT-IN",
          "10 remark no tenant reaches management",
          "20 deny ip any 10.9.0.0/16 log",
          "30 permit ip any any"
        )
      ]
    : []),
  section("ip prefix-list LOOPBACKS", "seq 10 permit 10.255.0.0/16 eq 32", "seq 20 permit 10.253.0.0/24 le 31"),
  ...(design.border === true
    ? [
        section("ip prefix-list DEFAULT-ONLY", "seq 10 permit 0.0.0.0/0"),
        "ip as-path access-list OURS permit ^$ any",
        "ip community-list FROM-US permit 65000:1 65000:2",
        "ip extcommunity-list TENANTS permit rt 50001:50001",
        section(
          "route-map FROM-WAN permit 10",
          "match ip address prefix-list DEFAULT-ONLY",
          "set community 65000:1 additive"
        ),
        section("route-map FROM-WAN deny 20"),
        section("peer-filter LEAVES", "10 match as-range 65100-65199 result accept")
      ]
    : []),
  section("route-map LOOPBACKS permit 10", "match ip address prefix-list LOOPBACKS")
]

const quality = (design: LeafDesign): ReadonlyArray<Part> =>
  design.qos === true
    ? [
        section(
          "qos profile FABRIC",
          "qos trust dscp",
          section(
            "uc-tx-queue 3",
            "bandwidth percent 40",
            "random-detect ecn minimum-threshold 300 kbytes maximum-threshold 1500 kbytes max-mark-probability 20"
          ),
          section("uc-tx-queue 6", "priority strict")
        ),
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 48 to traffic-class 6",
        section("class-map type qos match-any STORAGE", "match ip access-group STORAGE"),
        section(
          "policy-map type quality-of-service MARK",
          section("class STORAGE", "set traffic-class 3", "police rate 10 gbps burst-size 1 mbytes"),
          section("class class-default", "set traffic-class 1")
        ),
        section("ip access-list STORAGE", "10 permit tcp any any eq 3260", "20 permit udp any any eq 4791")
      ]
    : []

const multicast = (design: LeafDesign): ReadonlyArray<Part> =>
  design.multicast === true
    ? [
        section("router multicast", section("ipv4", "routing", "multipath deterministic")),
        section(
          "router pim sparse-mode",
          section("ipv4", "rp address 10.255.9.9 239.0.0.0/8", "anycast-rp 10.255.9.9 10.255.9.1")
        ),
        section("router igmp", "ssm aware"),
        section(
          "router msdp",
          "originator-id local-interface Loopback0",
          section("peer 10.255.9.2", "mesh-group DC", "local-interface Loopback0")
        )
      ]
    : []

/** A leaf, without its management. */
export const leaf = (design: LeafDesign): ReadonlyArray<Part> => [
  ...vlans(design),
  ...bundles(design),
  ...hosts(design),
  ...peerPorts(design),
  ...uplinks(design),
  section(
    "interface Loopback0",
    "description router id",
    `ip address ${router(design.number)}/32`,
    ...(design.underlay === "ospf" ? ["ip ospf area 0.0.0.0"] : []),
    ...(design.underlay === "isis" ? ["isis enable UNDERLAY", "isis passive"] : [])
  ),
  section("interface Loopback1", "description VTEP", `ip address 10.255.8.${design.number}/32`),
  section("interface Management1", "description out of band", "vrf MGMT", `ip address 10.9.1.${design.number}/24`),
  ...gateways(design),
  ...vxlan(design),
  "ip virtual-router mac-address 00:1c:73:00:00:99",
  "ip routing",
  ...(design.underlay === "unnumbered" ? ["ip routing ipv6 interfaces", "ipv6 unicast-routing"] : []),
  "no ip routing vrf MGMT",
  ...(isRouted(design) ? each(design.tenants, (index) => `ip routing vrf ${tenant(index)}`) : []),
  "ip route vrf MGMT 0.0.0.0/0 10.9.1.254",
  ...(design.pair === "mlag"
    ? [
        section(
          "mlag configuration",
          `domain-id pair${Math.floor(design.number / 2)}`,
          "local-interface Vlan4094",
          `peer-address 10.253.1.${1 - (design.number % 2)}`,
          `peer-address heartbeat 10.9.1.${design.number + 1} vrf MGMT`,
          "peer-link Port-Channel2000",
          "dual-primary detection delay 5 action errdisable all-interfaces",
          "reload-delay mlag 300",
          "reload-delay non-mlag 330"
        )
      ]
    : []),
  ...lists(design),
  ...quality(design),
  ...multicast(design),
  section("router bfd", "multihop interval 300 min-rx 300 multiplier 3"),
  ...underlay(design),
  bgp(design)
]
