/** One sender of bodies takes neither the server's time nor its memory from others. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as net from "node:net"
import { ApiClient, ApiServer, type Sending } from "../support/ApiServer.ts"
import { serve } from "../support/ServedCampus.ts"
import { keyFile, makeIssuer, sign } from "../support/TokenKeys.ts"

const MEGABYTE = 1024 * 1024
const issuer = makeIssuer("ES256")

const server = (variables: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.map(keyFile(issuer), (JWT_CERT) => ApiServer({ JWT_ENABLED: "true", JWT_CERT, ...variables }))
  ).pipe(Layer.provide(NodeServices.layer))

const bearer = Effect.map(sign(issuer, { sub: "indy" }), (token) => ({ authorization: `Bearer ${token}` }))

const post = Effect.fnUntraced(function* (path: string, sending: Sending, user: "indy" | null = null) {
  const headers = user === null ? {} : yield* bearer
  return yield* (yield* ApiClient).send("POST", `/api/v1.0${path}`, { ...sending, headers })
})

const interfaces = (count: number) => ({
  interfaces: Array.from({ length: count }, (_, index) => ({ name: `Ethernet${index}`, ifclass: "custom" }))
})
const groups = (regex: string, count = 1) => ({
  groups: Array.from({ length: count }, (_, index) => ({ group: { name: `G${index}`, group_priority: 0, regex } }))
})
const REPEATED = "a{1000}".repeat(280)

layer(server(), { excludeTestServices: true })("The check of settings", (it) => {
  it.effect("reads small bodies only without a token, with an explanation", () =>
    Effect.gen(function* () {
      const large = { json: interfaces(3000) }
      const refused = yield* post("/settings/model", large)
      assert.strictEqual(refused.status, 413)
      assert.deepEqual(refused.body, { status: "error", message: "Without a token at most 65536 bytes are checked" })
      assert.strictEqual((yield* post("/settings/model", large, "indy")).status, 200)
      assert.strictEqual((yield* post("/settings/model", { json: interfaces(100) })).status, 200)
    })
  )

  it.effect("treats an invalid token as none", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const headers = { authorization: "Bearer nonsense" }
      const sent = (json: unknown) => api.send("POST", "/api/v1.0/settings/model", { json, headers })
      assert.strictEqual((yield* sent(interfaces(1))).status, 200)
      assert.strictEqual((yield* sent(interfaces(3000))).status, 413)
    })
  )

  it.effect("compiles patterns of groups for callers with a token only", () =>
    Effect.gen(function* () {
      const path = "/settings/model/groups.yml"
      const refused = yield* post(path, { json: groups("lhv-") })
      assert.strictEqual(refused.status, 401)
      assert.deepInclude(refused.body, { message: "Patterns of groups are checked for callers with a token only" })
      const flat = { groups: [{ name: "G", device_filter: { hostname: "lhv-" } }] }
      assert.strictEqual((yield* post(path, { json: flat })).status, 401)
      assert.strictEqual((yield* post(path, { json: groups("") })).status, 200)
      assert.strictEqual((yield* post(path, { json: groups("lhv-") }, "indy")).status, 200)
    })
  )

  it.effect("compiles no pattern with excessive repetition", () =>
    Effect.gen(function* () {
      const { body, status } = yield* post("/settings/model/groups.yml", { json: groups(REPEATED, 2) }, "indy")
      const what = (name: string) =>
        `Group ${name}: regex is not a usable regular expression: the expression is too large\n`
      assert.deepEqual([status, body], [400, { status: "error", message: what("G0") + what("G1") }])
    })
  )
})

layer(server({ OPEN_CHECK_MAX_SIZE: "10000000" }), { excludeTestServices: true })((it) => {
  it.effect(
    "Settings that take longer than a tenth of a second of processor time are checked for callers with a token only",
    () =>
      Effect.gen(function* () {
        const json = interfaces(100_000)
        const refused = yield* post("/settings/model", { json })
        assert.strictEqual(refused.status, 413, refused.text.slice(0, 200))
        assert.match(refused.text, /take too long to check, send them in smaller parts or with a token/)
        assert.strictEqual((yield* post("/settings/model", { json: interfaces(1) })).status, 200)
        assert.strictEqual((yield* post("/settings/model", { json }, "indy")).status, 200)
      })
  )
})

describe("While settings are checked for long", () => {
  it.live("other requests are answered", () =>
    Effect.gen(function* () {
      const { api } = yield* serve({ JWT_ENABLED: "false" })
      const json = groups("a{1000}b{1000}c{400}", 40)
      const check = yield* Effect.forkChild(api.send("POST", "/settings/model/groups.yml", json))
      let answered = 0
      while (check.pollUnsafe() === undefined) {
        assert.strictEqual((yield* api.send("GET", "/settings/server")).status, 200)
        answered++
      }
      assert.strictEqual((yield* Fiber.join(check)).status, 200)
      assert.isAbove(answered, 10, "requests that were answered meanwhile")
    })
  )
})

/** Begins a request and holds it; `answer` is what the server says to it. */
const begin = Effect.fnUntraced(function* (port: number, head: ReadonlyArray<string>, sent: Uint8Array) {
  let text = ""
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => net.connect({ port, host: "127.0.0.1", noDelay: true })),
    (connected) => Effect.sync(() => connected.destroy())
  )
  socket.on("data", (part: Buffer) => (text += part.toString("latin1")))
  // a server that has answered may close while we send
  socket.on("error", () => undefined)
  yield* Effect.callback<void>((resume) => {
    socket.once("close", () => resume(Effect.void))
    socket.write(`${head.join("\r\n")}\r\n\r\n`)
    socket.write(sent, () => resume(Effect.void))
  })
  return { answer: () => text }
})

const held = Effect.fnUntraced(function* (path: string, bytes: number, headers: ReadonlyArray<string> = []) {
  const { base } = yield* ApiClient
  const head = [
    `POST /api/v1.0${path} HTTP/1.1`,
    "Host: switchyard",
    "Content-Type: application/json",
    `Content-Length: ${bytes + 1}`,
    ...headers
  ]
  return yield* begin(Number(new URL(base).port), head, Buffer.alloc(bytes, 0x20))
})

layer(server({ BODY_MEMORY: String(16 * MEGABYTE) }), { excludeTestServices: true })("Waiting bodies", (it) => {
  it.effect("their memory is bounded: the largest are refused with 503, and small ones are accepted", () =>
    Effect.gen(function* () {
      const headers = Object.entries(yield* bearer).map(([name, value]) => `${name}: ${value}`)
      const connections = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () =>
        Effect.tap(held("/device", 4 * MEGABYTE, headers), () =>
          Effect.map(post("/device", { json: {} }, "indy"), ({ status }) => assert.strictEqual(status, 400))
        )
      )
      const refused = () => connections.filter(({ answer }) => answer().startsWith("HTTP/1.1 503"))
      while (refused().length < 3) yield* Effect.sleep("5 millis")
      assert.strictEqual(refused().length, 3, "14 MB hold three bodies of 4 MB")
      for (const { answer } of refused()) assert.match(answer(), /^retry-after: \d+\r$/im)
      assert.strictEqual((yield* post("/device", { json: {} }, "indy")).status, 400)
    }).pipe(Effect.scoped)
  )

  it.effect("callers without a token take nothing from callers with one", () =>
    Effect.gen(function* () {
      const connections = yield* Effect.forEach(Array.from({ length: 60 }), () => held("/settings/model", 60_000))
      const refused = () => connections.filter(({ answer }) => answer().startsWith("HTTP/1.1 503")).length
      while (refused() < 60 - Math.floor((2 * MEGABYTE) / 60_000)) yield* Effect.sleep("5 millis")
      assert.strictEqual((yield* post("/settings/model", { json: interfaces(3000) }, "indy")).status, 200)
      assert.strictEqual((yield* post("/settings/model", { json: interfaces(1) })).status, 200)
    }).pipe(Effect.scoped)
  )
})

layer(server({ BODY_TIMEOUT: "1" }), { excludeTestServices: true })((it) => {
  it.effect("A body that does not arrive is refused with 408", () =>
    Effect.gen(function* () {
      const { answer } = yield* held("/settings/model", 10)
      while (answer() === "") yield* Effect.sleep("5 millis")
      assert.match(answer(), /^HTTP\/1\.1 408 /)
      assert.include(answer(), "The request was not sent within 1 seconds")
    }).pipe(Effect.scoped)
  )
})
