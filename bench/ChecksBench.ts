/**
 * What three checks cost a live sync, in processor time of the server: the same switches get a changed setting without checks, and then
 * another one with checks that are read before each commit and after its proof.
 */
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { startServer } from "./BenchServer.ts"
import { changeAll, refresh } from "./BenchSettings.ts"
import { commit, environment, folderOf } from "./BenchSite.ts"
import { figure } from "./Figures.ts"
import { row } from "./Measured.ts"
import { runSync } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

const CHECKS = `checks:
  uplinks:
    for: {device_types: [ACCESS]}
    reads: interfaces
    where: {is_up: true}
    must: no_lost
    settle: 0
  port-errors:
    for: {device_types: [ACCESS]}
    reads: errors
    must: {grows_at_most: {total: 0}}
    settle: 0
  quiet-log:
    for: {device_types: [ACCESS]}
    reads: {log: error}
    must: no_new
    settle: 0
`

const measure = Effect.fnUntraced(function* (count: number) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid } = yield* startServer(folder, environment(folder, lab.port))
  const settings = path.join(folder, "settings")
  const changed = Effect.fnUntraced(function* (server: string) {
    changeAll(settings, server)
    yield* refresh(api)
    return yield* runSync(api, pid, false)
  })
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    yield* runSync(api, pid, false)
    const without = yield* changed("10.20.0.9")
    const templates = path.join(folder, "templates")
    writeFileSync(path.join(templates, "checks.yml"), CHECKS)
    commit(templates, "three checks")
    yield* refresh(api, "templates")
    return { without, checked: yield* changed("10.20.0.10") }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** The row of the table. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const { checked, without } = yield* measure(count)
  const ratio = checked.processorSeconds / without.processorSeconds
  const shown = `${ratio.toFixed(2)} times the processor time of a sync without checks, ${checked.seconds.toFixed(1)} s instead of ${without.seconds.toFixed(1)} s`
  const what = `live sync of ${count} devices with three checks`
  const figures = figure("live sync with three checks: processor time against none", count, ratio)
  return [
    row(
      what,
      "≤ 1.4 times",
      shown,
      {
        devices: count,
        ratio,
        processorSeconds: checked.processorSeconds,
        processorSecondsWithout: without.processorSeconds,
        seconds: checked.seconds,
        secondsWithout: without.seconds
      },
      figures
    )
  ]
})
