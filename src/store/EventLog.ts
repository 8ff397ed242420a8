/**
 * The log of events as it is read (docs/events.md): in the order of their numbers, and only as far as it is complete, so that whoever goes
 * on from a number that was read misses nothing.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { LiveEvent } from "../domain/events/Event.ts"
import { AUDIT_COLUMNS } from "./AuditList.ts"

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

const make = Effect.gen(function* () {
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
  static readonly layer = Layer.effect(EventLog, make)
}
