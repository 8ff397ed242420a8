/**
 * Removes old events that are not part of the audit (docs/events.md#retention): from the oldest on, in small batches, each in a transaction
 * of its own that locks nothing but its rows. What was looked at once is not looked at again.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { locks } from "./AdvisoryLocks.ts"

const BATCH = 2000

const make = Effect.gen(function* () {
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
  static readonly layer = Layer.effect(EventRetention, make)
}
