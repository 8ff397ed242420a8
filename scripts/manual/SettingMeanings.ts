/**
 * What every key of the settings is for, in a few words, by the model that holds it. The forms and limits of values are not
 * here: `SettingTables.ts` reads them from the model, and a test compares the two lists of keys.
 */

type Meanings = Readonly<Record<string, string>>

const vrf = "its VRF"
const append = "raw configuration at the end of this part"
const acl = "access list, which templates define"
const tags = "words for templates"
const forGroups = "only devices in one of them get the entry; empty: all"
const groupsOfPorts = "groups whose ports may have it; null: all"
const host = "the server"
const port = "its port; null: the usual one"
const policy = "routing policy"
const hash = "password hash for this system"
const permission = "privilege, role or class there"

const acls: Meanings = { acl_ipv4_in: acl, acl_ipv4_out: acl, acl_ipv6_in: acl, acl_ipv6_out: acl }

const neighbour: Meanings = {
  peer_as: "its AS number",
  route_map_in: "route map for received, sent routes",
  route_map_out: "route map for received, sent routes",
  description: "text for people",
  bfd: "BFD watches the neighbour",
  graceful_restart: "graceful restart",
  next_hop_self: "this switch names itself as the next hop",
  update_source: "interface whose address is used",
  ebgp_multihop: "hops in between",
  maximum_routes: "routes that it may send",
  auth_type: "authentication, in the words of the template",
  auth_string: "its secret; never shown in messages",
  remove_private_as: "remove or replace private AS numbers",
  cli_append_str: append
}

const staticRoute: Meanings = {
  destination: "network",
  nexthop: "address of the next hop",
  interface: "interface of the next hop",
  name: "name of the route",
  cli_append_str: "words after the command"
}

/** Meanings by model and key. */
export const settingMeanings: Readonly<Record<string, Meanings>> = {
  f_ssh: {
    algorithms: "`legacy` also allows weak algorithms of old switches",
    port: "SSH port; null: `SSH_PORT`. The device's own port wins",
    window_bytes: "bytes sent ahead of the answers; 1: line by line; null: the platform's",
    prompt: "prompt before mode and sign, `*` for any text; null: learnt at the login",
    enable_secret: "variable with the password for `enable`; null: that of the login",
    username: "login of managed switches; null: that of the fleet",
    password_secret: "variable with its password",
    password_next_secret: "variable with the next password, during a change of passwords",
    key_secret: "variable with its private key, tried before the password",
    key_passphrase_secret: "variable with the passphrase of the key",
    jump_host: "SSH server on the way to the switch"
  },
  f_jump_host: {
    host: "its name or address",
    port: "its SSH port",
    username: "login name",
    password_secret: "variable with the password",
    host_key: "the host key that it must show",
    algorithms: "as for the switch"
  },
  f_root: {
    ntp_servers: "time servers",
    radius_servers: "RADIUS servers",
    syslog_servers: "log servers",
    snmp_servers: "hosts that may read by SNMP and get traps",
    dns_servers: "name servers",
    flow_collectors: "collectors of flow records",
    dhcp_relays: "DHCP servers to which requests are relayed",
    interfaces: "ports of DIST and CORE devices",
    vrfs: "routing instances",
    vxlans: "VLANs, each with its VXLAN, in the order of the configuration",
    underlay: "networks for addresses of the fabric",
    evpn_peers: "EVPN route servers; empty: all CORE devices",
    extroute_static: "static routes to the outside, by VRF",
    extroute_ospfv3: "OSPFv3 to the outside, by VRF",
    extroute_bgp: "BGP to the outside, by VRF",
    internal_vlans: "VLAN ids for the switch itself; no VXLAN may use one",
    dot1x_fail_vlan: "VLAN after a failed 802.1X login",
    cli_prepend_str: "raw configuration before everything else",
    cli_append_str: "raw configuration after everything else",
    organization_name: "organisation, for banners",
    domain_name: "DNS domain of the switches",
    users: "local logins",
    dot1x_multi_host: "one 802.1X login opens a port for all behind it",
    poe_reboot_maintain: "ports keep their power while the switch restarts",
    prefix_sets: "lists of prefixes for routing policies",
    routing_policies: "routing policies, in order of their statements",
    interface_tag_options: "tags for ports, which clients offer",
    port_template_options: "port templates to choose from, without the prefix `port_template_`",
    location: "where the switch is: [Find](api.md#find) shows it and finds by it; templates do not see it",
    port_profiles: "[port profiles](#port-profiles), by which ports are configured; templates do not see it",
    vxlan_vni_range: "VNIs for VXLANs, both ends included",
    external_routing_policies: "route maps that only templates define",
    arista_models_32bit: "models with the 32-bit image; null: the built-in list",
    arista_models_arm: "accepted, not used",
    upgrade_post_waittime: "accepted, not used: jobs take `post_waittime` of the request",
    banner_login: "text before the login, for templates",
    banner_motd: "text after the login, for templates",
    ssh: "how the server [logs in](#logins-of-switches); templates do not see it",
    system_access_lists: "access lists for the switch itself, for templates"
  },
  f_ntp_server: { host },
  f_snmp_server: { host },
  f_dns_server: { host },
  f_dhcp_relay: { host },
  f_radius_server: { host, port },
  f_syslog_server: { host, port },
  f_flow_collector: { host, port },
  f_internal_vlans: {
    vlan_id_low: "first id",
    vlan_id_high: "last id",
    allocation_order: "order in which the switch takes them"
  },
  f_user: {
    username: "login name",
    ssh_key: "public SSH key",
    uid: "number of the user",
    password_hash_arista: hash,
    password_hash_cisco: hash,
    password_hash_juniper: hash,
    permission_arista: permission,
    permission_cisco: permission,
    permission_juniper: permission,
    groups: forGroups
  },
  f_interface_tag: { description: "what the tag does", groups: groupsOfPorts },
  f_port_template: {
    description: "what the template is for",
    vlan_config: "which VLANs a port with it takes",
    groups: groupsOfPorts
  },
  f_location: {
    building: "building",
    room: "room, without the word",
    rack: "rack, without the word"
  },
  f_port_profile: {
    description: "what the profile is for",
    configtype: "[use of the port](api.md#ports-of-a-device); null: what the VLANs say",
    untagged_vlan: "name or number of the VLAN without a tag",
    tagged_vlan_list: "names or numbers of the VLANs with a tag",
    enabled: "port is up",
    bpdu_filter: "no BPDUs on the port",
    redundant_link: "of a downlink: false allows a switch with this one cable",
    tags,
    groups: groupsOfPorts
  },
  f_interface: {
    name: "one or several: `Ethernet[1-4]`",
    ifclass: "[class of the port](templates.md#ports-of-dist-and-core)",
    redundant_link: "of a downlink: false allows a switch with this one cable",
    config: "raw configuration of a `custom` port",
    description: "text on the port",
    enabled: "port is up; null: the template decides",
    untagged_vlan: "VLAN id without a tag",
    tagged_vlan_list: "VLAN ids with a tag, such as `5` or `100-110`",
    aggregate_id: "its port-channel",
    tags,
    vrf,
    ipv4_address: "IPv4 address",
    ipv6_address: "IPv6 address",
    mtu: "largest packet",
    ...acls,
    metric: "routing metric",
    cli_append_str: append
  },
  f_vxlan: {
    description: "text for people",
    vni: "number of the VXLAN",
    vrf,
    vlan_id: "number of the VLAN",
    vlan_name: "name of the VLAN, which ports use",
    ipv4_gw: "IPv4 gateway",
    ipv4_secondaries: "more gateways",
    ipv6_gw: "IPv6 gateway",
    dhcp_relays: "DHCP servers in place of those of the site",
    mtu: "largest packet",
    vxlan_host_route: "hosts are announced one by one",
    ...acls,
    cli_append_str: append,
    groups: forGroups,
    devices: "these devices get the entry too",
    tags
  },
  f_vrf: {
    name: "name of the VRF",
    vrf_id: "number for route distinguishers and targets",
    import_route_targets: "further route targets",
    export_route_targets: "further route targets",
    import_policy: policy,
    export_policy: policy,
    groups: forGroups
  },
  f_underlay: {
    infra_lo_net: "loopbacks for the routing of the fabric",
    infra_link_net: "the /31 between fabric devices",
    mgmt_lo_net: "management loopbacks of fabric devices",
    bgp_asn: "AS number of the underlay, for templates"
  },
  f_evpn_peer: { hostname: "device that is a route server" },
  f_extroute_static: { vrfs: "routes by VRF" },
  f_extroute_static_vrf: { name: "the VRF", ipv4: "IPv4 routes", ipv6: "IPv6 routes" },
  f_ipv4_static_route: staticRoute,
  f_ipv6_static_route: staticRoute,
  f_extroute_ospfv3: { vrfs: "OSPFv3 by VRF" },
  f_extroute_ospfv3_vrf: {
    name: "the VRF",
    ipv4_redist_routefilter: "route map for redistributed routes",
    ipv6_redist_routefilter: "route map for redistributed routes",
    cli_append_str: append
  },
  f_extroute_bgp: { vrfs: "BGP by VRF" },
  f_extroute_bgp_vrf: {
    name: "the VRF",
    local_as: "own AS number",
    neighbor_v4: "IPv4 neighbours",
    neighbor_v6: "IPv6 neighbours",
    cli_append_str: append
  },
  f_extroute_bgp_neighbor_v4: { peer_ipv4: "address of the neighbour", ...neighbour },
  f_extroute_bgp_neighbor_v6: { peer_ipv6: "address of the neighbour", ...neighbour },
  f_prefixset: { mode: "`ipv4`, `ipv6` or `mixed`, for templates", prefixes: "the prefixes" },
  f_prefixset_item: { prefix: "a prefix", masklength_range: "lengths that match" },
  f_routingpolicy: { statements: "what it does, in order" },
  f_rpolicy_statement: { action: "for a route that matches", conditions: "what must match" },
  f_rpolicy_condition: {
    match_type: "such as `ipv4 prefix-set`",
    match_target: "such as the name of a set"
  },
  f_groups: { groups: "the groups, in order" },
  f_group_item: { group: "one group" },
  f_group: {
    name: "name of the group",
    regex: "on the hostname; only in the older form, below `group`",
    group_priority: "above 0: may be a primary group",
    templates_branch: "[branch of the templates](#templates-from-a-branch)",
    device_filter: "expressions on several fields, all of which must match",
    devices: "hostnames in the group"
  },
  f_device_filter: {
    hostname: "expression on this field",
    device_type: "expression on this field",
    model: "expression on this field",
    os_version: "expression on this field",
    platform: "expression on this field"
  }
}
