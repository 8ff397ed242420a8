/**
 * Proves that a device that runs the promised configuration also took its whole candidate: by the promise itself, if the device has
 * stated it before the commit; otherwise by loading the candidate again while the commit timer runs, or, if the switch opens no
 * session then, by its lines (docs/changes.md#proof). Also proves that the logins of a change work. Does not
 * change the running configuration; the statechart decides what a proof means for the change.
 */
import { Effect, Option, Result } from "effect"
import type { ChangeEvent, ChangeRow, Proof } from "../../machines/change/ChangeRow.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { ConfigSessions, Driver, LineComparison, LoadResult } from "../drivers/Driver.ts"
import { type LoadError, type ReadError, renderError } from "../drivers/DriverErrors.ts"
import type { MissingLine } from "../drivers/MissingLines.ts"
import { reduceDiff, type SecretPair } from "../drivers/SecretEquivalence.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import type { LoggedIn, LoginError } from "./DeviceLogin.ts"
import { type KnownSecrets, markOf } from "./KnownSecrets.ts"
import { promisedBy } from "./LoadPromise.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import type { SqlError } from "effect/sql"

/** The candidate to be proved, and the proofs that suffice. */
export interface ProofWanted {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly mayAbort: Candidate.JobSelection
  readonly secrets: KnownSecrets
  /** In any order. */
  readonly suffices: ReadonlyArray<Proof>
  /** The lines of the candidate that what runs does not have, without those that the change was allowed to lack. */
  readonly missing: (row: ProvedRow, running: string) => Effect.Effect<ReadonlyArray<MissingLine>, SqlError.SqlError>
}

/** The proof, or why there is none: the text of an error, or null if the device differs. */
export type Proved = { readonly proof: Proof } | { readonly proof: null; readonly failure: string | null }

/** The fields of the row that a proof needs. */
export type ProvedRow = Pick<ChangeRow, "sessionName" | "promised" | "readBack" | "setSecrets" | "notes">

const DIFFERS: Proved = { proof: null, failure: null }
const NO_PROMISE = "what its own difference promised could not be made out"

const failed = (why: ReadonlyArray<string>): Proved => ({ proof: null, failure: `CommitError: ${why.join("; ")}\n` })

/** The switch answers, but opens no session while the timer runs, or refuses the load. Another timer does not count. */
const isRefusal = (error: LoadError): boolean => {
  switch (error._tag) {
    case "CommandRejected":
      return true
    case "SessionLockedException":
      return error.unopened === true
    case "ReplaceConfigException":
      return error.rejected.length === 0
    default:
      return false
  }
}

/** A second load of the candidate; a failure says how the switch refused it. */
const loadAgain = Effect.fnUntraced(function* (
  { candidate, loadMode, mayAbort }: ProofWanted,
  { session }: LoggedIn,
  { sessionName }: ProvedRow,
  seen: ConfigSessions | undefined
): Effect.fn.Return<Result.Result<LoadResult, string>, LoadError | ReadError> {
  const name = Candidate.checkOf(sessionName)
  const request = {
    text: candidate,
    mode: loadMode,
    name,
    mayAbort,
    foreignSessions: "ignore" as const,
    despiteTimer: sessionName,
    inParts: true,
    ...(seen === undefined ? {} : { seen })
  }
  const loaded = yield* session.load(request).pipe(
    Effect.map((again) => Result.succeed(again)),
    Effect.catchIf(isRefusal, ({ message }) =>
      Effect.succeed(Result.fail(`the candidate could not be loaded again (${message.trim()})`))
    )
  )
  const discard = session.discard(name)
  // a load that was refused midway may have left its session
  yield* Result.isSuccess(loaded)
    ? discard
    : Effect.catchTag(discard, ["CommandRejected", "UnexpectedAnswer"], () => Effect.void)
  return loaded
})

/** How often a missing line is named. */
const MOST_NAMED = 5

/** The message about missing lines of the candidate. */
const namedLines = (lines: LineComparison["missing"]): string => {
  const named = lines
    .slice(0, MOST_NAMED)
    .map(({ line, lineNumber }) => `${lineNumber === null ? "" : `line ${lineNumber} `}"${maskSecrets(line)}"`)
  return `${lines.length} lines of the candidate were not found (${named.join(", ")}${lines.length > MOST_NAMED ? ", …" : ""})`
}

/** What a switch that compares lines itself found; null if there is no difference. */
const namedDifference = ({ extra, missing }: LineComparison): string | null => {
  const others = extra.slice(0, MOST_NAMED).map((line) => `"${maskSecrets(line)}"`)
  const more = extra.length > MOST_NAMED ? ", …" : ""
  const found = [
    ...(missing.length === 0 ? [] : [namedLines(missing)]),
    ...(extra.length === 0
      ? []
      : [`the device runs lines that the candidate does not have (${others.join(", ")}${more})`])
  ]
  return found.length === 0 ? null : found.join("; ")
}

/** The rest of a second load's difference to what runs; empty if the device took all of the candidate. */
const restOf = (
  { secrets }: ProofWanted,
  { platform }: Driver,
  { setSecrets }: ProvedRow,
  running: string,
  diff: string
): string => {
  const promised = promisedBy(platform, running, { diff, willRun: null })
  const isSame = (pair: SecretPair) => setSecrets?.includes(markOf(pair.line)) === true || secrets.isSame(pair)
  return reduceDiff(
    platform,
    running,
    Option.match(promised, { onNone: () => diff, onSome: (one) => one.diff }),
    isSame
  )
}

/**
 * Proves that the device took all of the candidate; `running` is its running configuration, which has the hash of the row. `seen`
 * is a recent list of its sessions. A promise that the device has stated as a whole is proved by that hash, because its lines were
 * looked for before the commit. Otherwise the accepted proofs are tried from the strongest to the weakest, and the lines are looked
 * for in what runs, whatever else was seen: by the device where it compares lines itself, because it knows its other spellings.
 */
export const prove = Effect.fnUntraced(function* (
  wanted: ProofWanted,
  loggedIn: LoggedIn,
  row: ProvedRow,
  running: string,
  seen: ConfigSessions | undefined
): Effect.fn.Return<Proved, LoadError | ReadError | SqlError.SqlError> {
  const { driver } = loggedIn
  const why: Array<string> = []

  // the promised text also holds the other running lines, so it proves more than merging the lines again
  const isStated = row.readBack === true || (wanted.loadMode === "merge" && row.promised === true)
  if (isStated && wanted.suffices.includes("promised-text")) return { proof: "promised-text" }
  const missing = yield* wanted.missing(row, running)
  const lacks = missing.length === 0 ? null : namedLines(missing)
  if (wanted.suffices.includes("loaded-again")) {
    const again = yield* loadAgain(wanted, loggedIn, row, seen)
    if (Result.isSuccess(again)) {
      const { compared, diff } = again.success
      if (lacks !== null && compared === undefined) return failed([lacks])
      if (restOf(wanted, driver, row, running, diff) === "") return { proof: "loaded-again" }
      const differs = compared === undefined ? null : namedDifference(compared)
      return differs === null ? DIFFERS : failed([differs])
    }
    why.push(again.failure)
  }
  if (row.promised !== true) return failed([...why, NO_PROMISE])
  if (wanted.suffices.includes("lines")) {
    if (lacks === null) return { proof: "lines" }
    why.push(lacks)
  }
  return failed(why)
})

// The logins of a change: after its commit each login of Switchyard must work, or the change is not proved
// (docs/security.md#changing-passwords). Otherwise a wrong password would be found only when all logins fail.

/**
 * Informs the connection about the users whose logins this change sets (`Logins.usersIn`). While the change is being taken back, the old
 * ones are valid.
 */
export const expectLogins = (
  connection: DeviceConnection,
  users: ReadonlySet<string>,
  { committedAt, goal, timerSeconds }: ChangeRow
): void => {
  const replaced = users.size > 0 && committedAt !== null && goal === "new" ? { users, at: committedAt } : null
  const rollsBackAt = committedAt === null || timerSeconds === null ? null : committedAt + timerSeconds * 1000
  connection.committed(replaced, rollsBackAt)
}

/**
 * Completes an observation over the open connection by trying the new logins of Switchyard's other users among these. A refused login makes it
 * `loginRefused`.
 */
export const proveLogins = Effect.fnUntraced(function* (
  connection: DeviceConnection,
  users: ReadonlySet<string>,
  { goal }: ChangeRow,
  event: ChangeEvent
): Effect.fn.Return<ChangeEvent, LoginError> {
  if (event.type !== "OBSERVED" || event.running !== "candidate" || goal !== "new" || users.size === 0) return event
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
