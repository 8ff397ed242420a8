/** Switches with a task of their own: taps, filters at the edge, address translation, traffic engineering, ways over a WAN. */
import { each, type Part, section } from "./Part.ts"

const routed = (port: string, description: string, ...lines: ReadonlyArray<Part>) =>
  section(`interface ${port}`, `description ${description}`, "no switchport", ...lines)

/** Aggregates taps for the tools of a security team. */
const taps: ReadonlyArray<Part> = [
  "spanning-tree mode none",
  section(
    "tap aggregation",
    "mode exclusive profile tap-aggregation-extended",
    "encapsulation vn-tag strip",
    "mac timestamp header format 64-bit",
    "truncation size 169"
  ),
  section(
    "hardware tcam",
    "system profile taps",
    section(
      "profile taps copy tap-aggregation-extended",
      section(
        "feature acl port mac",
        "sequence 50",
        "key size limit 160",
        "key field dst-mac src-mac",
        "action count drop"
      )
    )
  ),
  ...each(24, (index) =>
    section(
      `interface Ethernet${index + 1}`,
      `description ${index < 16 ? "tap" : "tool"} ${index + 1}`,
      `switchport mode ${index < 16 ? "tap" : "tool"}`,
      index < 16 ? `switchport tap default group set${index % 3}` : `switchport tool group set set${index % 3}`,
      ...(index % 5 === 0 ? ["mac timestamp before-fcs"] : [])
    )
  ),
  section("class-map type tapagg match-any WEB", "10 match ip access-group WEB"),
  section("policy-map type tapagg SPLIT", section("10 class WEB", "set aggregation-group set1")),
  section("ip access-list WEB", "10 permit tcp any any eq https", "20 permit tcp any eq https any"),
  section("mac access-list CONTROL", "10 permit 01:80:c2:00:00:00 00:00:00:00:00:ff any", "20 deny any any log")
]

/** Filters at the edge of a data centre. */
const filters: ReadonlyArray<Part> = [
  section(
    "flow tracking hardware",
    "record format ipfix standard timestamps counters",
    "no shutdown",
    section(
      "tracker EDGE",
      "record export on inactive timeout 60000",
      "record export on interval 300000",
      section(
        "exporter SIEM",
        "collector 10.9.0.90 port 4739",
        "local interface Loopback0",
        "template interval 3600000"
      )
    )
  ),
  ...each(8, (index) =>
    routed(
      `Ethernet${index + 1}`,
      `carrier ${index + 1}`,
      `ip address 203.0.113.${index * 2}/31`,
      "traffic-policy input EDGE",
      "flow tracker hardware EDGE",
      "ip verify unicast source reachable-via any"
    )
  ),
  section("interface Loopback0", "ip address 10.255.77.1/32"),
  "ip routing",
  ...each(20, (index) => `ip route 198.18.${index}.0/24 Null0 ${200 + index} tag ${index}`),
  section(
    "traffic-policies",
    "counter interface per-interface ingress",
    section("field-set ipv4 prefix BOGONS", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16", "except 10.255.77.0/24"),
    section("field-set l4-port SERVICES", "53,80,443,8000-8100"),
    section(
      "traffic-policy EDGE",
      "counter BAD GOOD",
      section("match BOGONS ipv4", "source prefix field-set BOGONS", section("actions", "count BAD", "drop")),
      section(
        "match SERVICES ipv4",
        "protocol tcp destination port field-set SERVICES",
        "ttl 10-255",
        section("actions", "count GOOD", "set traffic class 3")
      ),
      section("match PINGS ipv6", "protocol icmpv6", section("actions", "police rate 10 mbps burst-size 64 kbytes"))
    )
  ),
  section(
    "router bgp 64777",
    "router-id 10.255.77.1",
    ...each(8, (index) => [
      `neighbor 203.0.113.${index * 2 + 1} remote-as ${64_800 + index}`,
      `neighbor 203.0.113.${index * 2 + 1} route-map CARRIER-${index + 1} in`
    ]).flat(),
    section("address-family flow-spec ipv4", "neighbor 203.0.113.1 activate")
  ),
  ...each(8, (index) => [
    section(`route-map CARRIER-${index + 1} permit 10`, `set local-preference ${100 + index * 10}`),
    section(`route-map CARRIER-${index + 1} deny 20`, "match as-path NOBODY")
  ]).flat()
]

/** Translates addresses of shops. */
const translation: ReadonlyArray<Part> = [
  "ip nat translation udp-timeout 300",
  "ip nat translation max-entries 50000",
  ...each(6, (index) =>
    routed(
      `Ethernet${index + 1}`,
      `shop ${index + 1}`,
      `ip address 10.${index}.0.1/16`,
      `ip nat source dynamic access-list SHOPS pool OUT`,
      `ip nat source static 10.${index}.0.9 198.51.100.${index + 9}`
    )
  ),
  section("ip access-list SHOPS", ...each(6, (index) => `${(index + 1) * 10} permit ip 10.${index}.0.0/16 any`)),
  "ip routing",
  section("ip nat pool OUT prefix-length 24", "range 198.51.100.100 198.51.100.199"),
  section("ip nat synchronization", "peer-address 10.250.0.2", "local-interface Ethernet48", "port-range 1024 65535"),
  "ip route 0.0.0.0/0 198.51.100.1",
  ...each(6, (index) =>
    section(
      `policy-map type quality-of-service SHOP-${index + 1}`,
      section("class class-default", `police rate ${(index + 1) * 50} mbps burst-size 256 kbytes`)
    )
  )
]

/** A core of labels: IS-IS with segments, LDP, RSVP, VPNs. */
const labels: ReadonlyArray<Part> = [
  ...each(4, (index) => section(`vrf instance CUSTOMER-${index + 1}`, `description customer ${index + 1}`)),
  ...each(8, (index) =>
    routed(
      `Ethernet${index + 1}/1`,
      `core ${index + 1}`,
      `ip address 10.248.0.${index * 2}/31`,
      "mpls ip",
      "isis enable CORE",
      "isis network point-to-point",
      "traffic-engineering",
      "bfd interval 100 min-rx 100 multiplier 3"
    )
  ),
  ...each(4, (index) =>
    routed(
      `Ethernet${index + 20}/1`,
      `customer ${index + 1}`,
      `vrf CUSTOMER-${index + 1}`,
      `ip address 192.0.2.${index * 4 + 1}/30`
    )
  ),
  section("interface Loopback0", "ip address 10.255.50.1/32", "isis enable CORE", "node-segment ipv4 index 50"),
  "ip routing",
  ...each(4, (index) => `ip routing vrf CUSTOMER-${index + 1}`),
  "mpls ip",
  section("mpls ldp", "router-id interface Loopback0", "transport-address interface Loopback0", "no shutdown"),
  section(
    "mpls rsvp",
    "refresh interval 30",
    "fast-reroute mode link-protection",
    section("graceful-restart role helper", "timer restart maximum 32 seconds"),
    section("p2mp", "disabled")
  ),
  section(
    "patch panel",
    section("patch LINE-1", "connector 1 interface Ethernet30/1 dot1q vlan 100", "connector 2 pseudowire ldp LINE-1")
  ),
  section(
    "router traffic-engineering",
    "router-id ipv4 10.255.50.1",
    section(
      "segment-routing",
      "rib system-colored-tunnel-rib",
      section(
        "policy endpoint 10.255.50.9 color 100",
        "binding-sid 970100",
        section("path-group preference 100", "segment-list label-stack 900002 900009 index 1")
      )
    ),
    section("flex-algo", section("flex-algo 128 low-delay", "priority 100", "metric min-delay"))
  ),
  section(
    "router isis CORE",
    "net 49.0050.0000.0000.0001.00",
    "is-type level-2",
    section("address-family ipv4 unicast", "fast-reroute ti-lfa mode node-protection"),
    section("segment-routing mpls", "no shutdown"),
    section("traffic-engineering", "no shutdown", "is-type level-2")
  ),
  section(
    "router bgp 65050",
    "router-id 10.255.50.1",
    "neighbor PE peer group",
    "neighbor PE remote-as 65050",
    "neighbor PE update-source Loopback0",
    "neighbor 10.255.50.9 peer group PE",
    section(
      "vpws CUSTOMERS",
      "rd 10.255.50.1:900",
      "route-target import export evpn 65050:900",
      section("pseudowire LINE-2", "evpn vpws id local 12 remote 21")
    ),
    section(
      "address-family vpn-ipv4",
      "neighbor PE activate",
      "neighbor default encapsulation mpls next-hop-self source-interface Loopback0"
    ),
    section("address-family vpn-ipv6", "neighbor PE activate"),
    section("address-family ipv4 labeled-unicast", "neighbor PE activate"),
    ...each(4, (index) =>
      section(
        `vrf CUSTOMER-${index + 1}`,
        `rd 10.255.50.1:${index + 1}`,
        `route-target import vpn-ipv4 65050:${index + 1}`,
        `route-target export vpn-ipv4 65050:${index + 1}`,
        `neighbor 192.0.2.${index * 4 + 2} remote-as ${64_901 + index}`,
        "redistribute connected",
        section("address-family ipv4", `neighbor 192.0.2.${index * 4 + 2} activate`)
      )
    )
  )
]

/** Finds ways over several carriers to branches. */
const ways: ReadonlyArray<Part> = [
  section(
    "router path-selection",
    "tcp mss ceiling ipv4 ingress",
    section(
      "path-group INTERNET id 101",
      "ipsec profile WAN",
      section("local interface Ethernet1", "stun server-profile HUB"),
      section("peer dynamic", "ip local"),
      section("peer static router-ip 10.255.60.1", "name hub1", "ipv4 address 203.0.113.1")
    ),
    section("load-balance policy VOICE", "latency 20", "loss-rate 1", "path-group INTERNET")
  ),
  section(
    "router adaptive-virtual-topology",
    "topology role edge",
    section("policy PRODUCTION", section("match application-profile VIDEO", "avt profile VIDEO", "dscp 34")),
    section("profile VIDEO", "path-selection load-balance VOICE"),
    section("vrf default", "avt policy PRODUCTION")
  ),
  section(
    "ip security",
    section("ike policy WAN", "encryption aes256", "dh-group 20", "local-id 10.255.60.7"),
    section("sa policy WAN", "esp encryption aes256gcm128", "pfs dh-group 20"),
    section(
      "profile WAN",
      "ike-policy WAN",
      "sa-policy WAN",
      "connection start",
      "shared-key 7 0832494D1B1C11",
      "dpd 10 50 clear",
      "mode transport"
    ),
    section("key controller", "profile WAN")
  ),
  routed("Ethernet1", "internet", "ip address dhcp", "dhcp client accept default-route"),
  routed("Ethernet2", "leased line", "ip address 198.51.100.9/31"),
  ...each(20, (index) =>
    section(
      `interface Ethernet${index + 5}`,
      `description desk ${index + 1}`,
      "switchport access vlan 10",
      "spanning-tree portfast"
    )
  ),
  section("interface Dps1", "mtu 1398", "ip address 10.255.60.7/32"),
  section(
    "interface Tunnel1",
    "description fallback",
    "mtu 1400",
    "ip address 10.61.0.7/24",
    "tunnel mode gre",
    "tunnel source interface Ethernet2",
    "tunnel destination 198.51.100.1"
  ),
  section(
    "application traffic recognition",
    section(
      "application ipv4 CONFERENCE",
      "destination prefix field-set CLOUD",
      "protocol udp destination port field-set MEDIA"
    ),
    section("category CALLS", "application CONFERENCE"),
    section("application-profile VIDEO", "application CONFERENCE", "category CALLS"),
    section("field-set ipv4 prefix CLOUD", "192.0.2.0/24 198.51.100.0/24"),
    section("field-set l4-port MEDIA", "3478-3481, 50000-50059")
  ),
  section("vlan 10", "name DESKS"),
  "ip routing",
  section("stun", section("client", section("server-profile HUB", "ip address 203.0.113.1")))
]

/** Watches others: samples, twamp, loop protection, a maintenance mode. */
const watcher: ReadonlyArray<Part> = [
  section("group interface UPLINKS", "interface Ethernet1,5"),
  section("group bgp PEERS", "neighbor 10.247.0.1", "maintenance profile bgp SLOW"),
  section(
    "monitor telemetry influx",
    "source group standard disabled",
    section(
      "destination influxdb SITE",
      "url http://10.9.0.91:8086",
      "database name switches",
      "username writer password 7 0832494D1B1C11"
    ),
    section("source socket LOCAL", "url unix:///var/run/site.sock")
  ),
  section(
    "monitor telemetry postcard policy",
    "ingress sample rate 16384",
    section(
      "sample policy WEB",
      section("match RULE1 ipv4", "source prefix 10.0.0.0/8", "protocol tcp destination port 443")
    ),
    section("profile WEB", "ingress sample policy WEB")
  ),
  section(
    "monitor twamp",
    section(
      "twamp-light",
      section("reflector defaults", "listen port 862"),
      section("sender profile FAST", "measurement interval 1 seconds", "measurement samples 100")
    )
  ),
  section(
    "monitor loop-protection",
    "rate-limit 500",
    "transmit-interval 10",
    "disabled-time 60",
    "protect vlan 10-20",
    "no shutdown"
  ),
  section("monitor server radius", "service dot1x", "probe interval 60 seconds", "probe threshold failure 3"),
  section(
    "radius proxy",
    "client session idle-timeout 600 seconds",
    section("client group BRANCHES", "client ipv4 10.71.0.0/16 vrf default key 7 0832494D1B1C11", "server group radius")
  ),
  section("address locking", "dhcp server ipv4 10.40.0.67", "lease 10.71.0.9 mac dead.beef.cafe"),
  section("queue-monitor streaming", "max-connections 4", "ip access-group READERS", "no shutdown"),
  section(
    "maintenance",
    section("profile bgp SLOW", "initiator route-map DRAIN inout"),
    section("profile interface QUIET", "rate-monitoring threshold 500", "shutdown max-delay 300"),
    section("unit ROW-4", "group interface UPLINKS", "group bgp PEERS")
  ),
  section("interface profile DESK", "command switchport mode access", "command spanning-tree portfast"),
  section("interface defaults", "mtu 1600"),
  section("l2-protocol", section("forwarding profile LINES", "lacp forward", "lldp tagged forward")),
  section(
    "load-balance policies",
    section("load-balance sand profile WIDE", section("fields udp dst-port 4791", "payload bytes 8-11"))
  ),
  section(
    "cvx",
    "no shutdown",
    section("service mcs", "no shutdown"),
    section("service vxlan", "vtep mac-learning control-plane")
  ),
  section("dynamic prefix-list ACTIVE", "match-map DRAIN", "prefix-list ipv4 EVERYTHING"),
  section("ip prefix-list EVERYTHING", "seq 10 permit 0.0.0.0/0 le 32"),
  section("ip access-list standard READERS", "10 permit 10.9.0.0/16"),
  section("route-map DRAIN permit 10", "set local-preference 1", "set as-path prepend 65071 65071"),
  "ip large-community-list OURS permit 65071:1:1",
  section(
    "router general",
    "router-id ipv4 10.255.71.1",
    section("vrf BLUE", "leak routes source-vrf RED subscribe-policy DRAIN"),
    section("control-functions", "code unit SITE\nfunction ACCEPT() {\n  return true;\n}\nEOF")
  ),
  section("router l2-vpn", "arp learning bridged", "virtual-router neighbor advertisement flooding disabled"),
  section(
    "router segment-security",
    "no shutdown",
    section("policy ONLY-WEB", "10 application HTTPS action forward", "20 application ANY action drop stateless log"),
    section(
      "vrf default",
      section(
        "segment DESKS",
        section("definition", "match prefix-ipv4 DESKS"),
        section("policies", "from SERVERS policy ONLY-WEB")
      )
    )
  ),
  section("match-list input prefix-ipv4 DESKS", "match prefix-ipv4 10.71.0.0/16"),
  section("router rip", "network 10.72.0.0/16", "redistribute connected", "no shutdown"),
  section("ipv6 router ospf 5", "router-id 10.255.71.1", "passive-interface default"),
  section(
    "router ospfv3",
    section("address-family ipv4", "passive-interface default"),
    section("address-family ipv6", "router-id 10.255.71.1")
  ),
  ...each(12, (index) =>
    section(
      `interface Ethernet${index + 1}`,
      `description watched ${index + 1}`,
      `profile DESK`,
      "ip arp inspection trust",
      "address locking ipv4",
      ...(index % 2 === 0 ? ["service-policy type qos input MARK"] : [])
    )
  )
]

/** Each with its name, the model that it runs on, and its parts. */
export const specials = [
  ["taps", "DCS-7050SX3-48YC8-F", taps],
  ["filters", "DCS-7050SX3-48YC8-F", filters],
  ["translation", "DCS-7050SX3-48YC8-F", translation],
  ["labels", "DCS-7050CX3-32S-F", labels],
  ["ways", "cEOSLab", ways],
  ["watcher", "cEOSLab", watcher]
] as const
