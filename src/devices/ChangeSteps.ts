/**
 * The steps of a configuration change on a real device: each sends its commands once and says how it ended, as an event for
 * `machines/change/ConfigChange.ts`, which decides what follows. See docs/changes.md#what-a-broken-connection-means,
 * docs/switch-dialogues.md#eos-loading-a-candidate and docs/switch-dialogues.md#eos-commit-confirm-discard.
 */
import { Clock, Effect, Option } from "effect"
import type { ChangeEvent, ChangeRow, Observation } from "../../machines/change/ChangeRow.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { ConfigSessions, JobSelection, LoadResult } from "../drivers/Driver.ts"
import type { LoggedIn, LoginError } from "./DeviceLogin.ts"
import { type DriverError, renderError } from "../drivers/DriverErrors.ts"
import * as UnifiedPatch from "../drivers/UnifiedPatch.ts"
import * as ShownCheck from "./ShownCheck.ts"

/** The running configuration as it was read last. */
export interface SeenTexts {
  running: string | null
  /** The same, when it was read just now and before anything was changed. */
  before: string | null
}

/** What a change needs beyond its row. */
export interface ChangeContext {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly connection: DeviceConnection
  /** The jobs whose sessions on the switch were left behind. */
  readonly mayAbort: JobSelection
  /** By which the candidate is held against what the switch promises to run. */
  readonly shown: ShownCheck.ShownContext
  /** Kept up to date by the steps that read. */
  readonly seen: SeenTexts
}

/** How a step ended. No step fails: a broken connection is an end of a step like any other. */
type StepEnd = Effect.Effect<ChangeEvent>

/** The steps, each for the row as it stands. */
export interface ChangeSteps {
  readonly open: StepEnd
  readonly verify: (row: ChangeRow) => StepEnd
  readonly load: (row: ChangeRow) => StepEnd
  readonly discard: (row: ChangeRow) => StepEnd
  readonly commit: (row: ChangeRow) => StepEnd
  readonly observe: (row: ChangeRow, newConnection: boolean) => StepEnd
  readonly confirm: (row: ChangeRow) => StepEnd
  readonly save: StepEnd
  readonly askTimer: StepEnd
}

const TIMER_RUNS_ON = "CommitError: the switch answered the confirmation, but its commit timer goes on running\n"

type AnyError = DriverError | LoginError

/** The text of any error on the way to or on a device, ending in `Type: message` and a newline. */
export const errorText = (error: AnyError): string =>
  error._tag === "LoginUnknown" || error._tag === "SqlError"
    ? `${error._tag === "SqlError" ? "DatabaseError" : "ConnectionException"}: ${error.message}\n`
    : renderError(error)

const ended = (event: ChangeEvent): ChangeEvent => event

/** Opens, reads, loads, commits … and remembers between steps what the next one compares with. */
export const make = (context: ChangeContext): ChangeSteps => {
  const { connection, seen: texts } = context
  let runningBefore: string | null = null
  /** What `verify` saw, for the load that follows at once. */
  let sessionsSeen: ConfigSessions | null = null

  const verify = Effect.fnUntraced(function* ({ dryRun }: ChangeRow) {
    const { driver, session } = yield* connection.current
    const running = yield* session.runningConfig
    const sessions = yield* session.sessions
    runningBefore = running
    sessionsSeen = sessions
    texts.running = running
    texts.before = dryRun ? null : running
    const hash = driver.configHash(running)
    return ended({ type: "RUNNING_READ", hash, foreignTimer: Option.isSome(sessions.pending) })
  })

  /** What will run if the switch does what its diff says. */
  const promisedText = (diff: string): Option.Option<string> =>
    runningBefore === null ? Option.none() : UnifiedPatch.apply(runningBefore, diff)

  /** What is remarkable about a candidate that was loaded. One that lacks lines is discarded. */
  const notesOf = Effect.fnUntraced(function* (
    { onMissingLines: policy, sessionName }: ChangeRow,
    { driver: { platform }, session }: LoggedIn,
    { remarks }: LoadResult,
    promised: Option.Option<string>
  ) {
    if (context.loadMode === "merge" || runningBefore === null) return undefined
    // a difference that does not fit the text that it is of promises nothing, so the switch is asked for the whole candidate
    const text = Option.isSome(promised) ? promised : yield* session.candidateText(sessionName)
    if (Option.isNone(text)) return undefined
    const { candidate } = context
    const scene = { platform, session, running: runningBefore, name: Candidate.probeOf(sessionName), candidate }
    return yield* ShownCheck.check(context.shown, scene, { remarks, promised: text.value, policy }).pipe(
      Effect.tapErrorTag("ReplaceConfigException", () => session.discard(sessionName))
    )
  })

  // somebody else's session is waited for by the statechart, which tries the load again
  const load = (row: ChangeRow) =>
    Effect.gen(function* () {
      const loggedIn = yield* connection.current
      const { driver, session } = loggedIn
      const { candidate: text, loadMode: mode, mayAbort } = context
      const seen = sessionsSeen === null ? {} : { seen: sessionsSeen }
      sessionsSeen = null
      const name = row.sessionName
      const loaded = yield* session.load({ text, mode, name, mayAbort, foreignSessions: 0, ...seen })
      const promised = promisedText(loaded.diff)
      const notes = yield* notesOf(row, loggedIn, loaded, promised)
      const candidateHash = Option.isNone(promised) ? null : driver.configHash(promised.value)
      return ended({ type: "LOADED", diff: loaded.diff, candidateHash, ...(notes === undefined ? {} : { notes }) })
    }).pipe(
      Effect.catchTags({
        ReplaceConfigException: (error) => Effect.succeed(ended({ type: "REJECTED", failure: renderError(error) })),
        MergeConfigException: (error) => Effect.succeed(ended({ type: "REJECTED", failure: renderError(error) })),
        SessionLockedException: (error) => Effect.succeed(ended({ type: "LOCKED", failure: renderError(error) }))
      })
    )

  const discard = ({ sessionName }: ChangeRow) =>
    Effect.gen(function* () {
      const { session } = yield* connection.current
      yield* session.discard(sessionName)
      return ended({ type: "DISCARDED" })
    })

  const commit = ({ sessionName, timerSeconds, ...row }: ChangeRow) =>
    Effect.gen(function* () {
      const { driver, session } = yield* connection.current
      const at = yield* Clock.currentTimeMillis
      yield* timerSeconds === null ? session.commit(sessionName) : session.commitTimed(sessionName, timerSeconds)
      const candidateHash = row.candidateHash ?? driver.configHash(yield* session.runningConfig)
      return ended({ type: "COMMITTED", at, candidateHash })
    }).pipe(
      Effect.catchTag("CommitError", (error) =>
        Effect.succeed(ended({ type: "COMMIT_REFUSED", failure: renderError(error) }))
      )
    )

  /** Loads the candidate once more beside the running configuration: an empty diff says that the switch took all of it. */
  const tookEverything = Effect.fnUntraced(function* (
    { session }: LoggedIn,
    sessionName: string,
    seen: ConfigSessions | undefined
  ) {
    if (context.loadMode === "merge") return true
    const name = Candidate.checkOf(sessionName)
    const { diff } = yield* session.load({
      text: context.candidate,
      mode: "replace",
      name,
      mayAbort: context.mayAbort,
      foreignSessions: "ignore",
      besideTimer: sessionName,
      inParts: true,
      ...(seen === undefined ? {} : { seen })
    })
    yield* session.discard(name)
    return diff === ""
  })

  const look = Effect.fnUntraced(function* (row: ChangeRow, newConnection: boolean) {
    const loggedIn = yield* newConnection ? connection.fresh : connection.current
    const { driver, session } = loggedIn
    const seenSessions = yield* session.sessions
    const { pending, sessions } = seenSessions
    const ourTimer = Option.exists(pending, ({ name }) => name === row.sessionName)
    const isOpen = (wanted: string) => sessions.some(({ name, state }) => name === wanted && state === "open")
    const ourSession = isOpen(row.sessionName)
    const leftBehind = isOpen(Candidate.checkOf(row.sessionName))
    if (leftBehind) yield* session.discard(Candidate.checkOf(row.sessionName))
    const text = yield* session.runningConfig
    const hash = driver.configHash(text)
    texts.running = text
    const seen = (running: Observation["running"]) => ended({ type: "OBSERVED", running, ourTimer, ourSession })
    if (hash !== row.candidateHash && hash === row.oldHash) return seen("old")
    if (row.candidateHash !== null && hash !== row.candidateHash) return seen("neither")
    if (!newConnection && row.candidateHash !== null) return seen("candidate")
    const proved = yield* tookEverything(loggedIn, row.sessionName, leftBehind ? undefined : seenSessions)
    return seen(proved ? "candidate" : "neither")
  })

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

  const confirm = ({ sessionName }: ChangeRow) =>
    Effect.gen(function* () {
      const { session } = yield* connection.current
      yield* session.confirm(sessionName)
      // what is saved while the timer runs would survive the rollback, and come back with the next start
      if (Option.exists(yield* session.pending, ({ name }) => name === sessionName)) {
        return ended({ type: "CONFIRM_REFUSED", failure: TIMER_RUNS_ON })
      }
      const saved = yield* save
      return saved.type === "SAVED" ? ended({ type: "CONFIRMED" }) : saved
    }).pipe(
      Effect.catchTag("CommitError", (error) =>
        Effect.succeed(ended({ type: "CONFIRM_REFUSED", failure: renderError(error) }))
      )
    )

  const askTimer = Effect.gen(function* () {
    const { session } = yield* connection.fresh
    return ended({ type: "TIMER_SEEN", runs: Option.isSome(yield* session.pending) })
  })

  const lost = (error: AnyError) => Effect.as(connection.close, ended({ type: "LOST", failure: errorText(error) }))

  return {
    open: Effect.catch(Effect.as(connection.fresh, ended({ type: "OPENED" })), lost),
    verify: (row) => Effect.catch(verify(row), lost),
    load: (row) => Effect.catch(load(row), lost),
    discard: (row) => Effect.catch(discard(row), lost),
    commit: (row) => Effect.catch(commit(row), lost),
    observe: (row, newConnection) => Effect.catch(look(row, newConnection), unreachable),
    confirm: (row) => Effect.catch(confirm(row), lost),
    save: Effect.catch(save, lost),
    askTimer: Effect.catch(askTimer, unreachable)
  }
}
