/** Occurrences that were already reported, so each is one event, whichever replica detects it (docs/alerts.md#ready-rules). */
import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { cutText } from "../domain/Text.ts"
import { EventStore, type NewEvent } from "./EventStore.ts"

/** How long an answer about unreachable devices counts. Only the process that has a device's actor notes that it does not answer. */
const SHARED_FOR = "1 second"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const events = yield* EventStore
  /** Devices that this process has noted; its own answer may be older. */
  const noted = new Set<number>()
  // nearly always there is none, so logins of many devices share an answer
  const unreachable = yield* Effect.cachedWithTTL(
    Effect.map(
      sql<{ device_id: number }>`select device_id from device_unreachable`,
      (rows) => new Set(rows.map(({ device_id }) => device_id))
    ),
    (exit) => (Exit.isSuccess(exit) ? SHARED_FOR : 0)
  )

  const report = Effect.fn("WatchStore.report")(function* (name: string, value: string, event: NewEvent | null) {
    const changed = yield* sql`insert into watched (name, value) values (${name}, ${value})
      on conflict (name) do update set value = excluded.value, seen_at = now() where watched.value <> excluded.value returning name`
    if (changed.length > 0 && event !== null) yield* events.append(event)
  }, sql.withTransaction)

  const back = Effect.fnUntraced(function* (deviceId: number, hostname: string) {
    const [ended] = yield* sql<{ since: string }>`delete from device_unreachable where device_id = ${deviceId}
      returning iso_time(since) as since`
    if (ended === undefined) return
    const data = { unreachable_since: ended.since }
    yield* events.append({ kind: "reachability", action: "reachable", isAudit: false, deviceId, hostname, data })
  }, sql.withTransaction)

  return WatchStore.of({
    silent: unreachable,
    value: Effect.fn("WatchStore.value")((name: string) =>
      Effect.map(sql<{ value: string }>`select value from watched where name = ${name}`, ([row]) => row?.value ?? null)
    ),
    report,
    databaseStart: Effect.map(
      sql<{ started: string }>`select pg_postmaster_start_time()::text as started`,
      ([row]) => row?.started ?? ""
    ),
    certificates: Effect.fn("WatchStore.certificates")(function* (days: number) {
      const ending = yield* sql<{ id: number; hostname: string; serial: string; not_after: string }>`
          select device.id, device.hostname, c.serial, iso_time(c.not_after) as not_after
          from device cross join lateral (select serial, not_after from certificate
            where device_id = device.id and revoked_at is null order by not_after desc limit 1) c
          where device.state = 'MANAGED' and c.not_after < now() + make_interval(days => ${days})
            and not exists (select from watched where name = 'certificate ' || device.id and value = c.serial)`
      yield* Effect.forEach(
        ending,
        ({ hostname, id, not_after, serial }) =>
          report(`certificate ${id}`, serial, {
            kind: "certificate",
            action: "ending",
            isAudit: false,
            deviceId: id,
            hostname,
            data: { serial, not_after }
          }),
        { discard: true }
      )
    }),
    unreachable: Effect.fn("WatchStore.unreachable")(function* (deviceId: number, hostname: string, reason: string) {
      noted.add(deviceId)
      const first = yield* sql`insert into device_unreachable (device_id)
        select id from device where id = ${deviceId} on conflict do nothing returning device_id`
      if (first.length === 0) return
      yield* events.append({
        kind: "reachability",
        action: "unreachable",
        isAudit: false,
        deviceId,
        hostname,
        data: { reason: cutText(reason, 500) }
      })
    }, sql.withTransaction),
    reachable: Effect.fn("WatchStore.reachable")(function* (deviceId: number, hostname: string) {
      if (!noted.has(deviceId) && !(yield* unreachable).has(deviceId)) return
      yield* back(deviceId, hostname)
      noted.delete(deviceId)
    })
  })
})

/** Occurrences that are reported once. */
export class WatchStore extends Context.Service<
  WatchStore,
  {
    /** The last value under a name; null if there is none. */
    readonly value: (name: string) => Effect.Effect<string | null, SqlError.SqlError>
    /** Stores a value and appends the event, unless the value is already stored. */
    readonly report: (name: string, value: string, event: NewEvent | null) => Effect.Effect<void, SqlError.SqlError>
    /** The start time of the database, as a text that differs after each start. */
    readonly databaseStart: Effect.Effect<string, SqlError.SqlError>
    /** Reports each managed device whose newest certificate ends within this number of days. */
    readonly certificates: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** The ids of devices that did not answer last time. */
    readonly silent: Effect.Effect<ReadonlySet<number>, SqlError.SqlError>
    /** A device did not answer; reported if it answered before. */
    readonly unreachable: (deviceId: number, hostname: string, reason: string) => Effect.Effect<void, SqlError.SqlError>
    /** A device answered; reported if it did not answer before. */
    readonly reachable: (deviceId: number, hostname: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/WatchStore") {
  static readonly layer = Layer.effect(WatchStore, make).pipe(Layer.provide(EventStore.layer))
}
