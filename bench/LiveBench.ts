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
import { POLLING } from "./LivePolling.ts"
import { row } from "./Measured.ts"
import { runSync } from "./SyncRun.ts"

const CLIENTS = 200
/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

const FLAGS = ["-c", "track_commit_timestamp=on"]

const Told = Schema.fromJsonString(
  Schema.Struct({
    heard: Schema.Array(Schema.Array(Schema.Finite)),
    counts: Schema.Array(Schema.Finite),
    read: Schema.Array(Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite]))),
    streamed: Schema.Array(Schema.Finite)
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

/** An event, and the epoch milliseconds at which it was committed. */
interface Row {
  readonly id: number
  readonly kind: string
  readonly at: number
}

/** A live sync of so many switches on a new server, alone or with clients. */
const sync = Effect.fnUntraced(function* (count: number, hasClients: boolean) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid, port } = yield* startServer(folder, environment(folder, lab.port), undefined, FLAGS)
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* seed(lab.switches, count)
    const clients = hasClients ? yield* startClients(port) : null
    const [from] = yield* sql<{ id: number }>`select coalesce(max(id), 0)::float8 as id from event`
    const run = yield* runSync(api, pid, false)
    yield* Effect.sleep("3 seconds")
    const told = clients === null ? null : yield* Effect.promise(clients.end)
    // others can see a row from its commit on
    const rows = yield* sql<Row>`select id::float8 as id, kind,
        extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at
      from event where id > ${from?.id ?? 0} order by id`
    return { run, told, rows }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

type Moments = ReadonlyArray<number>

/** Milliseconds from the commit of device events to those sockets whose moments were kept. */
const socketDelays = (heard: Heard["heard"], devices: ReadonlyArray<Row>): Moments =>
  heard.flatMap((moments) => moments.map((moment, place) => moment - (devices[place]?.at ?? Number.NaN)))

/** The same of all events to the streams whose moments were kept. */
const streamDelays = ({ read }: Heard, rows: ReadonlyArray<Row>): Moments => {
  const commits = new Map(rows.map(({ at, id }) => [id, at]))
  return read.flatMap((events) => events.map(([id, moment]) => moment - (commits.get(id) ?? Number.NaN)))
}

const partOf = (delays: Moments) => {
  const sorted = delays.toSorted((a, b) => a - b)
  return (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The rows of the table for a sync of so many switches. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const alone = yield* sync(count, false)
  const beside = yield* sync(count, true)
  const told = beside.told ?? { heard: [], counts: [], read: [], streamed: [] }
  const devices = beside.rows.filter(({ kind }) => kind === "device")
  const heardBy = (isPolling: boolean) => told.heard.filter((_, place) => (place % POLLING === 0) === isPolling)
  const socket = partOf(socketDelays(heardBy(false), devices))
  const polling = partOf(socketDelays(heardBy(true), devices))
  const stream = partOf(streamDelays(told, beside.rows))
  const missed = told.counts.filter((heard) => heard !== devices.length).length
  const [least, most] = [Math.min(...told.streamed), Math.max(...told.streamed)]
  const { megabytes, processorSeconds, seconds } = beside.run
  const times = seconds / alone.run.seconds
  const work = processorSeconds / alone.run.processorSeconds
  const delays = (name: string, part: (share: number) => number) =>
    `${name} p95 ${part(0.95).toFixed(0)} ms, median ${part(0.5).toFixed(0)} ms`
  const measured = `${delays("websockets", socket)}; ${delays("polling", polling)}; ${delays("streams", stream)}, longest ${stream(1).toFixed(0)} ms; ${devices.length} device events, ${missed} sockets heard another number; streams heard ${least} to ${most} of ${beside.rows.length} events; the sync took ${seconds.toFixed(1)} s (${times.toFixed(2)} times), ${work.toFixed(2)} times the processor time, ${megabytes.toFixed(0)} MB (${alone.run.megabytes.toFixed(0)} MB alone)`
  return [
    row(
      `${CLIENTS} live clients beside a live sync of ${count} devices`,
      "p95 ≤ 100 ms, the sync ≤ 1.1 times",
      measured,
      {
        socketP95: socket(0.95),
        pollingP95: polling(0.95),
        streamP95: stream(0.95),
        missed,
        seconds,
        times,
        work,
        megabytes
      }
    )
  ]
})
