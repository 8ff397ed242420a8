/**
 * What every key of the settings is for, in a few words, by the model that holds it. The forms and limits of values are not
 * here: `SettingTables.ts` reads them from the model, and a test compares the two lists of keys.
 */

type Meanings = Readonly<Record<string, string>>

const vrf = "VRF that it belongs to"
const append = "raw configuration that templates put at the end of this part"
const aclIn = "name of the access list for what comes in; templates define the list"
const aclOut = "name of the access list for what goes out; templates define the list"
const tags = "words for templates, for instance to switch something on for this entry"
const forGroups = "only devices in one of these groups get the entry; empty: all do"
const host = "the server"
const port = "its port; null: the usual one"

const acls: Meanings = { acl_ipv4_in: aclIn, acl_ipv4_out: aclOut, acl_ipv6_in: aclIn, acl_ipv6_out: aclOut }

const neighbour: Meanings = {
  peer_as: "its AS number",
  route_map_in: "route map for routes that it sends",
  route_map_out: "route map for routes that it gets",
  description: "text for people",
  bfd: "whether BFD watches the neighbour",
  graceful_restart: "whether graceful restart is on",
  next_hop_self: "whether this switch names itself as the next hop",
  update_source: "interface whose address is used",
  ebgp_multihop: "hops that may lie between",
  maximum_routes: "routes that it may send",
  auth_type: "how sessions are authenticated, in the words of the template",
  auth_string: "the secret for it; never shown in messages",
  remove_private_as: "whether private AS numbers are removed or replaced",
  cli_append_str: append
}

const staticRoute: Meanings = {
  destination: "network that the route is for",
  nexthop: "address of the next hop",
  interface: "interface of the next hop",
  name: "name of the route",
  cli_append_str: "words behind the route's command"
}

/** Meanings by model and key. */
export const settingMeanings: Readonly<Record<string, Meanings>> = {
  f_ssh: {
    algorithms: "`legacy` also allows weak algorithms that old switches need",
    port: "SSH port, unless the device has one of its own; null: `SSH_PORT`",
    window_bytes: "bytes of configuration sent ahead of the answers; 1 sends line by line; null: the platform's",
    prompt: "what stands in front of mode and sign in the prompt, with `*` for any text; null: learnt at the login",
    enable_secret: "environment variable with the password for `enable`; null: that of the login",
    username: "name of a login of its own that managed switches have; null: that of the fleet",
    password_secret: "environment variable with the password of that login",
    password_next_secret: "environment variable with the password that replaces it, while passwords are changed",
    key_secret: "environment variable with the private key of that login, tried before the password",
    key_passphrase_secret: "environment variable with the passphrase of that key",
    jump_host: "SSH server through which the switch is reached"
  },
  f_jump_host: {
    host: "its name or address",
    port: "its SSH port",
    username: "login name there",
    password_secret: "environment variable with the password for it",
    host_key: "the host key that it must show",
    algorithms: "as for the switch, for the connection to the jump host"
  },
  f_root: {
    ntp_servers: "time servers",
    radius_servers: "RADIUS servers",
    syslog_servers: "log servers",
    snmp_servers: "hosts that may read by SNMP and get traps",
    dns_servers: "name servers",
    flow_collectors: "collectors of flow records",
    dhcp_relays: "DHCP servers that requests are relayed to",
    interfaces: "ports of DIST and CORE devices; those of ACCESS devices are in the database",
    vrfs: "routing instances",
    vxlans: "VLANs of the site by a free name, each with its VXLAN; the order is that of the configuration",
    underlay: "networks from which the fabric takes its addresses",
    evpn_peers: "EVPN route servers; empty: all CORE devices",
    extroute_static: "static routes to the outside",
    extroute_ospfv3: "OSPFv3 to the outside",
    extroute_bgp: "BGP to the outside",
    internal_vlans: "VLAN ids that the switch takes for itself; no VXLAN may use one",
    dot1x_fail_vlan: "VLAN for who fails 802.1X",
    cli_prepend_str: "raw configuration that templates put before everything else",
    cli_append_str: "raw configuration that templates put behind everything else",
    organization_name: "name of the organisation, for banners",
    domain_name: "DNS domain of the switches",
    users: "local logins",
    dot1x_multi_host: "whether one login opens an 802.1X port for all behind it",
    poe_reboot_maintain: "whether ports keep their power while the switch restarts",
    prefix_sets: "named lists of prefixes for routing policies",
    routing_policies: "named routing policies",
    interface_tag_options: "tags that people may give to ports, for clients to offer",
    port_template_options: "port templates that people may choose, without the prefix `port_template_`",
    vxlan_vni_range: "VNIs that VXLANs may use, both ends included",
    external_routing_policies: "route maps that only templates define",
    arista_models_32bit: "models that run the 32-bit image, in place of the built-in list",
    arista_models_arm: "accepted for other tools; nothing reads it",
    upgrade_post_waittime:
      "seconds after a reboot by model, platform or `default`; accepted for other tools, jobs take `post_waittime` of the request",
    banner_login: "text before the login, for templates",
    banner_motd: "text after the login, for templates",
    ssh: "how the server logs in to the switch, see [logins](#logins-of-switches); templates do not see it",
    system_access_lists: "names of access lists for the switch itself, for templates"
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
    vlan_id_high: "last id, greater than the first",
    allocation_order: "in which order the switch takes them"
  },
  f_user: {
    username: "login name",
    ssh_key: "public SSH key",
    uid: "number of the user",
    password_hash_arista: "password hash for EOS",
    password_hash_cisco: "password hash for Cisco systems",
    password_hash_juniper: "password hash for Junos",
    permission_arista: "privilege or role on EOS",
    permission_cisco: "privilege on Cisco systems",
    permission_juniper: "class on Junos",
    groups: forGroups
  },
  f_interface_tag: { description: "what the tag does", groups: "groups whose ports may have it; null: all" },
  f_port_template: {
    description: "what the template is for",
    vlan_config: "which VLANs a port with it takes",
    groups: "groups whose ports may have it; null: all"
  },
  f_interface: {
    name: "interface, or several at once: `Ethernet[1-4]`",
    ifclass: "what the port is for, see [port classes](templates.md#ports-of-dist-and-core)",
    redundant_link: "of a downlink: false lets a switch hang on this one cable",
    config: "raw configuration of a `custom` port",
    description: "description of the port",
    enabled: "whether the port is up; null: the template decides",
    untagged_vlan: "VLAN id without a tag",
    tagged_vlan_list: "VLAN ids with a tag: numbers, or texts such as `100-110`",
    aggregate_id: "port-channel that the port belongs to",
    tags,
    vrf,
    ipv4_address: "address of the port; needs `vrf`",
    ipv6_address: "IPv6 address of the port",
    mtu: "largest packet",
    ...acls,
    metric: "routing metric of the port",
    cli_append_str: append
  },
  f_vxlan: {
    description: "text for people",
    vni: "number of the VXLAN",
    vrf,
    vlan_id: "number of the VLAN on the switches",
    vlan_name: "name of the VLAN, by which ports refer to it",
    ipv4_gw: "address of the gateway; needs `vrf`",
    ipv4_secondaries: "more gateway addresses",
    ipv6_gw: "IPv6 address of the gateway; needs `vrf`",
    dhcp_relays: "DHCP servers of this VLAN, in place of those of the site",
    mtu: "largest packet",
    vxlan_host_route: "whether hosts are announced one by one",
    ...acls,
    cli_append_str: append,
    groups: forGroups,
    devices: "these devices get the entry too",
    tags
  },
  f_vrf: {
    name: "name of the VRF",
    vrf_id: "number from which templates make route distinguishers and targets",
    import_route_targets: "further route targets that are imported",
    export_route_targets: "further route targets that are exported",
    import_policy: "routing policy for imports",
    export_policy: "routing policy for exports",
    groups: forGroups
  },
  f_underlay: {
    infra_lo_net: "network of the loopbacks that fabric devices route with",
    infra_link_net: "network of the /31 between fabric devices",
    mgmt_lo_net: "network of the management loopbacks of fabric devices",
    bgp_asn: "AS number of the whole underlay, for templates that use one"
  },
  f_evpn_peer: { hostname: "device that is a route server" },
  f_extroute_static: { vrfs: "routes by VRF" },
  f_extroute_static_vrf: { name: "the VRF", ipv4: "IPv4 routes", ipv6: "IPv6 routes" },
  f_ipv4_static_route: staticRoute,
  f_ipv6_static_route: staticRoute,
  f_extroute_ospfv3: { vrfs: "OSPFv3 by VRF" },
  f_extroute_ospfv3_vrf: {
    name: "the VRF",
    ipv4_redist_routefilter: "route map for IPv4 routes that are redistributed",
    ipv6_redist_routefilter: "route map for IPv6 routes that are redistributed",
    cli_append_str: append
  },
  f_extroute_bgp: { vrfs: "BGP by VRF" },
  f_extroute_bgp_vrf: {
    name: "the VRF",
    local_as: "AS number that this side shows",
    neighbor_v4: "IPv4 neighbours",
    neighbor_v6: "IPv6 neighbours",
    cli_append_str: append
  },
  f_extroute_bgp_neighbor_v4: { peer_ipv4: "address of the neighbour", ...neighbour },
  f_extroute_bgp_neighbor_v6: { peer_ipv6: "address of the neighbour", ...neighbour },
  f_prefixset: { mode: "family: `ipv4`, `ipv6` or `mixed`, for templates", prefixes: "the prefixes" },
  f_prefixset_item: { prefix: "a prefix", masklength_range: "lengths that match" },
  f_routingpolicy: { statements: "what it does, in order" },
  f_rpolicy_statement: { action: "what becomes of a route that matches", conditions: "what has to match" },
  f_rpolicy_condition: {
    match_type: "kind of condition, such as `ipv4 prefix-set`",
    match_target: "its target, such as the name of a set"
  },
  f_groups: { groups: "the groups, in order" },
  f_group_item: { group: "one group" },
  f_group: {
    name: "name of the group",
    regex: "regular expression on the hostname (only in the form with the key `group`)",
    group_priority: "above 0: may be the primary group of a device; 1 is kept for DEFAULT",
    templates_branch: "branch of the templates repository for its devices; needs a priority above 1",
    device_filter: "regular expressions on several fields, all of which must match; not together with `devices`",
    devices: "hostnames that belong to the group"
  },
  f_device_filter: {
    hostname: "expression on the hostname",
    device_type: "expression on the device type",
    model: "expression on the model",
    os_version: "expression on the version of the operating system",
    platform: "expression on the platform"
  }
}
