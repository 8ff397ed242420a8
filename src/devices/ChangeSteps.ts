/**
 * The steps of a configuration change on a real device: each sends its commands once and reports its end as an event for
 * `machines/change/ConfigChange.ts`, which decides the next step. See docs/changes.md#what-a-broken-connection-means.
 */
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type {
  ChangeEvent,
  ChangeNotes,
  ChangeRow,
  LoadPromise as StoredPromise,
  Observation,
  Proof,
  TimerSight
} from "../../machines/change/ChangeRow.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { JobSelection } from "../drivers/Candidate.ts"
import type { ConfigSessions } from "../drivers/Driver.ts"
import { shownHash } from "../drivers/UnifiedDiff.ts"
import type { SecretDigests } from "../store/ChangeStore.ts"
import * as ChangeChecks from "./ChangeChecks.ts"
import * as ChangeProof from "./ChangeProof.ts"
import { type LoginNotation, usersIn } from "./Logins.ts"
import type { LoggedIn, LoginError } from "./DeviceLogin.ts"
import {
  type DriverError,
  type ReadError,
  renderError,
  SessionLockedException,
  UnexpectedAnswer
} from "../drivers/DriverErrors.ts"
import { TIMER_OF_OTHERS } from "../drivers/LoadChecks.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import type { KnownSecrets } from "./KnownSecrets.ts"
import * as KeptLines from "./KeptLines.ts"
import * as LoadPromise from "./LoadPromise.ts"
import * as ShownCheck from "./ShownCheck.ts"
import type { SeenConfig } from "../store/ConfigStore.ts"

// Loads the candidate of a change, and makes of what the switch says of it the promise, its difference, and notes about the load.

/** The candidate, and the facts that are known beforehand. */
export interface LoadContext {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly secrets: KnownSecrets
  /** The jobs whose sessions on the switch are abandoned. */
  readonly mayAbort: JobSelection
  /** Compares the candidate with the configuration that the switch promises to run. */
  readonly shown: ShownCheck.ShownContext
}

/** The configuration and the sessions that were read just before. */
export interface SeenBefore {
  readonly running: string | null
  readonly sessions: ConfigSessions | null
}

const NO_PROMISE = {
  candidateHash: null,
  promised: false,
  readBack: false,
  shape: null,
  setSecrets: [],
  remarks: []
} as const satisfies Required<StoredPromise> & Pick<ChangeRow, "candidateHash">

/** The notes about a loaded candidate; none where the switch compares lines itself. One that lacks lines, or keeps others, is discarded. */
const notesOf = Effect.fnUntraced(function* (
  { candidate, loadMode, shown }: LoadContext,
  loggedIn: LoggedIn,
  { onMissingLines: policy, sessionName: name }: ChangeRow,
  running: string | null,
  { compares, ...loaded }: Pick<ShownCheck.Loaded, "remarks" | "promised"> & { readonly compares: boolean }
) {
  const { promised } = loaded
  if (loadMode === "merge" || running === null || promised === null || compares) return undefined
  const { driver, session } = loggedIn
  return yield* ShownCheck.check(shown, loggedIn, { ...loaded, name, candidate, running, policy }).pipe(
    Effect.tap(() => KeptLines.check(shown, driver.platform, session, { name, candidate, running, promised })),
    Effect.tapErrorTag("ReplaceConfigException", () => session.discard(name))
  )
})

const noted = (notes: ChangeNotes | undefined) => (notes === undefined ? {} : { notes })

/**
 * Loads the candidate into the session of the row. `otherSessions` are other people's open sessions. Fails with the errors of
 * `DriverSession.load`, and of the database.
 */
const loadCandidate = Effect.fnUntraced(function* (
  context: LoadContext,
  loggedIn: LoggedIn,
  row: ChangeRow,
  { running, sessions }: SeenBefore
) {
  const { driver, session } = loggedIn
  const { candidate: text, loadMode: mode, mayAbort, secrets, shown } = context
  const seen = sessions === null ? {} : { seen: sessions }
  const name = row.sessionName
  // the statechart waits for another person's session and tries the load again
  const back = { readBack: true, ...(running === null ? {} : { runs: running }) }
  const loaded = yield* session.load({ text, mode, name, mayAbort, foreignSessions: 0, ...back, ...seen })
  const promised = running === null ? null : Option.getOrNull(LoadPromise.promisedBy(driver.platform, running, loaded))
  const otherSessions = loaded.otherSessions ?? []
  if (promised !== null && LoadPromise.contradicts(driver.platform, promised, loaded)) {
    yield* session.discard(name)
    return yield* new UnexpectedAnswer({
      hostname: shown.hostname,
      command: `load ${name}`,
      message: "the switch states a configuration without any change, but shows a difference"
    })
  }
  const notes = yield* notesOf(context, loggedIn, row, running, {
    compares: loaded.compared !== undefined,
    remarks: loaded.remarks,
    promised: promised?.text ?? null
  })
  if (running === null || promised === null) {
    return { otherSessions, candidate: { diff: loaded.diff, ...NO_PROMISE, ...noted(notes) } }
  }
  const diff = LoadPromise.shownDiff(driver, secrets, running, promised)
  const stored = LoadPromise.storedPromise(secrets, driver, running, promised)
  return { otherSessions, candidate: { diff, ...stored, ...noted(notes) } }
})

/** The texts that were read from the switch. */
export interface SeenTexts {
  /** The last running configuration that was read. */
  running: string | null
  /** The same, if it was read just now and before any change. */
  before: string | null
  /** Remarks about the switch for people, although nothing is wrong. */
  remarks: ReadonlyArray<string>
  /** Digests of the secrets of a configuration that the device was proved to run. */
  readonly secretsOf?: (running: string) => SecretDigests | null
}

type ChangeRowAfterCommit = Pick<ChangeRow, "candidateHash" | "oldHash" | "setSecrets" | "shape">

/** The inputs of a change in addition to its row. */
export interface ChangeContext extends LoadContext {
  readonly connection: DeviceConnection
  readonly checks: ChangeChecks.CheckContext
  /** The accepted proofs; one of them must be made. */
  readonly suffices: ReadonlyArray<Proof>
  readonly platform: LoginNotation | undefined
  /** Called with the running configuration if it differs from the one that was proved last. */
  readonly runsOther: (hash: string) => Effect.Effect<void, SqlError.SqlError>
  /** Kept up to date by the steps that read. */
  readonly seen: SeenTexts
  /** Whether the device runs the configuration with the expected hash, apart from lines that it writes on its own. */
  readonly isExpected: (expected: string, running: SeenConfig) => Effect.Effect<boolean, SqlError.SqlError>
}

/** How a step ended. No step fails: a broken connection is one of the ends of a step. */
type StepEnd = Effect.Effect<ChangeEvent>

/** The steps, each for the current row. */
export interface ChangeSteps {
  readonly open: StepEnd
  readonly verify: (row: ChangeRow) => StepEnd
  readonly load: (row: ChangeRow) => StepEnd
  readonly discard: (row: ChangeRow) => StepEnd
  readonly readBefore: (row: ChangeRow) => StepEnd
  readonly check: (row: ChangeRow, since: number) => StepEnd
  readonly commit: (row: ChangeRow) => StepEnd
  readonly observe: (row: ChangeRow, newConnection: boolean) => StepEnd
  readonly confirm: (row: ChangeRow) => StepEnd
  readonly save: StepEnd
  readonly askTimer: (row: ChangeRow) => StepEnd
}

const TIMER_RUNS_ON = "CommitError: the switch answered the confirmation, but its commit timer goes on running\n"

type AnyError = DriverError | LoginError

/** The name by which operators know an error on the way to or on a device. */
export const errorType = ({ _tag }: AnyError): string =>
  _tag === "SqlError" ? "DatabaseError" : _tag === "LoginUnknown" ? "ConnectionException" : _tag

/** The text of such an error, ending in `Type: message` and a newline. */
export const errorText = (error: AnyError): string =>
  error._tag === "DisputedRecord" || error._tag === "LoginUnknown" || error._tag === "SqlError"
    ? `${errorType(error)}: ${error.message}\n`
    : renderError(error)

const ended = (event: ChangeEvent): ChangeEvent => event

/** The state of our timer, by a list that was read while it may run. A change without a timer has none. */
const sightOf = (row: ChangeRow, { pending, timer }: ConfigSessions): TimerSight => {
  if (Option.exists(pending, ({ name }) => name === row.sessionName)) return "runs"
  return row.timerSeconds !== null && timer._tag === "unknown" ? "unseen" : "gone"
}

const MERGES =
  "Commits on the device keep what others have changed meanwhile, which may be why it does not run what was pushed"

/** The remark about a change that begins anew, or ends, because its candidate is gone with its login. */
const ENDED_WITH_LOGIN =
  "The connection broke before the device had answered the commit, and the candidate ended with it; the device ran the configuration that it had before"

const otherSessionsRemark = (names: ReadonlyArray<string>): string =>
  `Other people's configuration sessions are open on the device and were left alone: ${names.join(", ")}`

const MOST_SHOWN = 10

/** Milliseconds for which a list of sessions stands for another one over the same connection. */
const RECENT = 2_000

/** The refusal because of another user's commit timer, with its name. */
const foreignTimerOf = (hostname: string, { pending }: ConfigSessions) =>
  Option.match(pending, {
    onNone: () => ({}),
    onSome: ({ name: session }) => ({
      failure: renderError(new SessionLockedException({ hostname, session, message: TIMER_OF_OTHERS }))
    })
  })

/** The remark about a running configuration that a command in a candidate has altered. */
const alteredRemark = (before: string | null, now: string): string => {
  if (before === null) return "The running configuration differs from the one before the change"
  const old = new Set(before.split("\n"))
  const present = now.split("\n")
  const kept = new Set(present)
  const lines = [
    ...[...old].filter((line) => !kept.has(line)).map((line) => `-${line}`),
    ...present.filter((line) => !old.has(line)).map((line) => `+${line}`)
  ]
  const more = lines.length > MOST_SHOWN ? ` and ${lines.length - MOST_SHOWN} more` : ""
  const shown = lines.slice(0, MOST_SHOWN).map((line) => maskSecrets(line.trimEnd()))
  return `The command has altered the running configuration: ${shown.join(" | ")}${more}`
}

/** Opens, reads, loads, commits … and keeps the texts that the next step compares. */
export const make = (context: ChangeContext): ChangeSteps => {
  const { connection, seen: texts } = context
  let runningBefore: string | null = null
  /** The sessions that `verify` saw, for the load directly after it. */
  let sessionsSeen: ConfigSessions | null = null
  let mergesAtCommit = false
  /** The last list of sessions that was read over the open connection, and when. */
  let lastList: { readonly seen: ConfigSessions; readonly at: number } | null = null

  const readList = Effect.fnUntraced(function* (read: Effect.Effect<ConfigSessions, ReadError>) {
    const seen = yield* read
    lastList = { seen, at: yield* Clock.currentTimeMillis }
    return seen
  })

  /** That list, if it is so recent that another answer would only repeat it. */
  const recentList = Effect.map(Clock.currentTimeMillis, (now) =>
    lastList !== null && Math.abs(now - lastList.at) < RECENT ? lastList.seen : undefined
  )

  const verify = Effect.fnUntraced(function* ({ dryRun, expectedHash, force, shown }: ChangeRow) {
    const { driver, session } = yield* connection.current
    const running = yield* session.runningConfig
    const sessions = yield* session.sessions
    runningBefore = running
    sessionsSeen = sessions
    texts.running = running
    texts.before = dryRun ? null : running
    const hash = driver.configHash(running)
    if (hash !== expectedHash) yield* context.runsOther(hash)
    const habits = driver.commitHabits(sessions, [running, context.candidate])
    const { savesAtCommit } = habits
    mergesAtCommit = habits.mergesAtCommit
    const isSame = (wanted: string) => context.isExpected(wanted, { hash, config: running })
    const isExpected = !force && expectedHash !== null && (yield* isSame(expectedHash))
    const isShown = shown !== undefined && (yield* isSame(shown.running))
    return ended({
      type: "RUNNING_READ",
      hash,
      foreignTimer: Option.isSome(sessions.pending),
      ...foreignTimerOf(context.shown.hostname, sessions),
      savesAtCommit,
      isExpected,
      isShown
    })
  })

  const load = (row: ChangeRow) =>
    Effect.gen(function* () {
      const before = { running: runningBefore, sessions: sessionsSeen }
      sessionsSeen = null
      const { otherSessions, candidate } = yield* loadCandidate(context, yield* connection.current, row, before)
      if (otherSessions.length > 0) texts.remarks = [...texts.remarks, otherSessionsRemark(otherSessions)]
      const isOther = row.shown !== undefined && row.shown.diff !== shownHash(candidate.diff)
      const names = row.checks === undefined ? [] : ChangeChecks.namesFor(row.checks, candidate.diff)
      const checking = names.length === 0 ? {} : { checking: { names } }
      return ended({ type: "LOADED", isOther, ...candidate, ...checking })
    }).pipe(
      Effect.catchTags({
        ReplaceConfigException: (error) => Effect.succeed(ended({ type: "REJECTED", failure: renderError(error) })),
        MergeConfigException: (error) => Effect.succeed(ended({ type: "REJECTED", failure: renderError(error) })),
        SessionLockedException: (error) => Effect.succeed(ended({ type: "LOCKED", failure: renderError(error) })),
        LeftConfiguration: (error) => Effect.as(connection.close, ended({ type: "LEFT", failure: renderError(error) }))
      })
    )

  const discard = ({ sessionName }: ChangeRow) =>
    Effect.gen(function* () {
      const { session } = yield* connection.current
      yield* session.discard(sessionName)
      return ended({ type: "DISCARDED" })
    })

  /**
   * The hash of our configuration from now on. A switch that salts its secrets with the commit runs the promised configuration
   * except for them, and its text right after the commit must not change any more. A commit that was taken back before it is read
   * does not make the old configuration ours.
   */
  const hashAfterCommit = Effect.fnUntraced(function* (
    { driver, session }: LoggedIn,
    { candidateHash, oldHash, setSecrets = [], shape }: ChangeRowAfterCommit
  ) {
    if (candidateHash !== null && setSecrets.length === 0) return candidateHash
    const running = yield* session.runningConfig
    const isOurs = candidateHash === null || LoadPromise.shapeOf(driver, running) === shape
    const hash = driver.configHash(running)
    if (hash === oldHash) return null
    return isOurs ? hash : candidateHash
  })

  const commit = ({ sessionName, timerSeconds, ...row }: ChangeRow) =>
    Effect.gen(function* () {
      const loggedIn = yield* connection.current
      const { session } = loggedIn
      yield* timerSeconds === null ? session.commit(sessionName) : session.commitTimed(sessionName, timerSeconds)
      // the timer starts at the end of the commit, which may take minutes
      const at = yield* Clock.currentTimeMillis
      // the commit was answered, whatever becomes of this login afterwards
      const candidateHash = yield* Effect.catch(hashAfterCommit(loggedIn, row), ({ message }) =>
        Effect.as(Effect.logDebug("The configuration could not be read after the commit", { error: message }), null)
      )
      return ended({ type: "COMMITTED", at, candidateHash })
    }).pipe(
      Effect.catchTag("CommitError", (error) =>
        Effect.succeed(ended({ type: "COMMIT_REFUSED", failure: renderError(error) }))
      )
    )

  const look = Effect.fnUntraced(function* (row: ChangeRow, newConnection: boolean) {
    const loggedIn = yield* newConnection ? connection.fresh : connection.current
    const { driver, session } = loggedIn
    const read = readList(
      row.timerSeconds === null ? session.sessions : session.sessionsWhileTimed(row.sessionName, row.timerSeen)
    )
    const seenSessions = (newConnection ? undefined : yield* recentList) ?? (yield* read)
    const { sessions } = seenSessions
    const ourTimer = sightOf(row, seenSessions)
    const isOmitted = seenSessions.timer._tag === "none" && seenSessions.timer.omitted === true
    const isOpen = (wanted: string) => sessions.some(({ name, state }) => name === wanted && state === "open")
    const ourSession = isOpen(row.sessionName)
    const leftBehind = isOpen(Candidate.checkOf(row.sessionName))
    if (leftBehind) yield* session.discard(Candidate.checkOf(row.sessionName))
    const text = yield* session.runningConfig
    const hash = driver.configHash(text)
    texts.running = text
    const isPromised = hash === row.candidateHash
    const seen = (running: Observation["running"]) => {
      if (running === "neither" && mergesAtCommit) texts.remarks = [...texts.remarks, MERGES]
      const own = running === "candidate" && !isPromised ? { hash } : {}
      const endsWithLogin = driver.platform.capabilities?.endsWithLogin === true
      if (endsWithLogin && running === "old" && row.committedAt === null && row.phase === "looking") {
        texts.remarks = [...texts.remarks, ENDED_WITH_LOGIN]
      }
      return ended({
        type: "OBSERVED",
        running,
        ourTimer,
        ...(isOmitted && { timerOmitted: true }),
        ourSession,
        ...(endsWithLogin && { endsWithLogin }),
        ...own
      })
    }
    if (!isPromised && hash === row.oldHash) return seen("old")
    // a proof would load the candidate again
    if (row.reason === "leftConfiguration") {
      texts.remarks = [...texts.remarks, alteredRemark(runningBefore, text)]
      return seen("neither")
    }
    if (row.candidateHash !== null && !isPromised) {
      const hasShape = typeof row.shape === "string" && LoadPromise.shapeOf(driver, text) === row.shape
      if (!hasShape) return seen("neither")
      // the values of salted secrets are unknown
      if (row.setSecrets?.length !== 0) return seen("unproved")
    }
    if (!newConnection && row.candidateHash !== null) return seen("candidate")
    // this text was proved before, and the device may have no room for another load now
    if (isPromised && row.proof !== undefined) return { ...seen("candidate"), proof: row.proof }
    const missing = (of: ChangeProof.ProvedRow, running: string) =>
      ShownCheck.missingInRunning(context.shown, driver.platform, context.candidate, of, running)
    const wanted = { ...context, missing }
    const found = yield* ChangeProof.prove(wanted, loggedIn, row, text, leftBehind ? undefined : seenSessions)
    return found.proof === null
      ? { ...seen("unproved"), failure: found.failure }
      : { ...seen("candidate"), proof: found.proof }
  })

  const lookWithLogins = (row: ChangeRow, newConnection: boolean) => {
    const users = usersIn(context.platform, context.candidate, row.diff)
    ChangeProof.expectLogins(connection, users, row)
    const seen = look(row, newConnection)
    return newConnection
      ? Effect.flatMap(seen, (event) => ChangeProof.proveLogins(connection, users, row, event))
      : seen
  }

  const unreachable = (error: AnyError) =>
    Effect.as(connection.close, ended({ type: "UNREACHABLE", failure: errorText(error) }))

  const save = Effect.gen(function* () {
    const { session } = yield* connection.current
    yield* session.save
    return ended({ type: "SAVED" })
  }).pipe(
    Effect.catchTag("CommandRejected", (error) =>
      Effect.succeed(ended({ type: "SAVE_FAILED", failure: renderError(error) }))
    )
  )

  const confirm = (row: ChangeRow) =>
    Effect.gen(function* () {
      const { session } = yield* connection.current
      if ((yield* session.confirm(row.sessionName, row.timerSeen, yield* recentList)) === "unseen") {
        return ended({ type: "CONFIRM_UNSEEN" })
      }
      // a configuration that is saved while the timer runs would survive the rollback and return at the next start
      const sight = sightOf(row, yield* readList(session.sessionsWhileTimed(row.sessionName, true)))
      if (sight === "unseen") return ended({ type: "CONFIRM_UNSEEN" })
      if (sight === "runs") return ended({ type: "CONFIRM_REFUSED", failure: TIMER_RUNS_ON })
      const saved = yield* save
      return saved.type === "SAVED" ? ended({ type: "CONFIRMED" }) : saved
    }).pipe(
      Effect.catchTag("CommitError", (error) =>
        Effect.succeed(ended({ type: "CONFIRM_REFUSED", failure: renderError(error) }))
      )
    )

  const askTimer = (row: ChangeRow) =>
    Effect.gen(function* () {
      const { session } = yield* connection.fresh
      const { timer } = yield* session.sessionsWhileTimed(row.sessionName, row.timerSeen)
      return ended({ type: "TIMER_SEEN", runs: timer._tag !== "none" })
    })

  const lost = (error: AnyError) => Effect.as(connection.close, ended({ type: "LOST", failure: errorText(error) }))

  /** The database is away: the checks are read again while their time lasts. */
  const unchecked = (error: SqlError.SqlError) =>
    Effect.gen(function* () {
      yield* Effect.logWarning("The checks of a change could not be read", { error: error.message })
      return ended({ type: "CHECKED", at: yield* Clock.currentTimeMillis, results: [] })
    })

  return {
    open: Effect.catch(Effect.as(connection.fresh, ended({ type: "OPENED" })), lost),
    verify: (row) => Effect.catch(verify(row), lost),
    load: (row) => Effect.catch(load(row), lost),
    discard: (row) => Effect.catch(discard(row), lost),
    readBefore: (row) => Effect.catch(ChangeChecks.readBefore(context.checks, row), lost),
    check: (row, since) => Effect.catch(ChangeChecks.readAfter(context.checks, row, since), unchecked),
    commit: (row) => Effect.catch(commit(row), lost),
    observe: (row, newConnection) => Effect.catch(lookWithLogins(row, newConnection), unreachable),
    confirm: (row) => Effect.catch(confirm(row), lost),
    save: Effect.catch(save, lost),
    askTimer: (row) => Effect.catch(askTimer(row), unreachable)
  }
}
