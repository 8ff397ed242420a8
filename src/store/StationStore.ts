/** Rows of machines that switches have learnt: written after each reading, and forgotten. `FindStore` looks for them. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { isIP } from "node:net"
import type { LearnedTables } from "../domain/DeviceReadings.ts"

/** A switch may say anything; what no column holds is not known. */
const isVlan = (vlan: number): boolean => Number.isInteger(vlan) && vlan >= 0 && vlan <= 4095

/** As columns have it. */
const bare = (mac: string): string => mac.replaceAll(":", "")

/** A name that was heard, and the hostname in it when it is fully qualified. */
const namesOf = (heard: string): ReadonlyArray<string> => {
  const [label = ""] = heard.split(".")
  return heard === "" ? [] : [...new Set([heard, label])]
}

const portsOf = ({ macs, neighbours }: LearnedTables) => {
  const joined = new Map(macs.joined.map((port) => [port.port, port]))
  return [...new Set(macs.entries.map(({ port }) => port))].map((port) => {
    const members = joined.get(port)?.members ?? []
    const heard = [port, ...members].flatMap((name) => neighbours[name] ?? [])
    return {
      port,
      members,
      neighbours: heard.flatMap(namesOf),
      is_tunnel: joined.get(port)?.isTunnel ?? false
    }
  })
}

const make = Effect.gen(function* () {
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

  return StationStore.of({
    write,
    forget: Effect.fn("StationStore.forget")(function* (days: number) {
      const isOld = sql`last_seen < now() - make_interval(days => ${days})`
      yield* sql`delete from mac_entry where ${isOld}`
      yield* sql`delete from arp_entry where ${isOld}`
      yield* sql`delete from station_port p where not exists (
        select 1 from mac_entry m where m.device_id = p.device_id and m.port = p.port)`
    }, sql.withTransaction)
  })
})

/** Machines by device. */
export class StationStore extends Context.Service<
  StationStore,
  {
    /** Adds what a device has learnt: of either table at most so many entries are kept, those seen last. */
    readonly write: (deviceId: number, tables: LearnedTables, most: number) => Effect.Effect<void, SqlError.SqlError>
    /** Removes what was not seen for so many days. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/StationStore") {
  static readonly layer = Layer.effect(StationStore, make)
}
