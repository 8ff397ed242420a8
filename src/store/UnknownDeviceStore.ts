/**
 * Switches that nobody knows yet: how many registered within the hour, and which have been silent. Anybody who can plug in a
 * cable makes the DHCP server report leases, so both their rate and their number are bounded.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { JOB_UNFINISHED } from "./JobStatusSql.ts"
import { locks } from "./AdvisoryLocks.ts"

/** What the last hour has seen. */
export interface Registrations {
  readonly count: number
  /** Seconds until the first of them is an hour old. */
  readonly secondsLeft: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waits = sql.literal("d.state = 'DHCP_BOOT' and d.device_type = 'UNKNOWN'")

  const lastHour = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(${locks.registration})`
    yield* sql`delete from unknown_device u where registered_at < now() - interval '1 hour'
      and not exists (select from device d where d.id = u.device_id and ${waits})`
    const [row] = yield* sql<Registrations>`
      select count(*)::int as count,
        coalesce(ceil(extract(epoch from min(registered_at) + interval '1 hour' - now())), 0)::int as "secondsLeft"
      from unknown_device where registered_at >= now() - interval '1 hour'`
    return row ?? { count: 0, secondsLeft: 0 }
  })

  const waiting = Effect.map(
    sql<{ readonly count: number }>`select count(*)::int as count from device d where ${waits}`,
    (rows) => rows[0]?.count ?? 0
  )

  const dropSilent = Effect.fn("UnknownDeviceStore.dropSilent")((count: number) =>
    Effect.map(
      sql<{ readonly hostname: string }>`
        delete from device where id in (
          select d.id from device d left join unknown_device u on u.device_id = d.id
          where ${waits} and d.hostname = 'mac-' || d.ztp_mac
            and coalesce(u.last_lease_at, d.last_seen, '-infinity') < now() - interval '1 hour'
          order by coalesce(u.last_lease_at, d.last_seen, '-infinity'), d.id
          limit ${count} for update of d skip locked)
        returning hostname`,
      (rows) => rows.map(({ hostname }) => hostname)
    )
  )

  return UnknownDeviceStore.of({
    lastHour: Effect.withSpan(lastHour, "UnknownDeviceStore.lastHour"),
    waiting: Effect.withSpan(waiting, "UnknownDeviceStore.waiting"),
    dropSilent,
    register: Effect.fn("UnknownDeviceStore.register")((deviceId: number) =>
      Effect.asVoid(sql`insert into unknown_device (device_id) values (${deviceId})`)
    ),
    leased: Effect.fn("UnknownDeviceStore.leased")((mac: string) =>
      Effect.asVoid(sql`
        insert into unknown_device (device_id, registered_at) select d.id, '-infinity' from device d where d.ztp_mac = ${mac} and ${waits}
        on conflict (device_id) do update set last_lease_at = now()`)
    ),
    discoveries: Effect.withSpan(
      Effect.map(
        sql<{ readonly count: number }>`select count(*)::int as count from job
          where function_name = 'discover_device' and status in ${sql.literal(JOB_UNFINISHED)}`,
        (rows) => rows[0]?.count ?? 0
      ),
      "UnknownDeviceStore.discoveries"
    )
  })
})

type Read<A> = Effect.Effect<A, SqlError.SqlError>

/** Registrations of unknown devices. */
export class UnknownDeviceStore extends Context.Service<
  UnknownDeviceStore,
  {
    /** Registrations of the last hour. Nobody else registers one until the transaction of the caller ends. */
    readonly lastHour: Read<Registrations>
    /** How many wait in state DHCP_BOOT. */
    readonly waiting: Read<number>
    /** Removes so many of those that were registered by the hook and have been silent for an hour, the oldest first; yields their hostnames. */
    readonly dropSilent: (count: number) => Read<ReadonlyArray<string>>
    /** Notes that this device has registered. */
    readonly register: (deviceId: number) => Read<void>
    /** Notes that the unknown device with this MAC address has asked for a lease. */
    readonly leased: (mac: string) => Read<void>
    /** Discoveries that have not ended. */
    readonly discoveries: Read<number>
  }
>()("switchyard/store/UnknownDeviceStore") {
  static readonly layer = Layer.effect(UnknownDeviceStore, make)
}
