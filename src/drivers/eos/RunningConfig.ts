/**
 * The configurations of a switch: the running one and its hash (docs/switch-dialogues.md#running-configuration-and-hash), the startup
 * configuration and saving, the one that a session holds, and the site's habits about commits.
 */
import { Effect, Option } from "effect"
import { lineCount } from "../../domain/ConfigLines.ts"
import { CommandRejected, type ReadError } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import { lastText, unexpected } from "./Answers.ts"
import { dialect } from "./Dialect.ts"
import type { CommitHabits, ConfigSessions } from "../Driver.ts"

const volatileLine = "! (?:Command|device|Time):[^\\n]*"

/**
 * Volatile lines of `show running-config`, which do not belong to the configuration: those at its beginning, with their
 * line ends, and those further down, each with the line end before it.
 */
const volatileLines = [new RegExp(`^(?:${volatileLine}(?:\\n|$))+`), new RegExp(`\\n${volatileLine}`, "g")]

/** An error stands right behind the echo; further down it is the text of a banner. */
const LONGEST_ERROR = 3

/** Most characters of a configuration, three times as many as a template may give (docs/switch-dialogues.md#limits). */
const LONGEST_CONFIG = 32 * 1024 * 1024

/** Whether an answer that ends in these lines may be a whole configuration, or a refusal to show it. */
const configIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const last = lastText(lines)
  return last.trim() === "end" || (lines.length <= LONGEST_ERROR && dialect.error.test(last))
}

/** Whether a configuration, without the blanks behind it, has the last line that most releases end one with. */
export const hasEnd = (text: string): boolean => /(?:^|\n)end$/.test(text)

/** Lines without which nothing is a configuration of EOS, whatever a release prints around them. */
const configuration = /^(?:hostname|interface|username) /m

/**
 * Reads a whole configuration, with one newline at its end. Most releases end it with `end`, and one without it was cut. A release
 * that prints none is known by giving the same text twice; `bare` are the names of such switches: they are read twice each time,
 * without waiting for an end.
 */
const readConfig = (cli: Cli, command: string, what: string, bare: Set<string>): Effect.Effect<string, ReadError> => {
  const { hostname } = cli.target
  const incomplete = (why: string) => unexpected(cli, command, `${what} is incomplete: ${why}`)

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

/** See `DriverSession.runningConfig` and `readConfig`. */
export const runningConfig = (cli: Cli, bare: Set<string> = new Set()): Effect.Effect<string, ReadError> =>
  readConfig(cli, "show running-config", "the running configuration", bare)

/**
 * The configuration that an open session would bring the switch to, asked for from outside of the session; none if the release or
 * the authorization refuses the command.
 */
export const sessionConfig = (
  cli: Cli,
  name: string,
  bare: Set<string>
): Effect.Effect<Option.Option<string>, ReadError> =>
  readConfig(cli, `show session-config named ${name}`, "the configuration of the session", bare).pipe(
    Effect.map(Option.some),
    Effect.catchTag("CommandRejected", () => Effect.succeedNone)
  )

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

// Running configuration to startup configuration, proved (docs/switch-dialogues.md#eos-commit-confirm-discard).

/** Saves, and says what it has done when that went well. */
export const saveCommand = "write memory"

const notSaved = (cli: Cli, message: string): CommandRejected =>
  new CommandRejected({ hostname: cli.target.hostname, command: saveCommand, message })

/** Stands between the other header lines, and belongs to none of the configurations. */
const savedAt = /^! Startup-config last modified at [^\n]*\n/m

const startupConfig = (cli: Cli) =>
  cli.query("show startup-config", {
    timeout: cli.timeouts.runningConfig,
    limit: LONGEST_CONFIG,
    isWhole: configIsWhole
  })

/** Both configurations, line by line, for a release or a site that refuses the comparison. */
const differ = Effect.fnUntraced(function* (cli: Cli) {
  const startup = yield* startupConfig(cli)
  return stableText(startup.replace(savedAt, "").trimStart()) !== stableText(yield* runningConfig(cli))
})

/** The switch's own comparison; where it is refused, ours. */
const isUnsaved = (cli: Cli) =>
  cli.query("show running-config diffs", { timeout: cli.timeouts.runningConfig }).pipe(
    Effect.map((diff) => diff.trim() !== ""),
    Effect.catchTag("CommandRejected", () => differ(cli)),
    Effect.catchTag(["CommandRejected", "UnexpectedAnswer"], ({ message }) =>
      notSaved(cli, `it cannot be seen what the switch starts with: ${message}`)
    )
  )

/** See `DriverSession.save`; the switch's word for it is not enough. */
export const save = Effect.fnUntraced(function* (cli: Cli) {
  yield* cli.query(saveCommand, { timeout: cli.timeouts.save })
  if (!(yield* isUnsaved(cli))) return
  return yield* notSaved(cli, "the switch answered, but its startup configuration is not the running one")
})

// A site's settings for commits on EOS, by the list of sessions and by configurations
// (docs/switch-dialogues.md#settings-of-sessions).

/** The lines by which a configuration says so. The defaults are not printed. */
const habitLines = {
  savesAtCommit: /^service configuration session commit save startup-config\s*$/m,
  mergesAtCommit: /^service configuration session commit merge\s*$/m
} as const satisfies Record<keyof CommitHabits, RegExp>

/** See `Driver.commitHabits`. */
export const commitHabits = ({ limits }: ConfigSessions, configs: ReadonlyArray<string>): CommitHabits => {
  const isSet = (habit: keyof CommitHabits) => configs.some((config) => habitLines[habit].test(config))
  return {
    savesAtCommit: limits.savesAtCommit === true || isSet("savesAtCommit"),
    mergesAtCommit: limits.mergesAtCommit === true || isSet("mergesAtCommit")
  }
}
