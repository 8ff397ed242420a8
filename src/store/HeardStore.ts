/** What switches heard of their neighbours when they were read last, whole per device. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { cutText } from "../domain/Text.ts"
import type { LldpNeighbour } from "../domain/Topology.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"

/** Neighbours by port, as drivers read them. */
export type HeardPorts = Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>

/** A switch with more is read as if it had no others. */
const MOST = 1024
const WIDTH = 255

const rowsOf = (ports: HeardPorts) =>
  Object.entries(ports)
    .flatMap(([port, all]) =>
      all.map(({ hostname, port: peer_port }) => ({
        port: cutText(port, WIDTH),
        name: cutText(maskSecrets(hostname), WIDTH),
        peer_port: cutText(maskSecrets(peer_port), WIDTH)
      }))
    )
    .slice(0, MOST)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal("h.device_id, h.port, h.name, h.peer_port")
  return HeardStore.of({
    keep: Effect.fn("HeardStore.keep")(
      function* (deviceId: number, ports: HeardPorts) {
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
      "HeardStore.ofKnown"
    )
  })
})

/** Neighbours of devices by LLDP. */
export class HeardStore extends Context.Service<
  HeardStore,
  {
    /** Keeps what a device has heard now, instead of what it heard before. That it cannot be kept is logged: who asked has the answer. */
    readonly keep: (deviceId: number, ports: HeardPorts) => Effect.Effect<void>
    /** What was heard from names that devices have. */
    readonly ofKnown: Effect.Effect<ReadonlyArray<LldpNeighbour>, SqlError.SqlError>
  }
>()("switchyard/store/HeardStore") {
  static readonly layer = Layer.effect(HeardStore, make)
}
