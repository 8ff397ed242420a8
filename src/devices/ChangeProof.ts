/**
 * Proves that a device which runs what the switch promised also took all of its candidate: by loading it again beside the commit
 * timer, or, where the switch opens no session there, by what it shows as committed, or by the lines of the candidate
 * (docs/changes.md#proof); and that the logins which a change brings work. Nothing of the running configuration is changed: what a proof means for the change is decided by its
 * statechart.
 */
import { Effect, Option, Result } from "effect"
import type { ChangeEvent, ChangeRow, Proof } from "../../machines/change/ChangeRow.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { ConfigSessions, Driver } from "../drivers/Driver.ts"
import { type LoadError, type ReadError, renderError } from "../drivers/DriverErrors.ts"
import { missingLines } from "../drivers/MissingLines.ts"
import { reduceDiff, withoutSecrets } from "../drivers/SecretEquivalence.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import type { LoggedIn, LoginError } from "./DeviceLogin.ts"
import { type KnownSecrets, markOf } from "./KnownSecrets.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import { usersIn } from "./Logins.ts"

/** What is to be proved, and what suffices. */
export interface ProofWanted {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly mayAbort: Candidate.JobSelection
  readonly secrets: KnownSecrets
  /** In any order. */
  readonly suffices: ReadonlyArray<Proof>
}

/** How it was proved, or why it could not be: the text of an error, null when the device was shown to differ. */
export type Proved = { readonly proof: Proof } | { readonly proof: null; readonly failure: string | null }

/** What is asked of the row: the rest does not matter for a proof. */
type ProvedRow = Pick<ChangeRow, "sessionName" | "promised" | "setSecrets">

const DIFFERS: Proved = { proof: null, failure: null }
const NO_PROMISE = "what its own difference promised could not be made out"
const NOT_SHOWN = "it does not show what the session has committed"

const failed = (why: ReadonlyArray<string>): Proved => ({ proof: null, failure: `CommitError: ${why.join("; ")}\n` })

/** The switch answers, and opens no session beside the timer or does not let us load. Another timer is another matter. */
const isRefusal = (error: LoadError, name: string): boolean => {
  switch (error._tag) {
    case "CommandRejected":
      return true
    case "SessionLockedException":
      return error.session === name
    case "ReplaceConfigException":
      return error.rejected.length === 0
    default:
      return false
  }
}

/** The difference when the candidate is loaded once more; a failure says how the switch refused that. */
const loadAgain = Effect.fnUntraced(function* (
  { candidate, loadMode, mayAbort }: ProofWanted,
  { session }: LoggedIn,
  { sessionName }: ProvedRow,
  seen: ConfigSessions | undefined
): Effect.fn.Return<Result.Result<string, string>, LoadError | ReadError> {
  const name = Candidate.checkOf(sessionName)
  const request = {
    text: candidate,
    mode: loadMode,
    name,
    mayAbort,
    foreignSessions: "ignore" as const,
    besideTimer: sessionName,
    inParts: true,
    ...(seen === undefined ? {} : { seen })
  }
  const loaded = yield* session.load(request).pipe(
    Effect.map(({ diff }) => Result.succeed(diff)),
    Effect.catchIf(
      (error) => isRefusal(error, name),
      ({ message }) => Effect.succeed(Result.fail(`the candidate could not be loaded again (${message.trim()})`))
    )
  )
  const discard = session.discard(name)
  // a load that was refused on its way may have left its session
  yield* Result.isSuccess(loaded)
    ? discard
    : Effect.catchTag(discard, ["CommandRejected", "UnexpectedAnswer"], () => Effect.void)
  return loaded
})

/** A configuration without comments and secrets, for comparing what two commands show. */
const comparable = (platform: Driver["platform"], text: string): string =>
  withoutSecrets(platform, text)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trimStart().startsWith(platform.configuration.comment))
    .join("\n")

/** How often a missing line is named. */
const MOST_NAMED = 5

/** What is missing of the candidate; null when nothing is. */
const missing = (platform: Driver["platform"], candidate: string, running: string): string | null => {
  const lines = missingLines(platform, candidate, running)
  if (lines.length === 0) return null
  const named = lines.slice(0, MOST_NAMED).map(({ line, lineNumber }) => `line ${lineNumber} "${maskSecrets(line)}"`)
  return `${lines.length} lines of the candidate were not found (${named.join(", ")}${lines.length > MOST_NAMED ? ", …" : ""})`
}

/**
 * Proves that the device took all of the candidate; `running` is its running configuration, which has the hash of the row.
 * `seen` are its sessions, as they were read a moment ago. What suffices is tried from the strongest proof to the weakest; a
 * device that was shown to differ is not asked further.
 */
export const prove = Effect.fnUntraced(function* (
  wanted: ProofWanted,
  loggedIn: LoggedIn,
  row: ProvedRow,
  running: string,
  seen: ConfigSessions | undefined
): Effect.fn.Return<Proved, LoadError | ReadError> {
  const { driver, session } = loggedIn
  const { platform } = driver
  const why: Array<string> = []

  // the text that was promised has what runs beside the merged lines too, so it says more than merging them again
  if (wanted.loadMode === "merge" && row.promised === true && wanted.suffices.includes("promised-text")) {
    return { proof: "promised-text" }
  }
  if (wanted.suffices.includes("loaded-again")) {
    const again = yield* loadAgain(wanted, loggedIn, row, seen)
    if (Result.isSuccess(again)) {
      const rest = reduceDiff(
        platform,
        running,
        again.success,
        (pair) => row.setSecrets?.includes(markOf(pair.line)) === true || wanted.secrets.isSame(pair)
      )
      return rest === "" ? { proof: "loaded-again" } : DIFFERS
    }
    why.push(again.failure)
  }
  if (row.promised !== true) return failed([...why, NO_PROMISE])
  if (wanted.suffices.includes("promised-text")) {
    const shown = yield* session.committedConfig(row.sessionName)
    const isRunning = Option.exists(shown, (text) => comparable(platform, text) === comparable(platform, running))
    if (isRunning) return { proof: "promised-text" }
    why.push(NOT_SHOWN)
  }
  if (wanted.suffices.includes("lines")) {
    const lacks = missing(platform, wanted.candidate, running)
    if (lacks === null) return { proof: "lines" }
    why.push(lacks)
  }
  return failed(why)
})

// The logins that a change brings: after its commit each of them that is ours has to work, or the change is not proved
// (docs/security.md#changing-passwords). Without that a mistake in a password is found when nobody can log in any more.

/** Informs the connection what this change means for logins. Where it is being taken back the old ones are right. */
export const expectLogins = (connection: DeviceConnection, loginLine: RegExp | null, row: ChangeRow): void => {
  const { committedAt, diff, goal, timerSeconds } = row
  const users = usersIn(loginLine, diff)
  const replaced = users.size > 0 && committedAt !== null && goal === "new" ? { users, at: committedAt } : null
  const rollsBackAt = committedAt === null || timerSeconds === null ? null : committedAt + timerSeconds * 1000
  connection.committed(replaced, rollsBackAt)
}

/**
 * What was observed over the connection that is open, once the logins are tried that the change has given to other users of
 * ours than the one of this connection. A refused one makes it `loginRefused`.
 */
export const proveLogins = Effect.fnUntraced(function* (
  connection: DeviceConnection,
  loginLine: RegExp | null,
  { diff, goal }: ChangeRow,
  event: ChangeEvent
): Effect.fn.Return<ChangeEvent, LoginError> {
  if (event.type !== "OBSERVED" || event.running !== "candidate" || goal !== "new") return event
  const users = usersIn(loginLine, diff)
  if (users.size === 0) return event
  const { otherUsers } = yield* connection.current
  for (const user of otherUsers) {
    if (!users.has(user)) continue
    const refused = yield* connection.freshAs(user).pipe(
      Effect.as(null),
      Effect.catchTag("ConnectAuthError", (error) => Effect.succeed(renderError(error)))
    )
    if (refused !== null) return { ...event, loginRefused: true, failure: refused }
  }
  return event
})
