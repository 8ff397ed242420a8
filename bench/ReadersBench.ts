/**
 * Readers during a live sync of a thousand devices: 32 connections read pages of devices, single devices and jobs as fast as
 * they are answered, until the job has ended. The same sync alone, before, says how much longer it takes for
 * them. Server and lab are processes of their own and new for each of the two.
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

/** A live sync of so many switches on a new server, alone or while `read` reads; reading ends with the sync. */
const sync = Effect.fnUntraced(function* (
  count: number,
  read: (port: number, names: ReadonlyArray<string>, goesOn: () => boolean) => Effect.Effect<Load>
) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid, port } = yield* startServer(folder, environment(folder, lab.port))
  let isRunning = true
  const names = lab.switches.map(({ name }) => name)
  const syncing = Effect.tap(runSync(api, pid, false), () => Effect.sync(() => (isRunning = false)))
  const reading = read(port, names, () => isRunning)
  const [run, found] = yield* seed(lab.switches, count).pipe(
    Effect.andThen(Effect.all([syncing, reading], { concurrency: 2 })),
    Effect.provide(database)
  )
  return { run, found }
}, Effect.scoped)

const NO_LOAD: Load = { rate: 0, p50: 0, p99: 0, max: 0, count: 0 }

/** The rows of the table for a sync of so many switches. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const alone = yield* sync(count, () => Effect.succeed(NO_LOAD))
  const beside = yield* sync(count, (port, names, goesOn) =>
    Effect.promise(() => load(port, READERS, targets(names), goesOn))
  )
  const { max, p50, p99, rate } = beside.found
  const { megabytes, seconds } = beside.run
  const times = seconds / alone.run.seconds
  const measured = `p99 ${p99.toFixed(0)} ms, median ${p50.toFixed(0)} ms, longest ${max.toFixed(0)} ms, ${rate.toFixed(0)}/s; the sync took ${seconds.toFixed(1)} s, ${alone.run.seconds.toFixed(1)} s alone, ${times.toFixed(1)} times as long`
  return [
    row(
      `${READERS} readers during a live sync of ${count} devices`,
      "p99 ≤ 200 ms, the sync ≤ 2.5 times as long as alone",
      measured,
      { ...beside.found, seconds, alone: alone.run.seconds, times, megabytes }
    )
  ]
})
