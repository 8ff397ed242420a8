/**
 * Removes secrets from configuration text before it enters an error or a log (contract device-cli §8.2, promise 7). Works
 * line by line; what it does not know to be a secret stays, so that errors remain readable.
 */

const mask = "********"

/** A type before the secret (`0`, `7`, `sha512`, `5`) is not secret and stays. */
const type = String.raw`(?:(?:0|[4-9]|7u?|8a|10|\$\w+\$|sha512|sha256|encrypted|clear|plain-text|ascii-text)\s+)?`
const host = String.raw`\bsnmp-server\s+host\s+\S+\s+(?:vrf\s+\S+\s+)?(?:(?:traps?|informs?)\s+)?`

/** What stands before a secret. The first that fits at a place wins, so the longer forms come first. */
const before: ReadonlyArray<string> = [
  String.raw`\benable\s+(?:secret|password)\s+${type}`,
  String.raw`\b(?:secret|password|passwd)\s+${type}`,
  String.raw`\bsnmp-server\s+community\s+`,
  String.raw`${host}version\s+3\s+(?:auth|noauth|priv)\s+`,
  String.raw`${host}(?:version\s+(?:1|2c)\s+)?(?!version\b|vrf\b)`,
  String.raw`\b(?:tacacs-server|radius-server)\b.*?\bkey\s+${type}`,
  String.raw`\b(?:message-digest|authentication)-key\s+\d+\s+(?:md5|sha\S*)\s+${type}`,
  String.raw`\b(?:encrypted-password|authentication-key|key-string|pre-shared-key)\s+${type}`,
  String.raw`(?<![\w-])key\s+(?:0|[4-9]|7u?|8a|10)\s+`,
  String.raw`\blocalized\s+`,
  String.raw`\bauth\s+(?:md5|sha\S*)\s+`,
  String.raw`\bpriv\s+(?:des|3des|aes\s+\d+|aes\S*)\s+`,
  String.raw`^\s*community\s+`
]
const secret = new RegExp(String.raw`(${before.join("|")})("[^"]*"|[^\s;]+)`, "gi")

const keepsCommunity = /\b(?:send-community|set\s+community|match\s+community)\b/i

const maskLine = (line: string): string => (keepsCommunity.test(line) ? line : line.replace(secret, `$1${mask}`))

/** The text with every secret replaced by asterisks. Idempotent. */
export const maskSecrets = (text: string): string =>
  text.includes("\n") ? text.split("\n").map(maskLine).join("\n") : maskLine(text)

/** As `maskSecrets`, for what a switch said about `line`: it may quote that line's secret without the words before it. */
export const maskAnswer = (line: string, answer: string): string => {
  const masked = maskSecrets(line)
  const kept = new Set(masked.split(/\s+/))
  const secrets = masked === line ? [] : line.split(/\s+/).filter((word) => word !== "" && !kept.has(word))
  return secrets.reduce((text, word) => text.replaceAll(word, mask), maskSecrets(answer))
}
