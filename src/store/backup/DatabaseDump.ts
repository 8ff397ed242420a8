/**
 * Reads all tables at one moment while servers use them: one transaction that sees the commits before its begin and blocks no other. Rows
 * are streamed, so no table must fit into memory.
 */
import { Duration, Effect, Option, Schema, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { answeringWithin } from "../AnswerTime.ts"
import * as Installation from "../Installation.ts"

// Tables and functions that are in a backup, and those that are omitted (docs/backup-format.md). A test compares the lists with a migrated
// database, so a new table or function cannot be forgotten.

/** Tables whose rows are in a backup with all columns. Names of tables that a later release drops stay here. */
export const BACKED_UP = [
  "accepted_login",
  "alert",
  "alert_delivery",
  "alert_mute",
  "alert_position",
  "api_token",
  "arp_entry",
  "certificate",
  "commit_signature",
  "config_change",
  "derived_secret",
  "device",
  "device_action",
  "device_operation",
  "device_unreachable",
  "device_upgrade",
  "event",
  "event_anchor",
  "event_export",
  "event_removed",
  "event_seal",
  "heard",
  "heard_neighbour",
  "host_key",
  "identity_claim",
  "installation",
  "ignored_device",
  "interface",
  "job",
  "job_approval",
  "job_device",
  "joblock",
  "learned_line",
  "linknet",
  "local_user",
  "login_attempt",
  "mac_entry",
  "mgmtdomain",
  "network_claim",
  "onboarding",
  "onboarding_distance",
  "overview_history",
  "person",
  "plugin_run",
  "port_reading",
  "proposal",
  "proposal_approval",
  "proved_config",
  "repository",
  "repository_kept",
  "request_approval",
  "reserved_ip",
  "restore",
  "retained",
  "saved_view",
  "secret",
  "secure_defaults",
  "site",
  "stackmember",
  "station_port",
  "stored_text",
  "sync_event",
  "tables_read",
  "unknown_device",
  "viewed_group",
  "viewed_proposal",
  "watched",
  "written_check"
] as const

/** Tables that are not in a backup, with the reason. A restore removes them; their users create them again. */
export const LEFT_OUT = {
  dhcp_lease: "the last reports of DHCP servers, which report every lease again at its renewal",
  left_session: "what was seen on switches, which are all looked at after a restore",
  page_session: "who was signed on in the page, and signs on again after a restore",
  waiting_commit: "found again by the next refresh",
  switchyard_migrations: "made by the migrations, which a restore runs up to the schema of the backup",
  cluster_migrations: "made by the cluster at its start",
  cluster_runner_migrations: "made by the cluster at its start",
  cluster_runners: "processes that ran when the backup was made",
  cluster_locks: "what these processes held",
  cluster_messages: "work of jobs that had not ended, which a restore ends",
  cluster_replies: "answers to these messages"
} as const

/** Functions that the migrations create. Also those that a later migration removes, because a restore may replace an older database. */
export const FUNCTIONS = [
  "acting",
  "address_value",
  "audit_change",
  "audit_commit",
  "audit_job",
  "audit_lock",
  "audit_row",
  "audit_sync_events",
  "claim_for_device",
  "claim_for_ends",
  "claim_for_reservation",
  "claim_identities",
  "end_waiting_commit",
  "event_begins",
  "event_is_final",
  "events_after",
  "events_complete",
  "expect_proved",
  "forget_identities",
  "identities",
  "iso_time",
  "mac_value",
  "network_value",
  "networks_of",
  "owner_name",
  "release_identities",
  "serial_value",
  "shown_value",
  "signature_of",
  "signatures_of_job",
  "space_time",
  "tell_change",
  "tell_changes_added",
  "tell_changes_moved",
  "tell_device",
  "tell_job_devices",
  "tell_job_devices_unless_stripped",
  "tell_job_paused",
  "tell_lock",
  "tell_lock_passed",
  "tell_upgrade",
  "tell_waiting_commit",
  "whole_text",
  "without_secrets"
] as const

// Rows in the text format of PostgreSQL's COPY: a line per row, columns separated by tabs, `\N` for null, and the escapes `\b`, `\f`, `\n`,
// `\r`, `\t`, `\v` and `\\`. `psql` reads such a text unchanged.

/** A text is not in the format of COPY. `line` counts from 1. */
export class NotCopyText extends Schema.TaggedError<NotCopyText>()("NotCopyText", { line: Schema.Int }) {
  override get message() {
    return `line ${this.line} is no row of COPY`
  }
}

/** The columns of a row in PostgreSQL's text format. */
export type TextRow = ReadonlyArray<string | null>

const NULL = "\\N"

const LETTERS: Readonly<Record<string, string>> = {
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\v": "v",
  "\\": "\\"
}

const MEANT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LETTERS).map(([char, letter]) => [letter, char])
)

const escaped = (value: string): string => value.replace(/[\b\f\n\r\t\v\\]/g, (char) => `\\${LETTERS[char] ?? char}`)

/** The line of a row, with its line end. */
export const encode = (row: TextRow): string =>
  `${row.map((value) => (value === null ? NULL : escaped(value))).join("\t")}\n`

const unescaped = (field: string): string | undefined => {
  if (!field.includes("\\")) return field
  let isWrong = false
  const value = field.replace(/\\([\s\S]?)/g, (_, letter: string) => {
    const meant = MEANT[letter]
    isWrong ||= meant === undefined
    return meant ?? ""
  })
  return isWrong ? undefined : value
}

const decodeLine = (line: string, columns: number, number: number): TextRow => {
  const row = line.split("\t").map((field) => (field === NULL ? null : unescaped(field)))
  if (row.length !== columns) throw new NotCopyText({ line: number })
  return row.map((value) => {
    if (value === undefined) throw new NotCopyText({ line: number })
    return value
  })
}

/** The rows of whole lines. Throws NotCopyText. */
export const decode = (text: string, columns: number): ReadonlyArray<TextRow> => {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines.pop() !== "") throw new NotCopyText({ line: lines.length + 1 })
  return lines.map((line, index) => decodeLine(line, columns, index + 1))
}

/** The database has no schema of Switchyard. */
export class NothingToBackUp extends Schema.TaggedError<NothingToBackUp>()("NothingToBackUp", {}) {
  override readonly message = "There is nothing to back up: the database has no tables of Switchyard"
}

/** A table whose rows follow. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** The state of a sequence: the next number is `value`, or `value` + 1 if that was already used. */
export const Sequence = Schema.Struct({
  table: Schema.String,
  column: Schema.String,
  value: Schema.String,
  called: Schema.Boolean
})
export type Sequence = typeof Sequence.Type

/** Facts about the database at the moment of the snapshot. */
interface Snapshot {
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
  /** Unknown tables, such as those of a site; they are not read. */
  readonly strangers: ReadonlyArray<string>
}

/** Makes the text form of every value independent of the settings of a server, a database or a role. */
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
        Stream.map((row) => encode(columns.map((column) => row[column] ?? null)))
      )
    })
  )

/**
 * Runs work on a snapshot of the whole database. The `lines` of the tables must be read one after the other.
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
