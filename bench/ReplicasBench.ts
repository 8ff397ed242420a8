/**
 * What a device costs when several replicas share the work: the same live sync of a thousand switches by one server, by two and by four
 * (`REPLICAS`), over one PostgreSQL. On a machine whose processors they all share the seconds say nothing of replicas; the processor time
 * of all of them, and of PostgreSQL, says whether a device costs more because there are more of them, which is what the table of
 * `README.md` about four replicas takes for granted.
 */
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { COUNTING, processorSeconds, work } from "./BenchPostgres.ts"
import { startDatabase, startProgram, usageOf } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { figure } from "./Figures.ts"
import { row } from "./Measured.ts"
import { runSync } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000
const KEY = "a key that all replicas of the bench share"
const FIRST_CLUSTER_PORT = 17_000

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

/** So many replicas, each with a folder of its own; alone a server is as it is at a site that has one. */
const startReplicas = Effect.fnUntraced(function* (
  folder: string,
  url: string,
  env: Record<string, string>,
  count: number
) {
  const cluster = (index: number) =>
    count === 1 ? {} : { CLUSTER_HOST: "127.0.0.1", CLUSTER_PORT: String(FIRST_CLUSTER_PORT + index) }
  return yield* Effect.forEach(Array.from({ length: count }), (_, index) => {
    const own = path.join(folder, `replica-${index}`)
    mkdirSync(own)
    return startProgram(url, { env: { ...env, SECRET_KEY: KEY, DATA_DIR: own, ...cluster(index) } })
  })
})

const measure = Effect.fnUntraced(function* (devices: number, replicas: number) {
  const lab = yield* startLab(devices, COMMIT)
  const folder = yield* folderOf
  const dataDir = path.join(folder, "postgres", "postgres")
  const { database, url } = yield* startDatabase(folder, COUNTING)
  const [first, ...others] = yield* startReplicas(folder, url, environment(folder, lab.port), replicas)
  if (first === undefined) return yield* Effect.die(new Error("REPLICAS must be 1 or more"))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, devices)
    const taken = () => others.map(({ pid }) => usageOf(pid).seconds)
    const before = { database: processorSeconds(dataDir), others: sum(taken()), ...(yield* work) }
    const run = yield* runSync(first.api, first.pid, false)
    const after = yield* work
    return {
      devices,
      replicas,
      seconds: run.seconds,
      server: (1000 * (run.processorSeconds + sum(taken()) - before.others)) / devices,
      database: (1000 * (processorSeconds(dataDir) - before.database)) / devices,
      statements: (after.statements - before.statements) / devices,
      megabytes: run.megabytes
    }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** The rows of the table for these numbers of replicas. */
export const rows = Effect.fnUntraced(function* (devices: number, counts: ReadonlyArray<number>) {
  const found = yield* Effect.forEach(counts, (count) => measure(devices, count))
  const alone = found.find(({ replicas }) => replicas === 1)
  return found.map((one) => {
    const times = alone === undefined || alone === one ? Number.NaN : one.server / alone.server
    return row(
      `live sync of ${devices} devices, every line new, by ${one.replicas} ${one.replicas === 1 ? "server" : "replicas"}`,
      "",
      `${one.seconds.toFixed(1)} s; ${one.server.toFixed(1)} ms of all servers, ${one.database.toFixed(1)} ms of PostgreSQL and ${one.statements.toFixed(1)} statements a device; ${one.megabytes.toFixed(0)} MB at the first${Number.isNaN(times) ? "" : `; ${times.toFixed(2)} times the processor time of one server`}`,
      one,
      one.replicas === 4 ? figure("live sync by four replicas: processor time against one server", devices, times) : []
    )
  })
})
