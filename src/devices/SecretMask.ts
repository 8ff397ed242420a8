/**
 * Removes secrets from configuration text before it enters an error or a log (contract device-cli §8.2, promise 7). Works
 * line by line; what it does not know to be a secret stays, so that errors remain readable.
 */

const mask = "********"

/**
 * Each pattern has the part that stays in its first group; the word or quoted text after it is the secret. A type (`0`,
 * `7`, `sha512`, `5`) before the secret belongs to the part that stays.
 */
const type = String.raw`(?:(?:0|[4-9]|7u?|8a|10|\$\w+\$|sha512|sha256|encrypted|clear|plain-text|md5)\s+)?`
const patterns: ReadonlyArray<RegExp> = [
  String.raw`\benable\s+(?:secret|password)\s+${type}`,
  String.raw`\bsecret\s+${type}`,
  String.raw`\b(?:password|passwd)\s+${type}`,
  String.raw`\bsnmp-server\s+community\s+`,
  String.raw`\bsnmp-server\s+host\s+\S+\s+(?:vrf\s+\S+\s+)?(?:traps?\s+|informs?\s+)?(?:version\s+(?:1|2c)\s+)?(?!version\s+3\b)(?!vrf\s)`,
  String.raw`\bsnmp-server\s+host\s+\S+\s+(?:vrf\s+\S+\s+)?(?:traps?\s+|informs?\s+)?version\s+3\s+(?:auth|noauth|priv)\s+`,
  String.raw`\b(?:tacacs-server|radius-server)\b.*?\bkey\s+${type}`,
  String.raw`\b(?<!ssh-)key\s+(?:0|[4-9]|7u?|8a|10)\s+`,
  String.raw`\bkey-string\s+${type}`,
  String.raw`\bpre-shared-key\s+${type}`,
  String.raw`\bauth\s+(?:md5|sha\d*|sha-\d+)\s+`,
  String.raw`\bpriv\s+(?:des|3des|aes\d*|aes-\d+|aes\s+\d+)\s+`,
  String.raw`\blocalized\s+\S+\s+auth\s+\S+\s+`,
  String.raw`\b(?:encrypted-password|authentication-key|pre-shared-key\s+ascii-text)\s+`,
  String.raw`^\s*community\s+`
].map((source) => new RegExp(String.raw`(${source})("[^"]*"|[^\s;]+)`, "gi"))

const keepsCommunity = /\bsend-community\b|\bset\s+community\b|\bmatch\s+community\b/i

const maskLine = (line: string): string => {
  if (keepsCommunity.test(line)) return line
  return patterns.reduce((text, pattern) => text.replace(pattern, `$1${mask}`), line)
}

/** The text with every secret replaced by asterisks. Idempotent. */
export const maskSecrets = (text: string): string =>
  text.includes("\n") ? text.split("\n").map(maskLine).join("\n") : maskLine(text)
