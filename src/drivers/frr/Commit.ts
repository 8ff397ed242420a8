/** Commit, commit timer, confirm and discard, as the script on the switch does them (docs/frr.md#commit-confirm-discard). */
import { Effect, Option } from "effect"
import type { ConfirmAnswer, MovedCommit } from "../Driver.ts"
import { CommandRejected, CommitError, type ExchangeError, type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Remote } from "./Answers.ts"
import { ask, hasSaid, must, mustSay, sessions } from "./Sessions.ts"

const MOST_SHOWN = 20

/** Asks for a verb that ends with this word. */
const committing = Effect.fnUntraced(function* (
  remote: Remote,
  name: string,
  words: ReadonlyArray<string>,
  word: string
) {
  const { code, complaints, output } = yield* ask(remote, words, { seconds: remote.timeouts.commit })
  if (code === 0 && hasSaid(output, word)) return
  const said = (complaints.trim() === "" ? output : complaints).trim().split("\n").slice(-MOST_SHOWN).join("\n")
  const message = said === "" ? `it ended with ${code} and said nothing` : maskSecrets(said)
  return yield* new CommitError({ hostname: remote.target.hostname, session: name, message })
})

/** Removes an open candidate, or takes a timed commit back at once. A missing candidate is no error. */
export const discard = (remote: Remote, name: string): Effect.Effect<void, ReadError> =>
  mustSay(remote, ["discard", name], "discarded", { seconds: remote.timeouts.commit })

/** Commits; a candidate that FRR does not take as a whole is taken back. */
export const commit = (remote: Remote, name: string): Effect.Effect<void, ExchangeError | CommitError> =>
  committing(remote, name, ["commit", name], "confirmed")

/**
 * Commits; the switch takes it back after so many seconds. A change that cut the connection may be answered once the connection
 * works again because the change was taken back, so the answer counts only while the commit still waits.
 */
export const commitTimed: (
  remote: Remote,
  name: string,
  seconds: number
) => Effect.Effect<void, ReadError | CommitError> = Effect.fnUntraced(function* (remote, name, seconds) {
  yield* committing(remote, name, ["commit", name, String(Math.max(1, Math.round(seconds)))], "committed")
  const { pending } = yield* sessions(remote)
  if (Option.exists(pending, (waiting) => waiting.name === name)) return
  const message = "it was taken back before the switch could be asked again"
  return yield* new CommitError({ hostname: remote.target.hostname, session: name, message })
})

/** Stops our own timer; the script refuses a timer of another commit, or one that is about to end. */
export const confirm = (remote: Remote, name: string): Effect.Effect<ConfirmAnswer, ExchangeError | CommitError> =>
  Effect.as(committing(remote, name, ["confirm", name], "confirmed"), "seen" as const satisfies ConfirmAnswer)

/**
 * Commits and saves without needing the connection for it: the script continues without it. Silence, or a connection that breaks,
 * is no error; the caller must then find out whether the change was taken.
 */
export const commitAndSave = (
  remote: Remote,
  name: string,
  silenceSeconds: number
): Effect.Effect<MovedCommit, CommitError> => {
  const impatient = { ...remote, timeouts: { ...remote.timeouts, commit: silenceSeconds } }
  const moved = Effect.as(
    committing(impatient, name, ["commit-and-save", name], "saved"),
    "answered" as const satisfies MovedCommit
  )
  const silent = Effect.as(Effect.sync(remote.hangUp), "silent" as const)
  return Effect.catchTags(moved, { CommandTimeout: () => silent, ConnectionException: () => silent })
}

// The running configuration of FRR, the text by which two of them are compared, and saving (docs/frr.md#reading).

/** The release stands in the configuration and changes with an upgrade. */
const volatile = /^frr version .*\n/gm

/** See `DriverSession.runningConfig`; one newline at its end. */
export const runningConfig: (remote: Remote) => Effect.Effect<string, ReadError> = Effect.fnUntraced(
  function* (remote) {
    const text = (yield* must(remote, ["show"], { seconds: remote.timeouts.runningConfig })).trimEnd()
    if (/(?:^|\n)end$/.test(text)) return `${text}\n`
    const message = 'the running configuration is incomplete: its last line is not "end"'
    return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: "show running-config", message })
  }
)

/** A configuration without the line of its release and trailing blank lines. */
export const stableText = (text: string): string => `${text.replaceAll(volatile, "").trimEnd()}\n`

// Running configuration to startup configuration, proved by comparing both on the switch.

/** See `DriverSession.save`. */
export const save = (remote: Remote): Effect.Effect<void, ExchangeError | CommandRejected> =>
  Effect.catchTag(
    mustSay(remote, ["save"], "saved", { seconds: remote.timeouts.save }),
    "UnexpectedAnswer",
    ({ command, hostname, message }) => new CommandRejected({ hostname, command, message })
  )
