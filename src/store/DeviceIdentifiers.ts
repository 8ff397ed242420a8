/**
 * Unknown devices, and values that belong to one record alone.
 *
 * Unknown devices: how many registered within the hour, and which have been silent. Anybody who can plug in a cable makes the DHCP server
 * report leases, so both the rate and the number of registrations are bounded.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { JOB_BEGUN, JOB_UNFINISHED, UNFINISHED } from "./StatusConditions.ts"
import { locks } from "./DatabaseClient.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"
import type { Device, DeviceFields, DeviceState } from "../domain/Device.ts"
import { DeviceBusy, DisputedRecord } from "../domain/DeviceIdentity.ts"

/** What the last hour has seen. */
interface Registrations {
  readonly count: number
  /** Seconds until the first of them is an hour old. */
  readonly secondsLeft: number
}

/** Registrations of unknown devices. */
export const makeUnknownDevices = Effect.gen(function* () {
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

  return {
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
  } satisfies UnknownDevices
})

type Read<A> = Effect.Effect<A, SqlError.SqlError>

/** Registrations of unknown devices. */
export interface UnknownDevices {
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

// Values that belong to one record alone (docs/api.md#what-is-unique): which records dispute a value since before that was refused, which
// addresses a record may take from another, and whether a record must stay because of an open change.

/** An address that another record had until now. */
export interface TakenOver {
  readonly hostname: string
  readonly field: string
  readonly address: string
}

/** Who takes addresses: its id when it is there already, the state that it has or is to have, and what is to be written. */
interface Taker {
  readonly id: number | null
  readonly state: DeviceState
  readonly fields: Partial<DeviceFields>
}

/** A record in service and one that shares something with it. */
interface Dispute {
  readonly id: number
  readonly hostname: string
  readonly role: string
  readonly value: string
  readonly other: string
}

interface Holder extends Pick<Device, "id" | "hostname" | "state" | "management_ip"> {
  readonly role: string
  readonly wanted: string
  readonly address: string
}

const ADDRESSES = ["management_ip", "secondary_management_ip", "dhcp_ip", "infra_ip"] as const
const isAddressField = (role: string): role is (typeof ADDRESSES)[number] => ADDRESSES.some((name) => name === role)

/** States of a switch that is where its lease says. */
const ON_ITS_LEASE: ReadonlySet<DeviceState> = new Set(["DHCP_BOOT", "DISCOVERED", "INIT"])

/** A lease goes to who got it last; what is out of service gives way to what is not. */
const givesWay = ({ management_ip, role, state, wanted }: Holder, taker: DeviceState): boolean => {
  if (!isAddressField(role)) return false
  if (role === "dhcp_ip" && wanted === "dhcp_ip" && ON_ITS_LEASE.has(taker)) {
    return state !== "MANAGED" || management_ip !== null
  }
  return state === "UNMANAGED" && taker !== "UNMANAGED"
}

/**
 * Records that share something with another, one row for each device. One in service is not concerned by one that is out of service, nor by
 * an old lease of its own.
 */
export const DISPUTES = `select distinct on (d.id) d.id, d.hostname, mine.role, own.value,
    theirs.role || ' of ' || owner_name(other.owner, other.owner_id) as other
  from identity_claim own join device d on own.owner = 'device' and d.id = own.owner_id
    join identity_claim other on other.kind = own.kind and other.value = own.value
      and (other.owner, other.owner_id) <> (own.owner, own.owner_id)
    left join device o on other.owner = 'device' and o.id = other.owner_id
    cross join lateral (select i.role from identities('device', d.id) i where i.kind = own.kind and i.value = own.value
      order by i.role = 'dhcp_ip' limit 1) mine
    cross join lateral (select i.role from identities(other.owner, other.owner_id) i where i.kind = own.kind and i.value = own.value limit 1) theirs
  where (o.state is distinct from 'UNMANAGED' or d.state = 'UNMANAGED')
    and not (mine.role = 'dhcp_ip' and d.management_ip is not null)`

const makeUniqueFields = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const disputes = sql.literal(DISPUTES)
  const disputeOf = makeGroupedFind(
    yield* grouping,
    (ids) => sql<Dispute>`${disputes} and d.id = any(${ids}::integer[]) order by d.id`,
    ({ id }) => id
  )

  const requireIdle = Effect.fn("UniqueFieldStore.requireIdle")(function* (
    { hostname, id }: Pick<Device, "id" | "hostname">,
    exceptJob: number | null = null
  ) {
    const [open] = yield* sql<{ job: number | null; what: string }>`
      select work.job, coalesce(job.function_name, work.kind) as what from (
        select job_id as job, 'change' as kind from config_change where device_id = ${id} and ${sql.literal(UNFINISHED)}
        union all select job_id, kind from device_operation where device_id = ${id} and phase <> 'done'
        union all select j.id, 'initialisation' from job j where ${sql.literal(`j.status in ${JOB_BEGUN}`)}
          and j.memo ->> 'stage' <> 'done' and j.memo -> 'before' -> 'deviceIds' @> to_jsonb(${id}::integer)
        union all select u.job_id, 'upgrade' from device_upgrade u join job j on j.id = u.job_id
          where u.hostname = ${hostname} and ${sql.literal(`j.status in ${JOB_BEGUN}`)}
          and not exists (select from job_device r where r.job_id = u.job_id and r.hostname = u.hostname)
      ) work left join job on job.id = work.job
      where work.job is distinct from ${exceptJob}::integer or work.job is null order by work.job limit 1`
    if (open !== undefined) return yield* new DeviceBusy({ hostname, job: open.job, what: open.what })
  })

  const holdersOf = ({ fields, id }: Taker) => {
    const given = ADDRESSES.flatMap((role) => {
      const address = fields[role]
      return address === null || address === undefined ? [] : [{ role, address }]
    })
    return given.length === 0
      ? Effect.succeed([])
      : sql<Holder>`select d.id, d.hostname, d.state, d.management_ip, i.role, given.role as wanted, given.address
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (role text, address text)
          join identity_claim c on c.kind = 'address' and c.value = address_value(given.address)
            and c.owner = 'device' and c.owner_id is distinct from ${id}::integer
          join device d on d.id = c.owner_id
          cross join lateral identities('device', d.id) i where i.kind = 'address' and i.value = c.value`
  }

  /** Those who take the same address do so one after the other, so that each sees who had it before. */
  const inTurn = Effect.fnUntraced(function* ({ fields }: Taker) {
    const asked = ADDRESSES.flatMap((role) => fields[role] ?? [])
    if (asked.length === 0) return
    yield* sql`select pg_advisory_xact_lock(hashtextextended(address, ${locks.address})) from (
      select distinct address_value(given) as address from unnest(${asked}::text[]) given) found where address is not null order by address`
  })

  const takeOver = Effect.fn("UniqueFieldStore.takeOver")(function* (taker: Taker) {
    yield* inTurn(taker)
    const holders = yield* holdersOf(taker)
    const taken: Array<TakenOver> = []
    for (const holder of holders) {
      const { address, hostname, id, role, wanted } = holder
      if (!holders.every((one) => one.id !== id || givesWay(one, taker.state))) continue
      if (wanted !== "dhcp_ip" || role !== "dhcp_ip") yield* requireIdle(holder)
      yield* sql`update device set ${sql(role)} = null where id = ${id}`
      taken.push({ hostname, field: role, address })
      yield* Effect.logWarning("An address was taken over by another record", {
        address,
        was: `${role} of ${hostname}`,
        is: wanted
      })
    }
    return taken
  })

  return UniqueFieldStore.of({
    requireUndisputed: Effect.fn("UniqueFieldStore.requireUndisputed")(function* (deviceId: number) {
      const found = yield* disputeOf(deviceId)
      if (Option.isSome(found)) return yield* new DisputedRecord(found.value)
    }),
    requireIdle,
    takeOver
  })
})

/** Says at the start which records dispute something. */
const warnings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<Dispute>`${sql.literal(DISPUTES)} order by d.id limit 100`
  for (const dispute of found) yield* Effect.logWarning(new DisputedRecord(dispute).message)
}).pipe(Effect.catchTag("SqlError", (error) => Effect.logWarning("Disputed records could not be looked for", error)))

/** Values that belong to one record. */
export class UniqueFieldStore extends Context.Service<
  UniqueFieldStore,
  {
    /** Fails when another record has had something of this device since before that was refused. */
    readonly requireUndisputed: (deviceId: number) => Effect.Effect<void, DisputedRecord | SqlError.SqlError>
    /**
     * Fails when a change, an operation, an upgrade or an initialisation is open on the device, of another job than the one that is given. Nothing
     * begins afterwards while the caller's transaction holds the device's row.
     */
    readonly requireIdle: (
      device: Pick<Device, "id" | "hostname">,
      exceptJob?: number | null
    ) => Effect.Effect<void, DeviceBusy | SqlError.SqlError>
    /**
     * Takes the addresses that are to be written from records that give way: an earlier lease, or a record out of service. To be run before
     * they are written, in the same transaction. Yields what was taken; fails with DeviceBusy when such a record must stay.
     */
    readonly takeOver: (taker: Taker) => Effect.Effect<ReadonlyArray<TakenOver>, DeviceBusy | SqlError.SqlError>
  }
>()("switchyard/store/UniqueFieldStore") {
  static readonly layer = Layer.effect(UniqueFieldStore, makeUniqueFields).pipe(Layer.provide(BackgroundWork.layer))
  /** Disputed records are told in the log of the start. */
  static readonly warnings = Layer.effectDiscard(warnings)
}
