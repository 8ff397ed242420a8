/** What several platforms have in common: names and secrets of the command lines that are written like Cisco's. */
import type { ConfigNotation } from "./Platform.ts"

/** Short names that mean the same wherever they are used. */
export const commonShortNames: ReadonlyArray<readonly [short: string, long: string]> = [
  ["Et", "Ethernet"],
  ["Ma", "Management"],
  ["Po", "Port-Channel"],
  ["Vl", "Vlan"],
  ["Lo", "Loopback"],
  ["Fa", "FastEthernet"],
  ["Gi", "GigabitEthernet"],
  ["Te", "TenGigabitEthernet"],
  ["Twe", "TwentyFiveGigE"],
  ["Fo", "FortyGigabitEthernet"],
  ["Hu", "HundredGigE"]
]

/** Sections by indentation, without inputs of several lines. */
export const indented: ConfigNotation = {
  sections: "indentation",
  comment: "!",
  // a comment that somebody has given begins with two
  own: /^(?:\s*!(?!!)|end$)/,
  interfaceHeading: "interface {name}",
  multiLineInputs: []
}

/** A type before the secret (`0`, `7`, `sha512`, `5`) is not secret and stays. */
export const secretType = String.raw`(?:(?:0|[4-9]|7u?|8a|10|\$\w+\$|sha512|sha256|encrypted|clear|plain-text|ascii-text)\s+)?`
const host = String.raw`\bsnmp-server\s+host\s+\S+\s+(?:vrf\s+\S+\s+)?(?:(?:traps?|informs?)\s+)?`

/** What stands before a secret in a line that is written like Cisco's. */
export const commonSecrets: ReadonlyArray<string> = [
  String.raw`\benable\s+(?:secret|password)\s+${secretType}`,
  String.raw`\b(?:secret|password|passwd)\s+${secretType}`,
  String.raw`\bsnmp-server\s+community\s+`,
  String.raw`${host}version\s+3\s+(?:auth|noauth|priv)\s+`,
  String.raw`${host}(?:version\s+(?:1|2c)\s+)?(?!version\b|vrf\b)`,
  String.raw`\b(?:tacacs-server|radius-server)\b.*?\bkey\s+${secretType}`,
  String.raw`\b(?:message-digest|authentication)-key\s+\d+\s+(?:md5|sha\S*)\s+${secretType}`,
  String.raw`\b(?:key-string|pre-shared-key)\s+${secretType}`,
  String.raw`(?<![\w-])key\s+(?:0|[4-9]|7u?|8a|10)\s+`,
  String.raw`\blocalized\s+`,
  String.raw`\bauth\s+(?:md5|sha\S*)\s+`,
  String.raw`\bpriv\s+(?:des|3des|aes\s+\d+|aes\S*)\s+`,
  String.raw`^\s*community\s+`
]

/** What stands before a secret in a configuration of Junos. */
export const junosSecrets: ReadonlyArray<string> = [
  String.raw`\b(?:encrypted-password|authentication-key|pre-shared-key)\s+${secretType}`,
  String.raw`\b(?:secret|password)\s+${secretType}`,
  String.raw`^\s*community\s+`
]
