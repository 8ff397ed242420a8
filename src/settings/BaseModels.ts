/**
 * The models of the base system settings: servers, users, port options (docs/settings-repository.md#keys-of-base_systemyml).
 */
import { absent, choice, flag, integer, list, mapping, model, optional, refine, text } from "./SettingRule.ts"
import { Descriptions, Patterns } from "./Patterns.ts"
import { f_ssh } from "./SshModels.ts"
import { vniRangeFault } from "./VlanRange.ts"

const MAX_NAME = 253

const host = text({ maxLength: MAX_NAME, pattern: Patterns.host, description: Descriptions.host })
const port = absent(integer({ ge: 0, lt: 65_536, description: Descriptions.port }))

/** A VLAN id, 1–4094: 0 and 4095 are reserved. */
export const vlanId = integer({ gt: 0, lt: 4095, description: Descriptions.vlanId })

/** A list of names that is empty when nobody set it. */
export const names = optional(list(text()), [])

/** A text that is null when nobody set it. */
export const noText = absent(text())

/** A text that is empty when nobody set it. */
export const emptyText = optional(text(), "")

/** Raw configuration, which is empty when nobody set it. */
export const rawLines = optional(text({ lines: true }), "")

/** Lines that are null when nobody set them. */
export const noLines = absent(text({ lines: true }))

export const f_ntp_server = model("f_ntp_server", { host })
export const f_snmp_server = model("f_snmp_server", { host })
export const f_dns_server = model("f_dns_server", { host })
export const f_dhcp_relay = model("f_dhcp_relay", { host })
export const f_radius_server = model("f_radius_server", { host, port })
export const f_syslog_server = model("f_syslog_server", { host, port })
export const f_flow_collector = model("f_flow_collector", { host, port })

export const f_internal_vlans = model("f_internal_vlans", {
  vlan_id_low: vlanId,
  vlan_id_high: refine(vlanId, {
    check: (high, { vlan_id_low: low }) =>
      typeof high === "number" && typeof low === "number" && high <= low
        ? "Value error, vlan_id_high must be greater than vlan_id_low"
        : undefined
  }),
  allocation_order: optional(text(), "ascending")
})

export const f_user = model("f_user", {
  username: text(),
  ssh_key: noText,
  uid: absent(integer()),
  password_hash_arista: noText,
  password_hash_cisco: noText,
  password_hash_juniper: noText,
  permission_arista: noText,
  permission_cisco: noText,
  permission_juniper: noText,
  groups: names
})

export const f_interface_tag = model("f_interface_tag", {
  description: emptyText,
  groups: absent(list(text()))
})

export const f_port_template = model("f_port_template", {
  description: emptyText,
  vlan_config: optional(choice(["none", "tagged", "untagged"]), "tagged"),
  groups: absent(list(text()))
})

/** The keys of `base_system.yml` up to the routing keys in the order of messages; see `SettingsModel`. */
export const baseFields = {
  ntp_servers: optional(list(f_ntp_server), []),
  radius_servers: optional(list(f_radius_server), []),
  syslog_servers: optional(list(f_syslog_server), []),
  snmp_servers: optional(list(f_snmp_server), []),
  dns_servers: optional(list(f_dns_server), []),
  flow_collectors: optional(list(f_flow_collector), []),
  dhcp_relays: absent(list(f_dhcp_relay)),
  internal_vlans: absent(f_internal_vlans),
  dot1x_fail_vlan: absent(vlanId),
  cli_prepend_str: rawLines,
  cli_append_str: rawLines,
  organization_name: emptyText,
  domain_name: absent(text({ maxLength: 251, pattern: Patterns.domain, description: Descriptions.domainName })),
  users: optional(list(f_user), []),
  dot1x_multi_host: optional(flag, false),
  poe_reboot_maintain: optional(flag, false),
  interface_tag_options: optional(mapping(f_interface_tag), new Map()),
  port_template_options: optional(mapping(f_port_template), new Map()),
  vxlan_vni_range: absent(text({ check: vniRangeFault })),
  external_routing_policies: names,
  arista_models_32bit: absent(list(text())),
  arista_models_arm: absent(list(text())),
  upgrade_post_waittime: optional(mapping(integer()), new Map([["default", 600]])),
  banner_login: noLines,
  banner_motd: noLines,
  system_access_lists: optional(list(text({ maxLength: 63, pattern: Patterns.aclName })), []),
  ssh: absent(f_ssh)
}
