/** The audit as other programs take it: events in the order in which they were sealed, as JSON (docs/security.md#audit). */
import { Effect, Option, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AuditEvent } from "../domain/events/Event.ts"
import { AUDIT_COLUMNS } from "../store/EventStore.ts"

/** An event with its place in the chain. */
export interface SealedEvent {
  readonly number: string
  readonly hash: string
  readonly event: AuditEvent
}

const BATCH = 500

/** Reads sealed events behind this place of the chain, at most 500 of them. */
export const makeSealedEvents = Effect.map(
  Effect.service(SqlClient.SqlClient),
  (sql) => (after: string) =>
    Effect.map(
      sql<AuditEvent & { number: string; hash: string }>`select s.number::text, s.hash, ${sql.literal(AUDIT_COLUMNS)}
        from event_seal s join event on event.id = s.event_id
        where s.number > ${after}::bigint order by s.number limit ${BATCH}`,
      (rows) => rows.map(({ hash, number, ...event }): SealedEvent => ({ number, hash, event }))
    )
)

/** Every event that is sealed and happened at `since` (ISO 8601, UTC) or later. */
export const makeExport = Effect.map(
  makeSealedEvents,
  (read) =>
    (since: string): Stream.Stream<SealedEvent, SqlError.SqlError> =>
      Stream.paginate("0", (after) =>
        Effect.map(read(after), (events) => {
          const last = events.at(-1)
          const wanted = events.filter(({ event }) => event.at >= since)
          return [wanted, last === undefined ? Option.none() : Option.some(last.number)] as const
        })
      )
)
