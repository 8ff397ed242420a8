/**
 * Makes the plugin calls that changes have recorded (docs/plugins.md#calls): each once per plugin, through any crash. An attempt is noted
 * before and after; one that was cut off in between, or failed, is repeated and marked as a repetition. Each plugin has its own queue, so
 * that one that hangs delays no other, and jobs wait for their calls no longer than one call may take.
 */
import { Context, Duration, Effect, Fiber, Layer, Option, RcRef, Schedule, Schema, Semaphore } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import { ServerConfig } from "../ServerConfig.ts"
import { type CallEnd, type DueCall, PluginCallStore } from "../store/PluginCallStore.ts"
import { type Plugin, PluginCall, PluginError } from "./Plugin.ts"
import { PluginRegistry } from "./PluginRegistry.ts"
import { PgClient } from "@effect/sql-pg"
import { locks } from "../store/DatabaseClient.ts"
import { Acting, server } from "../domain/access/Identity.ts"

// The database's lock of each plugin: one process at a time makes its calls, and a killed process returns it with its connection. All locks
// of this process are on one connection, however many plugins there are.

const POLL = "250 millis"

/** Polls the lock: a waiting statement could not be told from one that the database does not answer. */
const locked = (connection: SqlConnection.Connection, statement: string, parameters: ReadonlyArray<unknown>) =>
  connection
    .executeValues(statement, parameters)
    .pipe(Effect.repeat({ until: ([row]) => row?.[0] === true, schedule: Schedule.spaced(POLL) }))

/** Frees the lock, because it would go back into the pool with its connection; a connection that ends frees its locks. */
const unlocked = (connection: SqlConnection.Connection, statement: string, parameters: ReadonlyArray<unknown>) =>
  connection.executeRaw(statement, parameters).pipe(
    Effect.retry({ while: ({ reason }) => reason._tag !== "ConnectionError", times: 10 }),
    Effect.catch((error) => Effect.logDebug("A lock of the plugin calls ended with its connection", error))
  )

/** Locks by the keys of plugins. */
const makeLocks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  // sessions on one connection share its locks
  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = (plugin: string) => {
    const turn = turns.get(plugin) ?? Semaphore.makeUnsafe(1)
    turns.set(plugin, turn)
    return turn
  }

  const connections = yield* RcRef.make({
    acquire: Effect.gen(function* () {
      const connection = yield* sql.reserve
      yield* Effect.addFinalizer(() => unlocked(connection, "select pg_advisory_unlock_all()", []))
      yield* locked(connection, "select pg_try_advisory_lock_shared($1)", [locks.plugins])
      return connection
    })
  })

  return (plugin: string) => {
    const place = [locks.plugin, plugin]
    const taken = Effect.gen(function* () {
      const connection = yield* RcRef.get(connections)
      yield* Effect.addFinalizer(() =>
        unlocked(connection, "select pg_advisory_unlock($1::integer, hashtext($2))", place)
      )
      // a broken connection is of no use to later callers
      yield* locked(connection, "select pg_try_advisory_lock($1::integer, hashtext($2))", place).pipe(
        Effect.tapError(() => RcRef.invalidate(connections))
      )
    })
    return <A, E, R>(work: Effect.Effect<A, E, R>) =>
      turnOf(plugin).withPermits(1)(Effect.scoped(Effect.andThen(taken, work)))
  }
})

/** How often calls of a killed process are looked for; sooner if an attempt is due. */
const SWEEP = Duration.seconds(30)
const SHORTEST_PAUSE = Duration.millis(250)

const RETRY_FACTOR = 4
const LONGEST_RETRY_SECONDS = 3600

/** Attempts in addition to those of PLUGIN_ATTEMPTS, because a server that ends in the middle of one is no fault of the plugin. */
const CUT_OFFS = 3
const CUT_OFF = "the server ended during each attempt"

const make = Effect.gen(function* () {
  const { PLUGIN_ATTEMPTS, PLUGIN_RETRY_DELAY, PLUGIN_TIMEOUT } = yield* ServerConfig
  const registry = yield* PluginRegistry
  const calls = yield* PluginCallStore
  const withLock = yield* makeLocks
  const scope = yield* Effect.scope

  const attempt = Effect.fnUntraced(function* (due: DueCall, plugin: Plugin) {
    const call = yield* Effect.mapError(
      Schema.decodeUnknownEffect(PluginCall)(due.payload),
      () => new PluginError({ plugin: plugin.name, message: "the call has an unknown form", retry: false })
    )
    yield* plugin.call(call, { id: `event-${due.id}`, attempt: due.attempts + 1, again: due.attempts > 0 })
  })

  const afterError = (attempts: number, { message, retry }: PluginError): CallEnd => {
    const pause = Math.min(PLUGIN_RETRY_DELAY * RETRY_FACTOR ** (attempts - 1), LONGEST_RETRY_SECONDS)
    return { _tag: "Failed", error: message, retryInSeconds: retry && attempts < PLUGIN_ATTEMPTS ? pause : null }
  }

  const carryOut = Effect.fnUntraced(function* (due: DueCall, plugin: Plugin) {
    // a call that ends the server each time must not be repeated for ever
    if (due.attempts >= PLUGIN_ATTEMPTS + CUT_OFFS) {
      yield* Effect.logError(`Plugin ${plugin.name} is not called again in ${due.hook}: ${CUT_OFF}`)
      return yield* calls.end(due, plugin.key, { _tag: "Failed", error: CUT_OFF, retryInSeconds: null })
    }
    yield* calls.begin(due.id, plugin.key)
    const ended = yield* Effect.match(attempt(due, plugin), {
      onFailure: (error) => afterError(due.attempts + 1, error),
      onSuccess: (): CallEnd => ({ _tag: "Done" })
    })
    if (ended._tag === "Failed") {
      yield* Effect.logError(`Plugin ${plugin.name} failed in ${due.hook}: ${ended.error}`, {
        hostname: due.hostname,
        retryInSeconds: ended.retryInSeconds
      })
    }
    yield* calls.end(due, plugin.key, ended)
    if (ended._tag === "Failed" && ended.retryInSeconds !== null) yield* lookIn(ended.retryInSeconds)
  })

  /** A short pause ends before the next sweep. */
  const lookIn = (seconds: number): Effect.Effect<void> =>
    seconds > Duration.toSeconds(SWEEP)
      ? Effect.void
      : Effect.asVoid(Effect.forkIn(Effect.delay(Effect.ignoreCause(everything), Duration.seconds(seconds)), scope))

  const drain = (plugin: Plugin) =>
    Effect.gen(function* () {
      for (let due = yield* calls.next(plugin); Option.isSome(due); due = yield* calls.next(plugin)) {
        yield* carryOut(due.value, plugin)
      }
    }).pipe(withLock(plugin.key), Effect.withSpan("PluginActions.drain"))

  const everything: Effect.Effect<void, SqlError.SqlError> = Effect.gen(function* () {
    const plugins = yield* registry.plugins
    yield* Effect.forEach(plugins, drain, { concurrency: "unbounded", discard: true })
    yield* calls.settle(plugins)
  }).pipe(Effect.provideService(Acting, server))

  /** Continues if its caller has stopped waiting. */
  const runOpen = Effect.flatMap(Effect.forkIn(everything, scope), Fiber.join)

  const runPatiently = runOpen.pipe(
    Effect.timeoutOption(Duration.seconds(PLUGIN_TIMEOUT)),
    Effect.catchCause((cause) => Effect.logWarning("Plugin calls wait for another attempt", cause)),
    Effect.asVoid
  )

  const pause = Effect.map(calls.untilNext, (seconds) =>
    Duration.clamp(Duration.seconds(seconds ?? Number.POSITIVE_INFINITY), { minimum: SHORTEST_PAUSE, maximum: SWEEP })
  )

  const begin = Effect.asVoid(Effect.forkIn(Effect.ignoreCause(everything), scope))

  return PluginActions.of({ runOpen, runPatiently, begin, pause })
})

/** Recorded plugin calls. */
export class PluginActions extends Context.Service<
  PluginActions,
  {
    /** Makes every call that is due. Errors of plugins are logged and have no other effect. */
    readonly runOpen: Effect.Effect<void, SqlError.SqlError>
    /** The same for a job: it waits for one call's time at most, and continues whatever becomes of the calls. */
    readonly runPatiently: Effect.Effect<void>
    /** The same without waiting; failed calls are found again later. */
    readonly begin: Effect.Effect<void>
    /** How long no call is due. */
    readonly pause: Effect.Effect<Duration.Duration, SqlError.SqlError>
  }
>()("switchyard/plugins/PluginActions") {
  static readonly layer = Layer.effect(PluginActions, make)

  /** Makes unfinished calls of ended processes, at the start and from time to time. */
  static readonly layerSweep = Layer.effectDiscard(
    Effect.gen(function* () {
      const { pause, runOpen } = yield* PluginActions
      const sweep = runOpen.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Plugin calls could not be looked for", cause))
      )
      const rest = Effect.flatMap(
        Effect.orElseSucceed(pause, () => SWEEP),
        Effect.sleep
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(sweep, rest)))
      const { JOB_RECORD_DAYS, UPKEEP_INTERVAL } = yield* ServerConfig
      const { forget } = yield* PluginCallStore
      yield* forget(JOB_RECORD_DAYS).pipe(
        Effect.catchCause((cause) => Effect.logWarning("Old plugin calls could not be removed", cause)),
        Effect.repeat(Schedule.spaced(Duration.seconds(UPKEEP_INTERVAL))),
        Effect.forkScoped
      )
    })
  )
}
