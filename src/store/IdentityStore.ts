/**
 * The identity of devices (docs/security.md#identity-of-devices): SSH host keys, the record that a switch belongs to by its serial number,
 * and the login that it accepted last. A switch that differs from the device of its record is recorded for both devices in one transaction
 * (promise 5).
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import type { Difference } from "../domain/DeviceIdentity.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGrouped, makeGroupedFind, makeGroupedWrite } from "./GroupedStatement.ts"
import { DeviceStore, SyncEventStore } from "./DeviceStore.ts"
import { EventStore } from "./EventStore.ts"
import type { LoginState } from "../ServerConfig.ts"

// SSH host keys: a device is pinned to its key once it is MANAGED. Other keys are refused, or wait for approval (promise 7).

/** Fingerprints are `SHA256:…`; a refused one waits for an operator to pin it. Without a fingerprint the device is not pinned. */
export interface HostKey {
  readonly device_id: number
  readonly fingerprint: string | null
  readonly refused_fingerprint: string | null
  /** This server has brought the device to its address. */
  readonly is_provisioned: boolean
  /** An operator has accepted what the device showed with this key. */
  readonly is_trusted: boolean
  /** The device was proved to run a configuration of Switchyard. */
  readonly is_proved: boolean
  /** Another device that is pinned to the same key. */
  readonly shared_with: string | null
}

/** A key that a device showed and that no operator has approved or pinned. */
interface WaitingKey {
  readonly hostname: string
  readonly state: string
  readonly address: string | null
  /** The pinned key, if the device has changed its key; null for a device without a pinned key. */
  readonly fingerprint: string | null
  readonly refused_fingerprint: string
  /** ISO 8601 without a zone, UTC; null if not recorded. */
  readonly since: string | null
}

const makeHostKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const grouped = yield* grouping
  const find = makeGroupedFind(
    grouped,
    (ids) => sql<HostKey>`select device_id, fingerprint, refused_fingerprint, is_provisioned, is_trusted,
        exists (select 1 from proved_config p where p.device_id = k.device_id) as is_proved,
        (select d.hostname from host_key other join device d on d.id = other.device_id
          where other.fingerprint = k.fingerprint and other.device_id <> k.device_id order by d.id limit 1) as shared_with
      from host_key k where device_id = any(${ids}::integer[])`,
    ({ device_id }) => device_id
  )

  const pin = makeGroupedWrite(
    grouped,
    (pins: ReadonlyArray<{ readonly device_id: number; readonly fingerprint: string }>) =>
      sql`insert into host_key (device_id, fingerprint)
        select * from unnest(${pins.map((pin) => pin.device_id)}::integer[], ${pins.map((pin) => pin.fingerprint)}::text[])
        on conflict (device_id) do update set fingerprint = excluded.fingerprint, pinned_at = now(),
          is_trusted = host_key.is_trusted and host_key.fingerprint is not distinct from excluded.fingerprint,
          refused_fingerprint = null, refused_at = null`
  )

  return {
    waiting: sql<WaitingKey>`select d.hostname, d.state::text as state,
        host(coalesce(d.management_ip, d.dhcp_ip)::inet) as address, k.fingerprint, k.refused_fingerprint, iso_time(k.refused_at) as since
      from host_key k join device d on d.id = k.device_id where k.refused_fingerprint is not null order by d.hostname`,
    find: Effect.fn("IdentityStore.hostKeys.find")(find),
    pin: Effect.fn("IdentityStore.hostKeys.pin")((deviceId: number, fingerprint: string) =>
      pin({ device_id: deviceId, fingerprint })
    ),
    refuse: Effect.fn("IdentityStore.hostKeys.refuse")((deviceId: number, fingerprint: string) =>
      Effect.asVoid(
        sql`insert into host_key (device_id, refused_fingerprint, refused_at) values (${deviceId}, ${fingerprint}, now())
          on conflict (device_id) do update set refused_fingerprint = excluded.refused_fingerprint, refused_at = now()`
      )
    ),
    provisioned: Effect.fn("IdentityStore.hostKeys.provisioned")((deviceId: number) =>
      Effect.asVoid(
        sql`insert into host_key (device_id, is_provisioned) values (${deviceId}, true)
          on conflict (device_id) do update set is_provisioned = true, is_trusted = false, fingerprint = null,
            refused_fingerprint = null, refused_at = null`
      )
    ),
    trust: Effect.fn("IdentityStore.hostKeys.trust")((deviceId: number, fingerprint: string) =>
      Effect.asVoid(
        sql`insert into host_key (device_id, fingerprint, is_trusted) values (${deviceId}, ${fingerprint}, true)
          on conflict (device_id) do update set fingerprint = excluded.fingerprint, pinned_at = now(), is_trusted = true,
            refused_fingerprint = null, refused_at = null`
      )
    ),
    forget: Effect.fn("IdentityStore.hostKeys.forget")((deviceId: number) =>
      Effect.asVoid(sql`delete from host_key where device_id = ${deviceId}`)
    )
  } satisfies HostKeys
})

type WriteKey = Effect.Effect<void, SqlError.SqlError>

/** Host keys by device. */
interface HostKeys {
  readonly find: (deviceId: number) => Effect.Effect<Option.Option<HostKey>, SqlError.SqlError>
  /** All keys that wait for an operator, by hostname. */
  readonly waiting: Effect.Effect<ReadonlyArray<WaitingKey>, SqlError.SqlError>
  readonly pin: (deviceId: number, fingerprint: string) => WriteKey
  /** Records a key that differs from the pinned one, for the alarm and for pinning it. */
  readonly refuse: (deviceId: number, fingerprint: string) => WriteKey
  /** Records that this server brought the device to its address: its key needs no approval and is learned again. */
  readonly provisioned: (deviceId: number) => WriteKey
  /** Pins the key, and records that an operator accepted it. */
  readonly trust: (deviceId: number, fingerprint: string) => WriteKey
  readonly forget: (deviceId: number) => WriteKey
}

/** The record that owns a value. */
export type Owner = Pick<Device, "id" | "hostname">

/** A serial number that a device showed and its record lacks. */
interface LearnedSerial {
  readonly deviceId: number
  readonly serial: string
}

/** A switch that shows another identity than the device of this record. */
interface WrongDeviceFinding extends Difference {
  readonly device: Owner
  readonly address: string
  readonly owner: Owner | null
  readonly jobId: number | null
}

/** A lasting problem is reported once in this time. */
const TOLD_AGAIN = "1 hour"

const CAUSE = "wrong_device"
/** The author of causes that the server finds automatically. */
const BY = "unknown"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const hostKeys = yield* makeHostKeys
  const syncEvents = yield* SyncEventStore
  const events = yield* EventStore
  const grouped = yield* grouping

  const learnAll = Effect.fnUntraced(function* (learned: ReadonlyArray<LearnedSerial>) {
    const given = sql`unnest(${learned.map(({ deviceId }) => deviceId)}::integer[], ${learned.map(({ serial }) => serial)}::text[])`
    const rows = yield* sql<{ id: number }>`with given as (select * from ${given} as given (device_id, serial))
      update device set serial = given.serial from given
      where device.id = given.device_id and coalesce(btrim(device.serial), '') = ''
        and not exists (select 1 from device other
          where upper(btrim(other.serial)) = upper(given.serial) and other.id <> given.device_id)
        and not exists (select 1 from given other
          where upper(other.serial) = upper(given.serial) and other.device_id < given.device_id)
      returning device.id`
    const ids = new Set(rows.map(({ id }) => id))
    return learned.map(({ deviceId }) => ids.has(deviceId))
  })
  const learn = makeGrouped(grouped, learnAll)

  const proved = makeGrouped(grouped, (hashes: ReadonlyArray<string>) =>
    Effect.map(
      sql<{ hash: string; ids: ReadonlyArray<number> }>`select hash, array_agg(device_id) as ids from proved_config
        where hash = any(${[...new Set(hashes)]}::text[]) group by hash`,
      (rows) => {
        const byHash = new Map(rows.map(({ hash, ids }) => [hash, ids]))
        return hashes.map((hash) => byHash.get(hash) ?? [])
      }
    )
  )

  const first = (rows: ReadonlyArray<Owner>) => Option.fromUndefinedOr(rows[0])

  /** Marks managed devices, and adds the cause only once. */
  const mark = Effect.fnUntraced(function* (ids: ReadonlyArray<number>, jobId: number | null) {
    const rows = yield* sql<Owner & { readonly is_known: boolean }>`
      select id, hostname, exists (select 1 from sync_event e where e.hostname = device.hostname and e.cause = ${CAUSE}) as is_known
      from device where id = any(${[...ids]}::integer[]) and state = 'MANAGED' order by id for update`
    yield* devices.markUnsynchronized(rows.map(({ id }) => id))
    const news = rows.filter(({ is_known }) => !is_known)
    yield* syncEvents.unsynchronize(news, { cause: CAUSE, by: BY, job_id: jobId })
  })

  const othersWith = Effect.fn("IdentityStore.othersWith")((deviceId: number, hash: string) =>
    Effect.map(proved(hash), (ids) => ids.filter((id) => id !== deviceId))
  )

  return IdentityStore.of({
    hostKeys,
    ownerOfKey: Effect.fn("IdentityStore.ownerOfKey")((deviceId: number, fingerprint: string) =>
      Effect.map(
        sql<Owner>`select d.id, d.hostname from host_key k join device d on d.id = k.device_id
          where k.fingerprint = ${fingerprint} and d.id <> ${deviceId} order by d.id limit 1`,
        first
      )
    ),
    ownerOfSerial: Effect.fn("IdentityStore.ownerOfSerial")((deviceId: number, serial: string) =>
      Effect.map(
        sql<Owner>`select id, hostname from device
          where upper(btrim(serial)) = upper(btrim(${serial}::text)) and id <> ${deviceId} order by id limit 1`,
        first
      )
    ),
    ownerOfName: Effect.fn("IdentityStore.ownerOfName")((deviceId: number, hostname: string) =>
      Effect.map(
        sql<Owner>`select id, hostname from device
          where lower(hostname) in (lower(${hostname}::text), lower(split_part(${hostname}::text, '.', 1))) and id <> ${deviceId}
          order by id limit 1`,
        first
      )
    ),
    learnSerial: Effect.fn("IdentityStore.learnSerial")((deviceId: number, serial: string) =>
      learn({ deviceId, serial }).pipe(
        Effect.catchIf(
          ({ reason }) => reason._tag === "UniqueViolation",
          () => Effect.succeed(false)
        )
      )
    ),
    found: Effect.fn("IdentityStore.found")(function* ({ device, jobId, owner, ...finding }: WrongDeviceFinding) {
      const { hostname, id } = device
      yield* mark(owner === null ? [id] : [id, owner.id], jobId)
      if (finding.fact === "host key") yield* hostKeys.refuse(id, finding.shown)
      const known = yield* sql`select 1 from event where device_id = ${id} and kind = 'identity' and action = 'wrong'
        and data ->> 'shown' = ${finding.shown} and at > now() - ${TOLD_AGAIN}::interval limit 1`
      if (known.length > 0) return
      const data = { ...finding, belongs_to: owner?.hostname ?? null }
      const about = { deviceId: id, hostname, ...(jobId === null ? {} : { jobId }) }
      yield* events.append({ kind: "identity", action: "wrong", isAudit: true, ...about, data })
    }, sql.withTransaction),
    othersWith,
    mark: Effect.fn("IdentityStore.mark")(mark, sql.withTransaction),
    runsElsewhere: Effect.fn("IdentityStore.runsElsewhere")(function* (
      deviceId: number,
      hash: string,
      jobId: number | null
    ) {
      const others = yield* othersWith(deviceId, hash)
      if (others.length > 0) yield* sql.withTransaction(mark(others, jobId))
    })
  })
})

type Find = Effect.Effect<Option.Option<Owner>, SqlError.SqlError>
type Write = Effect.Effect<void, SqlError.SqlError>

/** Identities of devices. */
export class IdentityStore extends Context.Service<
  IdentityStore,
  {
    readonly hostKeys: HostKeys
    /** Another record that is pinned to this host key. */
    readonly ownerOfKey: (deviceId: number, fingerprint: string) => Find
    /** Another record with this serial number. */
    readonly ownerOfSerial: (deviceId: number, serial: string) => Find
    /** Another record with this name, with or without a domain. */
    readonly ownerOfName: (deviceId: number, hostname: string) => Find
    /** Writes the serial number that a device shows, unless its record has one or another device has this one; true if it was written. */
    readonly learnSerial: (deviceId: number, serial: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Records that another switch answers for a device: the configurations of the device and of the owner are then uncertain. */
    readonly found: (finding: WrongDeviceFinding) => Write
    /** Other devices whose last proved configuration has this hash. */
    readonly othersWith: (deviceId: number, hash: string) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** Marks managed devices as not synchronized, because their switch is no longer certain. */
    readonly mark: (deviceIds: ReadonlyArray<number>, jobId: number | null) => Write
    /**
     * Records that the switch of a device runs this configuration: the proof of any other device with this configuration then came from
     * this switch.
     */
    readonly runsElsewhere: (deviceId: number, hash: string, jobId: number | null) => Write
  }
>()("switchyard/store/IdentityStore") {
  static readonly layer = Layer.effect(IdentityStore, make).pipe(
    Layer.provide([DeviceStore.layer, EventStore.layer, SyncEventStore.layer, BackgroundWork.layer])
  )
}

// The login that each device accepted last, while logins are changed (docs/security.md#changing-passwords). Without it each login
// would be a guess, and a switch counts wrong guesses as failed logins. No names and no passwords are stored.

/** A login of a state: its key, the current password, or the next password. */
export type LoginSlot = "key" | "current" | "next"

/** `accepted_at` is in epoch milliseconds. */
export interface AcceptedLogin {
  readonly device_id: number
  readonly state: LoginState
  readonly slot: LoginSlot
  readonly accepted_at: number
}

/** A hostname with the login that the device accepted last. */
export type NamedLogin = Pick<AcceptedLogin, "state" | "slot"> & { readonly hostname: string }

/** Accepted logins by device. */
export const makeAcceptedLogins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const grouped = yield* grouping
  const find = makeGroupedFind(
    grouped,
    (ids) => sql<AcceptedLogin>`select device_id, state, slot, accepted_at::float8 as accepted_at from accepted_login
      where device_id = any(${ids}::integer[])`,
    ({ device_id }) => device_id
  )
  const keep = makeGroupedWrite(
    grouped,
    (logins: ReadonlyArray<AcceptedLogin>) =>
      sql`insert into accepted_login (device_id, state, slot, accepted_at)
        select * from unnest(${logins.map((login) => login.device_id)}::integer[],
          ${logins.map((login) => login.state)}::text[], ${logins.map((login) => login.slot)}::text[],
          ${logins.map((login) => Math.round(login.accepted_at))}::bigint[])
        on conflict (device_id) do update set state = excluded.state, slot = excluded.slot,
          accepted_at = excluded.accepted_at`
  )

  return {
    find: Effect.fn("AcceptedLoginStore.find")(find),
    keep: Effect.fn("AcceptedLoginStore.keep")(keep),
    /** Deletes the logins of all states except these; yields the deleted ones. */
    forgetOthers: Effect.fn("AcceptedLoginStore.forgetOthers")((states) => {
      const others = states.length === 0 ? sql`true` : sql`not ${sql.in("state", states)}`
      return sql<NamedLogin>`with gone as (delete from accepted_login where ${others} returning device_id, state, slot)
        select hostname, gone.state, slot from gone join device on id = device_id order by hostname`
    }),
    all: sql<NamedLogin>`select hostname, accepted_login.state, slot from accepted_login join device on id = device_id
      order by hostname`
  }
})
