/**
 * Rows 1 to 3 of the budgets: a dry run and a live run over many switches, with the lab in its own process. Each device has
 * about 300 lines of configuration and takes two seconds to commit; the live run is confirmed and proved.
 */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Engine from "../src/Engine.ts"
import { JobEngine } from "../src/jobs/JobEngine.ts"
import { refresh } from "../src/jobs/RefreshRepository.ts"
import * as Logging from "../src/Logging.ts"
import { ServerConfig } from "../src/ServerConfig.ts"
import * as Database from "../src/store/Database.ts"
import { DeviceStore } from "../src/store/DeviceStore.ts"
import { MgmtDomainStore } from "../src/store/MgmtDomainStore.ts"
import { startLab } from "./BenchLab.ts"
import { environment, folderOf } from "./BenchSite.ts"
import type { Measured } from "./Measured.ts"

const seed = Effect.fnUntraced(function* (
  switches: ReadonlyArray<{ readonly name: string; readonly address: string }>
) {
  const devices = yield* DeviceStore
  const sql = yield* SqlClient.SqlClient
  const [one, other] = [
    yield* devices.insert({ hostname: "dist1", state: "UNMANAGED", device_type: "DIST", platform: "eos" }),
    yield* devices.insert({ hostname: "dist2", state: "UNMANAGED", device_type: "DIST", platform: "eos" })
  ]
  yield* (yield* MgmtDomainStore).insert({
    ipv4_gw: "10.32.255.254/16",
    ipv6_gw: null,
    device_a_id: one.id,
    device_a_ip: null,
    device_b_id: other.id,
    device_b_ip: null,
    site_id: null,
    vlan: 3016,
    description: "bench",
    esi_mac: null
  })
  for (const { address, name } of switches) {
    yield* devices.insert({
      hostname: name,
      state: "MANAGED",
      device_type: "ACCESS",
      platform: "eos",
      model: "CCS-720XP-48Y6-F",
      os_version: "4.31.4M",
      management_ip: address
    })
  }
  yield* sql`insert into interface (device_id, name, configtype)
    select id, 'Ethernet' || number, 'ACCESS_AUTO' from device, generate_series(1, 18) number where device_type = 'ACCESS'`
})

const memory = () => process.memoryUsage().rss / 1e6

const run = Effect.fnUntraced(function* (dry_run: boolean) {
  const engine = yield* JobEngine
  const started = performance.now()
  let peak = memory()
  const watch = setInterval(() => (peak = Math.max(peak, memory())), 100)
  const args = { dry_run, device_type: "ACCESS", resync: true, force: false }
  const job = yield* engine.ended(yield* engine.start({ function: "sync_devices", args, user: "bench" }))
  clearInterval(watch)
  const sql = yield* SqlClient.SqlClient
  const [bad] = yield* sql<{
    count: number
    sample: unknown
  }>`select count(*)::int as count, min(job_tasks::text) as sample
    from job_device where job_id = ${job.id} and failed`
  if (job.status !== "FINISHED" || (bad?.count ?? 0) > 0) {
    return yield* Effect.die(new Error(`job ${job.status}, ${bad?.count} failed: ${String(bad?.sample).slice(-400)}`))
  }
  return { seconds: (performance.now() - started) / 1000, peak }
})

/** Measures both runs over `count` switches. */
export const measure = Effect.fnUntraced(function* (count: number, commitMs = 2000) {
  const lab = yield* startLab(count, commitMs)
  const folder = yield* folderOf
  const config = ServerConfig.layerOf(environment(folder, lab.port))
  const server = Engine.layer.pipe(
    Layer.provideMerge(Database.layer),
    Layer.provide(Logging.layer),
    Layer.provideMerge(config),
    Layer.provideMerge(NodeServices.layer)
  )
  return yield* Effect.gen(function* () {
    yield* refresh("templates", "bench")
    yield* refresh("settings", "bench")
    yield* seed(lab.switches)
    const dry = yield* run(true)
    const live = yield* run(false)
    return { dry, live }
  }).pipe(Effect.provide(server))
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const { dry, live } = yield* measure(count)
  const shown = ({ peak, seconds }: typeof dry) => `${seconds.toFixed(1)} s, ${peak.toFixed(0)} MB`
  const table: ReadonlyArray<Measured> = [
    {
      what: `live sync of ${count} devices`,
      budget: "≤ 10 s, ≤ 500 MB for 1,000",
      measured: shown(live),
      data: { devices: count, seconds: live.seconds, megabytes: live.peak }
    },
    {
      what: `dry run of ${count} devices`,
      budget: "≤ 6 s for 1,000",
      measured: shown(dry),
      data: { devices: count, seconds: dry.seconds, megabytes: dry.peak }
    }
  ]
  return table
})
