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
import { startServer } from "./BenchServer.ts"
import { changeAll, refresh } from "./BenchSettings.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { besideReference, runReference } from "./ReferenceLoad.ts"
import { runSync, type SyncRun } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

const both = Effect.fnUntraced(function* (api: Client, pid: number) {
  const dry = yield* runSync(api, pid, true)
  const live = yield* runSync(api, pid, false)
  return { dry, live }
})

/** Measures the runs over `count` switches. */
const measure = Effect.fnUntraced(function* (count: number) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    const first = yield* both(api, pid)
    changeAll(path.join(folder, "settings"))
    yield* refresh(api)
    const changed = yield* both(api, pid)
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
  return [
    row(
      `live sync ${ofAll}, a setting changed`,
      "≤ 11 s, ≤ 12 ms of processor time a device, ≤ 500 MB for 1,000",
      shown(changed.live),
      data(changed.live)
    ),
    row(`dry run ${ofAll}, a setting changed`, "≤ 6 s for 1,000", shown(changed.dry), data(changed.dry)),
    row(`live sync ${ofAll}, every line new`, "", shown(first.live), data(first.live)),
    row(`dry run ${ofAll}, every line new, server just started`, "", shown(first.dry), data(first.dry))
  ]
})
