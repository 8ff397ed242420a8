/**
 * Restores all tables in one transaction: until its commit the database stays unchanged, also if this process ends. The restore removes the
 * existing objects, creates the schema of the backup, loads its rows, and runs the later migrations on them.
 */
import { Duration, Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { locks } from "../DatabaseClient.ts"
import { answeringWithin } from "../AnswerTime.ts"
import { APPLICATION } from "../Database.ts"
import * as Migrations from "../Migrations.ts"
import { BACKED_UP, FUNCTIONS, LEFT_OUT, plainForms, type Sequence, type Table, type TextRow } from "./DatabaseDump.ts"
import { release } from "../../domain/Release.ts"
import { DEVICE_COLUMNS } from "../JobResults.ts"
import { JOB_BEGUN, UNFINISHED } from "../StatusConditions.ts"
import { RESTORED } from "../DeviceStore.ts"

// Removes facts that no longer hold after a restore. The database shows the moment of the backup: the present configurations of switches, the
// ends of the jobs of that moment and the sessions of users are unknown, so none of them may continue
// (docs/operations.md#what-happens-afterwards). This runs in the transaction of the restore.

/** The restored backup; `backupOf` is the time of its snapshot, ISO 8601, UTC. */
interface Restored {
  readonly backupOf: string
  /** The new id of the installation; null if the database already has the right one. */
  readonly installation: string | null
}

const BY = "server"

/** The message for all interrupted work. */
const sentenceOf = ({ backupOf }: Restored): string =>
  `The database was restored from a backup of ${backupOf}: nobody knows what this job did after that`

/** Marks managed devices, and devices with work in progress. */
const devices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unseen = sql.literal(`state = 'MANAGED'
    or id in (select device_id from config_change where ${UNFINISHED})
    or id in (select device_id from device_operation where phase <> 'done')`)
  // the cause before the row, as elsewhere; the next read of a device finds by it whether the device was synchronized
  yield* sql`insert into sync_event (hostname, cause, happened_at, by, found_by, job_id)
    select hostname, ${RESTORED}, extract(epoch from now()), ${BY}, ${BY}, null from device where synchronized and (${unseen}) order by id`
  yield* sql`update device set unseen_since = now(), synchronized = false where ${unseen}`
})

/** Ends unfinished changes: after days, nothing of them may be sent to a switch. */
const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update config_change set phase = 'unknown', epoch = epoch + 1, updated_at = now(),
    protocol = protocol || jsonb_build_object('phase', 'unknown', 'epoch', epoch + 1) where ${sql.literal(UNFINISHED)}`
  yield* sql`update device_operation set phase = 'done', epoch = epoch + 1, updated_at = now() where phase <> 'done'`
})

/** Jobs that had begun fail, and waiting jobs are aborted. Records of single devices keep the known facts. */
const jobs = Effect.fnUntraced(function* (restored: Restored) {
  const sql = yield* SqlClient.SqlClient
  const message = sentenceOf(restored)
  const exception = JSON.stringify({ message, type: "DatabaseRestored", args: [message], traceback: "" })
  yield* sql`update job_approval set decision = 'expired', decided_by = ${BY}, decided_at = now(), comment = ${message}
    where decision is null`
  yield* sql`update job set status = 'ABORTED', outcome = 'aborted', finish_time = now(), abort_reason = ${message}, aborted_by = ${BY}
    where status = 'SCHEDULED'`
  yield* sql`
    update job set status = 'EXCEPTION', finish_time = now(), exception = ${exception}::jsonb, finished_devices = n.finished_devices,
      failed_devices = n.failed_devices, counts = n.counts,
      outcome = case when (n.counts ->> 'succeeded')::integer > 0 then 'partial' else 'failed' end
    from (select j.id, of_job.* from job j cross join lateral
        (select ${sql.literal(DEVICE_COLUMNS)} from job_device d where d.job_id = j.id) of_job
      where j.status in ${sql.literal(JOB_BEGUN)}) n
    where job.id = n.id`
  yield* sql`delete from joblock`
})

/** Ends all sessions of users. */
const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update local_user set session = gen_random_uuid()`
})

/** The step of sequences: more than any site uses between two backups. */
const LEAP = 10_000
const EVENTS_LEAP = 10_000_000

/**
 * Advances sequences. Numbers that were used after the backup are on switches (as names of candidates), in other systems and with clients
 * that continue to read events after a number: they must not be used again.
 */
const numbers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select setval(format('%I.%I', schemaname, sequencename)::regclass, (coalesce(last_value, 0) / leap + 2) * leap)
    from pg_sequences cross join lateral (
      select case when sequencename like 'event%' then ${EVENTS_LEAP}::bigint else ${LEAP}::bigint end as leap) by_table
    where schemaname = current_schema()`
})

/** Removes uncertain facts from a restored database; inside the transaction of the restore, at the newest schema. */
const afterRestore = Effect.fn("AfterRestore.afterRestore")(function* (restored: Restored) {
  const sql = yield* SqlClient.SqlClient
  // first, because the following statements create events
  yield* numbers
  yield* devices
  yield* changes
  yield* jobs(restored)
  yield* sessions
  if (restored.installation !== null) yield* sql`update installation set id = ${restored.installation}::uuid`
  yield* sql`insert into restore (backup_of, release) values (${restored.backupOf}::timestamptz, ${release})`
})

/** A server or a command works with the database. */
export class DatabaseInUse extends Schema.TaggedError<DatabaseInUse>()("DatabaseInUse", {
  by: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The database is in use (${this.by.join(", ")}): stop all servers first. Nothing was changed`
  }
}

/** The rows do not fit the schema. */
export class NotLoadable extends Schema.TaggedError<NotLoadable>()("NotLoadable", { message: Schema.String }) {}

/** The backup to be restored. */
interface Dumped {
  readonly at: string
  readonly schema: number
  readonly tables: ReadonlyArray<Table>
  readonly sequences: ReadonlyArray<Sequence>
  /** The new id of the installation; null if the rows of the backup hold it, or if a random one is created. */
  readonly installation: string | null
}

/** Inserts rows into a table of the backup. */
export type Insert = (
  table: Table,
  rows: ReadonlyArray<TextRow>
) => Effect.Effect<void, SqlError.SqlError | NotLoadable, SqlClient.SqlClient>

/** Fails with DatabaseInUse if a server, or a command that changes data, is connected. */
export const checkUnused = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const others = yield* sql<{ by: string }>`
    select application_name || ' from ' || coalesce(host(client_addr), 'this machine') || ', process ' || pid || ' of the database' as by
    from pg_stat_activity where datname = current_database() and application_name = ${APPLICATION} order by backend_start limit 3`
  if (others.length > 0) return yield* new DatabaseInUse({ by: others.map(({ by }) => by) })
})

/** Tables that have rows as soon as a server was used. */
const TELLING = ["device", "event", "job", "site", "api_token", "local_user", "secret"]

/** Whether a restore would remove no data. */
export const isEmpty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of TELLING) {
    const [there] = yield* sql<{ found: boolean }>`select to_regclass(${table}) is not null as found`
    if (there?.found !== true) continue
    if ((yield* sql`select 1 from ${sql(table)} limit 1`).length > 0) return false
  }
  return true
})

/** Removes our functions: those with a table's row as parameter before the table, and those of triggers after it. */
const removeFunctions = Effect.fnUntraced(function* (taking: "rows" | "values") {
  const sql = yield* SqlClient.SqlClient
  const functions = yield* sql<{ name: string }>`select oid::regprocedure::text as name from pg_proc
    where pronamespace = current_schema()::regnamespace and proname = any(${[...FUNCTIONS]}::text[])
      and exists (select from pg_type t where t.oid = any(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) and t.typrelid <> 0) = ${taking === "rows"}`
  for (const { name } of functions) yield* sql`drop function ${sql.literal(name)}`
})

const removeAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // a session that keeps a table open for long must not block the restore without limit
  yield* sql`select set_config('lock_timeout', '60s', true)`
  const tables = [...BACKED_UP, ...Object.keys(LEFT_OUT)].map((name) => sql`${sql(name)}`)
  yield* removeFunctions("rows")
  yield* sql`drop table if exists ${sql.csv(tables)}`
  yield* removeFunctions("values")
})

/** Runs work without triggers and foreign keys, which are restored and checked afterwards. */
const withoutRules = <A, E, R>(tables: ReadonlyArray<string>, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const references = yield* sql<{ table: string; name: string; rule: string }>`
      select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as rule
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`
    for (const { name, table } of references) yield* sql`${sql.literal(`alter table ${table} drop constraint ${name}`)}`
    for (const table of tables) yield* sql`alter table ${sql(table)} disable trigger user`
    const done = yield* work
    for (const table of tables) yield* sql`alter table ${sql(table)} enable trigger user`
    for (const { name, rule, table } of references)
      yield* sql`${sql.literal(`alter table ${table} add constraint ${name} ${rule}`)}`
    return done
  })

/** Types of the columns without their lengths: a cast with a length would cut a long value instead of refusing it. */
const typesOf = Effect.fnUntraced(function* ({ columns, name }: Table) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ column: string; type: string }>`
    select attname as column, format_type(atttypid, null) as type from pg_attribute
    where attrelid = to_regclass(${name}) and attnum > 0 and not attisdropped`
  const types = new Map(found.map(({ column, type }) => [column, type]))
  return yield* Effect.forEach(columns, (column) =>
    Option.match(Option.fromUndefinedOr(types.get(column)), {
      onNone: () => new NotLoadable({ message: `The schema of the backup has no column ${column} of ${name}` }),
      onSome: Effect.succeed
    })
  )
})

const makeInsert = (): Insert => {
  const known = new Map<string, ReadonlyArray<string>>()
  return Effect.fnUntraced(function* (table, rows) {
    if (rows.length === 0) return
    const sql = yield* SqlClient.SqlClient
    const types = known.get(table.name) ?? (yield* typesOf(table))
    known.set(table.name, types)
    const values = types.map((type, index) => sql.literal(`(r ->> ${index})::${type}`))
    yield* sql`insert into ${sql(table.name)} (${sql.csv(table.columns.map((column) => sql`${sql(column)}`))})
      overriding system value select ${sql.csv(values)} from json_array_elements(${JSON.stringify(rows)}::json) r`
  })
}

const setSequences = (sequences: ReadonlyArray<Sequence>) =>
  Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
    Effect.forEach(
      sequences,
      ({ called, column, table, value }) =>
        sql`select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), ${value}::text::bigint, ${called})`,
      { discard: true }
    )
  )

const load = Effect.fnUntraced(function* <E, R>(dumped: Dumped, feed: (insert: Insert) => Effect.Effect<void, E, R>) {
  const sql = yield* SqlClient.SqlClient
  yield* plainForms
  const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.restore}) as taken`
  if (lock?.taken !== true) return yield* new DatabaseInUse({ by: ["another restore"] })
  yield* removeAll
  yield* Migrations.runTo(dumped.schema)
  const names = dumped.tables.map(({ name }) => name)
  yield* withoutRules(
    names,
    Effect.gen(function* () {
      // migrations may have inserted rows
      if (names.length > 0) yield* sql`truncate ${sql.csv(names.map((name) => sql`${sql(name)}`))}`
      yield* feed(makeInsert())
      yield* setSequences(dumped.sequences)
    })
  )
  yield* Migrations.run
  yield* afterRestore({ backupOf: dumped.at, installation: dumped.installation })
  // a server that was started in the meantime has read old data
  yield* checkUnused
})

/**
 * Replaces the whole database by a backup, whose rows `feed` inserts. Until it succeeds, nothing changes. Fails with
 * DatabaseInUse, NotLoadable, SqlError, and errors of migrations.
 */
export const replace = <E, R>(dumped: Dumped, feed: (insert: Insert) => Effect.Effect<void, E, R>) =>
  Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
    sql.withTransaction(Effect.interruptible(load(dumped, feed)))
  ).pipe(
    // a committed restore must not be reported as interrupted
    Effect.uninterruptible,
    answeringWithin(Duration.infinity),
    Effect.withSpan("DatabaseLoad.replace")
  )
