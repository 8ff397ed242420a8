/**
 * Two hundred clients of live events beside a live sync of a thousand devices: how long it takes from the row to the subscriber, whether
 * each has heard everything, and what the sync pays for it against the same sync alone. Server, lab and clients are processes of
 * their own.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { runSync } from "./SyncRun.ts"

const CLIENTS = 200
/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

const Told = Schema.fromJsonString(
  Schema.Struct({
    heard: Schema.Array(Schema.Array(Schema.Finite)),
    counts: Schema.Array(Schema.Finite),
    sse: Schema.Record(Schema.String, Schema.Finite)
  })
)

/** Starts the clients; `end` yields what they have heard. */
const startClients = (port: number) =>
  Effect.promise(async () => {
    const file = path.join(import.meta.dirname, "LiveClients.ts")
    const child = spawn(process.execPath, [file, String(port), String(CLIENTS)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const first = await lines.next()
    if (first.value !== "connected") throw new Error("the clients could not connect")
    return {
      end: async () => {
        child.kill("SIGTERM")
        return Schema.decodeUnknownSync(Told)((await lines.next()).value)
      }
    }
  })

type Heard = typeof Told.Type

/** A live sync of so many switches on a new server, alone or with clients. */
const sync = Effect.fnUntraced(function* (count: number, hasClients: boolean) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid, port } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* seed(lab.switches, count)
    const clients = hasClients ? yield* startClients(port) : null
    const [from] = yield* sql<{ id: number }>`select coalesce(max(id), 0)::float8 as id from event`
    const run = yield* runSync(api, pid, false)
    yield* Effect.sleep("3 seconds")
    const told = clients === null ? null : yield* Effect.promise(clients.end)
    const rows = yield* sql<{ at: number }>`select extract(epoch from at)::float8 * 1000 as at from event
      where kind = 'device' and id > ${from?.id ?? 0} order by id`
    return { run, told, rows: rows.map(({ at }) => at) }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** Milliseconds from the row to the sockets whose moments were kept. */
const delaysOf = ({ heard }: Heard, rows: ReadonlyArray<number>): ReadonlyArray<number> =>
  heard
    .flatMap((moments) => moments.map((moment, place) => moment - (rows[place] ?? Number.NaN)))
    .toSorted((a, b) => a - b)

/** The rows of the table for a sync of so many switches. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const alone = yield* sync(count, false)
  const beside = yield* sync(count, true)
  const told = beside.told ?? { heard: [], counts: [], sse: {} }
  const delays = delaysOf(told, beside.rows)
  const part = (share: number) => delays[Math.floor(delays.length * share)] ?? 0
  const { p50 = 0, p95 = 0, max = 0, least = 0, most = 0 } = told.sse
  const missed = told.counts.filter((heard) => heard !== beside.rows.length).length
  const { megabytes, processorSeconds, seconds } = beside.run
  const times = seconds / alone.run.seconds
  const work = processorSeconds / alone.run.processorSeconds
  const measured = `sockets p95 ${part(0.95).toFixed(0)} ms, median ${part(0.5).toFixed(0)} ms; streams p95 ${p95.toFixed(0)} ms, median ${p50.toFixed(0)} ms, longest ${max.toFixed(0)} ms; ${beside.rows.length} device events, ${missed} sockets heard another number; streams heard ${least} to ${most} events; the sync took ${seconds.toFixed(1)} s (${times.toFixed(2)} times), ${work.toFixed(2)} times the processor time, ${megabytes.toFixed(0)} MB (${alone.run.megabytes.toFixed(0)} MB alone)`
  return [
    row(
      `${CLIENTS} live clients beside a live sync of ${count} devices`,
      "p95 ≤ 100 ms, the sync ≤ 1.1 times",
      measured,
      {
        socketP95: part(0.95),
        streamP95: p95,
        missed,
        seconds,
        times,
        work,
        megabytes
      }
    )
  ]
})
