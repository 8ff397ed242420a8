/**
 * Rows 1 and 2 of the budgets: a dry run and a live run over many switches, with server and lab in their own processes. Each
 * device has about 300 lines of configuration and takes two seconds to commit; the live run is confirmed and proved.
 */
import { Effect } from "effect"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { runSync, type SyncRun } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

/** Measures both runs over `count` switches. */
const measure = Effect.fnUntraced(function* (count: number) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    const dry = yield* runSync(api, pid, true)
    const live = yield* runSync(api, pid, false)
    return { dry, live }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const { dry, live } = yield* measure(count)
  const shown = ({ megabytes, seconds }: SyncRun) => `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`
  const data = (run: SyncRun) => ({ devices: count, ...run })
  return [
    row(`live sync of ${count} devices`, "≤ 10 s, ≤ 500 MB for 1,000", shown(live), data(live)),
    row(`dry run of ${count} devices`, "≤ 6 s for 1,000", shown(dry), data(dry))
  ]
})
