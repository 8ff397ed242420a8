/**
 * Reads all tables as of one moment, while servers work with them: one transaction that sees what was committed when it began and holds up
 * nobody. Rows come as the database sends them, so that no table has to fit into memory.
 */
import { Duration, Effect, Option, Schema, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { answeringWithin } from "../AnswerTime.ts"
import * as Installation from "../Installation.ts"
import { BACKED_UP, LEFT_OUT } from "./BackupTables.ts"
import * as CopyText from "./CopyText.ts"

/** The database has no schema of ours. */
export class NothingToBackUp extends Schema.TaggedError<NothingToBackUp>()("NothingToBackUp", {}) {
  override readonly message = "There is nothing to back up: the database has no tables of Switchyard"
}

/** A table whose rows follow. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** How far a sequence is: the next number is `value`, or the one after it when that was given out. */
export const Sequence = Schema.Struct({
  table: Schema.String,
  column: Schema.String,
  value: Schema.String,
  called: Schema.Boolean
})
export type Sequence = typeof Sequence.Type

/** What the database is like at the moment of the snapshot. */
export interface Snapshot {
  /** Time of the snapshot, ISO 8601 with microseconds, UTC. */
  readonly at: string
  /** Number of the newest migration. */
  readonly schema: number
  /** Id of the installation; null before it has one. */
  readonly installation: string | null
  /** Version of PostgreSQL. */
  readonly postgres: string
  readonly tables: ReadonlyArray<Table>
  readonly sequences: ReadonlyArray<Sequence>
  /** Tables that nobody knows here, such as those of a site; they are not read. */
  readonly strangers: ReadonlyArray<string>
}

/** So that every value is written in a form that does not depend on the settings of a server, a database or a role. */
export const plainForms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [name, value] of Object.entries({
    datestyle: "ISO, YMD",
    intervalstyle: "postgres",
    timezone: "UTC",
    bytea_output: "hex",
    extra_float_digits: "3",
    xmlbinary: "base64",
    statement_timeout: "0",
    lock_timeout: "0",
    idle_in_transaction_session_timeout: "0"
  })) {
    yield* sql`select set_config(${name}, ${value}, true)`
  }
})

const isKnown = (name: string): boolean => BACKED_UP.some((known) => known === name)
const isLeftOut = (name: string): boolean => Object.hasOwn(LEFT_OUT, name)

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Table>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
    group by c.relname order by c.relname`
})

const sequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owned = yield* sql<{ table: string; column: string; sequence: string }>`
    select c.relname as table, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and a.attidentity <> ''
    where c.relnamespace = current_schema()::regnamespace order by 1, 2`
  return yield* Effect.forEach(
    owned.filter(({ table }) => isKnown(table)),
    ({ column, sequence, table }) =>
      Effect.map(
        sql<{ value: string; called: boolean }>`select last_value::text as value, is_called as called
          from ${sql.literal(sequence)}`,
        (rows): ReadonlyArray<Sequence> => rows.map((row) => ({ table, column, ...row }))
      )
  ).pipe(Effect.map((found) => found.flat()))
})

const look = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* tables
  if (!found.some(({ name }) => name === "switchyard_migrations")) return yield* new NothingToBackUp()
  const [state] = yield* sql<Pick<Snapshot, "at" | "schema" | "postgres">>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, current_setting('server_version') as postgres,
      (select max(migration_id) from switchyard_migrations) as schema`
  const { at, postgres, schema } = yield* Effect.orDie(Effect.fromOption(Option.fromUndefinedOr(state)))
  const identity = yield* Installation.inDatabase()
  return {
    at,
    schema,
    installation: identity.kind === "named" ? identity.id : null,
    postgres,
    tables: found.filter(({ name }) => isKnown(name)),
    sequences: yield* sequences,
    strangers: found.map(({ name }) => name).filter((name) => !isKnown(name) && !isLeftOut(name))
  }
})

/** The rows of a table as lines of COPY. */
const linesOf = ({ columns, name }: Table) =>
  Stream.unwrap(
    Effect.map(Effect.service(SqlClient.SqlClient), (sql) => {
      const texts = columns.map((column) => sql`${sql(column)}::text as ${sql(column)}`)
      return sql<Readonly<Record<string, string | null>>>`select ${sql.csv(texts)} from ${sql(name)}`.stream.pipe(
        Stream.map((row) => CopyText.encode(columns.map((column) => row[column] ?? null)))
      )
    })
  )

/**
 * Does something with the whole database as it is at one moment. `lines` of each table may be read one after the other.
 * Fails with NothingToBackUp.
 */
export const snapshot = <A, E, R>(
  use: (
    found: Snapshot,
    lines: (table: Table) => Stream.Stream<string, SqlError.SqlError, SqlClient.SqlClient>
  ) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`set transaction isolation level repeatable read, read only`
    yield* plainForms
    return yield* use(yield* look, linesOf)
  }).pipe(
    (work) => Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) => sql.withTransaction(work)),
    answeringWithin(Duration.infinity),
    Effect.withSpan("DatabaseDump.snapshot")
  )
