/**
 * Whether a connection is a session of its own in PostgreSQL. Locks of plugins and of the cluster, and prepared statements,
 * live in a session: behind a pooler that lends backends for a transaction or a statement they would be somebody else's, or
 * lost, without any error. Nothing is asked of the pooler, so any kind is found: two connections that are open at once must
 * have a backend each, and keep it.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

/** Somebody between the server and its database shares sessions; waiting does not help. */
export class SessionsShared extends Schema.TaggedError<SessionsShared>()("SessionsShared", {}) {
  override readonly message =
    "The database is behind a pooler that lends its sessions by transaction or statement. Switchyard needs whole sessions, for its locks: set pool_mode = session in PgBouncer, or connect to PostgreSQL itself"
}

/** Enough for a pooler that gives out its backends in turn. */
const ROUNDS = 3

const send = (connection: SqlConnection.Connection, statement: string) =>
  connection.executeValuesUnprepared(statement, [])

const backendOf = (connection: SqlConnection.Connection) =>
  Effect.map(send(connection, "select pg_backend_pid()"), ([row]) => Number(row?.[0]))

/** A transaction for as long as the effect takes, and never one that is not there: PostgreSQL would warn of it at each start. */
const inTransaction = <A, E>(connection: SqlConnection.Connection, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    send(connection, "begin"),
    () => effect,
    () => Effect.ignore(send(connection, "commit"))
  )

/** Whether two connections have a backend each, also while the second has a transaction open. */
const look = Effect.fnUntraced(function* (one: SqlConnection.Connection, other: SqlConnection.Connection) {
  const before = yield* backendOf(one)
  // one that lends by statement ends the connection at the sight of a transaction
  if ((yield* backendOf(other)) === before) return false
  const meanwhile = Effect.gen(function* () {
    // with a single backend, which the other has now, there would be no answer
    if ((yield* backendOf(other)) === before) return undefined
    return yield* backendOf(one)
  })
  return (yield* inTransaction(other, meanwhile)) === before
})

/** Fails with SessionsShared; answers when the database does. */
export const check = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one, other] = yield* Effect.all([sql.reserve, sql.reserve])
  for (let round = 0; round < ROUNDS; round += 1) {
    if (!(yield* look(one, other))) return yield* new SessionsShared()
  }
}).pipe(Effect.scoped, Effect.withSpan("WholeSessions.check"))
