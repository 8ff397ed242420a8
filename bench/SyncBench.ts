/**
 * Rows 1 and 2 of the budgets: a dry run and a live run over many switches, with server and lab in their own processes. Each
 * device has about 300 lines of configuration and takes two seconds to commit; the live run is confirmed and proved. Measured
 * twice: when every line is new to the switches, on a server that has just started, and after that when a setting has
 * changed, which is what a sync is on most days. Both times each switch is given the whole of its configuration. The reference
 * load follows at once, so that a figure can be compared with one of another machine or another hour.
 */
import { Effect } from "effect"
import * as path from "node:path"
import type { Client } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { processorSeconds } from "./BenchPostgres.ts"
import { startServer } from "./BenchServer.ts"
import { changeAll, refresh } from "./BenchSettings.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { figuresOf } from "./Figures.ts"
import { row } from "./Measured.ts"
import { besideReference, runReference } from "./ReferenceLoad.ts"
import { runSync, type SyncRun } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

const both = Effect.fnUntraced(function* (api: Client, pid: number, dataDir: string) {
  const dry = yield* runSync(api, pid, true)
  const before = processorSeconds(dataDir)
  const live = yield* runSync(api, pid, false)
  return { dry, live: { ...live, databaseSeconds: processorSeconds(dataDir) - before } }
})

/** Measures the runs over `count` switches. */
const measure = Effect.fnUntraced(function* (count: number) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    const dataDir = path.join(folder, "postgres", "postgres")
    const first = yield* both(api, pid, dataDir)
    changeAll(path.join(folder, "settings"))
    yield* refresh(api)
    const changed = yield* both(api, pid, dataDir)
    return { first, changed, reference: yield* runReference(lab.port, lab.switches) }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const { changed, first, reference } = yield* measure(count)
  const shown = (run: SyncRun) =>
    `${run.seconds.toFixed(1)} s, ${run.megabytes.toFixed(0)} MB, ${besideReference(run, reference, count)}`
  const data = (run: SyncRun) => ({
    devices: count,
    ...run,
    referenceSeconds: reference.seconds,
    referenceProcessorSeconds: reference.processorSeconds
  })
  const ofAll = `of ${count} devices`
  const megabytes = Math.max(...[first, changed].flatMap(({ dry, live }) => [dry.megabytes, live.megabytes]))
  return [
    row(
      `live sync ${ofAll}, a setting changed`,
      "",
      `${shown(changed.live)}; ${((1000 * changed.live.databaseSeconds) / count).toFixed(1)} ms of PostgreSQL a device`,
      data(changed.live),
      figuresOf({ devices: count, ...changed, reference, megabytes })
    ),
    row(`dry run ${ofAll}, a setting changed`, "", shown(changed.dry), data(changed.dry)),
    row(`live sync ${ofAll}, every line new`, "", shown(first.live), data(first.live)),
    row(`dry run ${ofAll}, every line new, server just started`, "", shown(first.dry), data(first.dry))
  ]
})
