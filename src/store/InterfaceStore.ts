/**
 * Ports of access switches, and the machines that switches have learnt on their ports. If the data of a port hold a secret in a text, a mark is
 * stored instead of the secret, and the data are sealed in another column (docs/security.md#what-is-stored).
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Record, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { isObject } from "../domain/fields/Values.ts"
import type { ConfigType, Interface, InterfaceData } from "../domain/Interface.ts"
import { findMark, readJson, SecretTexts } from "./SecretStore.ts"
import { isIP } from "node:net"
import type { LearnedTables, PortReading } from "../domain/DeviceReadings.ts"

type StoredPort = Interface & { readonly sealed_data: string | null }

/** Marks data without a secret. Ports of an earlier release have null here: they were not checked. */
const NO_SECRETS = ""
const AT_ONCE = 500

/** Restores each text with a mark from the sealed data. All other values stay unchanged: VLANs and neighbours may have been renamed since. */
const unmarked = (shown: unknown, given: unknown): unknown => {
  if (typeof shown === "string") return findMark(shown) !== undefined && typeof given === "string" ? given : shown
  if (Array.isArray(shown))
    return shown.map((part, place) => unmarked(part, Array.isArray(given) ? given[place] : null))
  return isObject(shown) ? unmarkedObject(shown, isObject(given) ? given : {}) : shown
}
const unmarkedObject = (shown: InterfaceData, given: InterfaceData): InterfaceData =>
  Record.map(shown, (part, key) => unmarked(part, given[key]))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const columns = sql.literal("device_id, name, configtype, data, sealed_data")

  /** A port with its secrets. Without the key its texts keep their marks, and marks must not reach a configuration. */
  const opened = ({ sealed_data, ...port }: StoredPort): Interface => {
    if (port.data === null || sealed_data === null || sealed_data === NO_SECRETS) return port
    const given = Option.getOrNull(Option.flatMap(secrets.open(sealed_data), readJson))
    return { ...port, data: unmarkedObject(port.data, isObject(given) ? given : {}) }
  }

  /** The stored columns of data. */
  const sealed = (data: InterfaceData) => {
    const hidden = secrets.hideTexts(data)
    const [clear, shown] = [JSON.stringify(data), JSON.stringify(hidden)]
    return { data: hidden, sealed_data: shown === clear ? NO_SECRETS : secrets.seal(clear) }
  }
  const columnsOf = (data: InterfaceData | null) => {
    if (data === null) return { data, sealed_data: null }
    const stored = sealed(data)
    return { ...stored, data: sql.json(stored.data) }
  }

  /** Seals some unchecked ports; yields their number, and the number with secrets. It writes no event, because the event would show them. */
  const sealSome = sql.withTransaction(
    Effect.gen(function* () {
      const found = yield* sql<{
        device_id: number
        name: string
        data: InterfaceData
      }>`select device_id, name, data from interface
        where sealed_data is null and data is not null order by device_id, name limit ${AT_ONCE} for update skip locked`
      if (found.length === 0) return { looked: 0, sealed: 0 }
      const rows = found.map(({ data, ...port }) => ({ ...port, ...sealed(data) }))
      yield* sql`select set_config('switchyard.sealing', 'on', true)`
      yield* sql`update interface i set data = given.data, sealed_data = given.sealed_data
        from jsonb_to_recordset(${sql.json(rows)}) as given (device_id integer, name text, data jsonb, sealed_data text)
        where i.device_id = given.device_id and i.name = given.name`
      yield* sql`select set_config('switchyard.sealing', '', true)`
      return { looked: rows.length, sealed: rows.filter(({ sealed_data }) => sealed_data !== NO_SECRETS).length }
    })
  )

  const sealOld = Effect.gen(function* () {
    let sealed = 0
    for (;;) {
      const some = yield* sealSome
      sealed += some.sealed
      if (some.looked < AT_ONCE) return sealed
    }
  }).pipe(Effect.withSpan("InterfaceStore.sealOld"))

  return InterfaceStore.of({
    sealOld,
    lastReading: Effect.fn("InterfaceStore.lastReading")(function* (deviceId: number) {
      const [found] = yield* sql<StoredReading>`select iso_time(read_at) as read_at,
        extract(epoch from now() - read_at)::float8 as age, ports from port_reading where device_id = ${deviceId}`
      return found ?? null
    }),
    keepReading: Effect.fn("InterfaceStore.keepReading")(function* (
      deviceId: number,
      ports: Readonly<Record<string, PortReading>>
    ) {
      yield* sql`insert into port_reading (device_id, read_at, ports)
        select id, now(), ${JSON.stringify(ports)}::jsonb from device where id = ${deviceId}
        on conflict (device_id) do update set read_at = excluded.read_at, ports = excluded.ports`
    }),
    ofDevice: Effect.fn("InterfaceStore.ofDevice")((deviceId: number) =>
      Effect.map(
        sql<StoredPort>`select ${columns} from interface where device_id = ${deviceId} order by name`,
        (ports) => ports.map(opened)
      )
    ),
    ofDevices: Effect.fn("InterfaceStore.ofDevices")(function* (deviceIds: ReadonlyArray<number>) {
      if (deviceIds.length === 0) return []
      const ports =
        yield* sql<StoredPort>`select ${columns} from interface where device_id = any(${deviceIds}::integer[]) order by device_id, name`
      return ports.map(opened)
    }),
    put: Effect.fn("InterfaceStore.put")(
      (deviceId: number, name: string, configtype: ConfigType, data: InterfaceData | null) =>
        Effect.asVoid(
          sql`insert into interface ${sql.insert({ device_id: deviceId, name, configtype, ...columnsOf(data) })}
          on conflict (device_id, name) do update set configtype = excluded.configtype, data = excluded.data,
            sealed_data = excluded.sealed_data`
        )
    ),
    renameNeighbor: Effect.fn("InterfaceStore.renameNeighbor")((from: string, to: string) =>
      Effect.map(
        sql<{ device_id: number }>`update interface set data = jsonb_set(data, '{neighbor}', to_jsonb(${to}::text))
          where data ? 'neighbor' and data ->> 'neighbor' = ${from} returning device_id`,
        (rows) => [...new Set(rows.map((row) => row.device_id))]
      )
    ),
    namingVlans: Effect.fn("InterfaceStore.namingVlans")(function* (
      deviceIds: ReadonlyArray<number>,
      names: ReadonlyArray<string>,
      most: number
    ) {
      if (deviceIds.length === 0 || names.length === 0) return []
      const ports =
        yield* sql<StoredPort>`select ${columns} from interface where device_id = any(${deviceIds}::integer[]) and (
          data ->> 'untagged_vlan' = any(${names}::text[]) or data ->> 'vxlan' = any(${names}::text[])
          or (jsonb_typeof(data -> 'tagged_vlan_list') = 'array' and exists (
            select 1 from jsonb_array_elements_text(data -> 'tagged_vlan_list') listed where listed = any(${names}::text[]))))
        order by device_id, name limit ${most}`
      return ports.map(opened)
    }),
    renameVlans: Effect.fn("InterfaceStore.renameVlans")(function* (
      deviceIds: ReadonlyArray<number>,
      names: Readonly<Record<string, string>>
    ) {
      const old = Object.keys(names)
      // only texts are names; numbers are ids
      return yield* sql<{ device_id: number; name: string }>`
        with renamed as (select ${JSON.stringify(names)}::jsonb as by_name)
        update interface set data = data
          || case when jsonb_typeof(data -> 'untagged_vlan') = 'string' and data ->> 'untagged_vlan' = any(${old}::text[])
            then jsonb_build_object('untagged_vlan', by_name -> (data ->> 'untagged_vlan')) else '{}' end
          || case when jsonb_typeof(data -> 'tagged_vlan_list') = 'array'
            then jsonb_build_object('tagged_vlan_list', (select coalesce(jsonb_agg(
                case when jsonb_typeof(listed) = 'string' then coalesce(by_name -> (listed #>> '{}'), listed) else listed end order by place), '[]')
              from jsonb_array_elements(data -> 'tagged_vlan_list') with ordinality as listed_at (listed, place))) else '{}' end
        from renamed
        where device_id = any(${deviceIds}::integer[]) and (
          (jsonb_typeof(data -> 'untagged_vlan') = 'string' and data ->> 'untagged_vlan' = any(${old}::text[]))
          or (jsonb_typeof(data -> 'tagged_vlan_list') = 'array' and data -> 'tagged_vlan_list' ?| ${old}::text[]))
        returning device_id, name`
    }),
    remove: Effect.fn("InterfaceStore.remove")(function* (deviceId: number, names: ReadonlyArray<string>) {
      if (names.length > 0)
        yield* sql`delete from interface where device_id = ${deviceId} and name = any(${names}::text[])`
    })
  })
})

/** The last good reading of the ports of a device; `age` in seconds. */
interface StoredReading {
  readonly read_at: string
  readonly age: number
  readonly ports: Readonly<Record<string, PortReading>>
}

type ReadMany = Effect.Effect<ReadonlyArray<Interface>, SqlError.SqlError>

/** Ports by device. */
export class InterfaceStore extends Context.Service<
  InterfaceStore,
  {
    readonly ofDevice: (deviceId: number) => ReadMany
    readonly ofDevices: (deviceIds: ReadonlyArray<number>) => ReadMany
    /** Inserts or updates the port. */
    readonly put: (
      deviceId: number,
      name: string,
      configtype: ConfigType,
      data: InterfaceData | null
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Gives ports that name this neighbour its new name; yields the ids of their devices. */
    readonly renameNeighbor: (from: string, to: string) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** Ports of these devices that name one of these VLANs or VXLANs, by a text or a number; `most` of them. */
    readonly namingVlans: (deviceIds: ReadonlyArray<number>, names: ReadonlyArray<string>, most: number) => ReadMany
    /** Replaces old VLAN names in ports of these devices by the new ones, all at once; yields the changed ports. */
    readonly renameVlans: (
      deviceIds: ReadonlyArray<number>,
      names: Readonly<Record<string, string>>
    ) => Effect.Effect<ReadonlyArray<{ readonly device_id: number; readonly name: string }>, SqlError.SqlError>
    readonly lastReading: (deviceId: number) => Effect.Effect<StoredReading | null, SqlError.SqlError>
    readonly keepReading: (
      deviceId: number,
      ports: Readonly<Record<string, PortReading>>
    ) => Effect.Effect<void, SqlError.SqlError>
    readonly remove: (deviceId: number, names: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** Seals ports that an earlier release stored in clear text; yields the number with secrets. */
    readonly sealOld: Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/store/InterfaceStore") {
  static readonly layer = Layer.effect(InterfaceStore, make)

  /** Seals ports of an earlier release once, in the background. */
  static readonly sealing = Layer.effectDiscard(
    Effect.gen(function* () {
      const { sealOld } = yield* InterfaceStore
      const sealing = Effect.flatMap(sealOld, (sealed) =>
        sealed > 0
          ? Effect.logInfo(`${sealed} ports had secrets in clear from an earlier release; they are sealed now`)
          : Effect.void
      )
      yield* Effect.forkScoped(Effect.retry(sealing, Schedule.spaced("10 seconds")))
    })
  )
}

// Machines that switches have learnt: rows are replaced after each read. `FleetViews.ts` searches them.

/** A switch may report any value; values that no column holds are ignored. */
const isVlan = (vlan: number): boolean => Number.isInteger(vlan) && vlan >= 0 && vlan <= 4095

/** The form of a MAC address in columns. */
const bare = (mac: string): string => mac.replaceAll(":", "")

/** A reported name, and its hostname if the name is fully qualified. */
const namesOf = (name: string): ReadonlyArray<string> => {
  const [label = ""] = name.split(".")
  return name === "" ? [] : [...new Set([name, label])]
}

const portsOf = ({ macs, neighbours }: LearnedTables) => {
  const joined = new Map(macs.joined.map((port) => [port.port, port]))
  return [...new Set(macs.entries.map(({ port }) => port))].map((port) => {
    const members = joined.get(port)?.members ?? []
    const names = [port, ...members].flatMap((name) => neighbours[name] ?? [])
    return {
      port,
      members,
      neighbours: names.flatMap(namesOf),
      is_tunnel: joined.get(port)?.isTunnel ?? false
    }
  })
}

/** Machines by device. */
export const makeStations = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const cut = (table: "mac_entry" | "arp_entry", deviceId: number, most: number) =>
    sql`delete from ${sql(table)} where ctid = any(array(
      select ctid from ${sql(table)} where device_id = ${deviceId} order by last_seen desc, first_seen desc offset ${most}))`

  const write = Effect.fn("StationStore.write")(function* (deviceId: number, tables: LearnedTables, most: number) {
    const device = yield* sql`select 1 from device where id = ${deviceId} for key share`
    if (device.length === 0) return
    const entries = tables.macs.entries.slice(0, most).map(({ mac, port, vlan }) => ({
      port,
      vlan: vlan !== null && isVlan(vlan) ? vlan : null,
      mac: bare(mac)
    }))
    const arps = tables.arps
      .slice(0, most)
      .filter(({ ip }) => isIP(ip) !== 0 && !ip.includes("%"))
      .map((entry) => ({ ...entry, mac: bare(entry.mac) }))
    yield* sql`insert into mac_entry (device_id, port, vlan, mac)
      select distinct ${deviceId}::integer, port, vlan, mac
        from jsonb_to_recordset(${sql.json(entries)}) as told(port text, vlan integer, mac text)
      on conflict (device_id, mac, vlan, port) do update set last_seen = excluded.last_seen`
    yield* sql`insert into arp_entry (device_id, ip, mac, interface)
      select distinct ${deviceId}::integer, ip, mac, interface
        from jsonb_to_recordset(${sql.json(arps)}) as told(ip inet, mac text, interface text)
      on conflict (device_id, ip, mac, interface) do update set last_seen = excluded.last_seen`
    yield* cut("mac_entry", deviceId, most)
    yield* cut("arp_entry", deviceId, most)
    yield* sql`insert into station_port (device_id, port, members, neighbours, is_tunnel)
      select ${deviceId}::integer, port, members, neighbours, is_tunnel from jsonb_to_recordset(${sql.json(portsOf(tables))})
        as told(port text, members text[], neighbours text[], is_tunnel boolean)
      on conflict (device_id, port) do update
        set members = excluded.members, neighbours = excluded.neighbours, is_tunnel = excluded.is_tunnel`
    yield* sql`insert into tables_read (device_id, macs, arps)
      values (${deviceId}, ${tables.macs.entries.length}, ${tables.arps.length})
      on conflict (device_id) do update set read_at = excluded.read_at, macs = excluded.macs, arps = excluded.arps`
  }, sql.withTransaction)

  return {
    /** Adds the machines that a device has learnt. Of each table, only a limited number of the newest entries is kept. */
    write,
    /** Removes machines that were not seen for this number of days. */
    forget: Effect.fn("StationStore.forget")(function* (days: number) {
      const isOld = sql`last_seen < now() - make_interval(days => ${days})`
      yield* sql`delete from mac_entry where ${isOld}`
      yield* sql`delete from arp_entry where ${isOld}`
      yield* sql`delete from station_port p where not exists (
        select 1 from mac_entry m where m.device_id = p.device_id and m.port = p.port)`
    }, sql.withTransaction)
  }
})
