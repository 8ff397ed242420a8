/**
 * Wrong settings as data: what is given, and the exact errors that it must get
 * (docs/settings-repository.md#how-values-are-checked and docs/settings-repository.md#messages).
 */
import { Descriptions, Patterns } from "../../src/settings/SettingRule.ts"
import { YamlFloat } from "../../src/settings/PythonText.ts"

/** One expected error: path, printed value, rule, and the description if there is one. */
export type Expected = readonly [path: string, value: string, rule: string, description?: string]

/** A VXLAN with nothing but what is required. */
export const vxlan = { vni: 100_001, vlan_id: 10, vlan_name: "STAFF" }
/** Settings with one VXLAN that has these fields as well. */
export const inVxlan = (extra: object) => ({ vxlans: { a: { ...vxlan, ...extra } } })
const inInterface = (extra: object) => ({ interfaces: [{ name: "Ethernet1", ifclass: "custom", ...extra }] })
const peer = { peer_ipv4: "10.0.0.1", peer_as: 65_000, route_map_in: "a", route_map_out: "b" }
const inPeer = (extra: object) => ({
  extroute_bgp: { vrfs: [{ name: "X", local_as: 65_001, neighbor_v4: [{ ...peer, ...extra }] }] }
})
const PEER = "extroute_bgp->vrfs->0->neighbor_v4->0"
const matches = (pattern: { readonly words: string }) => `Input should be ${pattern.words}`
const HOST = [matches(Patterns.host), Descriptions.host] as const
const NOT_INT = "Input should be a valid integer"
const NOT_BOOL = "Input should be a valid boolean, unable to interpret input"
const ADDRESS = "Value error, Invalid IPv4 interface: "

/** Settings that must be refused, each with all the errors that it must get, in order. */
export const wrongSettings: ReadonlyArray<readonly [given: unknown, ...errors: ReadonlyArray<Expected>]> = [
  [{ ntp_servers: [{ host: "10.0.0.500" }] }, ["ntp_servers->0->host", "10.0.0.500", ...HOST]],
  [{ dns_servers: [{ host: "256.256.256.256" }] }, ["dns_servers->0->host", "256.256.256.256", ...HOST]],
  [{ snmp_servers: [{}] }, ["snmp_servers->0->host", "None", "Field required", Descriptions.host]],
  [
    { ntp_servers: [{ host: "a".repeat(254) }] },
    ["ntp_servers->0->host", "a".repeat(254), "String should have at most 253 characters", Descriptions.host]
  ],
  [{ ntp_servers: [{ host: 5 }] }, ["ntp_servers->0->host", "5", "Input should be a valid string", Descriptions.host]],
  [{ ntp_servers: null }, ["ntp_servers", "None", "Input should be a valid list"]],
  [{ ntp_servers: { host: "a" } }, ["ntp_servers", "{'host': 'a'}", "Input should be a valid list"]],
  [
    { ntp_servers: ["10.0.0.1"] },
    ["ntp_servers->0", "10.0.0.1", "Input should be a valid dictionary or instance of f_ntp_server"]
  ],
  [
    { radius_servers: [{ host: "a", port: 65_536 }] },
    ["radius_servers->0->port", "65536", "Input should be less than 65536", Descriptions.port]
  ],
  [
    { syslog_servers: [{ host: "a", port: -1 }] },
    ["syslog_servers->0->port", "-1", "Input should be greater than or equal to 0", Descriptions.port]
  ],
  [
    { flow_collectors: [{ host: "a", port: "x" }] },
    ["flow_collectors->0->port", "x", `${NOT_INT}, unable to parse string as an integer`, Descriptions.port]
  ],
  [
    { radius_servers: [{ host: "a", port: 1.5 }] },
    ["radius_servers->0->port", "1.5", `${NOT_INT}, got a number with a fractional part`, Descriptions.port]
  ],
  [{ radius_servers: [{ host: "a", port: [1] }] }, ["radius_servers->0->port", "[1]", NOT_INT, Descriptions.port]],
  [
    { internal_vlans: { vlan_id_low: 5, vlan_id_high: 5 } },
    [
      "internal_vlans->vlan_id_high",
      "5",
      "Value error, vlan_id_high must be greater than vlan_id_low",
      Descriptions.vlanId
    ]
  ],
  [
    { internal_vlans: { vlan_id_high: 5 } },
    ["internal_vlans->vlan_id_low", "None", "Field required", Descriptions.vlanId]
  ],
  [{ dot1x_fail_vlan: 0 }, ["dot1x_fail_vlan", "0", "Input should be greater than 0", Descriptions.vlanId]],
  [{ dot1x_fail_vlan: 4095 }, ["dot1x_fail_vlan", "4095", "Input should be less than 4095", Descriptions.vlanId]],
  [{ dot1x_fail_vlan: 0 }, ["dot1x_fail_vlan", "0", "Input should be greater than 0", Descriptions.vlanId]],
  ...["010.020.000.001", "10.0.0.01", "300.1.1.1", "10", "a.10", "1.2.3"].map(
    (host) => [{ ntp_servers: [{ host }] }, ["ntp_servers->0->host", host, ...HOST]] as const
  ),
  [{ dot1x_multi_host: "perhaps" }, ["dot1x_multi_host", "perhaps", NOT_BOOL]],
  [{ poe_reboot_maintain: 2 }, ["poe_reboot_maintain", "2", NOT_BOOL]],
  [{ poe_reboot_maintain: null }, ["poe_reboot_maintain", "None", NOT_BOOL]],
  [{ cli_append_str: null }, ["cli_append_str", "None", "Input should be a valid string"]],
  [{ organization_name: true }, ["organization_name", "True", "Input should be a valid string"]],
  [{ domain_name: "single" }, ["domain_name", "single", matches(Patterns.domain), Descriptions.domainName]],
  [
    { domain_name: `${"a".repeat(251)}.b` },
    ["domain_name", `${"a".repeat(251)}.b`, "String should have at most 251 characters", Descriptions.domainName]
  ],
  [
    { users: [{ uid: "x" }] },
    ["users->0->username", "None", "Field required"],
    ["users->0->uid", "x", `${NOT_INT}, unable to parse string as an integer`]
  ],
  [{ users: [{ username: "a", groups: "LAB" }] }, ["users->0->groups", "LAB", "Input should be a valid list"]],
  [
    { port_template_options: { x: { vlan_config: "trunk" } } },
    ["port_template_options->x->vlan_config", "trunk", "Input should be 'none', 'tagged' or 'untagged'"]
  ],
  [
    { port_profiles: { printer: { untagged_vlan: 4095, configtype: "ACCESS_UPLINK" } } },
    [
      "port_profiles->printer->configtype",
      "ACCESS_UPLINK",
      "Input should be 'ACCESS_AUTO', 'ACCESS_UNTAGGED', 'ACCESS_TAGGED', 'CUSTOM', 'TEMPLATE' or 'CONFIGFILE'"
    ],
    ["port_profiles->printer->untagged_vlan", "4095", "Input should be less than or equal to 4094"]
  ],
  [{ interface_tag_options: ["a"] }, ["interface_tag_options", "['a']", "Input should be a valid dictionary"]],
  [{ vxlan_vni_range: "5" }, ["vxlan_vni_range", "5", "Assertion failed, Range must be specified, ex '10000-99999'"]],
  [
    { vxlan_vni_range: "9-5" },
    ["vxlan_vni_range", "9-5", "Assertion failed, Start of range must be less than end of range"]
  ],
  [
    { vxlan_vni_range: "1-16777216" },
    ["vxlan_vni_range", "1-16777216", "Assertion failed, VNI IDs in range must be between 1-16777215"]
  ],
  [
    { upgrade_post_waittime: { eos: "soon" } },
    ["upgrade_post_waittime->eos", "soon", `${NOT_INT}, unable to parse string as an integer`]
  ],
  [{ system_access_lists: ["a b"] }, ["system_access_lists->0", "a b", matches(Patterns.aclName)]],
  [
    { system_access_lists: ["a".repeat(64)] },
    ["system_access_lists->0", "a".repeat(64), "String should have at most 63 characters"]
  ],
  [{ vrfs: [{ name: "A" }] }, ["vrfs->0->vrf_id", "None", "Field required", Descriptions.vrfId]],
  [{ vrfs: [{ vrf_id: 65_536 }] }, ["vrfs->0->vrf_id", "65536", "Input should be less than 65536", Descriptions.vrfId]],
  [
    { underlay: { infra_lo_net: "10.0.0.0", infra_link_net: "10.0.0.0/16", mgmt_lo_net: "10.0.0.0/16" } },
    ["underlay->infra_lo_net", "10.0.0.0", matches(Patterns.ipv4Interface), Descriptions.ipv4Interface]
  ],
  [{ underlay: [] }, ["underlay", "[]", "Input should be a valid dictionary or instance of f_underlay"]],
  [
    { evpn_peers: [{ hostname: "a b" }] },
    ["evpn_peers->0->hostname", "a b", matches(Patterns.hostname), Descriptions.hostname]
  ],
  [
    { extroute_static: { vrfs: [{ name: "A", ipv4: [{ destination: "10.0.0.0/8", nexthop: "x" }] }] } },
    ["extroute_static->vrfs->0->ipv4->0->nexthop", "x", matches(Patterns.ipv4Address), Descriptions.ipv4]
  ],
  [
    { extroute_static: { vrfs: [{ name: "A", ipv6: [{ destination: "10.0.0.0/8", nexthop: "::1" }] }] } },
    [
      "extroute_static->vrfs->0->ipv6->0->destination",
      "10.0.0.0/8",
      matches(Patterns.ipv6Interface),
      Descriptions.ipv6Interface
    ]
  ],
  [{ extroute_static: {} }, ["extroute_static->vrfs", "None", "Field required"]],
  [{ extroute_ospfv3: { vrfs: [{}] } }, ["extroute_ospfv3->vrfs->0->name", "None", "Field required"]],
  [inPeer({ peer_as: "65000" }), [`${PEER}->peer_as`, "65000", NOT_INT, Descriptions.asn]],
  [inPeer({ peer_as: new YamlFloat(1) }), [`${PEER}->peer_as`, "1.0", NOT_INT, Descriptions.asn]],
  [inPeer({ peer_as: 0 }), [`${PEER}->peer_as`, "0", "Input should be greater than 0", Descriptions.asn]],
  [
    inPeer({ peer_as: 4_294_967_296 }),
    [`${PEER}->peer_as`, "4294967296", "Input should be less than 4294967296", Descriptions.asn]
  ],
  [inPeer({ route_map_in: "1" }), [`${PEER}->route_map_in`, "1", matches(Patterns.vlanName), Descriptions.vlanName]],
  [
    inPeer({ ebgp_multihop: 256 }),
    [`${PEER}->ebgp_multihop`, "256", "Input should be less than or equal to 255", Descriptions.ttl]
  ],
  [
    inPeer({ maximum_routes: -1 }),
    [`${PEER}->maximum_routes`, "-1", "Input should be greater than or equal to 0", Descriptions.maxRoutes]
  ],
  [
    inPeer({ update_source: "Lo 0" }),
    [`${PEER}->update_source`, "Lo 0", matches(Patterns.interfaceName), Descriptions.interfaceName]
  ],
  [inPeer({ remove_private_as: "some" }), [`${PEER}->remove_private_as`, "some", "Input should be 'all' or 'replace'"]],
  [inPeer({ auth_string: 5 }), [`${PEER}->auth_string`, "<hidden>", "Input should be a valid string"]],
  [
    { prefix_sets: { p: { prefixes: [{ prefix: "x", masklength_range: 129 }] } } },
    ["prefix_sets->p->prefixes->0->prefix", "x", matches(Patterns.prefix), Descriptions.prefix],
    [
      "prefix_sets->p->prefixes->0->masklength_range",
      "129",
      "Input should be less than or equal to 128",
      Descriptions.maskRange
    ]
  ],
  [
    { prefix_sets: { p: { prefixes: [{ prefix: "::/0", masklength_range: "8+" }] } } },
    ["prefix_sets->p->prefixes->0->masklength_range", "8+", matches(Patterns.maskRange), Descriptions.maskRange]
  ],
  [
    { routing_policies: { p: { statements: [{ action: "drop", conditions: [] }] } } },
    ["routing_policies->p->statements->0->action", "drop", matches(Patterns.acceptReject), Descriptions.acceptReject]
  ],
  [
    inVxlan({ vlan_id: 501_555 }),
    ["vxlans->a->vlan_id", "501555", "Input should be less than 4095", Descriptions.vlanId]
  ],
  [
    { vxlans: { a: { vlan_id: 10 } } },
    ["vxlans->a->vni", "None", "Field required", Descriptions.vni],
    ["vxlans->a->vlan_name", "None", "Field required", Descriptions.vlanName]
  ],
  [
    inVxlan({ vni: 16_777_215 }),
    ["vxlans->a->vni", "16777215", "Input should be less than 16777215", Descriptions.vni]
  ],
  [inVxlan({ vlan_name: "1A" }), ["vxlans->a->vlan_name", "1A", matches(Patterns.vlanName), Descriptions.vlanName]],
  [inVxlan({ vrf: "a b" }), ["vxlans->a->vrf", "a b", matches(Patterns.vlanName), Descriptions.vlanName]],
  [
    inVxlan({ ipv4_gw: "10.0.0.1/24" }),
    ["vxlans->a->ipv4_gw", "10.0.0.1/24", "Value error, VRF is required when specifying ipv4_gw"]
  ],
  [
    inVxlan({ ipv6_gw: "2001:db8::1/64" }),
    [
      "vxlans->a->ipv6_gw",
      "2001:db8::1/64",
      "Value error, VRF is required when specifying ipv6_gw",
      Descriptions.ipv6Interface
    ]
  ],
  ...([
    ["10.0.0.1", `${ADDRESS}Not a CIDR notation/no netmask`],
    ["300.0.0.1/24", `${ADDRESS}Octet 300 (> 255) not permitted in '300.0.0.1'`],
    ["x/24", `${ADDRESS}Expected 4 octets in 'x'`],
    ["10.0.0.1/33", "Value error, '33' is not a valid netmask"],
    ["10.0.0.1/7", `${ADDRESS}Invalid prefix size`],
    ["224.0.0.1/24", `${ADDRESS}Multicast address is invalid`],
    ["10.0.0.0/24", `${ADDRESS}Invalid interface address`],
    ["10.0.0.255/24", `${ADDRESS}Invalid interface address`],
    ["10.0.0.3/30", `${ADDRESS}Invalid interface address`]
  ].map(([gateway = "", rule = ""]) => [
    inVxlan({ vrf: "A", ipv4_gw: gateway }),
    ["vxlans->a->ipv4_gw", gateway, rule]
  ]) satisfies ReadonlyArray<readonly [unknown, Expected]>),
  [
    inVxlan({ ipv4_secondaries: ["10.0.0.0/24"] }),
    ["vxlans->a->ipv4_secondaries->0", "10.0.0.0/24", `${ADDRESS}Invalid interface address`]
  ],
  [inVxlan({ mtu: 67 }), ["vxlans->a->mtu", "67", "Input should be greater than or equal to 68", Descriptions.mtu]],
  [inVxlan({ mtu: 9215 }), ["vxlans->a->mtu", "9215", "Input should be less than or equal to 9214", Descriptions.mtu]],
  [{ vxlans: [] }, ["vxlans", "[]", "Input should be a valid dictionary"]],
  [{ vxlans: { a: 5 } }, ["vxlans->a", "5", "Input should be a valid dictionary or instance of f_vxlan"]],
  [{ vxlans: new Map([[500, vxlan]]) }, ["vxlans->500->[key]", "500", "Input should be a valid string"]],
  [
    inInterface({ name: "Ethernet1,2" }),
    ["interfaces->0->name", "Ethernet1,2", matches(Patterns.interfaceRange), Descriptions.interfaceRange]
  ],
  [
    inInterface({ ifclass: "uplink" }),
    ["interfaces->0->ifclass", "uplink", matches(Patterns.interfaceClass), Descriptions.interfaceClass]
  ],
  [
    inInterface({ description: "d".repeat(65) }),
    [
      "interfaces->0->description",
      "d".repeat(65),
      "String should have at most 64 characters",
      Descriptions.interfaceDescription
    ]
  ],
  [
    inInterface({ untagged_vlan: 4096 }),
    ["interfaces->0->untagged_vlan", "4096", "Input should be less than 4095", Descriptions.vlanId]
  ],
  ...([
    [0, "Input should be greater than or equal to 1"],
    [4096, "Input should be less than or equal to 4094"],
    ["9-5", "Assertion failed, Start of range must be less than end of range"],
    ["1-4096", "Assertion failed, VLAN IDs in range must be between 1-4094"],
    ["4096", "Assertion failed, VLAN IDs in range must be between 1-4094"],
    ["x", "Value error, invalid literal for int() with base 10: 'x'"],
    ["1-2-3", "Value error, too many values to unpack (expected 2)"]
  ].map(([vlan = "", rule = ""]) => [
    inInterface({ tagged_vlan_list: [vlan] }),
    ["interfaces->0->tagged_vlan_list->0", String(vlan), String(rule)]
  ]) satisfies ReadonlyArray<readonly [unknown, Expected]>),
  [
    inInterface({ ipv4_address: "10.0.0.1/31" }),
    ["interfaces->0->ipv4_address", "10.0.0.1/31", "Value error, VRF is required when specifying ipv4_gw"]
  ],
  [
    inInterface({ name: "Ethernet[1-99999999]" }),
    [
      "interfaces->0->name",
      "Ethernet[1-99999999]",
      "Value error, Interface range stands for more than 4096 interfaces",
      Descriptions.interfaceRange
    ]
  ],
  [
    { organization_name: 1, vxlans: [], ntp_servers: 1, interfaces: 1 },
    ["ntp_servers", "1", "Input should be a valid list"],
    ["interfaces", "1", "Input should be a valid list"],
    ["vxlans", "[]", "Input should be a valid dictionary"],
    ["organization_name", "1", "Input should be a valid string"]
  ],
  [null, ["", "None", "Input should be a valid dictionary or instance of f_root"]],
  [[1], ["", "[1]", "Input should be a valid dictionary or instance of f_root"]],
  ["text", ["", "text", "Input should be a valid dictionary or instance of f_root"]]
]
