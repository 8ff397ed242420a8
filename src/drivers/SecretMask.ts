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
