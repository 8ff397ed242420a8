/**
 * The database's lock of each plugin: one process at a time makes its calls, and a process that is killed gives it back with its
 * connection. All locks of this process are on one connection, however many plugins there are.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, RcRef, Schedule, Semaphore } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import { locks } from "../store/DatabaseClient.ts"

const POLL = "250 millis"

/** Asked for again and again: one that waits could not be told from one that the database does not answer. */
const locked = (connection: SqlConnection.Connection, statement: string, parameters: ReadonlyArray<unknown>) =>
  connection
    .executeValues(statement, parameters)
    .pipe(Effect.repeat({ until: ([row]) => row?.[0] === true, schedule: Schedule.spaced(POLL) }))

/** A lock that stayed would go back into the pool with its connection; one that ends takes its locks with it. */
const unlocked = (connection: SqlConnection.Connection, statement: string, parameters: ReadonlyArray<unknown>) =>
  connection.executeRaw(statement, parameters).pipe(
    Effect.retry({ while: ({ reason }) => reason._tag !== "ConnectionError", times: 10 }),
    Effect.catch((error) => Effect.logDebug("A lock of the plugin calls ended with its connection", error))
  )

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  // who shares a connection shares its locks
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

  const withLock = (plugin: string) => {
    const place = [locks.plugin, plugin]
    const taken = Effect.gen(function* () {
      const connection = yield* RcRef.get(connections)
      yield* Effect.addFinalizer(() =>
        unlocked(connection, "select pg_advisory_unlock($1::integer, hashtext($2))", place)
      )
      // a connection that is broken is no use to those who come next
      yield* locked(connection, "select pg_try_advisory_lock($1::integer, hashtext($2))", place).pipe(
        Effect.tapError(() => RcRef.invalidate(connections))
      )
    })
    return <A, E, R>(work: Effect.Effect<A, E, R>) =>
      turnOf(plugin).withPermits(1)(Effect.scoped(Effect.andThen(taken, work)))
  }

  return PluginLocks.of({ withLock })
})

/** Locks by the keys of plugins. */
export class PluginLocks extends Context.Service<
  PluginLocks,
  {
    readonly withLock: (
      plugin: string
    ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
  }
>()("switchyard/plugins/PluginLocks") {
  static readonly layer = Layer.effect(PluginLocks, make)
}
