/**
 * Carries out the plugin calls that state changes have recorded: each call is made once per plugin, through any crash. The
 * call is noted before it is made and after; one that was cut off in between is made again and says so.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schedule, Schema, Semaphore } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import { type Plugin, PluginCall } from "./Plugin.ts"
import { PluginRegistry } from "./PluginRegistry.ts"

interface Action {
  readonly id: number
  readonly payload: unknown
}

/** How often calls are looked for that a killed process left behind. */
const SWEEP = "30 seconds"

/** Number of the database's lock under which calls are made. */
const LOCK = 4202
const LOCK_POLL = "250 millis"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { plugins } = yield* PluginRegistry
  // each keeps a connection while it asks for another: as many as the pool has would wait for each other
  const turn = Semaphore.makeUnsafe(1)

  const callPlugin = Effect.fnUntraced(function* (action: Action, call: PluginCall, plugin: Plugin) {
    const [started] = yield* sql`insert into plugin_run ${sql.insert({ action_id: action.id, plugin: plugin.name })}
      on conflict do nothing returning plugin`
    const [done] = yield* sql`select 1 from plugin_run where action_id = ${action.id} and plugin = ${plugin.name}
      and done_at is not null`
    if (done !== undefined) return
    const delivery = { id: `event-${action.id}`, again: started === undefined }
    const error = yield* Effect.match(plugin.call(call, delivery), {
      onFailure: ({ message }) => message,
      onSuccess: () => null
    })
    if (error !== null) yield* Effect.logError(`Plugin ${plugin.name} failed in ${call.hook}: ${error}`)
    yield* sql`update plugin_run set done_at = now(), error = ${error}
      where action_id = ${action.id} and plugin = ${plugin.name}`
  })

  const carryOut = Effect.fnUntraced(function* (action: Action) {
    const call = yield* Schema.decodeUnknownEffect(PluginCall)(action.payload).pipe(Effect.orDie)
    for (const plugin of plugins) yield* callPlugin(action, call, plugin)
    yield* sql`update device_action set done_at = now() where id = ${action.id}`
  })

  /** Asked for again and again: one that waits could not be told from one that the database does not answer. */
  const locked = (connection: SqlConnection.Connection) =>
    connection
      .executeValues(`select pg_try_advisory_lock(${LOCK})`, [])
      .pipe(Effect.repeat({ until: ([row]) => row?.[0] === true, schedule: Schedule.spaced(LOCK_POLL) }))

  /** A lock that stayed would go back into the pool with its connection; one that ends takes its locks with it. */
  const unlocked = (connection: SqlConnection.Connection) =>
    connection.executeRaw("select pg_advisory_unlock_all()", []).pipe(
      Effect.retry({ while: ({ reason }) => reason._tag !== "ConnectionError", times: 10 }),
      Effect.catch((error) => Effect.logDebug("The lock of the plugin calls ended with its connection", error))
    )

  /** One process at a time; whoever comes second finds nothing left to do. */
  const runOpen = Effect.gen(function* () {
    const connection = yield* sql.reserve
    yield* Effect.addFinalizer(() => unlocked(connection))
    yield* locked(connection)
    const open =
      yield* sql<Action>`select id, payload from device_action where done_at is null and kind = 'runPlugins' order by id`
    yield* Effect.forEach(open, carryOut, { discard: true })
  }).pipe(Effect.scoped, turn.withPermits(1), Effect.withSpan("PluginActions.runOpen"))

  return PluginActions.of({ runOpen })
})

/** Recorded plugin calls. */
export class PluginActions extends Context.Service<
  PluginActions,
  {
    /** Makes every call that is recorded and not made. Errors of plugins are logged and change nothing. */
    readonly runOpen: Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/plugins/PluginActions") {
  static readonly layer = Layer.effect(PluginActions, make)

  /** Makes calls that were left behind, at the start and from time to time. */
  static readonly layerSweep = Layer.effectDiscard(
    Effect.gen(function* () {
      const { runOpen } = yield* PluginActions
      yield* runOpen.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Plugin calls could not be looked for", cause)),
        Effect.repeat(Schedule.spaced(SWEEP)),
        Effect.forkScoped
      )
    })
  )
}
