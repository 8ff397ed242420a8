/**
 * The log of events by pages (docs/events.md#pages): a look at the next rows by the index that fits what is asked for, which never goes
 * further than so many rows, and then the whole records of those that were chosen.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { LiveEvent } from "../domain/events/Event.ts"
import { AUDIT_COLUMNS } from "./AuditList.ts"

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

const make = Effect.gen(function* () {
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
  static readonly layer = Layer.effect(EventPages, make)
}
