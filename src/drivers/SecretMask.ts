/**
 * Removes secrets from configuration text before it enters an error or a log (docs/switch-dialogues.md#names-of-errors, promise
 * 7). Works line by line; what it does not know to be a secret stays, so that errors remain readable. The patterns of all
 * platforms count everywhere, because a text may quote another device.
 */
import { platforms } from "../domain/platforms/Platforms.ts"
import { secretWords } from "../domain/platforms/SecretWords.ts"

const mask = "********"

/** What stands before a secret on any platform. The first that fits at a place wins. */
const before = new Set(platforms.flatMap(secretWords))
const secret = new RegExp(String.raw`(${[...before].join("|")})("[^"]*"|[^\s;]+)`, "gi")

const keepsCommunity = /\b(?:send-community|set\s+community|match\s+community)\b/i

const maskLine = (line: string): string => (keepsCommunity.test(line) ? line : line.replace(secret, `$1${mask}`))

/** Stands in every line that a pattern could fit: most lines have none of it, and are not looked at closer. */
const hint = /secret|passw|passphrase|communit|key|auth|priv|locali|snmp-server/gi

/** The text with its lines replaced that may hold a secret. */
const mapLines = (text: string, replace: (line: string) => string): string => {
  let out = ""
  let done = 0
  for (hint.lastIndex = 0; ;) {
    const found = hint.exec(text)
    if (found === null) return out + text.slice(done)
    const begin = text.lastIndexOf("\n", found.index) + 1
    const end = text.indexOf("\n", found.index)
    const until = end < 0 ? text.length : end
    out += text.slice(done, begin) + replace(text.slice(begin, until))
    done = until
    hint.lastIndex = until
  }
}

/** The text with every secret replaced by asterisks. Idempotent. */
export const maskSecrets = (text: string): string => mapLines(text, maskLine)

/** The same with what stands for each secret of a configuration or of a difference. */
export const replaceSecrets = (text: string, replacement: (secret: string) => string): string =>
  mapLines(text, (line) =>
    keepsCommunity.test(line)
      ? line
      : line.replace(secret, (_, words: string, value: string) => words + replacement(value))
  )

/** As `maskSecrets`, for what a switch said about `line`: it may quote that line's secret without the words before it. */
export const maskAnswer = (line: string, answer: string): string => {
  const masked = maskSecrets(line)
  const kept = new Set(masked.split(/\s+/))
  const secrets = masked === line ? [] : line.split(/\s+/).filter((word) => word !== "" && !kept.has(word))
  return secrets.reduce((text, word) => text.replaceAll(word, mask), maskSecrets(answer))
}
