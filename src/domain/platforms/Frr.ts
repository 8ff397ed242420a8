/** Linux with FRRouting, lldpd and OpenSSH, as on white-box leaf and spine routers. */
import { usualRisk } from "../ChangeScore.ts"
import { commonSecrets, indented } from "./CommonWords.ts"
import { frrCommands } from "./FrrCommands.ts"
import type { Platform } from "./Platform.ts"

/** What stands before a secret in FRR only; the common forms follow. */
const frrSecrets: ReadonlyArray<string> = [
  String.raw`\bip\s+ospf\s+(?:authentication-key|message-digest-key\s+\d+\s+md5)\s+`,
  String.raw`\barea-password\s+(?:clear|md5)\s+`,
  String.raw`\bdomain-password\s+(?:clear|md5)\s+`,
  String.raw`\bisis\s+password\s+(?:clear|md5)\s+`
]

export const frr: Platform<"frr"> = {
  name: "frr",
  vendor: "FRRouting",
  capabilities: { timer: true, certificates: "files", firmware: false, erase: false, bounce: false },
  sharesSerials: true,
  interfaces: {
    short: [],
    physical: /^(?:swp|eth|Ethernet|en[opsx])\d[\w]*$/,
    possible: /^(?:swp|eth|Ethernet|en[opsx]|lo|bond|vlan|br|vxlan|dummy)[\w.-]*/
  },
  configuration: { ...indented, own: /^(?:\s*!|end$|frr version |(?:Building|Current) configuration\b)/ },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: [...frrSecrets, ...commonSecrets],
  saltedSecrets: [],
  loginLine: null,
  remarks: [{ line: /% Can't open configuration file \S+vtysh\.conf /, meaning: "vtysh has no settings of its own" }],
  commands: frrCommands
}
