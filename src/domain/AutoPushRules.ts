/**
 * What no job pushes by itself, as data: rules per platform, and what has to be known of a platform to apply them. A commit of
 * the templates may add rules of its own (`auto_push.yml`) but take none away.
 */

/** True for a line without its indentation. */
export type LineTest = (text: string) => boolean

/** A kind of change that needs a person. All that it names has to hold for one changed line. */
export interface AutoPushRule {
  /** The name under which a refusal is recorded. */
  readonly name: string
  /** A sentence without a full stop. */
  readonly message: string
  readonly change: "added" | "removed" | "any"
  readonly line: LineTest
  /** One of the sections around the line; null where that does not matter. */
  readonly section: LineTest | null
  /** `management`: in a section by which the device is managed; `managementAcl`: about an access list that such a one uses. */
  readonly where: "anywhere" | "management" | "managementAcl"
  /** What belongs to a VLAN that the last port has left by an edit of this job does not count. */
  readonly exceptOrphans: boolean
}

/** The words of a platform. */
export interface PlatformWords {
  /** Lines that end in a list of VLANs: what stands before it, and the list. */
  readonly lists: RegExp
  /** Sections of ports, and the lines in them that use a VLAN, with its number. */
  readonly port: RegExp
  readonly portVlan: RegExp
  /** Lines that are about one VLAN, with its number. */
  readonly ofVlan: RegExp
  /** Sections of interfaces, and the lines in them that give an address, with the address. */
  readonly interfaces: RegExp
  readonly address: RegExp
  /** Sections by which any device of the platform is managed, beside the interface that has its address. */
  readonly management: RegExp
  /** Lines that use an access list, and those that define one, with its name. */
  readonly aclUse: RegExp
  readonly aclDefinition: RegExp
  readonly rules: ReadonlyArray<AutoPushRule>
}

const rule = (
  name: string,
  message: string,
  line: RegExp,
  more: Partial<Omit<AutoPushRule, "name" | "message" | "line" | "section">> & { readonly section?: RegExp } = {}
): AutoPushRule => {
  const { section, ...rest } = more
  return {
    name,
    message,
    change: "any",
    where: "anywhere",
    exceptOrphans: false,
    ...rest,
    line: (text) => line.test(text),
    section: section === undefined ? null : (text) => section.test(text)
  }
}

const ANY_LINE = /./
const LOGIN = "The logins of the device or the ways to log in change"

/** In order: the first one that a change breaks is named. */
const eosRules: ReadonlyArray<AutoPushRule> = [
  rule("management_acl", "An access list on the management of the device changes", /\baccess-group\b/, {
    where: "management"
  }),
  rule("management_acl", "An access list on the management of the device changes", ANY_LINE, {
    where: "managementAcl"
  }),
  rule("login", LOGIN, /^(?:no )?(?:username|role|management|enable (?:secret|password)|radius-server|tacacs-server) /),
  // `aaa authentication dot1x` and its like are about the people at the ports
  rule("login", LOGIN, /^(?:no )?aaa (?!\S+ dot1x\b)/),
  rule("login", LOGIN, ANY_LINE, { section: /^(?:aaa|role|management) / }),
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

const platforms: Readonly<Record<string, PlatformWords>> = {
  eos: {
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
}

/** The words and rules of a platform; undefined for one that is not known, on which nothing is pushed automatically. */
export const wordsOf = (platform: string): PlatformWords | undefined =>
  Object.hasOwn(platforms, platform) ? platforms[platform] : undefined

/** Names that are taken: rules of ours, and the other reasons for a refusal. */
export const ownRuleNames: ReadonlySet<string> = new Set([
  ...Object.values(platforms).flatMap(({ rules }) => rules.map(({ name }) => name)),
  "score",
  "not_one_device",
  "dry_run_failed",
  "unknown_platform",
  "not_comparable",
  "rules_unreadable"
])
