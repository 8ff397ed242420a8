/**
 * The models of the base system settings: servers, users, port options (docs/settings-repository.md#keys-of-base_systemyml).
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

// The models of a login to a switch (docs/settings-repository.md#keys-of-base_systemyml, `ssh`), and of a login that some
// managed switches have instead of the fleet's. Secrets are named, never written: they are environment variables of the server
// that begin with `DEVICE_SECRET_`.

const mostWildcards = 2
const loginPort = integer({ ge: 1, le: 65_535, description: Descriptions.port })
const algorithms = optional(choice(["modern", "legacy"]), "modern")
const secretName = text({ pattern: Patterns.secretName, description: Descriptions.secretName })

/** Nothing, or the message for a prompt pattern that is too ambiguous. */
const promptFault = (prompt: string): string | undefined =>
  prompt.split("*").length - 1 > mostWildcards
    ? `Value error, a prompt may have at most ${mostWildcards} wildcards (*)`
    : undefined

const f_jump_host = model("f_jump_host", {
  host: text({ maxLength: 253, pattern: Patterns.host, description: Descriptions.host }),
  port: optional(loginPort, 22),
  username: text(),
  password_secret: secretName,
  host_key: text({ pattern: Patterns.fingerprint, description: Descriptions.fingerprint }),
  algorithms
})

const f_ssh = model("f_ssh", {
  algorithms,
  port: absent(loginPort),
  window_bytes: absent(integer({ ge: 1, le: 4096 })),
  prompt: absent(text({ maxLength: 200, check: promptFault })),
  username: absent(text({ maxLength: 64 })),
  password_secret: absent(secretName),
  password_next_secret: absent(secretName),
  key_secret: absent(secretName),
  key_passphrase_secret: absent(secretName),
  enable_secret: absent(secretName),
  jump_host: absent(f_jump_host)
})
export type SshSettings = typeof f_ssh.Type

// The checks of number ranges written as text: VLANs of an interface and the site's VNI range
// (docs/settings-repository.md#how-values-are-checked).

const MAX_VLAN = 4094
const MAX_VNI = 16_777_215

const INTEGER = /^\s*[+-]?[0-9]+(_[0-9]+)*\s*$/

const parseInteger = (text: string): number | undefined =>
  INTEGER.test(text) ? Number(text.replaceAll("_", "")) : undefined

const notANumber = (text: string) =>
  `Value error, invalid literal for int() with base 10: '${text.slice(0, 100).replaceAll("'", "\\'")}'`

/** Both ends of `low-high` as numbers, or the message about the mistake in the text. */
const parseEnds = (value: string): readonly [number, number] | string => {
  const parts = value.split("-")
  if (parts.length > 2) return "Value error, too many values to unpack (expected 2)"
  const [low = "", high = ""] = parts
  const first = parseInteger(low)
  const last = parseInteger(high)
  if (first === undefined) return notANumber(low)
  return last === undefined ? notANumber(high) : [first, last]
}

const rangeFault = (value: string, highest: number, kind: string): string | undefined => {
  const ends = parseEnds(value)
  if (typeof ends === "string") return ends
  const [low, high] = ends
  if (low >= high) return "Assertion failed, Start of range must be less than end of range"
  return low < 1 || high > highest ? `Assertion failed, ${kind} IDs in range must be between 1-${highest}` : undefined
}

/** Nothing when the text is one VLAN id or a range `n-m` within 1–4094, else the message. */
export const vlanRangeFault = (value: string): string | undefined => {
  if (value.includes("-")) return rangeFault(value, MAX_VLAN, "VLAN")
  const id = parseInteger(value)
  if (id === undefined) return notANumber(value)
  return id < 1 || id > MAX_VLAN ? `Assertion failed, VLAN IDs in range must be between 1-${MAX_VLAN}` : undefined
}

/** Nothing when the text is a range `low-high` of VNIs, else the message. */
const vniRangeFault = (value: string): string | undefined =>
  value.includes("-")
    ? rangeFault(value, MAX_VNI, "VNI")
    : "Assertion failed, Range must be specified, ex '10000-99999'"

/** The two ends of a VNI range that has passed the check. */
export const vniRangeEnds = (value: string): readonly [number, number] => {
  const ends = parseEnds(value)
  return typeof ends === "string" ? [1, MAX_VNI] : ends
}

const MAX_NAME = 253

const host = text({ maxLength: MAX_NAME, pattern: Patterns.host, description: Descriptions.host })
const port = absent(integer({ ge: 0, lt: 65_536, description: Descriptions.port }))

/** A VLAN id, 1–4094: 0 and 4095 are reserved. */
export const vlanId = integer({ gt: 0, lt: 4095, description: Descriptions.vlanId })

/** A list of names that is empty by default. */
export const names = optional(list(text()), [])

/** A text that is null by default. */
export const noText = absent(text())

/** A text that is empty by default. */
const emptyText = optional(text(), "")

/** Raw configuration, empty by default. */
export const rawLines = optional(text({ lines: true }), "")

/** Lines that are null by default. */
export const noLines = absent(text({ lines: true }))

const f_ntp_server = model("f_ntp_server", { host })
const f_snmp_server = model("f_snmp_server", { host })
const f_dns_server = model("f_dns_server", { host })
export const f_dhcp_relay = model("f_dhcp_relay", { host })
const f_radius_server = model("f_radius_server", { host, port })
const f_syslog_server = model("f_syslog_server", { host, port })
const f_flow_collector = model("f_flow_collector", { host, port })

const f_internal_vlans = model("f_internal_vlans", {
  vlan_id_low: vlanId,
  vlan_id_high: refine(vlanId, {
    check: (high, { vlan_id_low: low }) =>
      typeof high === "number" && typeof low === "number" && high <= low
        ? "Value error, vlan_id_high must be greater than vlan_id_low"
        : undefined
  }),
  allocation_order: optional(text(), "ascending")
})

const f_user = model("f_user", {
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

const f_interface_tag = model("f_interface_tag", {
  description: emptyText,
  groups: absent(list(text()))
})

const f_port_template = model("f_port_template", {
  description: emptyText,
  vlan_config: optional(choice(["none", "tagged", "untagged"]), "tagged"),
  groups: absent(list(text()))
})

const vlanName = integerOrText({ ge: 1, le: MAX_VLAN }, { pattern: Patterns.vlanName })

const f_port_profile = model("f_port_profile", {
  description: emptyText,
  configtype: absent(choice(["ACCESS_AUTO", "ACCESS_UNTAGGED", "ACCESS_TAGGED", "CUSTOM", "TEMPLATE", "CONFIGFILE"])),
  untagged_vlan: absent(vlanName),
  tagged_vlan_list: absent(list(vlanName)),
  enabled: absent(flag),
  bpdu_filter: absent(flag),
  redundant_link: absent(flag),
  tags: absent(list(text())),
  groups: absent(list(text()))
})

const place = absent(text({ maxLength: 64 }))

const f_location = model("f_location", { building: place, room: place, rack: place })

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
  location: absent(f_location),
  domain_name: absent(text({ maxLength: 251, pattern: Patterns.domain, description: Descriptions.domainName })),
  users: optional(list(f_user), []),
  dot1x_multi_host: optional(flag, false),
  poe_reboot_maintain: optional(flag, false),
  interface_tag_options: optional(mapping(f_interface_tag), new Map()),
  port_template_options: optional(mapping(f_port_template), new Map()),
  port_profiles: optional(mapping(f_port_profile), new Map()),
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
