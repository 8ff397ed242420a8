/**
 * Unknown devices, and values that only one record may have.
 *
 * Unknown devices: the registrations of the last hour, and silent devices. Any person who can plug in a cable makes the DHCP server
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

/** Registrations of the last hour. */
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
  /** Registrations of the last hour. No other process can register a device until the caller's transaction ends. */
  readonly lastHour: Read<Registrations>
  /** The number of unknown devices in state DHCP_BOOT. */
  readonly waiting: Read<number>
  /** Removes up to `count` devices that the hook registered and that have been silent for an hour, oldest first; yields their hostnames. */
  readonly dropSilent: (count: number) => Read<ReadonlyArray<string>>
  /** Records the registration of this device. */
  readonly register: (deviceId: number) => Read<void>
  /** Records that the unknown device with this MAC address asked for a lease. */
  readonly leased: (mac: string) => Read<void>
  /** Discoveries that have not ended. */
  readonly discoveries: Read<number>
}

// Values that only one record may have (docs/api.md#what-is-unique): records from earlier releases that share a value, addresses that a
// record may take from another one, and records that must stay because of an open change.

/** An address that was taken from another record. */
export interface TakenOver {
  readonly hostname: string
  readonly field: string
  readonly address: string
}

/** The record that takes addresses: its id if it exists, its state after the write, and the fields to be written. */
interface Taker {
  readonly id: number | null
  readonly state: DeviceState
  readonly fields: Partial<DeviceFields>
}

/** A record in service and another record with the same value. */
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

/** States of a switch that uses the address of its lease. */
const ON_ITS_LEASE: ReadonlySet<DeviceState> = new Set(["DHCP_BOOT", "DISCOVERED", "INIT"])

/** A lease belongs to its last owner; a record out of service gives way to one in service. */
const givesWay = ({ management_ip, role, state, wanted }: Holder, taker: DeviceState): boolean => {
  if (!isAddressField(role)) return false
  if (role === "dhcp_ip" && wanted === "dhcp_ip" && ON_ITS_LEASE.has(taker)) {
    return state !== "MANAGED" || management_ip !== null
  }
  return state === "UNMANAGED" && taker !== "UNMANAGED"
}

/**
 * Records that share a value with another record, one row per device. Records out of service and a device's own old lease do not affect a
 * record in service.
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

  /** Callers that take the same address run one after the other, so each sees its previous owner. */
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

/** Logs at the start which records share a value. */
const warnings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<Dispute>`${sql.literal(DISPUTES)} order by d.id limit 100`
  for (const dispute of found) yield* Effect.logWarning(new DisputedRecord(dispute).message)
}).pipe(Effect.catchTag("SqlError", (error) => Effect.logWarning("Disputed records could not be looked for", error)))

/** Values that only one record may have. */
export class UniqueFieldStore extends Context.Service<
  UniqueFieldStore,
  {
    /** Fails if another record shares a value with this device; earlier releases allowed that. */
    readonly requireUndisputed: (deviceId: number) => Effect.Effect<void, DisputedRecord | SqlError.SqlError>
    /**
     * Fails if a change, an operation, an upgrade or an initialisation of a job other than `exceptJob` is open on the device. No work
     * begins while the caller's transaction holds the device's row.
     */
    readonly requireIdle: (
      device: Pick<Device, "id" | "hostname">,
      exceptJob?: number | null
    ) => Effect.Effect<void, DeviceBusy | SqlError.SqlError>
    /**
     * Takes the addresses from records that give way: an earlier lease, or a record out of service. Must run before the addresses
     * are written, in the same transaction. Yields the taken addresses; fails with DeviceBusy if such a record must stay.
     */
    readonly takeOver: (taker: Taker) => Effect.Effect<ReadonlyArray<TakenOver>, DeviceBusy | SqlError.SqlError>
  }
>()("switchyard/store/UniqueFieldStore") {
  static readonly layer = Layer.effect(UniqueFieldStore, makeUniqueFields).pipe(Layer.provide(BackgroundWork.layer))
  /** Logs disputed records at the start. */
  static readonly warnings = Layer.effectDiscard(warnings)
}
