/**
 * Readers during a live sync of a thousand devices: 32 connections read pages of devices, single devices and jobs as fast as
 * they are answered, until the job has ended. Server, lab and readers are processes of their own.
 */
import { Effect } from "effect"
import { type Load, load } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { runSync } from "./SyncRun.ts"

const READERS = 32
/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

const anyOf = (count: number): number => Math.floor(Math.random() * count)

/** A page of devices, a device or the newest jobs, in turn. */
export const targets = (names: ReadonlyArray<string>): (() => string) => {
  const kinds = [
    () => `/devices?per_page=50&page=${1 + anyOf(names.length / 50)}`,
    () => `/device/${names[anyOf(names.length)]}`,
    () => "/jobs?sort=-id&per_page=10&filter_jobresult=config,diff"
  ]
  return () => kinds[anyOf(kinds.length)]?.() ?? "/devices"
}

/** The rows of the table for a sync of so many switches. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid, port } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    let isRunning = true
    const reading = Effect.promise(() =>
      load(port, READERS, targets(lab.switches.map(({ name }) => name)), () => isRunning)
    )
    const syncing = Effect.tap(runSync(api, pid, false), () => Effect.sync(() => (isRunning = false)))
    const [found, { megabytes, seconds }] = yield* Effect.all([reading, syncing], { concurrency: 2 })
    const { max, p50, p99, rate }: Load = found
    const measured = `p99 ${p99.toFixed(0)} ms, median ${p50.toFixed(0)} ms, longest ${max.toFixed(0)} ms, ${rate.toFixed(0)}/s; the sync took ${seconds.toFixed(0)} s`
    return [
      row(`${READERS} readers during a live sync of ${count} devices`, "p99 ≤ 100 ms", measured, {
        ...found,
        seconds,
        megabytes
      })
    ]
  }).pipe(Effect.provide(database))
}, Effect.scoped)
