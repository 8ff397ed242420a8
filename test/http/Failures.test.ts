import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { HttpServer } from "effect/http"
import { Previews } from "../../src/templates/CandidateConfigs.ts"
import { HttpServerLive } from "../../src/http/HttpServer.ts"
import { ApiClient, ApiServer, Backend } from "../support/ApiServer.ts"
import { makeSlowPreviews } from "../support/SlowPreviews.ts"
import { ProxiedDatabase, TestDatabase } from "../support/TestDatabase.ts"
import * as net from "node:net"

/** A server that has lost its database after its start. */
const Bereft = Layer.unwrap(
  Effect.map(ProxiedDatabase, ({ layer: database, proxy }) =>
    Layer.effectDiscard(proxy.end).pipe(Layer.provideMerge(ApiServer({}, { database })))
  )
)

/** Everything that is logged while the effect runs, as text. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make((entry) => lines.push(Logger.formatLogFmt.log(entry)))
  return Effect.map(Effect.provide(effect, Logger.layer([logger])), (value) => ({ value, text: lines.join("\n") }))
}

layer(Bereft, { excludeTestServices: true })("While the database is unreachable", (it) => {
  it.effect("every route that needs it answers 503 in the envelope", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const device = { hostname: "a", state: "MANAGED", platform: "eos", device_type: "ACCESS" }
      const answers = [
        yield* api.get("/devices"),
        yield* api.get("/device/1"),
        yield* api.post("/device", device),
        yield* api.put("/device/1", {}),
        yield* api.get("/jobs"),
        yield* api.post("/device_syncto", { all: true })
      ]
      for (const { body, headers, status } of answers) {
        assert.strictEqual(headers.get("retry-after"), "5")
        assert.deepEqual(
          [status, body],
          [503, { status: "error", message: "The database is not available, try again later" }]
        )
      }
    })
  )

  it.effect("metrics report it, and everything that the server knows without it", () =>
    Effect.gen(function* () {
      const { status, text } = yield* (yield* ApiClient).send("GET", "/metrics")
      assert.strictEqual(status, 200)
      assert.match(text, /^switchyard_database_up 0$/m)
      assert.match(text, /^switchyard_http_requests_in_flight 1$/m)
      assert.notMatch(text, /^switchyard_devices\{/m)
    })
  )

  it.effect("the server is alive, but neither ready nor healthy", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const away = "the database does not answer: no connection"
      const unset = (variable: string) => `${variable} is not set, so nothing is in force`
      const checks = [
        { name: "postgres", status: "DOWN", message: away },
        { name: "schema", status: "DOWN", message: away },
        { name: "settings", status: "DOWN", message: unset("GITREPO_SETTINGS") },
        { name: "templates", status: "DOWN", message: unset("GITREPO_TEMPLATES") },
        { name: "jobs", status: "DOWN", message: away },
        { name: "machine", status: "UP" }
      ]
      const down = { status: "DOWN", checks }
      const [health, ready, live] = [
        yield* api.send("GET", "/api/health"),
        yield* api.send("GET", "/api/health/ready"),
        yield* api.send("GET", "/api/health/live")
      ]
      assert.deepEqual([health.status, health.body, ready.status, ready.body], [503, down, 503, down])
      assert.strictEqual(live.status, 200)
    })
  )

  it.effect("work without the database continues", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      assert.strictEqual((yield* api.get("/system/version")).status, 200)
      assert.strictEqual((yield* api.get("/settings/server")).status, 200)
      assert.strictEqual((yield* api.get("/nope")).status, 404)
    })
  )
})

layer(ApiServer())("A database whose connections are cut", (it) => {
  it.effect("is used again as soon as it answers", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const sql = yield* SqlClient.SqlClient
      yield* Effect.ignore(
        sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      )
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, () => api.get("/devices")),
        { concurrency: 4 }
      )
      assert.isTrue(answers.every(({ status }) => status === 200 || status === 503))
      assert.strictEqual((yield* api.get("/devices")).status, 200)
    })
  )
})

const dying = Layer.succeed(Previews, {
  generate: () => Effect.die(new Error("a fault of ours")),
  prepare: () => Effect.die(new Error("a fault of ours"))
})

describe("A fault of the server", () => {
  it.effect("is a 500 without details, and the log contains them", () =>
    Effect.gen(function* () {
      const { value, text } = yield* logged(
        Effect.gen(function* () {
          yield* setScene()
          return yield* (yield* ApiClient).get("/device/east-a1/generate_config")
        }).pipe(Effect.provide(ApiServer({}, { previews: dying })))
      )
      assert.deepEqual([value.status, value.body], [500, { status: "error", message: "Internal Server Error" }])
      assert.include(text, "a fault of ours")
    })
  )
})

describe("The log", () => {
  it.effect("has one line per request, without tokens and passwords", () =>
    Effect.gen(function* () {
      const { text } = yield* logged(
        Effect.gen(function* () {
          yield* setScene()
          const api = yield* ApiClient
          yield* api.get("/devices?jwt=secret-token&token=secret-token&page=1")
          yield* api.post("/device", { hostname: "a b", password: "secret-word", deep: { jwt: "secret-word" } })
          yield* api.post("/settings/model", { users: [{ name: "x", hash: "secret-word" }] })
          yield* api.send("GET", "/api/health")
          yield* api.get("/nope")
        }).pipe(Effect.provide(ApiServer()))
      )
      assert.notInclude(text, "secret")
      assert.include(text, "User: admin, Method: GET, Status: 200, URL: /api/v1.0/devices?jwt=***&token=***&page=1")
      assert.include(text, "User: admin, Method: POST, Status: 400, URL: /api/v1.0/device, JSON: {")
      assert.include(text, "User: unknown, Method: GET, Status: 404, URL: /api/v1.0/nope")
      assert.notInclude(text, "/api/health")
    })
  )
})

const { arrivals, departure, previews } = makeSlowPreviews()

describe("At its end", () => {
  it.live("the server accepts no more requests, and answers those that it has begun", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = HttpServerLive.pipe(Layer.provideMerge(Backend({}, { previews })))
      const services = yield* Layer.buildWithScope(server, scope)
      const answer = yield* Effect.gen(function* () {
        yield* setScene()
        const { address } = yield* HttpServer.HttpServer
        const port = "port" in address ? address.port : 0
        const url = `http://127.0.0.1:${port}/api/v1.0/device/east-a1/generate_config`
        const begun = yield* Effect.forkChild(Effect.promise(() => fetch(url)))
        yield* Deferred.await(arrivals)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* refusesConnections(port)
        yield* Deferred.succeed(departure, undefined)
        const { status } = yield* Fiber.join(begun)
        yield* Fiber.join(closing)
        return status
      }).pipe(Effect.provide(services))
      assert.strictEqual(answer, 200)
    })
  )
})

/** Waits until no process listens on the port. */
const refusesConnections = (port: number): Effect.Effect<void> =>
  Effect.callback<boolean>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", () => resume(Effect.succeed(true)))
  }).pipe(
    Effect.flatMap((refused) =>
      refused
        ? Effect.void
        : Effect.andThen(
            Effect.sleep("20 millis"),
            Effect.suspend(() => refusesConnections(port))
          )
    )
  )

layer(ApiServer({ HTTPD_URL: "http://127.0.0.1:1/firmware" }), { excludeTestServices: true })(
  "While the firmware server is unreachable",
  (it) => {
    it.effect("the list of images is unavailable, which is a 404", () =>
      Effect.gen(function* () {
        const client = yield* ApiClient
        for (const path of ["/firmware", "/firmware_images"]) {
          const { body, status } = yield* client.get(path)
          assert.deepEqual([status, body], [404, { status: "error", message: "Could not get files" }], path)
        }
      })
    )
  }
)

describe("A message that is not HTTP", () => {
  it.effect("is answered in the envelope, too", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const talk = (text: string) =>
        Effect.callback<string>((resume) => {
          const socket = net.connect(Number(new URL(api.base).port), "127.0.0.1", () => socket.write(text))
          let heard = ""
          socket.on("data", (data) => (heard += data.toString()))
          socket.on("close", () => resume(Effect.succeed(heard)))
          socket.on("error", () => resume(Effect.succeed(heard)))
        })
      const garbage = yield* talk("hello\r\n\r\n")
      assert.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n/)
      assert.include(garbage, `{"status":"error","message":"Bad Request"}`)
      const headers = yield* talk(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(40_000)}\r\n\r\n`)
      assert.match(headers, /^HTTP\/1\.1 431 /)
      assert.include(headers, `"status":"error"`)
    }).pipe(Effect.provide(ApiServer({}, { database: TestDatabase })))
  )
})
