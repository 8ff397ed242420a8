/** The record of Juniper Junos, on switches of the families EX and QFX. */
import type { Platform } from "../Platform.ts"
import { junosSecrets } from "../SecretWords.ts"
import type { RiskRule } from "../../ChangeRisk.ts"

// Secrets that Junos shows in another form than it received them: a clear one as a hash, or as `$9$…` with a new salt. A given hash
// (`$1$…`, `$5$…`, `$6$…`) is shown unchanged.

/** Words before the last one, such as those of a `set` line; not of a comment or a description. */
const words = String.raw`(?!#|/\*|(?:set[ \t][^\n]{0,300}[ \t])?(?:description|message|location|contact)[ \t])(?:[^\s"]+[ \t]+|"[^"\n]*"[ \t]+){0,20}?`

/** Words that have the secret behind them. */
const junosSaltedSecrets: ReadonlyArray<string> = [
  String.raw`${words}(?:[\w-]*-secret|secret|[\w-]*-password|plain-text-password-value|privacy-key|ascii-text|hexadecimal|cak|value)[ \t]+(?![{[])`,
  String.raw`${words}(?:[\w-]*authentication-key)[ \t]+(?!\d+[ \t]|[{[])`,
  String.raw`${words}key[ \t]+(?!\d+[ \t]*[\w{;]|ascii-text[ \t]|hexadecimal[ \t]|[{[])`,
  String.raw`${words}password[ \t]+(?!(?:minimum|maximum|format|change-type)\b|[{[])`
]

/**
 * The device does these in turn: terms and rules, what a term does, chains of policies, servers that are asked one after the other. The
 * order of all other statements says nothing.
 */
const orderedBelow =
  "apply-groups apply-groups-except authentication-order commands export import name-server policy radius-server rule server tacplus-server term then".split(
    " "
  )

/** In the order of `usualRisk`, with the words of Junos. */
const junosRisk: ReadonlyArray<RiskRule> = [
  [/^[+-] *(?:description |#|\/\*|\}$)/, 0],
  // commands that run later or elsewhere, logins and their rights
  [
    /^[+-] *(?:inactive: )?(?:event-options|event-script|execute-commands|change-configuration|commands|scripts|op|file \S+\.(?:slax|xsl|py))(?:[ ;]|$)/,
    20
  ],
  [
    /^[+-] *(?:inactive: )?(?:login|user|class|permissions|root-authentication|encrypted-password|ssh-(?:rsa|dsa|ecdsa|ed25519)|authentication-order|services|ssh|netconf|root-login)(?:[ ;]|$)/,
    20
  ],
  [/^[+-] *(?:dot1x|ntp|snmp|lldp|syslog)(?:[ ;]|$)/, 0.5],
  [/^[+-] *(?:instance-type|route-distinguisher|vrf-target|vrf-import|vrf-export) /, 5],
  [/^- *(?:address|virtual-gateway-address|vlan-id|vlan-id-list|l3-interface) /, 10],
  [/^[+-] *(?:rstp|mstp|vstp) /, 50],
  [/^[+-] *(?:bridge-priority|bpdu-block-on-edge|edge)[ ;]/, 5],
  [
    /^- *(?:routing-instances|routing-options|protocols|bgp|ospf3?|isis|evpn|router-id|autonomous-system)(?:[ ;]|$)/,
    50
  ],
  [/^- *(?:neighbor|group|route) /, 10],
  [/^[+-] *(?:inactive: )/, 10]
]

/** By how many seconds a device may be late in taking a commit back. */
export const LATE_SECONDS = 35

export const junos: Platform<"junos"> = {
  name: "junos",
  vendor: "Juniper",
  capabilities: {
    // in whole minutes; a small access switch needs one of them for the commit alone
    timer: { step: 60, least: 120, late: LATE_SECONDS },
    movesUnderTimer: true,
    endsWithLogin: true,
    certificates: false,
    firmware: false,
    erase: false,
    bounce: false,
    reads: [
      "neighbours",
      "interfaces",
      "bgp",
      "ospf",
      "routes",
      "port_channels",
      "errors",
      "macs",
      "arp",
      "environment"
    ],
    shows: {
      filters: ["match", "except", "find", "count", "last", "trim", "no-more"],
      // configurations have a reading of their own, in which every secret is masked
      never: [["configuration"], ["system", "rollback"], ["system", "configuration"], ["system", "license", "keys"]]
    }
  },
  interfaces: {
    short: [],
    // of a member, a slot and a port, which may be a part of a port
    physical: /^(?:fe|ge|mge|xe|et)-(?:\d+\/)+\d+(?::\d+)?$/,
    possible:
      /^(?:(?:fe|ge|mge|xe|et|vcp|gr|ip|lt|st|sxe|mt|pfe|pfh)-\d|(?:ae|irb|vlan|lo|me|vme|fxp|em|fti|reth|vtep|bme|jsrv|dsc|gre|ipip|lsi|tap)\b|(?:ae|reth|lo|me|fxp|em|fti|bme)\d)/
  },
  configuration: {
    sections: "braces",
    comment: "#",
    own: /^(?:\s*#|version [^ ;]+;$)/,
    interfaceHeading: "    {name} {",
    multiLineInputs: [],
    ordered: orderedBelow
  },
  autoPush: null,
  risk: junosRisk,
  firmware: null,
  secrets: junosSecrets,
  saltedSecrets: junosSaltedSecrets,
  saltedWords: /secret|password|key|ascii-text|hexadecimal|cak|value/g,
  obscuredSecrets: "$9$",
  remarks: [],
  loginLine: null
}
