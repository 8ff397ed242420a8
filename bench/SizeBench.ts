/**
 * How a sync grows with the number of switches: a dry run and a live sync of 1,000 to 10,000 of them (`SIZES`), the lab in several
 * processes, while a client asks for lists and devices every 100 ms; then the reference load on the same switches. What was measured is
 * kept in `size.json`, one entry a size, and drawn in `size.svg`. Every line is new to the switches.
 */
import { Console, Effect, Schema } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import * as path from "node:path"
import { askSteadily, percentile } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { startLabs } from "./BenchLab.ts"
import { COUNTING, processorSeconds, work } from "./BenchPostgres.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { type Figure, figure } from "./Figures.ts"
import { row } from "./Measured.ts"
import { targets } from "./ReadersBench.ts"
import { runReference } from "./ReferenceLoad.ts"
import { plot } from "./SizePlot.ts"
import { runSync } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000
/** Milliseconds from one question of the client to the next. */
const EVERY = 100

const Run = Schema.Struct({
  seconds: Schema.Finite,
  processorSeconds: Schema.Finite,
  megabytes: Schema.Finite,
  databaseSeconds: Schema.Finite,
  statements: Schema.Finite,
  transactions: Schema.Finite,
  writtenBytes: Schema.Finite,
  asked: Schema.Int,
  p50: Schema.Finite,
  p99: Schema.Finite,
  longest: Schema.Finite
})
type Run = typeof Run.Type

/** All figures of one size. `load` is that of the machine before, over one and five minutes. */
const Point = Schema.Struct({
  devices: Schema.Int,
  at: Schema.String,
  load: Schema.Array(Schema.Finite),
  dry: Run,
  live: Run,
  referenceSeconds: Schema.Finite,
  referenceProcessorSeconds: Schema.Finite
})
/** All figures of one size. */
export type Point = typeof Point.Type

const Points = Schema.fromJsonString(Schema.Array(Point))

/** A size: everything that belongs to it is started for it and ended after it. */
const measure = Effect.fnUntraced(function* (devices: number) {
  const load = loadavg().slice(0, 2)
  const lab = yield* startLabs(devices, COMMIT)
  const names = lab.switches.map(({ name }) => name)
  const folder = yield* folderOf
  const dataDir = path.join(folder, "postgres", "postgres")
  const { api, database, pid } = yield* startServer(folder, environment(folder, lab.port), undefined, COUNTING)
  const run = Effect.fnUntraced(function* (dry: boolean) {
    const before = { seconds: processorSeconds(dataDir), ...(yield* work) }
    let isRunning = true
    const syncing = Effect.tap(runSync(api, pid, dry), () => Effect.sync(() => (isRunning = false)))
    const asking = Effect.promise(() => askSteadily(api, targets(names), EVERY, () => isRunning))
    const [sync, times] = yield* Effect.all([syncing, asking], { concurrency: 2 })
    const after = yield* work
    return {
      ...sync,
      databaseSeconds: processorSeconds(dataDir) - before.seconds,
      statements: after.statements - before.statements,
      transactions: after.transactions - before.transactions,
      writtenBytes: after.writtenBytes - before.writtenBytes,
      asked: times.length,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      longest: percentile(times, 1)
    } satisfies Run
  })
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, devices)
    const dry = yield* run(true)
    const live = yield* run(false)
    const reference = yield* runReference(lab.port, lab.switches)
    return {
      devices,
      at: new Date().toISOString().slice(0, 16),
      load,
      dry,
      live,
      referenceSeconds: reference.seconds,
      referenceProcessorSeconds: reference.processorSeconds
    } satisfies Point
  }).pipe(Effect.provide(database))
}, Effect.scoped)

const fileOf = (name: string) => path.join(import.meta.dirname, name)

/** Puts a point in the place of the one of its size, and draws all. */
const keep = Effect.fnUntraced(function* (point: Point) {
  const file = fileOf("size.json")
  const kept = existsSync(file) ? yield* Effect.orDie(Schema.decodeEffect(Points)(readFileSync(file, "utf8"))) : []
  const points = [...kept.filter(({ devices }) => devices !== point.devices), point]
  const sorted = points.toSorted((one, other) => one.devices - other.devices)
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
  writeFileSync(fileOf("size.svg"), plot(sorted))
})

const each = (run: Run, devices: number) =>
  `${((1000 * run.processorSeconds) / devices).toFixed(1)} ms of the server and ${((1000 * run.databaseSeconds) / devices).toFixed(1)} ms of PostgreSQL, ${(run.statements / devices).toFixed(1)} statements, ${(run.transactions / devices).toFixed(1)} transactions, ${(run.writtenBytes / devices / 1000).toFixed(1)} KB written a device`

const shown = (run: Run, { devices, referenceProcessorSeconds, referenceSeconds }: Point) =>
  `${run.seconds.toFixed(1)} s, ${run.megabytes.toFixed(0)} MB; ${each(run, devices)}; API p99 ${run.p99.toFixed(0)} ms, median ${run.p50.toFixed(0)} ms, longest ${run.longest.toFixed(0)} ms of ${run.asked}; ${(run.seconds / referenceSeconds).toFixed(2)} times the wall time and ${(run.processorSeconds / referenceProcessorSeconds).toFixed(2)} times the processor time of the reference load (${referenceSeconds.toFixed(1)} s, ${((1000 * referenceProcessorSeconds) / devices).toFixed(1)} ms a device)`

const data = (point: Point, run: Run) => ({
  devices: point.devices,
  ...run,
  referenceSeconds: point.referenceSeconds,
  referenceProcessorSeconds: point.referenceProcessorSeconds
})

/** Memory of sizes that no other bench has, and how many times the wall time of the first size this one takes. */
const figuresOf = ({ devices, dry, live }: Point, first: Point): ReadonlyArray<Figure> =>
  first.devices !== 1000 || devices === 1000
    ? []
    : [
        ...figure("memory at the most", devices, Math.max(dry.megabytes, live.megabytes)),
        ...figure("live sync: wall time against 1,000 switches", devices, live.seconds / first.live.seconds)
      ]

/** The rows of the table for these sizes. */
export const rows = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>) {
  const lines = []
  let first: Point | undefined
  for (const devices of sizes) {
    const point = yield* measure(devices)
    first ??= point
    yield* keep(point)
    yield* Console.log(`${devices}: dry ${shown(point.dry, point)}\n${devices}: live ${shown(point.live, point)}`)
    const what = `of ${devices} devices, lab in several processes`
    lines.push(
      row(`dry run ${what}`, "API p99 ≤ 200 ms", shown(point.dry, point), data(point, point.dry)),
      row(
        `live sync ${what}`,
        "API p99 ≤ 200 ms",
        shown(point.live, point),
        data(point, point.live),
        figuresOf(point, first)
      )
    )
  }
  return lines
})
