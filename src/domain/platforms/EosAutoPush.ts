/** Which changes of a configuration of EOS are never pushed without a person, and the words by which they are found. */
import { type AutoPushRule, type PlatformWords, rule } from "../ChangeRisk.ts"

const ANY_LINE = /./
const RUNS_LATER = "Lines that run commands later or elsewhere change"
const LOGIN = "The logins of the device or the ways to log in change"

/** In order: the first one that a change breaks is named. */
const eosRules: ReadonlyArray<AutoPushRule> = [
  rule("management_acl", "An access list on the management of the device changes", /\baccess-group\b/, {
    where: "management"
  }),
  rule("management_acl", "An access list on the management of the device changes", ANY_LINE, {
    where: "managementAcl"
  }),
  rule(
    "login",
    LOGIN,
    /^(?:no |default )?(?:username|role|management|enable (?:secret|password)|radius-server|tacacs-server) /
  ),
  // `aaa authentication dot1x` and its like are about the people at the ports
  rule("login", LOGIN, /^(?:no |default )?aaa (?!\S+ dot1x\b)/),
  rule("login", LOGIN, ANY_LINE, { section: /^(?:aaa|role|management) / }),
  rule("runs_commands", RUNS_LATER, /^(?:no |default )?(?:event-handler|daemon|schedule|alias)(?: |$)/),
  rule("runs_commands", RUNS_LATER, ANY_LINE, { section: /^(?:event-handler|daemon|schedule|alias) / }),
  rule("management_address", "The interface that has the management address changes", /^(?!description )/, {
    where: "management"
  }),
  rule("default_route", "A default route changes", /^ip route (?:vrf \S+ )?0\.0\.0\.0(?:\/0| 0\.0\.0\.0)(?: |$)/),
  rule("default_route", "A default route changes", /^ipv6 route (?:vrf \S+ )?::\/0(?: |$)/),
  rule("default_route", "A default route changes", /^ip default-gateway /),
  rule("removed_vlan", "A VLAN is removed", /^(?:vxlan |interface )?vlan ?\d/i, {
    change: "removed",
    exceptOrphans: true
  }),
  rule("removed_address", "An address is removed", /^ip(?:v6)? (?:virtual-router )?address\b/, {
    change: "removed",
    exceptOrphans: true
  })
]

/** The words and rules of EOS. */
export const eosAutoPush: PlatformWords = {
  lists: /^((?:vlan|switchport trunk allowed vlan) )(\d[\d,-]*)$/,
  port: /^interface (?:Ethernet|Port-Channel)/,
  portVlan: /^switchport (?:access|trunk native|trunk allowed) vlan (\d+)$/,
  ofVlan: /^(?:vxlan |interface )?vlan ?(\d+)\b/i,
  interfaces: /^interface /,
  address: /^ip(?:v6)? (?:virtual-router )?address (?:virtual )?([\da-fA-F.:]+)(?:[/ ]|$)/,
  management: /^(?:interface Management\d|management |system control-plane|control-plane)/,
  aclUse: /^(?:ip|ipv6) access-group (?:ipv[46] )?(\S+)/,
  aclDefinition: /^(?:ip|ipv6) access-list (?:standard )?(\S+)$/,
  rules: eosRules
}
