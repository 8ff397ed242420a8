/**
 * The running configuration of a switch, and the hash by which two of them are compared
 * (docs/switch-dialogues.md#running-configuration-and-hash).
 */
import { Effect } from "effect"
import { lineCount } from "../../domain/ConfigLines.ts"
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

/** Most characters of a configuration, three times as many as a template may give (docs/switch-dialogues.md#limits). */
export const LONGEST_CONFIG = 32 * 1024 * 1024

const command = "show running-config"

/** Whether an answer that ends in these lines may be a whole configuration, or the refusal to show it. */
export const configIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const last = lastText(lines)
  return last.trim() === "end" || (lines.length <= LONGEST_ERROR && dialect.error.test(last))
}

/** Whether a configuration, without the blanks behind it, has the last line that most releases end one with. */
export const hasEnd = (text: string): boolean => /(?:^|\n)end$/.test(text)

/** Lines without which nothing is a configuration of EOS, whatever a release prints around them. */
const configuration = /^(?:hostname|interface|username) /m

/**
 * The running configuration (`DriverSession.runningConfig`), with one newline at its end. Most releases end it with `end`, and
 * one without it was cut. A release that prints none is known by giving the same text twice; `bare` are the names of such
 * switches, for which nothing is waited for any more, and each reading is made twice.
 */
export const runningConfig = (cli: Cli, bare: Set<string> = new Set()): Effect.Effect<string, ReadError> => {
  const { hostname } = cli.target
  const incomplete = (why: string) => unexpected(cli, command, `the running configuration is incomplete: ${why}`)

  const read = Effect.suspend(() =>
    cli.query(command, {
      timeout: cli.timeouts.runningConfig,
      limit: LONGEST_CONFIG,
      ...(!bare.has(hostname) && { isWhole: configIsWhole })
    })
  ).pipe(Effect.map((text) => text.trim()))

  const readAgain = Effect.fnUntraced(function* (first: string) {
    const second = yield* read
    if (hasEnd(second) || !configuration.test(first)) {
      bare.delete(hostname)
      return yield* incomplete('its last line is not "end"')
    }
    if (stableText(first) !== stableText(second)) {
      return yield* incomplete('it has no last line "end", and read once more it is another')
    }
    bare.add(hostname)
    return second
  })

  return Effect.gen(function* () {
    const first = yield* read
    const text = hasEnd(first) ? first : yield* readAgain(first)
    cli.worksOn(lineCount(text))
    return `${text}\n`
  })
}

/** See `DriverSession.runningDefaults`. An answer that lost its end would only lack lines. */
export const runningDefaults = (cli: Cli): Effect.Effect<string, ReadError> =>
  cli
    .query("show running-config all", { timeout: cli.timeouts.runningConfig, isWhole: configIsWhole })
    .pipe(Effect.catchTag("CommandRejected", () => Effect.succeed("")))

/** A configuration without its volatile header lines and trailing blank lines. */
export const stableText = (text: string): string => {
  const lines = text.includes("\r") ? text.replaceAll("\r", "") : text
  return `${volatileLines.reduce((rest, volatile) => rest.replace(volatile, ""), lines).trimEnd()}\n`
}
