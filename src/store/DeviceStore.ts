/** Rows of the device table. State changes go through `devices/DeviceStates.ts`, which asks the machine first. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Device, type DeviceFields, DeviceNotFound, type DeviceType, HostnameTaken } from "../domain/Device.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"
import { comparableHostname } from "../domain/Network.ts"
import type { IdentityTaken } from "../domain/DeviceIdentity.ts"
import { identityViolation, uniqueViolation } from "./Violations.ts"

/** A device as it is created: what is not given is null, `synchronized` false. */
export type NewDevice = Partial<DeviceFields> & Pick<Device, "hostname" | "state" | "device_type">

/** Which managed devices a job is about; the first that is given counts, none means all. */
export interface Selection {
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: DeviceType
  /** Only those that are not synchronized. */
  readonly unsynchronizedOnly?: boolean
}

const COLUMNS = `id, hostname, site_id, description, management_ip, secondary_management_ip, dhcp_ip, infra_ip, oob_ip,
  serial, ztp_mac, platform, vendor, model, os_version, synchronized, state, device_type, confhash,
  space_time(last_seen) as last_seen, port`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const grouped = yield* grouping
  const columns = sql.literal(COLUMNS)

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
    columns: COLUMNS,
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
    // locked first, whatever they are: a device that a job is about to call synchronized must be seen as the job leaves it
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

/** Devices by id, hostname or MAC address. */
export class DeviceStore extends Context.Service<
  DeviceStore,
  {
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
    /** All devices, as far as the groups of a device depend on it. */
    readonly members: Effect.Effect<ReadonlyArray<Member>, SqlError.SqlError>
    readonly byHostnames: (hostnames: ReadonlyArray<string>) => ReadMany
    /** Devices that leave none of these hostnames for another, whatever their case. */
    readonly bearing: (hostnames: ReadonlyArray<string>) => ReadMany
    readonly byIds: (ids: ReadonlyArray<number>) => ReadMany
    /** Devices in state MANAGED that the selection names, by hostname (docs/changes.md#which-devices). */
    readonly selectManaged: (selection: Selection) => ReadMany
    /** How many devices `selectManaged` would yield. */
    readonly countManaged: (selection: Selection) => Effect.Effect<number, SqlError.SqlError>
    /** Deletes the row with its interfaces, links, stack members and reservations. */
    readonly remove: (id: number) => Read<DeviceNotFound>
    readonly markUnsynchronized: (ids: ReadonlyArray<number>) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/DeviceStore") {
  static readonly layer = Layer.effect(DeviceStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
