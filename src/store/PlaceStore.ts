/** Devices as the screens of new switches and of the topology show them: how they stand, and which job works on them. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { TopologyNode, WaitingDevice } from "../domain/Topology.ts"
import { JOB_UNFINISHED } from "./JobStatusSql.ts"
import type { Within } from "./Listing.ts"
import { STANDINGS } from "./Standings.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

/** A node without its group, which the settings say; `platform` is what port names are spelled by. */
export type NodeRow = Omit<TopologyNode, "primary_group"> & { readonly platform: string | null }
/** A new switch without what is worked out. */
export type WaitingRow = Omit<WaitingDevice, "places" | "replaces" | "problems">

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const visible = (within: Within | undefined) =>
    within === undefined ? sql`true` : sql`device.hostname = any(${within.hostnames}::text[])`
  const unfinished = sql.literal(JOB_UNFINISHED)
  const jobOfDevice = sql`(select max(job.id) from job where job.status in ${unfinished}
    and (job.start_arguments ->> 'device_id' = device.id::text or job.start_arguments ->> 'ztp_mac' = device.ztp_mac))`
  const read = sql.literal(
    "(select iso_time(heard_at) from heard where heard.device_id = device.id) as neighbours_read"
  )
  return PlaceStore.of({
    nodes: Effect.fn("PlaceStore.nodes")(
      (within: Within | undefined) => sql<NodeRow>`select device.id, device.hostname, device.device_type, device.state,
        device.synchronized, device.os_version, device.model, device.platform,
        ${sql.literal(STANDINGS.unreachable.sql)} as unreachable, ${read},
        coalesce((select max(c.job_id) from config_change c where c.device_id = device.id and c.${sql.literal(UNFINISHED)}),
          ${jobOfDevice}) as job_id
        from device where ${visible(within)} order by device.id`
    ),
    waiting: Effect.fn("PlaceStore.waiting")(
      (within: Within | undefined) => sql<WaitingRow>`select device.id, device.hostname, device.state, device.ztp_mac,
        device.serial, device.platform, device.vendor, device.model, device.os_version, device.dhcp_ip, ${read},
        (select iso_time(e.at) from event e where e.device_id = device.id and e.kind = 'device'
          and e.action in ('created', 'state') order by e.id desc limit 1) as since,
        ${jobOfDevice} as job_id
        from device where device.state in ('DHCP_BOOT', 'DISCOVERED', 'INIT') and ${visible(within)} order by device.id`
    )
  })
})

/** New switches, and devices of the topology. */
export class PlaceStore extends Context.Service<
  PlaceStore,
  {
    readonly nodes: (within: Within | undefined) => Effect.Effect<ReadonlyArray<NodeRow>, SqlError.SqlError>
    readonly waiting: (within: Within | undefined) => Effect.Effect<ReadonlyArray<WaitingRow>, SqlError.SqlError>
  }
>()("switchyard/store/PlaceStore") {
  static readonly layer = Layer.effect(PlaceStore, make)
}
