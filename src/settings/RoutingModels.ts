/**
 * The models of the routing settings: VRFs, underlay, external routes, policies
 * (docs/settings-repository.md#keys-of-routingyml).
 */
import {
  absent,
  choice,
  Descriptions,
  flag,
  integer,
  integerOrText,
  list,
  mapping,
  model,
  optional,
  Patterns,
  refine,
  text
} from "./SettingRule.ts"
import { names, noText, rawLines } from "./BaseModels.ts"

const asn = integer({ gt: 0, lt: 4_294_967_296, strict: true, description: Descriptions.asn })
const ipv4Interface = text({ pattern: Patterns.ipv4Interface, description: Descriptions.ipv4Interface })
const ipv6Interface = text({ pattern: Patterns.ipv6Interface, description: Descriptions.ipv6Interface })
const ipv4Address = text({ pattern: Patterns.ipv4Address, description: Descriptions.ipv4 })
const ipv6Address = text({ pattern: Patterns.ipv6Address, description: Descriptions.ipv6 })
const interfaceName = absent(text({ pattern: Patterns.interfaceName, description: Descriptions.interfaceName }))
const policyName = text({ pattern: Patterns.vlanName, description: Descriptions.vlanName })
const undefinedText = optional(text(), "undefined")
const noFlag = absent(flag)

const f_vrf = model("f_vrf", {
  name: noText,
  vrf_id: integer({ gt: 0, lt: 65_536, description: Descriptions.vrfId }),
  import_route_targets: names,
  export_route_targets: names,
  import_policy: noText,
  export_policy: noText,
  groups: names
})

const f_underlay = model("f_underlay", {
  infra_lo_net: ipv4Interface,
  infra_link_net: ipv4Interface,
  mgmt_lo_net: ipv4Interface,
  bgp_asn: absent(asn)
})

const f_evpn_peer = model("f_evpn_peer", {
  hostname: text({ maxLength: 253, pattern: Patterns.hostname, description: Descriptions.hostname })
})

const staticRouteTail = { interface: interfaceName, name: undefinedText, cli_append_str: rawLines }

const f_ipv4_static_route = model("f_ipv4_static_route", {
  destination: ipv4Interface,
  nexthop: ipv4Address,
  ...staticRouteTail
})

const f_ipv6_static_route = model("f_ipv6_static_route", {
  destination: ipv6Interface,
  nexthop: ipv6Address,
  ...staticRouteTail
})

const f_extroute_static_vrf = model("f_extroute_static_vrf", {
  name: text(),
  ipv4: absent(list(f_ipv4_static_route)),
  ipv6: absent(list(f_ipv6_static_route))
})

const f_extroute_static = model("f_extroute_static", { vrfs: list(f_extroute_static_vrf) })

const f_extroute_ospfv3_vrf = model("f_extroute_ospfv3_vrf", {
  name: text(),
  ipv4_redist_routefilter: noText,
  ipv6_redist_routefilter: noText,
  cli_append_str: rawLines
})

const f_extroute_ospfv3 = model("f_extroute_ospfv3", { vrfs: list(f_extroute_ospfv3_vrf) })

const neighborTail = {
  peer_as: asn,
  route_map_in: policyName,
  route_map_out: policyName,
  description: undefinedText,
  bfd: noFlag,
  graceful_restart: noFlag,
  next_hop_self: noFlag,
  update_source: interfaceName,
  ebgp_multihop: absent(integer({ ge: 1, le: 255, description: Descriptions.ttl })),
  maximum_routes: absent(integer({ ge: 0, le: 4_294_967_294, description: Descriptions.maxRoutes })),
  auth_type: noText,
  auth_string: noText,
  remove_private_as: absent(choice(["all", "replace"])),
  cli_append_str: rawLines
}

const f_extroute_bgp_neighbor_v4 = model("f_extroute_bgp_neighbor_v4", {
  peer_ipv4: ipv4Address,
  ...neighborTail
})

const f_extroute_bgp_neighbor_v6 = model("f_extroute_bgp_neighbor_v6", {
  peer_ipv6: ipv6Address,
  ...neighborTail
})

const f_extroute_bgp_vrf = model("f_extroute_bgp_vrf", {
  name: text(),
  local_as: asn,
  neighbor_v4: optional(list(f_extroute_bgp_neighbor_v4), []),
  neighbor_v6: optional(list(f_extroute_bgp_neighbor_v6), []),
  cli_append_str: rawLines
})

const f_extroute_bgp = model("f_extroute_bgp", { vrfs: optional(list(f_extroute_bgp_vrf), []) })

const maskRange = integerOrText({ ge: 0, le: 128 }, { pattern: Patterns.maskRange })

const f_prefixset_item = model("f_prefixset_item", {
  prefix: text({ pattern: Patterns.prefix, description: Descriptions.prefix }),
  masklength_range: absent(refine(maskRange, { description: Descriptions.maskRange }))
})

const f_prefixset = model("f_prefixset", {
  mode: optional(text(), "ipv4"),
  prefixes: list(f_prefixset_item)
})

const f_rpolicy_condition = model("f_rpolicy_condition", { match_type: text(), match_target: text() })

const f_rpolicy_statement = model("f_rpolicy_statement", {
  action: text({ pattern: Patterns.acceptReject, description: Descriptions.acceptReject }),
  conditions: list(f_rpolicy_condition)
})

const f_routingpolicy = model("f_routingpolicy", { statements: list(f_rpolicy_statement) })

/** The keys of `routing.yml`. */
export const routingFields = {
  vrfs: optional(list(f_vrf), []),
  underlay: absent(f_underlay),
  evpn_peers: optional(list(f_evpn_peer), []),
  extroute_static: absent(f_extroute_static),
  extroute_ospfv3: absent(f_extroute_ospfv3),
  extroute_bgp: absent(f_extroute_bgp),
  prefix_sets: optional(mapping(f_prefixset), new Map()),
  routing_policies: optional(mapping(f_routingpolicy), new Map())
}
