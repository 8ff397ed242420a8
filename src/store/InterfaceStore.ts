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
    readonly remove: (deviceId: number, names: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/InterfaceStore") {
  static readonly layer = Layer.effect(InterfaceStore, make)
}
