/** Slow image servers and switches that do not answer: what they hold up, and how downloads end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as http from "node:http"
import * as net from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Engine from "../../../src/Engine.ts"
import type { ServiceClass } from "../../../src/domain/jobs/ServiceClasses.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { jobNamed } from "../../support/Jobs.ts"

const portOf = (server: net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listening = <S extends net.Server>(server: S, closing: () => void) =>
  Effect.acquireRelease(
    Effect.promise(() => new Promise<S>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))),
    () =>
      Effect.sync(() => {
        closing()
        server.close()
      })
  )

/** An image server that sends a byte now and then and never comes to the end; `open` counts its answers under way. */
const drippingHost = Effect.gen(function* () {
  const open = new Set<http.ServerResponse>()
  const server = http.createServer((_, response) => {
    open.add(response)
    response.once("close", () => open.delete(response))
    response.writeHead(200, { "content-length": 1_000_000 })
    const timer = setInterval(() => response.write("x"), 50)
    response.once("close", () => clearInterval(timer))
  })
  yield* listening(server, () => server.closeAllConnections())
  return { open, url: `http://127.0.0.1:${portOf(server)}` }
})

/** A switch that takes connections and says nothing. */
const silentSwitch = Effect.gen(function* () {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
  })
  yield* listening(server, () => sockets.forEach((socket) => socket.destroy()))
  return portOf(server)
})

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-places-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
)

const engineWith = (env: Readonly<Record<string, string>>) =>
  Engine.layer.pipe(
    Layer.provideMerge(
      ServerConfig.layerOf({
        LOG_LEVEL: "Error",
        FIRMWARE_ALLOW_LOCAL: "true",
        USERNAME_DHCP_BOOT: "admin",
        PASSWORD_DHCP_BOOT: "admin",
        JOB_CONCURRENCY: "1",
        FIRMWARE_JOB_CONCURRENCY: "2",
        DISCOVERY_JOB_CONCURRENCY: "2",
        ...env
      })
    ),
    Layer.provideMerge(TestDatabase)
  )

const start = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>>) {
  return yield* (yield* JobEngine).start(jobNamed(name), args, { user: "tester", delaySeconds: 0 })
})

const download = (url: string, number: number) =>
  start("get_firmware", { url: `${url}/EOS-4.32.${number}F.swi`, sha1: "0".repeat(40), verify_tls: true })

const discover = Effect.fnUntraced(function* (number: number) {
  const ztp_mac = `001C7300000${number}`
  yield* (yield* DeviceStore).insert({
    hostname: `mac-${ztp_mac}`,
    ztp_mac,
    platform: "eos",
    state: "DHCP_BOOT",
    device_type: "UNKNOWN"
  })
  return yield* start("discover_device", { ztp_mac, dhcp_ip: `127.0.0.1`, iteration: number })
})

const statuses = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const jobs = yield* JobStore
  return yield* Effect.forEach(ids, jobs.status)
})

const running = Effect.fnUntraced(function* (ids: ReadonlyArray<number>, count: number) {
  while ((yield* statuses(ids)).filter((status) => status === "RUNNING").length < count)
    yield* Effect.sleep("20 millis")
})

describe("Jobs that wait for other systems", () => {
  it.live("take the places of their kind, and none from jobs on devices", () =>
    Effect.gen(function* () {
      const { url } = yield* drippingHost
      const DATA_DIR = yield* folder
      const SSH_PORT = String(yield* silentSwitch)
      yield* Effect.gen(function* () {
        const downloads = yield* Effect.forEach([1, 2, 3], (number) => download(url, number))
        yield* running(downloads, 2)
        const discoveries = yield* Effect.forEach([1, 2, 3], discover)
        yield* running(discoveries, 1)
        const engine = yield* JobEngine
        const facts = yield* engine.ended(yield* start("update_facts", { hostname: "nobody" }))
        assert.include(["FINISHED", "EXCEPTION"], facts.status)
        assert.strictEqual((yield* statuses(downloads)).filter((status) => status === "RUNNING").length, 2)
        assert.strictEqual((yield* statuses(downloads)).filter((status) => status === "SCHEDULED").length, 1)
      }).pipe(Effect.provide(engineWith({ DATA_DIR, SSH_PORT })))
    }).pipe(Effect.scoped)
  )
})

describe("A person's job", () => {
  it.live("does not wait behind 300 scheduled ones, whose records name what they wait for", () =>
    Effect.gen(function* () {
      const { url } = yield* drippingHost
      const DATA_DIR = yield* folder
      yield* Effect.gen(function* () {
        const engine = yield* JobEngine
        const jobs = yield* JobStore
        const sql = yield* SqlClient.SqlClient
        const begin =
          (user: string, serviceClass: ServiceClass) => (name: string, args: Readonly<Record<string, unknown>>) =>
            engine.start(jobNamed(name), args, { user, delaySeconds: 0, serviceClass })
        // the only place is taken until all of them wait for it
        const holder = yield* begin("cron", "schedule")("get_firmware", {
          url: `${url}/EOS-4.32.1F.swi`,
          sha1: "0".repeat(40),
          verify_tls: true
        })
        yield* running([holder], 1)
        const remove = { filename: "EOS-4.31.0F.swi" }
        const scheduled = yield* Effect.forEach(
          Array.from({ length: 300 }),
          () => begin("cron", "schedule")("remove_file", remove),
          {
            concurrency: 8
          }
        )
        const waiting = Effect.map(
          sql`select id from job where status = 'SCHEDULED' and waiting_for ->> 'reason' = 'place'`,
          (rows) => rows.length
        )
        while ((yield* waiting) < scheduled.length) yield* Effect.sleep("50 millis")
        assert.deepInclude((yield* jobs.get(scheduled[0] ?? 0)).waiting_for, {
          reason: "place",
          class: "schedule",
          places: 1,
          message:
            "Waits for one of 1 places. It is a scheduled job: jobs of people begin first, then scheduled jobs, then upkeep, and each person has their turn"
        })
        const ann = yield* begin("ann", "person")("remove_file", remove)
        while ((yield* waiting) < scheduled.length + 1) yield* Effect.sleep("50 millis")
        yield* engine.abort(holder, "tester")
        const { start_time } = yield* engine.ended(ann)
        const before = (yield* Effect.forEach(scheduled, jobs.get, { concurrency: 4 })).filter(
          (job) => job.start_time !== null && start_time !== null && job.start_time < start_time
        )
        assert.deepStrictEqual(before, [])
        yield* Effect.forEach(scheduled, engine.ended, { concurrency: 8, discard: true })
      }).pipe(Effect.provide(engineWith({ DATA_DIR, FIRMWARE_JOB_CONCURRENCY: "1" })))
    }).pipe(Effect.scoped)
  )
})

describe("A download of an image", () => {
  it.live("ends at once when it is aborted, and the next one begins", () =>
    Effect.gen(function* () {
      const { open, url } = yield* drippingHost
      const DATA_DIR = yield* folder
      yield* Effect.gen(function* () {
        const engine = yield* JobEngine
        const [first = 0, second = 0, third = 0] = yield* Effect.forEach([1, 2, 3], (number) => download(url, number))
        yield* running([first, second, third], 2)
        while (open.size < 2) yield* Effect.sleep("20 millis")
        const begun = (yield* statuses([first]))[0] === "RUNNING" ? first : second
        yield* engine.abort(begun, "tester")
        const ended = yield* engine.ended(begun)
        assert.deepInclude(ended, { status: "ABORTED", result: "The download was aborted" })
        yield* running([first, second, third], 2)
        while (open.size !== 2) yield* Effect.sleep("20 millis")
      }).pipe(Effect.provide(engineWith({ DATA_DIR })))
    }).pipe(Effect.scoped)
  )

  it.live("ends when it exceeds its time, however steadily the bytes arrive", () =>
    Effect.gen(function* () {
      const { open, url } = yield* drippingHost
      const DATA_DIR = yield* folder
      yield* Effect.gen(function* () {
        const engine = yield* JobEngine
        const job = yield* engine.ended(yield* download(url, 1))
        assert.deepInclude(job, {
          status: "FINISHED",
          result: "Could not download firmware: it took more than 1 seconds"
        })
        while (open.size > 0) yield* Effect.sleep("20 millis")
      }).pipe(Effect.provide(engineWith({ DATA_DIR, FIRMWARE_DOWNLOAD_TIMEOUT: "1" })))
    }).pipe(Effect.scoped)
  )
})
