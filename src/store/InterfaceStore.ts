/** Rows of the interface table: the ports of access switches. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { ConfigType, Interface, InterfaceData } from "../domain/Interface.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal("device_id, name, configtype, data")

  return InterfaceStore.of({
    ofDevice: Effect.fn("InterfaceStore.ofDevice")(
      (deviceId: number) => sql<Interface>`select ${columns} from interface where device_id = ${deviceId} order by name`
    ),
    ofDevices: Effect.fn("InterfaceStore.ofDevices")(function* (deviceIds: ReadonlyArray<number>) {
      if (deviceIds.length === 0) return []
      return yield* sql<Interface>`select ${columns} from interface where device_id = any(${deviceIds}::integer[]) order by device_id, name`
    }),
    put: Effect.fn("InterfaceStore.put")(
      (deviceId: number, name: string, configtype: ConfigType, data: InterfaceData | null) =>
        Effect.asVoid(
          sql`insert into interface ${sql.insert({ device_id: deviceId, name, configtype, data: data === null ? null : sql.json(data) })}
          on conflict (device_id, name) do update set configtype = excluded.configtype, data = excluded.data`
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
