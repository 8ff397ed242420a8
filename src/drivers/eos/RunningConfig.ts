/**
 * The running configuration of a switch, and the hash by which two of them are compared
 * (docs/switch-dialogues.md#running-configuration-and-hash).
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import type { ReadError } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import { lastText, unexpected } from "./Answers.ts"
import { dialect } from "./Dialect.ts"

const volatileLine = "! (?:Command|device|Time):[^\\n]*"

/**
 * Volatile lines of `show running-config`, which do not belong to the configuration: those at its beginning, with their
 * line ends, and those further down, each with the line end before it.
 */
const volatileLines = [new RegExp(`^(?:${volatileLine}(?:\\n|$))+`), new RegExp(`\\n${volatileLine}`, "g")]

/** An error stands right behind the echo; further down it is the text of a banner. */
const LONGEST_ERROR = 3

/** Whether an answer that ends in these lines may be a whole configuration, or the refusal to show it. */
export const configIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const last = lastText(lines)
  return last.trim() === "end" || (lines.length <= LONGEST_ERROR && dialect.error.test(last))
}

/** See `DriverSession.runningConfig`; one newline at its end. */
export const runningConfig: (cli: Cli) => Effect.Effect<string, ReadError> = Effect.fnUntraced(function* (cli) {
  const command = "show running-config"
  const text = (yield* cli.query(command, { timeout: cli.timeouts.runningConfig, isWhole: configIsWhole })).trim()
  if (!/(?:^|\n)end$/.test(text)) {
    return yield* unexpected(cli, command, 'the running configuration is incomplete: its last line is not "end"')
  }
  return `${text}\n`
})

/** A configuration without its volatile header lines and trailing blank lines. */
export const stableText = (text: string): string => {
  const lines = text.includes("\r") ? text.replaceAll("\r", "") : text
  return `${volatileLines.reduce((rest, volatile) => rest.replace(volatile, ""), lines).trimEnd()}\n`
}

/** Hexadecimal SHA-256 of a configuration as `stableText` gives it. */
export const configHash = (text: string): string => hash("sha256", stableText(text), "hex")
