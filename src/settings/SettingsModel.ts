/**
 * The complete settings model `f_root`: every key that a settings file may hold, with its type, bounds, default and description
 * (docs/settings-repository.md#how-values-are-checked). The order of the keys is the order in which messages name them
 * (docs/settings-repository.md#messages).
 */
import { absent, flag, integer, integerOrText, list, mapping, model, optional, refine, text } from "./SettingRule.ts"
import type { SiblingCheck } from "./SettingRule.ts"
import { baseFields, f_dhcp_relay, names, noLines, noText, rawLines, vlanId } from "./BaseModels.ts"
import { interfaceAddressFault } from "./InterfaceAddress.ts"
import { interfaceRangeFault } from "./InterfaceRange.ts"
import { Descriptions, Patterns } from "./Patterns.ts"
import { routingFields } from "./RoutingModels.ts"
import { vlanRangeFault } from "./VlanRange.ts"

const vrf = absent(text({ pattern: Patterns.vlanName, description: Descriptions.vlanName }))
const mtu = absent(integer({ ge: 68, le: 9214, description: Descriptions.mtu }))
const interfaceAddress = text({ check: interfaceAddressFault })

const needsVrf =
  (key: string): SiblingCheck =>
  (value, siblings) =>
    value !== null && value !== "" && !siblings["vrf"]
      ? `Value error, VRF is required when specifying ${key}`
      : undefined

const accessLists = { acl_ipv4_in: noText, acl_ipv4_out: noText, acl_ipv6_in: noText, acl_ipv6_out: noText }

export const f_vxlan = model("f_vxlan", {
  description: noText,
  vni: integer({ gt: 0, lt: 16_777_215, description: Descriptions.vni }),
  vrf,
  vlan_id: vlanId,
  vlan_name: text({ pattern: Patterns.vlanName, description: Descriptions.vlanName }),
  ipv4_gw: refine(absent(interfaceAddress), { check: needsVrf("ipv4_gw") }),
  ipv4_secondaries: absent(list(interfaceAddress)),
  ipv6_gw: refine(absent(text({ pattern: Patterns.ipv6Interface, description: Descriptions.ipv6Interface })), {
    check: needsVrf("ipv6_gw")
  }),
  dhcp_relays: absent(list(f_dhcp_relay)),
  mtu,
  vxlan_host_route: optional(flag, true),
  ...accessLists,
  cli_append_str: rawLines,
  groups: names,
  devices: names,
  tags: names
})
export type Vxlan = typeof f_vxlan.Type

export const f_interface = model("f_interface", {
  name: text({
    pattern: Patterns.interfaceRange,
    check: interfaceRangeFault,
    description: Descriptions.interfaceRange
  }),
  ifclass: text({ pattern: Patterns.interfaceClass, description: Descriptions.interfaceClass }),
  redundant_link: optional(flag, true),
  config: noLines,
  description: absent(text({ maxLength: 64, description: Descriptions.interfaceDescription })),
  enabled: absent(flag),
  untagged_vlan: absent(vlanId),
  tagged_vlan_list: absent(list(integerOrText({ ge: 1, le: 4094 }, { check: vlanRangeFault }))),
  aggregate_id: absent(integer()),
  tags: absent(list(text())),
  vrf,
  ipv4_address: refine(absent(interfaceAddress), { check: needsVrf("ipv4_gw") }),
  ipv6_address: absent(text({ pattern: Patterns.ipv6Interface, description: Descriptions.ipv6Interface })),
  mtu,
  ...accessLists,
  metric: absent(integer()),
  cli_append_str: rawLines
})
export type SettingsInterface = typeof f_interface.Type

/** All settings of a device, a device type or the whole site. */
export const f_root = model("f_root", {
  ntp_servers: baseFields.ntp_servers,
  radius_servers: baseFields.radius_servers,
  syslog_servers: baseFields.syslog_servers,
  snmp_servers: baseFields.snmp_servers,
  dns_servers: baseFields.dns_servers,
  flow_collectors: baseFields.flow_collectors,
  dhcp_relays: baseFields.dhcp_relays,
  interfaces: optional(list(f_interface), []),
  vrfs: routingFields.vrfs,
  vxlans: optional(mapping(f_vxlan), new Map()),
  underlay: routingFields.underlay,
  evpn_peers: routingFields.evpn_peers,
  extroute_static: routingFields.extroute_static,
  extroute_ospfv3: routingFields.extroute_ospfv3,
  extroute_bgp: routingFields.extroute_bgp,
  internal_vlans: baseFields.internal_vlans,
  dot1x_fail_vlan: baseFields.dot1x_fail_vlan,
  cli_prepend_str: baseFields.cli_prepend_str,
  cli_append_str: baseFields.cli_append_str,
  organization_name: baseFields.organization_name,
  domain_name: baseFields.domain_name,
  users: baseFields.users,
  dot1x_multi_host: baseFields.dot1x_multi_host,
  poe_reboot_maintain: baseFields.poe_reboot_maintain,
  prefix_sets: routingFields.prefix_sets,
  routing_policies: routingFields.routing_policies,
  interface_tag_options: baseFields.interface_tag_options,
  port_template_options: baseFields.port_template_options,
  vxlan_vni_range: baseFields.vxlan_vni_range,
  external_routing_policies: baseFields.external_routing_policies,
  arista_models_32bit: baseFields.arista_models_32bit,
  arista_models_arm: baseFields.arista_models_arm,
  upgrade_post_waittime: baseFields.upgrade_post_waittime,
  banner_login: baseFields.banner_login,
  banner_motd: baseFields.banner_motd,
  system_access_lists: baseFields.system_access_lists,
  ssh: baseFields.ssh
})

/** The validated settings; `vxlans` and the other free mappings are `Map`s in the order of the file. */
export type Settings = typeof f_root.Type
