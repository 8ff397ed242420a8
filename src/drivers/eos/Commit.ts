/** Commit, commit timer, confirm and discard on EOS (docs/switch-dialogues.md#eos-commit-confirm-discard). */
import { Clock, Effect, Option } from "effect"
import type { ConfirmAnswer, MovedCommit } from "../Driver.ts"
import { CommitError, type ExchangeError, type ReadError } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { type Cli, named, rejection } from "../ssh/Cli.ts"
import { type SessionList, sessionList } from "./Sessions.ts"
import type { Conversation, Step } from "../ssh/Shell.ts"
import type { TerminalText } from "../ssh/TerminalText.ts"
import { copyDone } from "./Dialect.ts"
import { saveCommand } from "./RunningConfig.ts"

const commitError = (cli: Cli, session: string, message: string): CommitError =>
  new CommitError({ hostname: cli.target.hostname, session, message: maskSecrets(message) })

/** EOS wants HH:MM:SS. */
export const clockTime = (seconds: number): string => {
  const whole = Math.max(1, Math.round(seconds))
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")
}

/** The switch's objection to a commit, which may take several lines; undefined if it has none. */
const commitComplaint = (cli: Cli, lines: ReadonlyArray<string>): string | undefined =>
  rejection(cli.dialect, "commit", lines) === undefined
    ? undefined
    : lines.filter((line) => line.trim() !== "").join("\n")

/** A session may exist even if the account may not list it. */
const isThere = (cli: Cli, name: string) =>
  Effect.map(
    sessionList(cli).read,
    ({ isListed, sessions }) =>
      !isListed || sessions.some((session) => session.name === name && session.state !== "done")
  )

/** Removes an open candidate, or rolls a timed commit back at once. A missing session is no error. */
export const discard: (cli: Cli, name: string) => Effect.Effect<void, ReadError> = (cli, name) =>
  cli.query(`configure session ${name} abort`, { timeout: cli.timeouts.commit }).pipe(
    Effect.asVoid,
    Effect.catchTag("CommandRejected", (refused) =>
      Effect.flatMap(isThere(cli, name), (stays) => (stays ? Effect.fail(refused) : Effect.void))
    )
  )

/** The switch has not looked at the commit, because it does something else. */
const busy = /\bbusy\b|\bin progress\b|\btry again\b|\btemporarily\b/i

/** How often a commit is given again to a busy switch within the deadline of one commit, and the seconds before each. */
const MORE_COMMITS = 2
const BUSY_SECONDS = 2

const commitCommand = Effect.fnUntraced(function* (cli: Cli, name: string, command: string) {
  const give = Effect.map(cli.send(command, { timeout: cli.timeouts.commit }), ({ lines }) =>
    commitComplaint(cli, lines)
  )
  const deadline = (yield* Clock.currentTimeMillis) + cli.timeouts.commit * 1000
  let complaint = yield* give
  for (let more = MORE_COMMITS; more > 0 && complaint !== undefined && busy.test(complaint); more--) {
    if ((yield* Clock.currentTimeMillis) + BUSY_SECONDS * 1000 > deadline) break
    yield* Effect.sleep(`${BUSY_SECONDS} seconds`)
    complaint = yield* give
  }
  if (complaint !== undefined) return yield* commitError(cli, name, named(cli.dialect, command, complaint))
})

/** A refused candidate stays open on the switch and would take one of its few places. */
const orDiscard = <E extends ExchangeError>(cli: Cli, name: string, effect: Effect.Effect<void, E | CommitError>) =>
  Effect.tapErrorTag(effect, "CommitError", () =>
    Effect.catchTag(discard(cli, name), ["CommandRejected", "UnexpectedAnswer"], (error) =>
      Effect.logDebug("the refused candidate could not be discarded", error.message)
    )
  )

/** Commits; a refused candidate is discarded. */
export const commit = (cli: Cli, name: string): Effect.Effect<void, ExchangeError | CommitError> =>
  orDiscard(cli, name, commitCommand(cli, name, `configure session ${name} commit`))

/** Commits with a timer of so many seconds; a refused candidate is discarded. */
export const commitTimed = (
  cli: Cli,
  name: string,
  seconds: number
): Effect.Effect<void, ExchangeError | CommitError> =>
  orDiscard(cli, name, commitCommand(cli, name, `configure session ${name} commit timer ${clockTime(seconds)}`))

/**
 * Stops our own timer. Looks first, because a commit of an expired or foreign session would be another commit. If the switch shows
 * neither that the timer runs nor that it has ended, a refusal may only mean that it does not run: the caller must find out.
 */
export const confirm = Effect.fnUntraced(function* (cli: Cli, name: string, list: SessionList, wasSeen: boolean) {
  const { pending, timer } = yield* list.readWhileTimed(name, wasSeen)
  const given = commitCommand(cli, name, `configure session ${name} commit`)
  if (timer._tag === "unknown") {
    yield* Effect.catchTag(given, "CommitError", (error) =>
      Effect.logDebug("the confirmation of an unseen timer was refused", error.message)
    )
    return "unseen" satisfies ConfirmAnswer
  }
  const found = Option.match(pending, { onNone: () => "none", onSome: (running) => running.name })
  if (found !== name) {
    return yield* commitError(cli, name, `no commit of ${name} waits for its confirmation (pending: ${found})`)
  }
  yield* given
  return "seen" satisfies ConfirmAnswer
})

// A commit after which the switch may no longer answer on the current address
// (docs/switch-dialogues.md#eos-commit-confirm-discard). Commit and save leave in one packet, because the second would not reach
// the switch later; then silence is as good as an answer.

const settleMillis = 100
// After a complaint or without the words of a save, more may come before the last prompt.
const patienceMillis = 1_000

interface Outcome {
  readonly silent: boolean
  /** The lines before the echo of the save. */
  readonly commitLines: ReadonlyArray<string>
  readonly prompt: string
}

const outcome = (terminal: TerminalText, silent: boolean): Outcome => {
  const save = terminal.lines.findLastIndex((line) => line.trimEnd().endsWith(saveCommand))
  return {
    silent,
    commitLines: save < 0 ? terminal.lines : terminal.lines.slice(0, save),
    prompt: terminal.partial.trimEnd()
  }
}

/** Ends when the save has answered, or when nothing came for so many milliseconds, or when the connection closes. */
const movedCommitExchange = (cli: Cli, command: string, silenceMillis: number): Conversation<Outcome> => {
  const atPrompt = (terminal: TerminalText): boolean => cli.anyPrompt().test(terminal.partial)
  return {
    begin: () => ({ done: false, write: `${command}\n${saveCommand}\n`, settle: silenceMillis }),
    chunk: (terminal): Step<Outcome> => {
      if (!atPrompt(terminal)) return { done: false, settle: silenceMillis }
      const saved = terminal.lines.some((line) => copyDone.test(line))
      const refused = commitComplaint(cli, terminal.lines) !== undefined
      return {
        done: false,
        settle: saved ? settleMillis : refused ? Math.min(patienceMillis, silenceMillis) : silenceMillis
      }
    },
    quiet: (terminal) => {
      const answered =
        atPrompt(terminal) &&
        (terminal.lines.some((line) => copyDone.test(line)) || commitComplaint(cli, terminal.lines) !== undefined)
      return { done: true, value: outcome(terminal, !answered) }
    },
    closed: (terminal) => ({ value: outcome(terminal, true) })
  }
}

/** Commits and saves. On `silent` the connection is destroyed; the caller must then find out whether the change was taken. */
export const commitAndSave = Effect.fnUntraced(function* (
  cli: Cli,
  name: string,
  silenceSeconds: number,
  destroy: () => void
) {
  const command = `configure session ${name} commit`
  const seconds = Math.max(cli.timeouts.commit, silenceSeconds * 2)
  const outcome = yield* cli.converse(command, seconds, movedCommitExchange(cli, command, silenceSeconds * 1000))
  const complaint = commitComplaint(cli, outcome.commitLines)
  if (complaint !== undefined) {
    return yield* new CommitError({
      hostname: cli.target.hostname,
      session: name,
      message: maskSecrets(named(cli.dialect, command, complaint))
    })
  }
  if (outcome.silent) destroy()
  else cli.standAt(outcome.prompt)
  return (outcome.silent ? "silent" : "answered") satisfies MovedCommit
})
