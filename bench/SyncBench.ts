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
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { environment, folderOf } from "./BenchSite.ts"
import type { Measured } from "./Measured.ts"

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
    yield* seed(lab.switches, lab.switches.length)
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
