/** Switches of a campus: access with power and 802.1X, distribution, core, machine halls, management networks. */
import { each, type Part, section } from "./Part.ts"

export interface AccessDesign {
  readonly number: number
  readonly ports: number
  readonly uplinks: ReadonlyArray<string>
  readonly power: boolean
  readonly secured: boolean
  readonly voice: boolean
  readonly guard: boolean
  readonly list: number
  readonly quality: boolean
}

const KINDS = [
  ["STAFF", 110],
  ["STUDENT", 120],
  ["PRINTER", 130],
  ["VOICE", 140],
  ["CAMERA", 150],
  ["GUEST", 160],
  ["QUARANTINE", 170]
] as const

const portLines = (design: AccessDesign, index: number): ReadonlyArray<Part> => {
  const [name, vlan] = KINDS[index % KINDS.length] ?? KINDS[0]
  return [
    `description ${name.toLowerCase()} outlet ${design.number}.${String(index + 1).padStart(2, "0")}`,
    ...(index % 11 === 10 ? ["shutdown"] : []),
    ...(design.voice && name === "STAFF"
      ? [
          `switchport trunk native vlan ${vlan}`,
          "switchport phone vlan 140",
          "switchport phone trunk untagged",
          "switchport mode trunk phone"
        ]
      : [`switchport access vlan ${vlan}`]),
    ...(design.quality ? ["service-profile DESK"] : []),
    ...(design.power ? powerLines(index, name) : []),
    ...(design.secured && name !== "PRINTER"
      ? [
          "dot1x pae authenticator",
          "dot1x authentication failure action traffic allow vlan 170",
          "dot1x reauthentication",
          "dot1x port-control auto",
          ...(name === "STAFF" ? ["dot1x host-mode multi-host authenticated"] : []),
          "dot1x mac based authentication",
          "dot1x timeout quiet-period 30",
          "dot1x timeout reauth-period server",
          "dot1x timeout tx-period 5",
          "dot1x reauthorization request limit 3"
        ]
      : []),
    "spanning-tree portfast",
    "spanning-tree bpduguard enable",
    ...(design.guard
      ? [
          "storm-control broadcast level 2",
          "storm-control multicast level 5",
          "switchport port-security violation protect"
        ]
      : [])
  ]
}

const powerLines = (index: number, name: string): ReadonlyArray<Part> => {
  if (index % 9 === 8) return ["poe disabled"]
  return [
    ...(name === "CAMERA" ? ["poe priority critical"] : []),
    ...(name === "VOICE" ? ["poe limit 15.40 watts"] : []),
    "poe reboot action maintain",
    "poe link down action maintain"
  ]
}

const longList = (rules: number): ReadonlyArray<string> =>
  each(rules, (index) => {
    const number = (index + 1) * 10
    const net = `10.${(index * 7) % 250}.${(index * 13) % 250}.0/24`
    if (index % 25 === 0) return `${number} remark part ${index / 25 + 1}`
    if (index % 5 === 1) return `${number} permit tcp ${net} host 10.40.0.${(index % 200) + 1} eq https`
    if (index % 5 === 2) return `${number} permit udp any ${net} range 16384 32767`
    if (index % 5 === 3) return `${number} deny tcp any ${net} established log`
    if (index % 5 === 4) return `${number} permit icmp ${net} any echo`
    return `${number} deny ip ${net} any`
  })

/** An access switch, without its management. */
export const access = (design: AccessDesign): ReadonlyArray<Part> => [
  ...(design.secured ? ["ip dhcp snooping", "ip dhcp snooping vlan 110,120-130,160", "dot1x system-auth-control"] : []),
  ...(design.secured
    ? [
        section(
          "dot1x",
          "aaa unresponsive phone action traffic allow",
          "aaa unresponsive action traffic allow vlan 170",
          "mac based authentication delay 10 seconds",
          "radius av-pair service-type",
          "vlan assignment group STAFF members 110,112",
          "vlan assignment group GUEST members 160",
          section("supplicant profile UPLINK", "identity switch", "eap-method tls", "ssl profile SITE")
        ),
        "aaa authentication dot1x default group radius",
        "aaa accounting dot1x default start-stop group radius"
      ]
    : []),
  ...(design.power ? [section("poe", "reboot action maintain", "interface shutdown action power-off")] : []),
  ...(design.guard ? ["errdisable recovery cause portsec", "errdisable recovery cause arp-inspection"] : []),
  "spanning-tree mode mstp",
  "spanning-tree edge-port bpduguard default",
  section(
    "spanning-tree mst configuration",
    "name CAMPUS",
    "revision 3",
    "instance 1 vlan 100-149",
    "instance 2 vlan 150-199"
  ),
  "lldp timer 20",
  ...KINDS.map(([name, vlan]) => section(`vlan ${vlan}`, `name ${name}`)),
  section("vlan 600", "name MANAGEMENT"),
  ...design.uplinks.map((port, index) =>
    section(
      `interface ${port}`,
      `description uplink ${index + 1}`,
      ...(design.uplinks.length > 1
        ? ["channel-group 100 mode active"]
        : ["switchport trunk allowed vlan 110-170,600", "switchport mode trunk"])
    )
  ),
  ...(design.uplinks.length > 1
    ? [
        section(
          "interface Port-Channel100",
          "description distribution",
          "switchport trunk allowed vlan 110-170,600",
          "switchport mode trunk",
          "ip arp inspection trust"
        )
      ]
    : []),
  ...each(design.ports, (index) => section(`interface Ethernet${index + 1}`, ...portLines(design, index))),
  section(
    "interface Vlan600",
    "description management",
    `ip address 10.60.${design.number}.2/24`,
    ...(design.number % 2 === 0 ? ["ip access-group FROM-DESKS in"] : [])
  ),
  ...(design.list > 0 ? [section("ip access-list FROM-DESKS", ...longList(design.list))] : []),
  ...(design.number % 3 === 0
    ? [section("mac access-list NO-LOOPS", "10 deny any 01:80:c2:00:00:00 00:00:00:00:00:0f", "20 permit any any")]
    : []),
  ...(design.number % 3 === 1
    ? [section("ipv6 access-list NO-ROUTERS", "10 deny icmpv6 any any router-advertisement", "20 permit ipv6 any any")]
    : []),
  "no ip routing",
  `ip route 0.0.0.0/0 10.60.${design.number}.1`,
  ...(design.quality
    ? [
        section(
          "qos profile DESK",
          "qos trust dscp",
          "service-policy type qos input DESK-IN",
          section("tx-queue 5", "priority strict", "shape rate 20 percent"),
          section("tx-queue 6", "no priority", "bandwidth guaranteed percent 10")
        ),
        "qos map dscp 46 to traffic-class 5",
        "qos rewrite dscp",
        section("class-map type qos match-any PHONES", "match vlan 140"),
        section(
          "policy-map type quality-of-service DESK-IN",
          section("class PHONES", "set dscp ef", "set traffic-class 5"),
          section("class class-default", "set traffic-class 1", "police rate 500 mbps burst-size 2 mbytes")
        )
      ]
    : [])
]

export interface DistributionDesign {
  readonly number: number
  readonly vrfs: ReadonlyArray<string>
  readonly access: number
  readonly routing: "ospf" | "isis" | "bgp"
  readonly pair: boolean
  readonly multicast: boolean
  readonly sixth: boolean
  readonly pbr: boolean
}

const gatewayOf = (design: DistributionDesign, vrf: string, index: number, at: number): Part => {
  const vlan = 100 + index * 100 + at * 10
  const net = `10.${100 + index}.${at * 16}`
  return section(
    `interface Vlan${vlan}`,
    `description ${vrf.toLowerCase()} ${at + 1}`,
    ...(vrf === "default" ? [] : [`vrf ${vrf}`]),
    "ip helper-address 10.40.0.67",
    "ip helper-address 10.40.1.67",
    ...(design.pair
      ? [
          `ip address ${net}.${2 + (design.number % 2)}/20`,
          ...(at % 2 === 0
            ? [`ip virtual-router address ${net}.1`]
            : ["vrrp 10 priority-level 120", `vrrp 10 ipv4 ${net}.1`])
        ]
      : [`ip address ${net}.1/20`, `ip address 192.168.${at}.1/24 secondary`]),
    ...(design.sixth
      ? [
          "ipv6 enable",
          `ipv6 address 2001:db8:${vlan}::${2 + (design.number % 2)}/64`,
          "ipv6 nd managed-config-flag",
          `ipv6 virtual-router address 2001:db8:${vlan}::1`
        ]
      : []),
    ...(design.multicast ? ["pim ipv4 sparse-mode", "ip igmp version 3"] : []),
    ...(design.pbr && at === 0 ? ["service-policy type pbr input TO-PROXY"] : []),
    ...(design.routing === "ospf" ? ["ip ospf area 0.0.0.10"] : [])
  )
}

const campusRouting = (design: DistributionDesign): ReadonlyArray<Part> => {
  if (design.routing === "ospf")
    return [
      section(
        "router ospf 10",
        `router-id 10.255.100.${design.number}`,
        "passive-interface default",
        "no passive-interface Ethernet49/1",
        "no passive-interface Ethernet50/1",
        "area 0.0.0.10 stub no-summary",
        "redistribute connected route-map ONLY-CAMPUS",
        "default-information originate always metric 50",
        "timers spf delay initial 100 200 5000"
      ),
      ...design.vrfs
        .filter((vrf) => vrf !== "default")
        .map((vrf, index) =>
          section(
            `router ospf ${20 + index} vrf ${vrf}`,
            `router-id 10.255.10${index}.${design.number}`,
            `network 10.${101 + index}.0.0/16 area 0.0.0.0`,
            "max-lsa 8000"
          )
        )
    ]
  if (design.routing === "isis")
    return [
      section(
        "router isis CAMPUS",
        `net 49.0002.0000.0000.${String(design.number).padStart(4, "0")}.00`,
        "is-type level-1",
        "redistribute connected route-map ONLY-CAMPUS",
        section("address-family ipv4 unicast", "maximum-paths 2"),
        ...(design.sixth ? [section("address-family ipv6 unicast", "maximum-paths 2")] : [])
      )
    ]
  return [
    section(
      `router bgp ${64_600 + design.number}`,
      `router-id 10.255.100.${design.number}`,
      "neighbor CORE peer group",
      "neighbor CORE remote-as 64600",
      "neighbor CORE timers 3 9",
      "neighbor 10.249.0.0 peer group CORE",
      "neighbor 10.249.0.0 description core1",
      "aggregate-address 10.100.0.0/14 summary-only",
      section("address-family ipv4", "neighbor CORE activate", "neighbor CORE prefix-list CAMPUS out"),
      ...(design.sixth ? [section("address-family ipv6", "neighbor CORE activate", "redistribute connected")] : []),
      ...design.vrfs
        .filter((vrf) => vrf !== "default")
        .map((vrf, index) =>
          section(
            `vrf ${vrf}`,
            `rd 10.255.100.${design.number}:${index + 1}`,
            `neighbor 10.249.${index + 1}.0 remote-as 64600`,
            "redistribute connected",
            "redistribute static route-map ONLY-CAMPUS"
          )
        )
    )
  ]
}

/** A distribution or core switch, without its management. */
export const distribution = (design: DistributionDesign): ReadonlyArray<Part> => [
  section("dhcp relay", "server 10.40.0.67", "tunnel requests disabled"),
  "ip dhcp relay information option",
  "spanning-tree mode mstp",
  `spanning-tree mst 0-2 priority ${design.number % 2 === 0 ? 4096 : 8192}`,
  "spanning-tree guard loop default",
  ...(design.pair ? ["no spanning-tree vlan-id 4094"] : []),
  ...design.vrfs.flatMap((vrf, index) =>
    each(3, (at) => section(`vlan ${100 + index * 100 + at * 10}`, `name ${vrf.toUpperCase()}-${at + 1}`))
  ),
  ...(design.pair ? [section("vlan 4094", "name PEER", "trunk group PEER")] : []),
  ...design.vrfs
    .filter((vrf) => vrf !== "default")
    .map((vrf) => section(`vrf instance ${vrf}`, `rd 10.255.100.${design.number}:${vrf.length}`)),
  ...(design.pair
    ? [
        section(
          "interface Port-Channel200",
          "description peer",
          "switchport mode trunk",
          "switchport trunk group PEER",
          "spanning-tree link-type point-to-point"
        )
      ]
    : []),
  ...each(design.access, (index) =>
    section(
      `interface Port-Channel${index + 1}`,
      `description access ${index + 1}`,
      "switchport mode trunk",
      ...(design.pair ? [`mlag ${index + 1}`] : []),
      "spanning-tree guard root"
    )
  ),
  ...each(design.access, (index) =>
    section(
      `interface Ethernet${index + 1}`,
      `description access ${index + 1}`,
      `channel-group ${index + 1} mode active`
    )
  ),
  ...(design.pair
    ? each(2, (index) =>
        section(`interface Ethernet${47 + index}`, "description peer", "channel-group 200 mode active")
      )
    : []),
  ...each(2, (index) =>
    section(
      `interface Ethernet${49 + index}/1`,
      `description core ${index + 1}`,
      "mtu 9214",
      "no switchport",
      `ip address 10.249.0.${index * 2 + 1}/31`,
      ...(design.sixth ? [`ipv6 address 2001:db8:fff:${index}::1/64`] : []),
      ...(design.routing === "ospf" ? ["ip ospf network point-to-point", "ip ospf area 0.0.0.0"] : []),
      ...(design.routing === "isis"
        ? ["isis enable CAMPUS", "isis authentication mode md5", "isis authentication key 7 0832494D1B1C11"]
        : []),
      ...(design.multicast ? ["pim ipv4 sparse-mode"] : []),
      "mac security profile CORE"
    )
  ),
  ...design.vrfs
    .filter((vrf) => vrf !== "default")
    .map((vrf, index) =>
      section(
        `interface Ethernet49/1.${index + 10}`,
        `description ${vrf} to the core`,
        `encapsulation dot1q vlan ${index + 10}`,
        `vrf ${vrf}`,
        `ip address 10.249.${index + 1}.1/31`
      )
    ),
  section("interface Loopback0", `ip address 10.255.100.${design.number}/32`),
  ...design.vrfs.flatMap((vrf, index) => each(3, (at) => gatewayOf(design, vrf, index, at))),
  ...(design.pair
    ? [section("interface Vlan4094", "no autostate", `ip address 10.249.9.${design.number % 2}/31`)]
    : []),
  section(
    "mac security",
    "license campus 0123456789",
    section(
      "profile CORE",
      "cipher aes256-gcm-xpn",
      "key 0abc 7 0832494D1B1C11",
      "mka session rekey-period 3600",
      "sci"
    )
  ),
  "ip virtual-router mac-address 00:1c:73:aa:bb:cc",
  section("ip access-list standard WHO-MAY-ASK", "10 permit 10.40.0.0/16", "20 deny any"),
  "ip routing",
  ...design.vrfs.filter((vrf) => vrf !== "default").map((vrf) => `ip routing vrf ${vrf}`),
  ...(design.sixth ? ["ipv6 unicast-routing"] : []),
  section("ip prefix-list CAMPUS", "seq 10 permit 10.100.0.0/14 le 24", "seq 20 deny 0.0.0.0/0 le 32"),
  ...(design.sixth ? [section("ipv6 prefix-list CAMPUS6", "seq 10 permit 2001:db8::/32 le 64")] : []),
  "ip route 0.0.0.0/0 10.249.0.0 200 name last-resort",
  ...(design.sixth ? ["ipv6 route ::/0 2001:db8:fff::2"] : []),
  ...(design.pair
    ? [
        section(
          "mlag configuration",
          "domain-id campus",
          "local-interface Vlan4094",
          `peer-address 10.249.9.${1 - (design.number % 2)}`,
          "peer-link Port-Channel200",
          "reload-delay mlag 360"
        )
      ]
    : []),
  ...(design.pbr
    ? [
        section("ip access-list WEB", "10 permit tcp any any eq www", "20 permit tcp any any eq https"),
        section("class-map type pbr match-any WEB", "10 match ip access-group WEB"),
        section("policy-map type pbr TO-PROXY", section("10 class WEB", "set nexthop recursive 10.40.0.80"))
      ]
    : []),
  section(
    "route-map ONLY-CAMPUS permit 10",
    "description what the core may hear",
    "match ip address prefix-list CAMPUS",
    "set tag 600"
  ),
  ...(design.multicast
    ? [
        section(
          "router multicast",
          section("ipv4", "routing"),
          ...design.vrfs.slice(1).map((vrf) => section(`vrf ${vrf}`, section("ipv4", "routing")))
        ),
        section(
          "router pim sparse-mode",
          section("ipv4", "ssm range standard", "rp address 10.255.100.1 239.192.0.0/16")
        ),
        "ip igmp snooping vlan 100 querier"
      ]
    : []),
  ...campusRouting(design)
]

/** A switch of a management network: terminals, supplies, other switches' management ports. */
export const outOfBand = (number: number, ports: number): ReadonlyArray<Part> => [
  section(
    "dhcp server",
    "dns domain name ipv4 mgmt.example",
    "dns server ipv4 10.9.0.53",
    "tftp server file ipv4 http://10.9.0.8/start",
    section(
      `subnet 10.9.${number}.0/24`,
      "name MANAGEMENT",
      "default-gateway 10.9.0.1",
      section(`range 10.9.${number}.100 10.9.${number}.199`),
      section(
        "reservations",
        section("mac-address 0011.2233.4455", `ipv4-address 10.9.${number}.20`, "hostname pdu1"),
        section("mac-address 0011.2233.4466", `ipv4-address 10.9.${number}.21`)
      )
    )
  ),
  "spanning-tree mode rstp",
  "no lldp tlv transmit management-address",
  section("vlan 9", "name OOB"),
  section("vlan 10,20-24"),
  ...each(ports, (index) =>
    section(
      `interface Ethernet${index + 1}`,
      `description rack ${Math.floor(index / 4) + 1} ${["pdu", "console", "switch", "sensor"][index % 4]}`,
      ...(index % 4 === 1 ? ["speed forced 100full"] : []),
      `switchport access vlan ${index % 4 === 3 ? 20 : 9}`,
      "spanning-tree portfast"
    )
  ),
  section("interface Vlan9", `ip address 10.9.${number}.1/24`, "dhcp server ipv4"),
  "mac address-table aging-time 1800",
  "mac address-table static 0011.2233.4455 vlan 9 interface Ethernet1",
  "ip routing",
  "monitor session TAPS source Ethernet1-4 rx",
  "monitor session TAPS destination Ethernet24",
  "arp aging timeout default 600",
  `ip route 0.0.0.0/0 10.9.${number}.254`
]
