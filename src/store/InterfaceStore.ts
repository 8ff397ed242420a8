/**
 * Rows of the interface table: the ports of access switches. Data with a secret in one of its texts are stored with marks in the place
 * of secrets, and sealed beside it (docs/security.md#what-is-stored).
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { isObject } from "../domain/fields/Values.ts"
import type { ConfigType, Interface, InterfaceData } from "../domain/Interface.ts"
import { readJson, SecretTexts } from "./SecretTexts.ts"

type StoredPort = Interface & { readonly sealed_data: string | null }

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const columns = sql.literal("device_id, name, configtype, data, sealed_data")

  /** A port as it was given. Without the key its texts keep their marks, which no configuration may have. */
  const opened = ({ sealed_data, ...port }: StoredPort): Interface => {
    const clear = sealed_data === null ? null : Option.getOrNull(Option.flatMap(secrets.open(sealed_data), readJson))
    if (!isObject(clear)) return port
    // a neighbour may have another name since
    const neighbor = port.data?.["neighbor"]
    return { ...port, data: { ...clear, ...(neighbor === undefined ? {} : { neighbor }) } }
  }

  /** What is stored of data. */
  const sealed = (data: InterfaceData | null) => {
    if (data === null) return { data, sealed_data: null }
    const hidden = secrets.hideTexts(data)
    const [clear, shown] = [JSON.stringify(data), JSON.stringify(hidden)]
    return { data: sql.json(hidden), sealed_data: shown === clear ? null : secrets.seal(clear) }
  }

  return InterfaceStore.of({
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
          sql`insert into interface ${sql.insert({ device_id: deviceId, name, configtype, ...sealed(data) })}
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
      return yield* sql<Interface>`select ${columns} from interface where device_id = any(${deviceIds}::integer[]) and (
          data ->> 'untagged_vlan' = any(${names}::text[]) or data ->> 'vxlan' = any(${names}::text[])
          or (jsonb_typeof(data -> 'tagged_vlan_list') = 'array' and exists (
            select 1 from jsonb_array_elements_text(data -> 'tagged_vlan_list') listed where listed = any(${names}::text[]))))
        order by device_id, name limit ${most}`
    }),
    renameVlans: Effect.fn("InterfaceStore.renameVlans")(function* (
      deviceIds: ReadonlyArray<number>,
      names: Readonly<Record<string, string>>
    ) {
      const old = Object.keys(names)
      // numbers stand for themselves: only texts are names
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

type ReadMany = Effect.Effect<ReadonlyArray<Interface>, SqlError.SqlError>

/** Ports by device. */
export class InterfaceStore extends Context.Service<
  InterfaceStore,
  {
    readonly ofDevice: (deviceId: number) => ReadMany
    readonly ofDevices: (deviceIds: ReadonlyArray<number>) => ReadMany
    /** Writes the port, new or not. */
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
    /** Gives ports of these devices that name VLANs by their old names the new ones, all at once; yields which ports. */
    readonly renameVlans: (
      deviceIds: ReadonlyArray<number>,
      names: Readonly<Record<string, string>>
    ) => Effect.Effect<ReadonlyArray<{ readonly device_id: number; readonly name: string }>, SqlError.SqlError>
    readonly remove: (deviceId: number, names: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/InterfaceStore") {
  static readonly layer = Layer.effect(InterfaceStore, make)
}
