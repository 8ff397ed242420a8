/**
 * The steps of a configuration change on a real device: each sends its commands and says how it ended, as an event for
 * `machines/change/ConfigChange.ts`, which decides what follows. Carries contract device-cli.md §2.4 and §3.6–3.7.
 */
import { Clock, Effect, Option, Schedule } from "effect"
import type { ChangeEvent, ChangeRow, ChangeStep, Observation } from "../../machines/change/ChangeRow.ts"
import { rareRetry } from "../runtime/RareRetry.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { ConfigSessions, JobSelection } from "../drivers/Driver.ts"
import type { LoggedIn, LoginError } from "./DeviceLogin.ts"
import { type DriverError, renderError } from "../drivers/DriverErrors.ts"
import * as UnifiedPatch from "../drivers/UnifiedPatch.ts"

/** How a step ended, with the error text for the record when it went wrong. */
export interface StepEnd {
  readonly event: ChangeEvent
  readonly failure: string | null
  /** The running configuration, when the step has read it. */
  readonly running: string | null
}

/** What a change needs beyond its row. */
export interface ChangeContext {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly connection: DeviceConnection
  /** The jobs whose sessions on the switch were left behind. */
  readonly mayAbort: JobSelection
}

/** Attempts to reach a device that has to be looked at, besides the first. */
const MORE_LOOKS = { times: 3, schedule: Schedule.spaced("2 seconds") }

/** How often a switch is asked whether its timer still runs, while we wait for it to take a change back. */
const EXPIRY_POLL = "3 seconds"

const TIMER_RUNS_ON = "CommitError: the switch answered the confirmation, but its commit timer goes on running\n"

type AnyError = DriverError | LoginError

/** The text of any error on the way to or on a device, ending in `Type: message` and a newline. */
export const errorText = (error: AnyError): string =>
  error._tag === "LoginUnknown" || error._tag === "SqlError"
    ? `${error._tag === "SqlError" ? "DatabaseError" : "ConnectionException"}: ${error.message}\n`
    : renderError(error)

const end = (event: ChangeEvent, failure: string | null = null, running: string | null = null): StepEnd => ({
  event,
  failure,
  running
})

/** Opens, reads, loads, commits … and remembers between steps what the next one compares with. */
export const make = (context: ChangeContext) => {
  const { connection } = context
  let runningBefore: string | null = null
  /** What `verify` saw, for the load that follows at once. */
  let sessionsSeen: ConfigSessions | null = null

  const verify = Effect.gen(function* () {
    const { driver, session } = yield* connection.current
    const running = yield* session.runningConfig
    const sessions = yield* session.sessions
    runningBefore = running
    sessionsSeen = sessions
    const hash = driver.configHash(running)
    return end({ type: "RUNNING_READ", hash, foreignTimer: Option.isSome(sessions.pending) }, null, running)
  })

  /** The hash of what will run if the switch does what its diff says. */
  const promisedHash = (driver: LoggedIn["driver"], diff: string): string | null => {
    const promised = runningBefore === null ? Option.none() : UnifiedPatch.apply(runningBefore, diff)
    return Option.isNone(promised) ? null : driver.configHash(promised.value)
  }

  const load = (sessionName: string) =>
    Effect.gen(function* () {
      const { driver, session } = yield* connection.current
      const { candidate: text, loadMode: mode, mayAbort } = context
      const seen = sessionsSeen === null ? {} : { seen: sessionsSeen }
      sessionsSeen = null
      const { diff } = yield* session.load({ text, mode, name: sessionName, mayAbort, ...seen })
      return end({ type: "LOADED", diff, candidateHash: promisedHash(driver, diff) })
    }).pipe(
      Effect.catchTags({
        ReplaceConfigException: (error) => Effect.succeed(end({ type: "REJECTED" }, renderError(error))),
        MergeConfigException: (error) => Effect.succeed(end({ type: "REJECTED" }, renderError(error))),
        SessionLockedException: (error) => Effect.succeed(end({ type: "LOCKED" }, renderError(error)))
      })
    )

  const discard = (sessionName: string) =>
    Effect.gen(function* () {
      const { session } = yield* connection.current
      yield* session.discard(sessionName)
      return end({ type: "DISCARDED" })
    })

  const commit = (sessionName: string, timerSeconds: number | null, row: ChangeRow) =>
    Effect.gen(function* () {
      const { driver, session } = yield* connection.current
      const at = yield* Clock.currentTimeMillis
      yield* timerSeconds === null ? session.commit(sessionName) : session.commitTimed(sessionName, timerSeconds)
      const candidateHash = row.candidateHash ?? driver.configHash(yield* session.runningConfig)
      return end({ type: "COMMITTED", at, candidateHash })
    }).pipe(
      Effect.catchTag("CommitError", (error) => Effect.succeed(end({ type: "COMMIT_REFUSED" }, renderError(error))))
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
    const seen = (running: Observation["running"]): [Observation, string] => [{ running, ourTimer, ourSession }, text]
    if (hash !== row.candidateHash && hash === row.oldHash) return seen("old")
    if (row.candidateHash !== null && hash !== row.candidateHash) return seen("neither")
    if (!newConnection && row.candidateHash !== null) return seen("candidate")
    const proved = yield* tookEverything(loggedIn, row.sessionName, leftBehind ? undefined : seenSessions)
    return seen(proved ? "candidate" : "neither")
  })

  const observe = (row: ChangeRow, newConnection: boolean) =>
    rareRetry(look(row, newConnection), Effect.retry(MORE_LOOKS)).pipe(
      Effect.map(([observation, text]) => end({ type: "OBSERVED", ...observation }, null, text)),
      Effect.catch((error) => Effect.as(connection.close, end({ type: "UNREACHABLE" }, errorText(error))))
    )

  const save = Effect.gen(function* () {
    const { session } = yield* connection.current
    yield* session.save
    return end({ type: "SAVED" })
  }).pipe(
    Effect.catchTag("CommandRejected", (error) => Effect.succeed(end({ type: "SAVE_FAILED" }, renderError(error))))
  )

  const confirm = (sessionName: string) =>
    Effect.gen(function* () {
      const { session } = yield* connection.current
      yield* session.confirm(sessionName)
      // what is saved while the timer runs would survive the rollback, and come back with the next start
      if (Option.exists(yield* session.pending, ({ name }) => name === sessionName)) {
        return end({ type: "CONFIRM_REFUSED" }, TIMER_RUNS_ON)
      }
      const saved = yield* save
      return saved.event.type === "SAVED" ? end({ type: "CONFIRMED" }) : saved
    }).pipe(
      Effect.catchTag("CommitError", (error) => Effect.succeed(end({ type: "CONFIRM_REFUSED" }, renderError(error))))
    )

  /** Whether the switch needs no more waiting: its timer is gone, or it answers and can be told. */
  const waitIsOver = (untilItAnswers: boolean) =>
    Effect.gen(function* () {
      const { session } = yield* connection.fresh
      return Option.isNone(yield* session.pending) || untilItAnswers
    }).pipe(Effect.orElseSucceed(() => false))

  const waitForExpiry = Effect.fnUntraced(function* (since: number | null, seconds: number, untilItAnswers: boolean) {
    const now = yield* Clock.currentTimeMillis
    const last = (since ?? now) + seconds * 1000
    yield* connection.close
    // the switch is asked every few seconds, so that the full margin is waited out only when it does not answer
    while ((yield* Clock.currentTimeMillis) < last) {
      yield* Effect.sleep(EXPIRY_POLL)
      if (yield* waitIsOver(untilItAnswers)) break
    }
    return end({ type: "EXPIRY_PASSED" })
  })

  const open = Effect.as(connection.fresh, end({ type: "OPENED" }))

  /**
   * Does the step. Never fails: a broken connection is an end of a step like any other. With `untilItAnswers` a wait for the
   * timer also ends when the switch can be reached again.
   */
  return (step: ChangeStep, row: ChangeRow, untilItAnswers = false): Effect.Effect<StepEnd> => {
    const lost = (error: AnyError) => Effect.as(connection.close, end({ type: "LOST" }, errorText(error)))
    switch (step.type) {
      case "open":
        return Effect.catch(open, lost)
      case "verify":
        return Effect.catch(verify, lost)
      case "load":
        return Effect.catch(load(step.sessionName), lost)
      case "discard":
        return Effect.catch(discard(step.sessionName), lost)
      case "commit":
        return Effect.catch(commit(step.sessionName, step.timerSeconds, row), lost)
      case "observe":
        return observe(row, step.newConnection)
      case "confirm":
        return Effect.catch(confirm(step.sessionName), lost)
      case "save":
        return Effect.catch(save, lost)
      case "waitForExpiry":
        return waitForExpiry(step.since, step.seconds, untilItAnswers)
      case "awaitVerdict":
        return Effect.die(new Error("A verdict comes from the job, not from the device"))
    }
  }
}
