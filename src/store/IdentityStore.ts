/**
 * Which record a switch belongs to by what it shows (docs/security.md#identity-of-devices), and what was found out about a switch that is
 * not the device of its record: that is written for both records in one transaction (promise 5).
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import type { Difference } from "../domain/DeviceIdentity.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGrouped } from "./GroupedStatement.ts"
import { DeviceStore } from "./DeviceStore.ts"
import { EventStore } from "./EventStore.ts"
import { HostKeyStore } from "./HostKeyStore.ts"
import { SyncEventStore } from "./SyncEventStore.ts"

/** A record. */
export type Owner = Pick<Device, "id" | "hostname">

/** A serial number that a device without one has shown. */
interface LearnedSerial {
  readonly deviceId: number
  readonly serial: string
}

/** A switch that is not the device of this record, by what it shows. */
export interface WrongDeviceFinding extends Difference {
  readonly device: Owner
  readonly address: string
  readonly owner: Owner | null
  readonly jobId: number | null
}

/** What goes on is told once in so long. */
const TOLD_AGAIN = "1 hour"

const CAUSE = "wrong_device"
/** Who writes the causes that the server finds by itself. */
const BY = "unknown"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const hostKeys = yield* HostKeyStore
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

  /** Marks managed devices, and says why once, however often it is found out. */
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
    /** The record beside this one that is pinned to this host key. */
    readonly ownerOfKey: (deviceId: number, fingerprint: string) => Find
    /** The record beside this one that has this serial number. */
    readonly ownerOfSerial: (deviceId: number, serial: string) => Find
    /** The record beside this one that has this name, with or without a domain. */
    readonly ownerOfName: (deviceId: number, hostname: string) => Find
    /** Writes the serial number that a device shows, unless it has one or another device has this one; whether it did. */
    readonly learnSerial: (deviceId: number, serial: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Records that the switch of a device is not the device: neither it nor the owner is known to run what it should. */
    readonly found: (finding: WrongDeviceFinding) => Write
    /** Devices beside this one that were last proved to run what has this hash. */
    readonly othersWith: (deviceId: number, hash: string) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** Marks managed devices as not synchronized, because it is not known any more which switch is theirs. */
    readonly mark: (deviceIds: ReadonlyArray<number>, jobId: number | null) => Write
    /** Records that the switch of a device runs this: whichever other device was proved to run it has been there, and not on its own. */
    readonly runsElsewhere: (deviceId: number, hash: string, jobId: number | null) => Write
  }
>()("switchyard/store/IdentityStore") {
  static readonly layer = Layer.effect(IdentityStore, make).pipe(
    Layer.provide([DeviceStore.layer, EventStore.layer, HostKeyStore.layer, SyncEventStore.layer, BackgroundWork.layer])
  )
}
