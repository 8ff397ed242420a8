/**
 * Devices, with the members of their stacks, their LLDP neighbours, the reasons why they are not synchronized, and the devices that were not
 * read since a restore. State changes go through `DeviceStates`, which consults the machine first.
 */
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Device, type DeviceFields, DeviceNotFound, type DeviceType, HostnameTaken } from "../domain/Device.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"
import { identityViolation, uniqueViolation } from "./DatabaseErrors.ts"
import { cutText } from "../domain/Text.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { madeBy, type SyncCause } from "../domain/SyncCause.ts"
import { comparableHostname } from "../domain/Network.ts"
import { type IdentityTaken, UnseenDevice } from "../domain/DeviceIdentity.ts"
import type { StackMember, SyncEvent } from "../domain/DeviceFields.ts"
import type { LldpNeighbour } from "../domain/Topology.ts"
import { failuresOfProof } from "../../machines/change/ChangeRow.ts"
import { reasonSentences } from "../../machines/change/ChangeDecision.ts"

/** A new device: omitted fields are null, `synchronized` is false. */
export type NewDevice = Partial<DeviceFields> & Pick<Device, "hostname" | "state" | "device_type">

/** The managed devices of a job; the first condition that is set counts, and without one all devices are selected. */
export interface Selection {
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: DeviceType
  /** Only devices that are not synchronized. */
  readonly unsynchronizedOnly?: boolean
}

/** The select list that turns a row into a `Device`. */
export const DEVICE_RECORD = Object.keys(Device.fields)
  .map((name) => (name === "last_seen" ? "space_time(last_seen) as last_seen" : name))
  .join(", ")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const grouped = yield* grouping
  const columns = sql.literal(DEVICE_RECORD)

  const one = (id: number | string) => (rows: ReadonlyArray<Device>) =>
    rows[0] === undefined ? Effect.fail(new DeviceNotFound({ device: id })) : Effect.succeed(rows[0])

  const insert = Effect.fn("DeviceStore.insert")(function* (device: NewDevice) {
    const rows = yield* sql<Device>`insert into device ${sql.insert({ ...device })} returning ${columns}`.pipe(
      uniqueViolation("device_hostname_unique", () => new HostnameTaken({ hostname: device.hostname })),
      identityViolation
    )
    return yield* Effect.orDie(one(device.hostname)(rows))
  })

  const update = Effect.fn("DeviceStore.update")(function* (id: number, fields: Partial<DeviceFields>) {
    if (Object.keys(fields).length === 0) return yield* get(id)
    const rows =
      yield* sql<Device>`update device set ${sql.update({ ...fields })} where id = ${id} returning ${columns}`.pipe(
        uniqueViolation("device_hostname_unique", () => new HostnameTaken({ hostname: fields.hostname ?? "" })),
        identityViolation
      )
    return yield* one(id)(rows)
  })

  const find = makeGroupedFind(
    grouped,
    (ids) => sql<Device>`select ${columns} from device where id = any(${ids}::integer[])`,
    ({ id }) => id
  )

  const get = Effect.fn("DeviceStore.get")(function* (id: number) {
    return yield* Effect.mapError(Effect.fromOption(yield* find(id)), () => new DeviceNotFound({ device: id }))
  })

  const managed = ({ device_type, hostnames, unsynchronizedOnly = false }: Selection) =>
    sql.and([
      sql`state = 'MANAGED'`,
      ...(hostnames === undefined ? [] : [sql`hostname = any(${hostnames}::text[])`]),
      ...(device_type === undefined ? [] : [sql`device_type = ${device_type}`]),
      ...(unsynchronizedOnly ? [sql`not synchronized`] : [])
    ])

  const selectManaged = Effect.fn("DeviceStore.selectManaged")(function* (selection: Selection) {
    if (selection.hostnames?.length === 0) return []
    return yield* sql<Device>`select ${columns} from device where ${managed(selection)} order by hostname`
  })

  const countManaged = Effect.fn("DeviceStore.countManaged")(function* (selection: Selection) {
    if (selection.hostnames?.length === 0) return 0
    const [row] = yield* sql<{ count: number }>`select count(*)::int as count from device where ${managed(selection)}`
    return row?.count ?? 0
  })

  return DeviceStore.of({
    neighbours: yield* makeNeighbours,
    unseen: yield* makeUnseen,
    columns: DEVICE_RECORD,
    insert,
    update,
    get,
    lock: Effect.fn("DeviceStore.lock")((id: number) =>
      Effect.flatMap(sql<Device>`select ${columns} from device where id = ${id} for update`, one(id))
    ),
    getByHostname: Effect.fn("DeviceStore.getByHostname")((hostname: string) =>
      Effect.flatMap(sql<Device>`select ${columns} from device where hostname = ${hostname}`, one(hostname))
    ),
    findByMac: Effect.fn("DeviceStore.findByMac")((mac: string) =>
      Effect.map(sql<Device>`select ${columns} from device where ztp_mac = ${mac} order by id limit 1`, (rows) =>
        Option.fromUndefinedOr(rows[0])
      )
    ),
    members: Effect.withSpan(
      sql<Member>`select hostname, device_type, model, os_version, platform from device order by id`,
      "DeviceStore.members"
    ),
    all: Effect.withSpan(sql<Device>`select ${columns} from device order by id`, "DeviceStore.all"),
    byHostnames: Effect.fn("DeviceStore.byHostnames")(function* (hostnames: ReadonlyArray<string>) {
      if (hostnames.length === 0) return []
      return yield* sql<Device>`select ${columns} from device where hostname = any(${hostnames}::text[]) order by id`
    }),
    bearing: Effect.fn("DeviceStore.bearing")(function* (hostnames: ReadonlyArray<string>) {
      if (hostnames.length === 0) return []
      return yield* sql<Device>`select ${columns} from device where lower(rtrim(hostname, '.')) = any(${hostnames.map(comparableHostname)}::text[]) order by id`
    }),
    byIds: Effect.fn("DeviceStore.byIds")(function* (ids: ReadonlyArray<number>) {
      if (ids.length === 0) return []
      return yield* sql<Device>`select ${columns} from device where id = any(${ids}::integer[]) order by id`
    }),
    selectManaged,
    countManaged,
    remove: Effect.fn("DeviceStore.remove")((id: number) =>
      Effect.flatMap(sql<Device>`delete from device where id = ${id} returning ${columns}`, one(id))
    ),
    // all rows are locked first: a job may be about to mark a device as synchronized, and its result must be read
    markUnsynchronized: Effect.fn("DeviceStore.markUnsynchronized")(function* (ids: ReadonlyArray<number>) {
      if (ids.length === 0) return
      yield* sql`select 1 from device where id = any(${ids}::integer[]) order by id for update`
      yield* sql`update device set synchronized = false where id = any(${ids}::integer[]) and synchronized`
    }, sql.withTransaction)
  })
})

type Read<E = never> = Effect.Effect<Device, SqlError.SqlError | E>
type Member = Pick<Device, "hostname" | "device_type" | "model" | "os_version" | "platform">
type ReadMany = Effect.Effect<ReadonlyArray<Device>, SqlError.SqlError>

/** Devices by id, hostname or MAC address, with their neighbours and the devices that were not read since a restore. */
export class DeviceStore extends Context.Service<
  DeviceStore,
  {
    readonly neighbours: Neighbours
    readonly unseen: UnseenDevices
    /** The select list that turns a row into a `Device`, for stores that list devices with conditions of their own. */
    readonly columns: string
    readonly insert: (device: NewDevice) => Read<HostnameTaken | IdentityTaken>
    readonly update: (id: number, fields: Partial<DeviceFields>) => Read<DeviceNotFound | HostnameTaken | IdentityTaken>
    readonly get: (id: number) => Read<DeviceNotFound>
    /** The device, locked until the transaction ends. */
    readonly lock: (id: number) => Read<DeviceNotFound>
    readonly getByHostname: (hostname: string) => Read<DeviceNotFound>
    /** The device with this MAC address (12 upper-case hex digits). */
    readonly findByMac: (mac: string) => Effect.Effect<Option.Option<Device>, SqlError.SqlError>
    readonly all: ReadMany
    /** All devices with the fields that decide the groups of a device. */
    readonly members: Effect.Effect<ReadonlyArray<Member>, SqlError.SqlError>
    readonly byHostnames: (hostnames: ReadonlyArray<string>) => ReadMany
    /** Devices that occupy one of these hostnames; upper and lower case count as equal. */
    readonly bearing: (hostnames: ReadonlyArray<string>) => ReadMany
    readonly byIds: (ids: ReadonlyArray<number>) => ReadMany
    /** Devices in state MANAGED that the selection names, by hostname (docs/changes.md#which-devices). */
    readonly selectManaged: (selection: Selection) => ReadMany
    /** The number of devices that `selectManaged` would yield. */
    readonly countManaged: (selection: Selection) => Effect.Effect<number, SqlError.SqlError>
    /** Deletes the row with its interfaces, links, stack members and reservations. */
    readonly remove: (id: number) => Read<DeviceNotFound>
    readonly markUnsynchronized: (ids: ReadonlyArray<number>) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/DeviceStore") {
  static readonly layer = Layer.effect(DeviceStore, make).pipe(Layer.provide(BackgroundWork.layer))
}

// Members of switch stacks (docs/api.md#stack-members).

/** Stack members by device. */
export const makeStackMembers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Members by number, those without one last. */
    ofDevice: Effect.fn("StackMemberStore.ofDevice")(
      (deviceId: number) =>
        sql<StackMember>`select member_no, hardware_id, priority from stackmember where device_id = ${deviceId}
          order by member_no nulls last, id`
    ),
    /** Replaces all members in one transaction. */
    replace: Effect.fn("StackMemberStore.replace")(function* (deviceId: number, members: ReadonlyArray<StackMember>) {
      yield* sql`delete from stackmember where device_id = ${deviceId}`
      if (!Array.isReadonlyArrayNonEmpty(members)) return
      const rows = Array.map(members, (member) => ({ device_id: deviceId, ...member }))
      yield* sql`insert into stackmember ${sql.insert(rows)}`
    }, sql.withTransaction)
  }
})

// Neighbours that switches reported over LLDP at their last read. A device's list is always replaced as a whole.

/** Neighbours by port, from a driver. */
type NeighbourPorts = Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>

/** The largest number of neighbours of a switch; further ones are ignored. */
const MOST = 1024
const WIDTH = 255

const rowsOf = (ports: NeighbourPorts) =>
  Object.entries(ports)
    .flatMap(([port, all]) =>
      all.map(({ hostname, port: peer_port }) => ({
        port: cutText(port, WIDTH),
        name: cutText(maskSecrets(hostname), WIDTH),
        peer_port: cutText(maskSecrets(peer_port), WIDTH)
      }))
    )
    .slice(0, MOST)

const makeNeighbours = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal("h.device_id, h.port, h.name, h.peer_port")
  return {
    keep: Effect.fn("DeviceStore.neighbours.keep")(
      function* (deviceId: number, ports: NeighbourPorts) {
        const noted =
          yield* sql`insert into heard (device_id, heard_at) select id, now() from device where id = ${deviceId}
        on conflict (device_id) do update set heard_at = now() returning device_id`
        if (noted.length === 0) return
        yield* sql`delete from heard_neighbour where device_id = ${deviceId}`
        yield* sql`insert into heard_neighbour (device_id, port, name, peer_port)
        select ${deviceId}, port, name, peer_port
        from jsonb_to_recordset(${JSON.stringify(rowsOf(ports))}::jsonb) as said(port text, name text, peer_port text)
        on conflict do nothing`
      },
      sql.withTransaction,
      Effect.catch((error) => Effect.logWarning(`Neighbours could not be kept: ${error.message}`))
    ),
    ofKnown: Effect.withSpan(
      sql<LldpNeighbour>`select ${columns} from heard_neighbour h
        where lower(split_part(h.name, '.', 1)) in (select lower(split_part(hostname, '.', 1)) from device)
        order by h.device_id, h.port, h.name, h.peer_port`,
      "DeviceStore.neighbours.ofKnown"
    )
  } satisfies Neighbours
})

/** Neighbours of devices by LLDP. */
interface Neighbours {
  /** Replaces the stored neighbours of a device. A failure is only logged, because the caller already has the answer. */
  readonly keep: (deviceId: number, ports: NeighbourPorts) => Effect.Effect<void>
  /** Neighbours whose names are hostnames of devices. */
  readonly ofKnown: Effect.Effect<ReadonlyArray<LldpNeighbour>, SqlError.SqlError>
}

// Reasons why devices are not synchronized, in the order in which they were found (docs/api.md#sync-history).

/** An event to be added; the author of the change follows from the cause. */
type NewSyncEvent = Pick<SyncEvent, "cause" | "by" | "job_id">

/** The cause after a change that was committed and not confirmed. */
const NOT_PROVED: SyncCause = "commit_confirm_failed"

const makeSyncEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // in a transaction: a single statement whose answer is lost would be repeated
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
      // a process that waits for these rows must see the events afterwards
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
      const rows = yield* sql<SyncEvent & { readonly hostname: string; readonly reason: string | null }>`
        select hostname, cause, happened_at as timestamp, by, coalesce(found_by, by) as found_by, made_by, job_id,
          (select c.protocol ->> 'reason' from config_change c join device on device.id = c.device_id
            where c.job_id = sync_event.job_id and device.hostname = sync_event.hostname
              and cause = ${NOT_PROVED}) as reason
        from sync_event where ${where} order by id`
      const events = new Map<string, Array<SyncEvent>>()
      for (const { hostname: owner, reason, ...event } of rows) {
        const why = failuresOfProof.find((known) => known === reason)
        const told = why === undefined ? event : { ...event, failed_proof: reasonSentences[why] }
        events.set(owner, [...(events.get(owner) ?? []), told])
      }
      return events
    })
  })
})

/** Sync events by hostname. */
export class SyncEventStore extends Context.Service<
  SyncEventStore,
  {
    /** Adds one event to each hostname. `timestamp` is in epoch seconds; the default is now. */
    readonly append: (
      hostnames: ReadonlyArray<string>,
      event: NewSyncEvent,
      timestamp?: number
    ) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Marks devices as not synchronized and adds one event with the cause for each, in one transaction. Followers receive the cause before the change
     * (docs/events.md#order).
     */
    readonly unsynchronize: (
      devices: ReadonlyArray<Pick<Device, "id" | "hostname">>,
      event: NewSyncEvent
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Deletes all events of these hostnames, because the devices are synchronized or were deleted. */
    readonly clear: (hostnames: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** Events in the order in which they were written, of one hostname or of all. */
    readonly byHostname: (
      hostname?: string
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<SyncEvent>>, SqlError.SqlError>
  }
>()("switchyard/store/SyncEventStore") {
  static readonly layer = Layer.effect(SyncEventStore, makeSyncEvents)
}

// Devices that were not read since the database was restored (docs/operations.md#restore). Their records are as old as the backup, so they
// must be read before a push.

/** The cause for devices that were synchronized when the backup was made. */
export const RESTORED: SyncCause = "restored"

interface UnseenRow {
  readonly id: number
  readonly hostname: string
  readonly backup_of: string
}

const makeUnseen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const find = makeGroupedFind(
    yield* grouping,
    (ids) =>
      sql<UnseenRow>`select device.id, hostname, iso_time(restore.backup_of) as backup_of
        from device cross join (select backup_of from restore order by id desc limit 1) restore
        where device.id = any(${ids}::integer[]) and unseen_since is not null and state = 'MANAGED'`,
    ({ id }) => id
  )

  return {
    requireSeen: Effect.fn("DeviceStore.unseen.requireSeen")(function* (deviceId: number) {
      const found = yield* find(deviceId)
      if (Option.isNone(found)) return
      const { backup_of: backupOf, hostname } = found.value
      return yield* new UnseenDevice({ hostname, backupOf })
    }),
    backupOf: Effect.fn("DeviceStore.unseen.backupOf")((deviceId: number) =>
      Effect.map(find(deviceId), (found) => Option.map(found, ({ backup_of }) => backup_of))
    ),
    hostnames: Effect.map(
      sql<{
        hostname: string
      }>`select hostname from device where unseen_since is not null and state = 'MANAGED' order by hostname`,
      (rows) => rows.map(({ hostname }) => hostname)
    ),
    unrecorded: Effect.fn("DeviceStore.unseen.unrecorded")(function* (deviceId: number, jobs: ReadonlyArray<number>) {
      if (jobs.length === 0) return []
      const rows = yield* sql<{ job: number }>`select job from unnest(${jobs}::integer[]) as job
        where not exists (select from config_change where device_id = ${deviceId} and job_id = job
          and phase in ('confirmed', 'reverted', 'unchanged', 'discarded'))
        and job > (select coalesce(max(job_id), 0) from config_change where device_id = ${deviceId} and phase = 'confirmed')
        order by job`
      return rows.map(({ job }) => job)
    }),
    seen: Effect.fn("DeviceStore.unseen.seen")(function* (deviceId: number, isAsProved: boolean) {
      const seen = yield* sql<{ hostname: string }>`update device set unseen_since = null
        where id = ${deviceId} and unseen_since is not null returning hostname`
      const [device] = seen
      if (device === undefined || !isAsProved) return
      // the device was synchronized when the backup was made, and no other cause was found since
      const { hostname } = device
      const marks = yield* sql`delete from sync_event where hostname = ${hostname} and cause = ${RESTORED} returning id`
      if (marks.length === 0) return
      yield* sql`update device set synchronized = true where id = ${deviceId}
        and not exists (select from sync_event where hostname = ${hostname})`
    }, sql.withTransaction)
  } satisfies UnseenDevices
})

/** Devices that were not read since a restore. */
interface UnseenDevices {
  /** Fails for a device without a read since the restore. */
  readonly requireSeen: (deviceId: number) => Effect.Effect<void, UnseenDevice | SqlError.SqlError>
  /** The time of the backup (ISO 8601), if the device was not read since its restore. */
  readonly backupOf: (deviceId: number) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
  /** Names of all devices that were not read since the restore. */
  readonly hostnames: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /** The jobs that left a candidate on the device without a record: they ran after the backup. */
  readonly unrecorded: (
    deviceId: number,
    jobs: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
  /** The device was read. With `isAsProved` it runs its last proved configuration; then it is synchronized again if it was before. */
  readonly seen: (deviceId: number, isAsProved: boolean) => Effect.Effect<void, SqlError.SqlError>
}
