/**
 * The log of events (docs/security.md#audit): rows are added in the transaction of what they tell, and never changed. Changes of rows write
 * their events by themselves; what changes no row, such as a login that was refused, is appended here.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { LiveEvent } from "../domain/events/Event.ts"
import { locks } from "./DatabaseClient.ts"

/** What happened. Who did it, from where and by which job is noted by itself (`Acting`). */
export interface NewEvent {
  /** What it happened to: `login`, `token`, `permission`, `device` … */
  readonly kind: string
  /** What happened: `accepted`, `refused`, `created`, `updated` … */
  readonly action: string
  /** Part of the audit: it is kept longer, and chained. */
  readonly isAudit: boolean
  readonly deviceId?: number
  readonly hostname?: string
  /** The job that it is about; without it the one that acts, if any. */
  readonly jobId?: number
  /** Without secrets. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Who did it, and when, in UTC. */
export interface LastEvent {
  readonly actor: string
  readonly at: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return EventStore.of({
    // in a transaction: only there the database knows who acts
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

/** Events as they happen. */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** Adds an event, in the transaction of the caller if there is one. */
    readonly append: (event: NewEvent) => Effect.Effect<void, SqlError.SqlError>
    /** The newest event of a kind about a device. */
    readonly last: (kind: string, deviceId: number) => Effect.Effect<LastEvent | null, SqlError.SqlError>
  }
>()("switchyard/store/EventStore") {
  static readonly layer = Layer.effect(EventStore, make)
}

// The log of events as it is read (docs/events.md): in the order of their numbers, and only as far as it is complete, so that whoever goes
// on from a number that was read misses nothing.

/** Which part of the log is read: numbers above `after`, up to and with `through`. */
export interface EventRange {
  readonly after: number
  readonly through: number
  readonly limit: number
  /** Only these; all when it is not given. */
  readonly where?: Statement.Fragment
}

/** Events, and a number up to which the log was complete when they were read. */
export interface NewEvents {
  readonly complete: number
  readonly events: ReadonlyArray<LiveEvent>
}

/** A row without an event says only how far the log is complete. */
type NewRow = { readonly complete: number } & (LiveEvent | { readonly id: null })

const makeLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`${AUDIT_COLUMNS}, event.is_audit, event.object`)
  return EventLog.of({
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
    read: Effect.fn("EventLog.read")(
      ({ after, limit, through, where = sql`true` }: EventRange) =>
        sql<LiveEvent>`select ${columns} from event
          where event.id > ${after}::bigint and event.id <= ${through}::bigint and ${where} order by event.id limit ${limit}`
    )
  })
})

/** Events in their order. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * A number up to which the log is complete: all events up to it are there, or will never be. Ask before reading. It may be lower than the
     * one of a moment ago, which is true as well.
     */
    readonly complete: Effect.Effect<number, SqlError.SqlError>
    /** The last number that was given out. Lower than one that was read only when the database is an older copy. */
    readonly newest: Effect.Effect<number, SqlError.SqlError>
    /** The first events after a number, as many as the limit, and how far the log is complete, which may be lower. */
    readonly after: (after: number, limit: number) => Effect.Effect<NewEvents, SqlError.SqlError>
    /** Events of a range, in order. */
    readonly read: (range: EventRange) => Effect.Effect<ReadonlyArray<LiveEvent>, SqlError.SqlError>
  }
>()("switchyard/store/EventLog") {
  static readonly layer = Layer.effect(EventLog, makeLog)
}

// The log of events by pages (docs/events.md#pages): a look at the next rows by the index that fits what is asked for, which never goes
// further than so many rows, and then the whole records of those that were chosen.

/** Between which numbers there is something to read. */
export interface EventBounds {
  /** The log is complete up to this number. */
  readonly complete: number
  /** The newest number that was ever given out. */
  readonly newest: number
  /** Events up to this number may have been removed because of their age. */
  readonly removed: number
}

/** What of an event decides whether somebody gets it. */
export interface ScannedEvent {
  readonly id: number
  readonly kind: string
  readonly action: string
  readonly device_id: number | null
  readonly hostname: string | null
  readonly job_id: number | null
}

/** Which rows are looked at: those above `after`, up to and with `through`. */
export interface EventScan {
  readonly after: number
  readonly through: number
  /** How many rows at most. */
  readonly limit: number
  readonly kinds: ReadonlySet<string> | null
  readonly devices: ReadonlySet<number> | null
  readonly job: number | null
}

/** What was found among the rows that were looked at. */
export interface Scanned {
  /** Those that are asked for, and the last one, whatever it is. */
  readonly rows: ReadonlyArray<ScannedEvent>
  /** How many were looked at: fewer than the limit when there are no more. */
  readonly looked: number
  /** The number of the last one; null when there was none. */
  readonly last: number | null
}

interface ScannedRow extends ScannedEvent {
  readonly looked: number
  readonly last: number
}

/** More branches than this are not worth an index of their own: the rows are looked at in their order instead. */
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
   * The conditions of which each has an index that goes on with the number; one of them holds for every row that is asked for. Values are
   * written out, because a plan for any kind or device looks at millions of rows for a rare one.
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

  /** What is asked for, of rows that were looked at: most of them may be others, and need not come. */
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

  return EventPages.of({
    bounds: Effect.map(
      sql<EventBounds>`select events_complete()::float8 as complete, (select last_value from event_id_seq)::float8 as newest,
        greatest((select event_id from event_anchor), (select through from event_removed), 0)::float8 as removed`,
      ([row]) => row ?? { complete: 0, newest: 0, removed: 0 }
    ),
    oldest: Effect.fn("EventPages.oldest")((after: number) =>
      Effect.map(
        sql<{ id: number | null }>`select min(id)::float8 as id from event where id > ${after}::bigint`,
        ([row]) => row?.id ?? after + 1
      )
    ),
    scanned,
    scan: Effect.fn("EventPages.scan")((scan: EventScan) =>
      Effect.map(sql<ScannedRow>`${scanned(scan)}`, (found) => ({
        rows: found.map(({ last: _last, looked: _looked, ...row }) => row),
        looked: found[0]?.looked ?? 0,
        last: found[0]?.last ?? null
      }))
    ),
    load: Effect.fn("EventPages.load")(
      (ids: ReadonlyArray<number>) =>
        sql<LiveEvent>`select ${sql.literal(AUDIT_COLUMNS)}, event.is_audit, event.object from event
          where event.id = any(${ids}::bigint[]) order by event.id`
    )
  })
})

/** Pages of the log. */
export class EventPages extends Context.Service<
  EventPages,
  {
    /** Ask before reading: rows are there by then, or will never be. */
    readonly bounds: Effect.Effect<EventBounds, SqlError.SqlError>
    /** The number of the oldest event after this one; the next number if there is none. */
    readonly oldest: (after: number) => Effect.Effect<number, SqlError.SqlError>
    /** The query of `scan`, for whoever wants to see its plan. */
    readonly scanned: (scan: EventScan) => Statement.Fragment
    /** Looks at the next rows in their order. */
    readonly scan: (scan: EventScan) => Effect.Effect<Scanned, SqlError.SqlError>
    /** Whole events by their numbers, in order; those that are gone by now are left out. */
    readonly load: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<LiveEvent>, SqlError.SqlError>
  }
>()("switchyard/store/EventPages") {
  static readonly layer = Layer.effect(EventPages, makePages)
}

// Removes old events that are not part of the audit (docs/events.md#retention): from the oldest on, in small batches, each in a transaction
// of its own that locks nothing but its rows. What was looked at once is not looked at again.

const BATCH = 2000

const makeRetention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** The last of the next rows that are old, and how many these are. */
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

  return EventRetention.of({
    remove: Effect.fn("EventRetention.remove")(function* (days: number) {
      let total = 0
      for (;;) {
        const { isLast, removed } = yield* removeBatch(days)
        total += removed
        if (isLast) return total
      }
    })
  })
})

/** The end of events. */
export class EventRetention extends Context.Service<
  EventRetention,
  {
    /** Removes events older than so many days that are not part of the audit, unless another replica does so now; yields how many. */
    readonly remove: (days: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/store/EventRetention") {
  static readonly layer = Layer.effect(EventRetention, makeRetention)
}

// The select list and the source of the audit as it is read (docs/security.md#audit).

/** An event of the audit as the API shows it. */
export const AUDIT_COLUMNS = `event.id::float8 as id, iso_time(event.at) as at, event.kind, event.action, event.actor, event.way,
  event.address, event.device_id, event.hostname, event.job_id, event.data`

/** The rows that are part of it. */
export const AUDIT_ROWS = "(select * from event where is_audit) event"
