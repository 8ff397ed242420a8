/** Hostile, broken and closed clients of socket.io: the server continues, and others receive their events. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as net from "node:net"
import * as Campus from "../../support/Campus.ts"
import { ask, attempt, listen } from "../../support/LiveClient.ts"
import { keepLines } from "../../support/LogLines.ts"
import { seconds } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"

const UPGRADE = [
  "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  "",
  ""
].join("\r\n")

/** A text frame of a client, masked with zeros. */
const frame = (text: string, opcode = 1): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])

const makeServer = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>> = {}) {
  const { folder } = yield* Campus.makeFolders
  const env = { DATA_DIR: folder, HOST: "127.0.0.1", JWT_ENABLED: "false", SSH_REFUSED_DELAY: "0" }
  const { layer, lines } = keepLines("Info")
  const { running, url } = yield* serve({ ...env, ...variables }, layer)

  const raw = Effect.acquireRelease(
    Effect.callback<net.Socket>((resume) => {
      const socket = net.connect(Number(new URL(url).port), "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
  /** A raw connection that has become a websocket. */
  const upgraded = Effect.gen(function* () {
    const socket = yield* raw
    socket.write(UPGRADE)
    yield* Effect.callback<void>((resume) => void socket.once("data", () => resume(Effect.void)))
    return socket
  })
  /** Publishes causes of unknown devices: stored events for the room `sync`. */
  const tell = (count: number, cause: string) =>
    Effect.provideContext(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`insert into event (kind, action, hostname, is_audit, data)
          select 'sync', 'needed', 'x', false, jsonb_build_object('cause', ${cause}::text) from generate_series(1, ${count}::integer)`
      ),
      running
    )
  return { lines, raw, tell, upgraded, url }
})

const ended = (socket: net.Socket) =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed) resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    socket.resume()
  })

/** Reads on until the server has said that it closes the websocket. */
const closed = (socket: net.Socket) =>
  Effect.callback<void>((resume) => {
    socket.on("data", (data: Buffer) => {
      if (data.subarray(-2).equals(CLOSE_FRAME)) resume(Effect.void)
    })
    socket.resume()
  })
const CLOSE_FRAME = Buffer.from([0x88, 0])

const GARBAGE = [
  "",
  "4",
  "9",
  "42",
  "42[",
  "40null",
  "40{",
  '42["events"]',
  "42{}",
  "40/admin,",
  "451-[1]",
  '45999-["events",{"_placeholder":true,"num":7}]',
  "41",
  "0",
  "2probe",
  "3",
  "5",
  "42[null]",
  '42["__proto__",{}]',
  "\u0000"
]

it.live("continues during giant, malformed, endless and half-open connections, and cuts off only those", () =>
  Effect.gen(function* () {
    const { lines, raw, tell, upgraded, url } = yield* makeServer()
    const good = yield* listen(url, [{ sync: "all" }], { transports: ["websocket"] })
    const polling = yield* listen(url, [{ sync: "all" }], { transports: ["polling"] })

    const giant = yield* listen(url, [])
    giant.socket.emit("events", { update: "x".repeat(1_000_000) })
    yield* giant.until("The end of the giant", () => !giant.socket.connected)
    const flood = yield* listen(url, [], { transports: ["websocket"] })
    for (let count = 0; count < 1000; count++) flood.socket.emit("events", { update: "device" })
    yield* flood.until("The end of the flood", () => !flood.socket.connected)

    for (const text of GARBAGE) {
      const [early, joined] = [yield* upgraded, yield* upgraded]
      early.write(frame(text))
      joined.write(frame("40"))
      joined.write(frame(text))
      joined.write(frame(text.slice(0, 20), 2))
    }
    const half = yield* raw
    half.write(UPGRADE.slice(0, 60))
    const unmasked = yield* upgraded
    unmasked.write(Buffer.from([0x81, 0x02, 0x34, 0x30]))
    yield* ended(unmasked)
    for (const query of [
      "",
      "?EIO=3&transport=polling",
      "?EIO=4&transport=polling&sid=none",
      "?EIO=4&transport=webtransport",
      "?EIO=4&transport=__proto__",
      "?%"
    ]) {
      const { status } = yield* Effect.promise(() => fetch(`${url}/socket.io/${query}`))
      assert.strictEqual(status, 400, query)
    }
    const posted = yield* Effect.promise(() =>
      fetch(`${url}/socket.io/?EIO=4&transport=polling`, { method: "POST", body: "x" })
    )
    assert.strictEqual(posted.status, 400)
    assert.strictEqual(posted.headers.get("x-content-type-options"), "nosniff")
    assert.deepStrictEqual(
      yield* Effect.forEach([{ sync: "all" }, { sync: "none" }, null, { sync: "all" }], (message) =>
        ask(good.socket, message)
      ),
      [true, false, false, true]
    )

    yield* tell(3, "after all that")
    for (const client of [good, polling]) {
      yield* client.until("The events", () => client.events.length === 3)
      assert.strictEqual(client.events[2]?.syncevent_data?.cause, "after all that")
    }
    assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/api/v1.0/devices`))).status, 200)
    assert.isEmpty(lines.filter(({ level }) => level === "Error"))
  }).pipe(Effect.scoped)
)

it.live("cuts off a client that does not read, without delaying others", () =>
  Effect.gen(function* () {
    const { tell, upgraded, url } = yield* makeServer()
    const good = yield* listen(url, [{ sync: "all" }], { transports: ["websocket"] })
    const slow = yield* upgraded
    slow.write(frame("40"))
    slow.write(frame('42["events",{"sync":"all"}]'))
    yield* tell(1, "first")
    yield* Effect.callback<void>((resume) => {
      const hear = (data: Buffer) => {
        if (data.includes("first")) resume(Effect.sync(() => slow.off("data", hear)))
      }
      slow.on("data", hear)
    })
    slow.pause()
    const COUNT = 40_000
    yield* tell(COUNT, "x".repeat(400))
    yield* good.until("All events", () => good.events.length === COUNT + 1)
    yield* closed(slow)
    assert.isBelow(slow.bytesRead, COUNT * 400)
  }).pipe(Effect.scoped)
)

it.live("lets a connection join once, also when it asks many times before the first answer", () =>
  Effect.gen(function* () {
    const { upgraded } = yield* makeServer()
    const greedy = yield* upgraded
    let heard = ""
    greedy.on("data", (data: Buffer) => (heard += data.toString("latin1")))
    greedy.write(Buffer.concat(Array.from({ length: 20 }, () => frame("40"))))
    yield* Effect.repeat(Effect.sleep(10), { until: () => heard.includes(CLOSE_FRAME.toString("latin1")) })
    assert.isAtMost(heard.split("40{").length - 1, 1)
  }).pipe(Effect.scoped)
)

it.live("admits a limited number of connections, and others again when some have ended", () =>
  Effect.gen(function* () {
    const { url } = yield* makeServer({ SOCKET_CLIENTS_PER_ADDRESS: "3" })
    const first = yield* Effect.forEach([1, 2, 3], () => attempt(url, { transports: ["websocket"] }))
    assert.isString(yield* attempt(url, { transports: ["polling"] }))
    const [one] = first
    if (typeof one === "object") one.disconnect()
    while (typeof (yield* Effect.scoped(attempt(url, { transports: ["polling"] }))) === "string")
      yield* Effect.sleep(10)
  }).pipe(Effect.scoped)
)

it.live("a connection does not delay the server's stop, and is notified of the end", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { url } = yield* Scope.provide(makeServer(), scope)
    const clients = yield* Effect.forEach([["websocket"], ["polling"]], (transports) => listen(url, [], { transports }))
    const reasons: Array<string> = []
    for (const { socket } of clients) socket.on("disconnect", (reason) => reasons.push(reason))
    const begun = performance.now()
    yield* Scope.close(scope, Exit.void)
    // requests that are under way are waited for much longer
    assert.isBelow(performance.now() - begun, seconds(10))
    yield* Effect.repeat(Effect.sleep(10), { until: () => reasons.length === 2 })
    assert.notInclude(reasons, "io client disconnect")
  }).pipe(Effect.scoped)
)

/** A client that fetches its events by requests of its own. */
const makePolling = (url: string) => {
  const call = async (sid: string, body?: string) =>
    (
      await fetch(`${url}/socket.io/?EIO=4&transport=polling${sid}`, {
        method: body === undefined ? "GET" : "POST",
        ...(body !== undefined && { body })
      })
    ).text()
  return Effect.promise(async () => {
    const { sid }: { readonly sid: string } = JSON.parse((await call("")).slice(1))
    const at = `&sid=${sid}`
    await call(at, "40")
    await call(at)
    await call(at, '42["events",{"sync":"all"}]')
    return { fetch: Effect.promise(() => call(at)) }
  })
}

it.live("clients that poll receive all events of one moment at once", () =>
  Effect.gen(function* () {
    const { tell, url } = yield* makeServer()
    const polling = yield* makePolling(url)
    const fetching = yield* Effect.forkChild(polling.fetch)
    yield* tell(5, "together")
    const packets = (yield* Fiber.join(fetching)).split("\u001e")
    assert.strictEqual(packets.filter((packet) => packet.includes("together")).length, 5)
  }).pipe(Effect.scoped)
)
