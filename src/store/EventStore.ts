/**
 * The log of events (docs/security.md#audit, docs/events.md). A row is added in the transaction of the change that it reports, and never
 * changes. Changes of rows write their events themselves, by triggers; an event without a row, such as a refused login, is appended here.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { locks } from "./DatabaseClient.ts"
import type { LiveEvent } from "../domain/events/Event.ts"

/** An event to be added. The database records the actor, the address and the job automatically (`Acting`). */
export interface NewEvent {
  /** The kind of object: `login`, `token`, `permission`, `device` … */
  readonly kind: string
  /** The action: `accepted`, `refused`, `created`, `updated` … */
  readonly action: string
  /** Part of the audit, which is kept longer and chained. */
  readonly isAudit: boolean
  readonly deviceId?: number
  readonly hostname?: string
  /** The job that the event is about; without it the acting job, if any. */
  readonly jobId?: number
  /** Without secrets. */
  readonly data: Readonly<Record<string, unknown>>
}

/** The actor and the time in UTC. */
interface LastEvent {
  readonly actor: string
  readonly at: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return EventStore.of({
    log: yield* makeLog,
    pages: yield* makePages,
    // in a transaction: the actor is set for each transaction
    append: Effect.fn("EventStore.append")(
      ({ action, data, deviceId, hostname, isAudit, jobId, kind }: NewEvent) =>
        Effect.asVoid(sql`insert into event (kind, action, is_audit, device_id, hostname, job_id, data)
          values (${kind}, ${action}, ${isAudit}, ${deviceId ?? null}, ${hostname ?? null},
            coalesce(${jobId ?? null}, acting('job')::integer), ${JSON.stringify(data)}::jsonb)`),
      sql.withTransaction
    ),
    last: Effect.fn("EventStore.last")((kind: string, deviceId: number) =>
      Effect.map(
        sql<LastEvent>`select actor, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as at from event
          where kind = ${kind} and device_id = ${deviceId} order by id desc limit 1`,
        ([last]) => last ?? null
      )
    )
  })
})

/** Adds events, and reads them in order (`log`) or in pages (`pages`). */
export class EventStore extends Context.Service<
  EventStore,
  {
    readonly log: EventLog
    readonly pages: EventPages
    /** Adds an event, in the transaction of the caller if there is one. */
    readonly append: (event: NewEvent) => Effect.Effect<void, SqlError.SqlError>
    /** The newest event of a kind about a device. */
    readonly last: (kind: string, deviceId: number) => Effect.Effect<LastEvent | null, SqlError.SqlError>
  }
>()("switchyard/store/EventStore") {
  static readonly layer = Layer.effect(EventStore, make)
}

// Reading the log (docs/events.md): in numerical order and only up to the number until which it is complete, so a reader who continues from
// a number misses nothing.

/** A part of the log: numbers above `after`, up to and including `through`. */
interface EventRange {
  readonly after: number
  readonly through: number
  readonly limit: number
  /** A condition; without it all events are read. */
  readonly where?: Statement.Fragment
}

/** Events, and the number up to which the log was complete when they were read. */
interface NewEvents {
  readonly complete: number
  readonly events: ReadonlyArray<LiveEvent>
}

/** A row without an event only holds the number up to which the log is complete. */
type NewRow = { readonly complete: number } & (LiveEvent | { readonly id: null })

const makeLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`${AUDIT_COLUMNS}, event.is_audit, event.object`)
  return {
    complete: Effect.map(
      sql<{ complete: number }>`select events_complete()::float8 as complete`,
      ([row]) => row?.complete ?? 0
    ),
    newest: Effect.map(
      sql<{
        newest: number
      }>`select case when is_called then last_value else 0 end::float8 as newest from event_id_seq`,
      ([row]) => row?.newest ?? 0
    ),
    after: Effect.fnUntraced(function* (after, limit) {
      const rows = yield* sql<NewRow>`select told.complete::float8 as complete, ${columns}
        from events_after(${after}::bigint, ${limit}::integer) as told
        left join lateral (select (told.told).*) as event on true`
      const found = rows.map(({ complete, ...event }) => ({ complete, event }))
      return {
        complete: found[0]?.complete ?? after,
        events: found.flatMap(({ event }) => (event.id === null ? [] : [event]))
      }
    }),
    read: Effect.fn("EventStore.log.read")(
      ({ after, limit, through, where = sql`true` }: EventRange) =>
        sql<LiveEvent>`select ${columns} from event
          where event.id > ${after}::bigint and event.id <= ${through}::bigint and ${where} order by event.id limit ${limit}`
    )
  } satisfies EventLog
})

/** Events in order. */
interface EventLog {
  /**
   * The number up to which the log is complete: no event up to it can appear later. Read it before the events. It may be lower than the
   * previous answer, which stays true.
   */
  readonly complete: Effect.Effect<number, SqlError.SqlError>
  /** The last number that was assigned. It is lower than a number that was read only if the database is an older copy. */
  readonly newest: Effect.Effect<number, SqlError.SqlError>
  /** The first events after a number, at most `limit`, and the number up to which the log is complete, which may be lower. */
  readonly after: (after: number, limit: number) => Effect.Effect<NewEvents, SqlError.SqlError>
  /** Events of a range, in order. */
  readonly read: (range: EventRange) => Effect.Effect<ReadonlyArray<LiveEvent>, SqlError.SqlError>
}

// Pages of the log (docs/events.md#pages): a bounded scan by the index that fits the filter, followed by the whole records of the selected
// rows.

/** The range of numbers that can be read. */
export interface EventBounds {
  /** The log is complete up to this number. */
  readonly complete: number
  /** The newest number that was ever assigned. */
  readonly newest: number
  /** Old events up to this number may have been removed. */
  readonly removed: number
}

/** The columns of an event that decide whether a caller may receive it. */
export interface ScannedEvent {
  readonly id: number
  readonly kind: string
  readonly action: string
  readonly device_id: number | null
  readonly hostname: string | null
  readonly job_id: number | null
}

/** The rows to be scanned: those above `after`, up to and including `through`. */
export interface EventScan {
  readonly after: number
  readonly through: number
  /** The largest number of scanned rows. */
  readonly limit: number
  readonly kinds: ReadonlySet<string> | null
  readonly devices: ReadonlySet<number> | null
  readonly job: number | null
}

/** The result of a scan. */
interface Scanned {
  /** The matching rows, and the last scanned row whether it matches or not. */
  readonly rows: ReadonlyArray<ScannedEvent>
  /** The number of scanned rows: fewer than the limit if no more exist. */
  readonly looked: number
  /** The number of the last scanned row; null if none was scanned. */
  readonly last: number | null
}

interface ScannedRow extends ScannedEvent {
  readonly looked: number
  readonly last: number
}

/** With more branches than this, all rows are scanned in order instead of by an index. */
const MAX_BRANCHES = 16

const isFew = (set: ReadonlySet<unknown> | null): set is ReadonlySet<unknown> =>
  set !== null && set.size > 0 && set.size <= MAX_BRANCHES

const makePages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const is = (column: string, value: string | number): Statement.Fragment =>
    sql.literal(
      `event.${column} = ${typeof value === "number" ? Math.trunc(value) : `'${value.replaceAll(/\W/g, "")}'`}`
    )

  const rowsOf = (limit: number): Statement.Fragment => sql.literal(String(Math.trunc(limit)))

  /**
   * Conditions that each have an index which continues with the number; every matching row fulfils one of them. Values are written
   * as literals, because a generic plan reads millions of rows for a rare kind or device.
   */
  const branchesOf = ({ devices, job, kinds }: EventScan): ReadonlyArray<Statement.Fragment> => {
    if (job !== null) return [is("job_id", job)]
    if (devices !== null && isFew(devices)) return [...devices].map((id) => is("device_id", id))
    if (kinds !== null && isFew(kinds)) return [...kinds].map((kind) => is("kind", kind))
    return [sql`true`]
  }

  const branch = ({ after, limit, through }: EventScan, where: Statement.Fragment) =>
    sql`(select event.id, event.kind, event.action, event.device_id, event.hostname, event.job_id from event
      where ${where} and event.id > ${after}::bigint and event.id <= ${through}::bigint order by event.id limit ${rowsOf(limit)})`

  /** Limits the result to matching rows, because most scanned rows may not match. */
  const asked = ({ devices, job, kinds }: EventScan): Statement.Fragment =>
    sql.and([
      ...(kinds === null ? [] : [sql`event.kind = any(${[...kinds]}::text[])`]),
      ...(devices === null ? [] : [sql`event.device_id = any(${[...devices]}::integer[])`]),
      ...(job === null ? [] : [is("job_id", job)])
    ])

  const scanned = (scan: EventScan) => {
    const branches = branchesOf(scan).map((where) => branch(scan, where))
    return sql`select id::float8 as id, kind, action, device_id, hostname, job_id, looked::integer as looked, last::float8 as last
      from (select *, count(*) over () as looked, max(id) over () as last from (
        select * from (${sql.join(" union all ", false)(branches)}) event order by event.id limit ${rowsOf(scan.limit)}) event) event
      where ${asked(scan)} or event.id = event.last order by event.id`
  }

  return {
    bounds: Effect.map(
      sql<EventBounds>`select events_complete()::float8 as complete, (select last_value from event_id_seq)::float8 as newest,
        greatest((select event_id from event_anchor), (select through from event_removed), 0)::float8 as removed`,
      ([row]) => row ?? { complete: 0, newest: 0, removed: 0 }
    ),
    oldest: Effect.fn("EventStore.pages.oldest")((after: number) =>
      Effect.map(
        sql<{ id: number | null }>`select min(id)::float8 as id from event where id > ${after}::bigint`,
        ([row]) => row?.id ?? after + 1
      )
    ),
    scanned,
    scan: Effect.fn("EventStore.pages.scan")((scan: EventScan) =>
      Effect.map(sql<ScannedRow>`${scanned(scan)}`, (found) => ({
        rows: found.map(({ last: _last, looked: _looked, ...row }) => row),
        looked: found[0]?.looked ?? 0,
        last: found[0]?.last ?? null
      }))
    ),
    load: Effect.fn("EventStore.pages.load")(
      (ids: ReadonlyArray<number>) =>
        sql<LiveEvent>`select ${sql.literal(AUDIT_COLUMNS)}, event.is_audit, event.object from event
          where event.id = any(${ids}::bigint[]) order by event.id`
    )
  } satisfies EventPages
})

/** Pages of the log. */
interface EventPages {
  /** Read the bounds before the rows: no row within them can appear later. */
  readonly bounds: Effect.Effect<EventBounds, SqlError.SqlError>
  /** The number of the oldest event after this one; the next number if there is none. */
  readonly oldest: (after: number) => Effect.Effect<number, SqlError.SqlError>
  /** The query of `scan`; tests read its plan. */
  readonly scanned: (scan: EventScan) => Statement.Fragment
  /** Scans the next rows in order. */
  readonly scan: (scan: EventScan) => Effect.Effect<Scanned, SqlError.SqlError>
  /** Whole events by number, in order; removed events are skipped. */
  readonly load: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<LiveEvent>, SqlError.SqlError>
}

// Removes old events that are not part of the audit (docs/events.md#retention), oldest first, in small batches. Each batch is a transaction
// that locks only its own rows. No row is read twice.

const BATCH = 2000

/** The removal of old events. */
export const makeEventRetention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** The last of the next old rows, and their number. */
  const oldRows = (days: number) => sql<{ through: number | null; seen: number }>`
    with next as materialized (
      select id, at < now() - make_interval(days => ${days}) as is_old from event
      where id > coalesce((select through from event_removed), 0) order by id limit ${BATCH})
    select max(id)::float8 as through, count(*)::integer as seen from next
      where id < coalesce((select min(id) from next where not is_old), ${Number.MAX_SAFE_INTEGER}::bigint)`

  const removeBatch = Effect.fnUntraced(function* (days: number) {
    const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.eventRemoval}) as taken`
    if (lock?.taken !== true) return { isLast: true, removed: 0 }
    const [found] = yield* oldRows(days)
    if (found === undefined || found.through === null) return { isLast: true, removed: 0 }
    yield* sql`select set_config('switchyard.retention', 'on', true)`
    const [gone] = yield* sql<{ removed: number }>`with gone as (
      delete from event where not is_audit and id > coalesce((select through from event_removed), 0)
        and id <= ${found.through}::bigint returning 1) select count(*)::integer as removed from gone`
    yield* sql`insert into event_removed (through) values (${found.through}::bigint)
      on conflict (one) do update set through = excluded.through`
    return { isLast: found.seen < BATCH, removed: gone?.removed ?? 0 }
  }, sql.withTransaction)

  return {
    /** Removes events older than this number of days that are not part of the audit, unless another replica does so now; yields their number. */
    remove: Effect.fn("EventRetention.remove")(function* (days: number) {
      let total = 0
      for (;;) {
        const { isLast, removed } = yield* removeBatch(days)
        total += removed
        if (isLast) return total
      }
    })
  }
})

// The select list and the source of the audit (docs/security.md#audit).

/** Columns of an audit event in API responses. */
export const AUDIT_COLUMNS = `event.id::float8 as id, iso_time(event.at) as at, event.kind, event.action, event.actor, event.way,
  event.address, event.device_id, event.hostname, event.job_id, event.data`

/** The rows of the audit. */
export const AUDIT_ROWS = "(select * from event where is_audit) event"
