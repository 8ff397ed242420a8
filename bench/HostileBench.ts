/**
 * Readers while somebody without a token floods the server (`FloodProcess.ts`): 32 connections with a token read pages of
 * devices, single devices and jobs, first alone and then beside the flood.
 */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { loadavg } from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import { forSeconds, load } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { startServer, usageOf } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { makeTokens } from "./BenchToken.ts"
import { row } from "./Measured.ts"
import { targets } from "./ReadersBench.ts"

const READERS = 32
const CONNECTIONS = 16
const SECONDS = 20
const DEVICES = 10_000

const Answers = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Int))

/** Floods the server while the scope is open; `stop` yields how often each status was answered. */
const startFlood = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const script = path.join(import.meta.dirname, "FloodProcess.ts")
      const child = spawn(process.execPath, [script, String(port), String(CONNECTIONS)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      await lines.next()
      const stop = Effect.promise(async () => {
        child.kill("SIGTERM")
        return String((await lines.next()).value)
      })
      return { child, stop: Effect.flatMap(stop, Schema.decodeEffect(Answers)) }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** The row of the table. */
export const rows = Effect.gen(function* () {
  const folder = yield* folderOf
  const { JWT_CERT, issue } = makeTokens(folder)
  const token = yield* issue()
  const { database, pid, port } = yield* startServer(folder, { ...environment(folder, 22), JWT_CERT }, token)
  yield* Effect.provide(seed([], DEVICES), database)
  const names = Array.from({ length: DEVICES }, (_, index) => `far${index + 1}`)
  const read = Effect.promise(() => load(port, READERS, targets(names), forSeconds(SECONDS), token))
  const alone = yield* read
  const before = usageOf(pid).megabytes
  const flood = yield* startFlood(port)
  const beside = yield* read
  const { megabytes } = usageOf(pid)
  const answers = yield* flood.stop
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
  const [busy = 0] = loadavg()
  const measured = `p99 ${beside.p99.toFixed(0)} ms, median ${beside.p50.toFixed(0)} ms, longest ${beside.max.toFixed(0)} ms, ${beside.rate.toFixed(0)}/s; alone p99 ${alone.p99.toFixed(0)} ms, ${alone.rate.toFixed(0)}/s; ${total} hostile requests (${JSON.stringify(answers)}); memory ${before.toFixed(0)} → ${megabytes.toFixed(0)} MB; load of the machine ${busy.toFixed(1)}`
  return [
    row(`${READERS} readers while somebody without a token floods the server`, "p99 ≤ 200 ms", measured, {
      ...beside,
      aloneP99: alone.p99,
      hostile: total,
      megabytes
    })
  ]
}).pipe(Effect.scoped)
