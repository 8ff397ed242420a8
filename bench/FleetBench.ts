/**
 * Rows of the budgets that need many devices in the database but no switches: a refresh of the settings until every sync
 * status is known, lists, one preview, and what an idle server takes.
 */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { appendFileSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { refresh } from "../src/jobs/RefreshRepository.ts"
import * as Logging from "../src/Logging.ts"
import * as Server from "../src/Server.ts"
import { ServerConfig } from "../src/ServerConfig.ts"
import * as Database from "../src/store/Database.ts"
import type { Measured } from "./Measured.ts"
import { environment, folderOf } from "./SyncBench.ts"

const DEVICES = 10_000
const GROUPS = 200

const commit = (folder: string, message: string) => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=Bench", "-c", "user.email=bench@example.org", ...args])
  git("add", "-A")
  git("commit", "-q", "-m", message)
}

const addGroups = (settings: string) => {
  const groups = Array.from(
    { length: GROUPS },
    (_, index) => `  - group:\n      name: BENCH_${index}\n      regex: 'acc${index}[0-9]*$'\n`
  )
  appendFileSync(path.join(settings, "global/groups.yml"), groups.join(""))
  commit(settings, "groups")
}

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into device (hostname, state, device_type, platform, model, management_ip, synchronized)
    select 'acc' || n, 'MANAGED', 'ACCESS', 'eos', 'CCS-720XP-48Y6-F',
      '10.' || 32 + n / 65025 || '.' || (n / 255) % 255 || '.' || n % 255, true from generate_series(1, ${DEVICES}) n`
  yield* sql`insert into interface (device_id, name, configtype)
    select id, 'Ethernet' || number, 'ACCESS_AUTO' from device, generate_series(1, 4) number`
})

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const started = performance.now()
    yield* work
    return (performance.now() - started) / 1000
  })

const get = (agent: http.Agent, port: number, target: string) =>
  new Promise<number>((resolve, reject) => {
    const started = performance.now()
    http
      .get({ agent, port, host: "127.0.0.1", path: target }, (response) => {
        response.resume()
        response.once("end", () => resolve(performance.now() - started))
      })
      .once("error", reject)
  })

/** Requests a second and the 99th percentile in milliseconds, over 32 connections for five seconds. */
const load = (port: number, target: () => string) =>
  Effect.promise(async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 32 })
    const until = performance.now() + 5000
    const times: Array<number> = []
    const one = async () => {
      while (performance.now() < until) times.push(await get(agent, port, target()))
    }
    await Promise.all(Array.from({ length: 32 }, one))
    agent.destroy()
    const sorted = times.toSorted((a, b) => a - b)
    return { rate: times.length / 5, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
  })

const idle = Effect.gen(function* () {
  globalThis.gc?.()
  const before = process.cpuUsage()
  yield* Effect.sleep("5 seconds")
  const { system, user } = process.cpuUsage(before)
  return { megabytes: process.memoryUsage().rss / 1e6, cpu: (system + user) / 5e4 }
})

const row = (what: string, budget: string, measured: string, data: Measured["data"]): Measured => ({
  what,
  budget,
  measured,
  data
})

const measure = Effect.fnUntraced(function* (folder: string) {
  const settings = path.join(folder, "settings")
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : 0
  while ((yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/api/v1.0/settings`))).status !== 200) {
    yield* Effect.sleep("100 millis")
  }
  yield* seed
  addGroups(settings)
  yield* refresh("settings", "bench")
  writeFileSync(path.join(settings, "access/base_system.yml"), "---\nntp_servers:\n  - host: 10.20.0.9\n")
  commit(settings, "all access switches")
  const refreshed = yield* timed(refresh("settings", "bench"))
  const resting = yield* idle
  const page = yield* load(port, () => "/api/v1.0/devices?per_page=50")
  const pages = yield* load(port, () => `/api/v1.0/devices?per_page=50&page=${1 + Math.floor(Math.random() * 200)}`)
  return [
    row("settings refresh with 10,000 devices to sync status known", "≤ 5 s", `${refreshed.toFixed(1)} s`, {
      seconds: refreshed
    }),
    row(
      "GET /devices, 10,000 devices, 50 per page, 32 connections",
      "≥ 1,500/s, p99 ≤ 40 ms",
      `${page.rate.toFixed(0)}/s, p99 ${page.p99.toFixed(0)} ms (client on the same cores)`,
      page
    ),
    row("the same, a random page each", "", `${pages.rate.toFixed(0)}/s, p99 ${pages.p99.toFixed(0)} ms`, pages),
    row(
      "idle server with 10,000 devices",
      "≤ 350 MB, < 2 % CPU",
      `${resting.megabytes.toFixed(0)} MB, ${resting.cpu.toFixed(1)} % CPU`,
      resting
    )
  ]
})

/** The rows of the table. */
export const rows = Effect.gen(function* () {
  const folder = yield* folderOf
  const config = ServerConfig.layerOf({ ...environment(folder, 22), PORT: "0", JWT_ENABLED: "false" })
  const server = Server.layerOnDatabase.pipe(
    Layer.provideMerge(Database.layer),
    Layer.provide(Logging.layer),
    Layer.provideMerge(config),
    Layer.provideMerge(NodeServices.layer)
  )
  return yield* Effect.provide(measure(folder), server)
}).pipe(Effect.scoped)
