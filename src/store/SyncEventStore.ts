/** Why devices are not synchronized, in the order in which it was found out (docs/api.md#sync-history). */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { madeBy } from "../domain/SyncCause.ts"
import type { SyncEvent } from "../domain/DeviceFields.ts"

/** What is noted; who made the change follows from the cause. */
type NewSyncEvent = Pick<SyncEvent, "cause" | "by" | "job_id">

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // in a transaction: alone, a statement whose answer is lost would be done again
  const append = Effect.fn("SyncEventStore.append")(function* (
    hostnames: ReadonlyArray<string>,
    event: NewSyncEvent,
    timestamp?: number
  ) {
    if (hostnames.length === 0) return
    const happened_at = timestamp ?? (yield* Clock.currentTimeMillis) / 1000
    const { by, cause, job_id } = event
    yield* sql`insert into sync_event (hostname, cause, happened_at, by, found_by, made_by, job_id)
      select hostname, ${cause}, ${happened_at}::double precision, ${by}, ${by}, ${madeBy(cause, by)}::text, ${job_id}::integer
      from unnest(${hostnames}::text[]) with ordinality as named (hostname, place) order by place`
  }, sql.withTransaction)

  return SyncEventStore.of({
    append,
    unsynchronize: Effect.fn("SyncEventStore.unsynchronize")(function* (
      devices: ReadonlyArray<Pick<Device, "id" | "hostname">>,
      event: NewSyncEvent
    ) {
      if (devices.length === 0) return
      const ids = devices.map(({ id }) => id)
      // whoever waits for these rows must see the events afterwards
      yield* sql`select 1 from device where id = any(${ids}::integer[]) order by id for update`
      yield* append(
        devices.map(({ hostname }) => hostname),
        event
      )
      yield* sql`update device set synchronized = false where id = any(${ids}::integer[]) and synchronized`
    }, sql.withTransaction),
    clear: Effect.fn("SyncEventStore.clear")(function* (hostnames: ReadonlyArray<string>) {
      if (hostnames.length > 0) yield* sql`delete from sync_event where hostname = any(${hostnames}::text[])`
    }),
    byHostname: Effect.fn("SyncEventStore.byHostname")(function* (hostname?: string) {
      const where = hostname === undefined ? sql`true` : sql`hostname = ${hostname}`
      const rows = yield* sql<SyncEvent & { readonly hostname: string }>`
        select hostname, cause, happened_at as timestamp, by, coalesce(found_by, by) as found_by,
          made_by, job_id from sync_event where ${where} order by id`
      const events = new Map<string, Array<SyncEvent>>()
      for (const { hostname: owner, ...event } of rows) events.set(owner, [...(events.get(owner) ?? []), event])
      return events
    })
  })
})

/** Sync events by hostname. */
export class SyncEventStore extends Context.Service<
  SyncEventStore,
  {
    /** Adds one event to each hostname. `timestamp` is epoch seconds, now when not given. */
    readonly append: (
      hostnames: ReadonlyArray<string>,
      event: NewSyncEvent,
      timestamp?: number
    ) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Marks devices as not synchronized and says why, one event for each, in one transaction. Followers hear the cause before the change
     * (docs/events.md#order).
     */
    readonly unsynchronize: (
      devices: ReadonlyArray<Pick<Device, "id" | "hostname">>,
      event: NewSyncEvent
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Forgets all events of these hostnames, because they are synchronized or gone. */
    readonly clear: (hostnames: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** Events in the order in which they were written, of one hostname or of all. */
    readonly byHostname: (
      hostname?: string
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<SyncEvent>>, SqlError.SqlError>
  }
>()("switchyard/store/SyncEventStore") {
  static readonly layer = Layer.effect(SyncEventStore, make)
}
