/** Commands that are stopped in the middle of their work: at a point where another session holds a table that they need. */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Program from "../../support/Program.ts"

/** Under a name of its own: nothing is restored while a server is connected. */
const at = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "tester" })

/** Locks the events in a database until the scope closes: `exclusive` lets others read them. */
const holdingEvents = Effect.fnUntraced(function* (url: string, mode: "exclusive" | "access exclusive") {
  const areHeld = yield* Deferred.make<void>()
  const hold = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.all([
        sql`lock table event in ${sql.literal(mode)} mode`,
        Deferred.succeed(areHeld, undefined),
        Effect.never
      ])
    )
  )
  yield* Effect.forkScoped(Effect.provide(hold, at(url)))
  yield* Deferred.await(areHeld)
})

const waitsForEvents = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select from pg_locks where not granted and relation = 'event'::regclass`
).pipe(Effect.map(({ length }) => length > 0))

/**
 * Starts a command, stops it by this signal once it waits for the events of this database, and yields how it has ended; `before` is
 * looked at while it waits.
 */
export const stop = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  words: ReadonlyArray<string>,
  signal: NodeJS.Signals,
  url: string,
  before: Effect.Effect<void> = Effect.void
) {
  yield* holdingEvents(url, words[0] === "restore" ? "exclusive" : "access exclusive")
  const { ended, kill } = yield* Program.begin(env, words)
  yield* Effect.provide(Program.until(waitsForEvents), at(url))
  yield* before
  kill(signal)
  return yield* ended
}, Effect.scoped)
