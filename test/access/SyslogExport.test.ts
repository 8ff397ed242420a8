/** The audit at a syslog receiver: each event once, also one from while the receiver was down. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as net from "node:net"
import { AuditChain } from "../../src/access/AuditChain.ts"
import * as AuditExport from "../../src/access/AuditExport.ts"
import { of, SecretKey } from "../../src/runtime/SecretKey.ts"
import { freePort } from "../support/FreePort.ts"
import { configOf } from "../support/ApiServer.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const chain = AuditChain.layer.pipe(
  Layer.provide(Layer.succeed(SecretKey, of(Buffer.alloc(32, 7)))),
  Layer.provideMerge(TestDatabase)
)

/** A receiver that keeps what it is sent. */
const receiver = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ server: net.Server; received: Array<string>; end: () => void }>((resolve) => {
          const received: Array<string> = []
          const sockets = new Set<net.Socket>()
          const server = net.createServer((socket) => {
            sockets.add(socket)
            socket.on("error", () => {})
            socket.on("data", (chunk) => received.push(chunk.toString()))
          })
          const end = () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
          server.listen(port, "127.0.0.1", () => resolve({ server, received, end }))
        })
    ),
    ({ end }) => Effect.sync(end)
  )

/** The events in what arrived, by the length before each. */
const parsed = (text: string): ReadonlyArray<string> => {
  const messages: Array<string> = []
  let rest = Buffer.from(text)
  for (let length = /^(\d+) /.exec(rest.toString()); length !== null; length = /^(\d+) /.exec(rest.toString())) {
    const start = length[0].length
    messages.push(rest.subarray(start, start + Number(length[1])).toString())
    rest = rest.subarray(start + Number(length[1]))
  }
  assert.strictEqual(rest.length, 0)
  return messages
}

const noted = (kind: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into event (kind, action, is_audit, data) values (${kind}, 'created', true, '{"name": "ü"}')`
    const chain = yield* AuditChain
    // transactions of other databases on the same server hold it up
    while ((yield* chain.seal) === 0) yield* Effect.sleep("20 millis")
  })

const arrived = (received: ReadonlyArray<string>, kinds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = () => parsed(received.join("")).map((message) => message.split(" ")[5])
    while (found().length < kinds.length) yield* Effect.sleep("20 millis")
    assert.deepEqual(found(), [...kinds])
  })

layer(chain, { excludeTestServices: true })("A syslog receiver", (it) => {
  it.effect("receives each event once, across a restart and an outage", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const sending = AuditExport.layer.pipe(Layer.provide(configOf({ AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` })))
      const during = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.andThen(Layer.build(sending), work))
      yield* noted("first")
      yield* during(
        Effect.scoped(
          Effect.gen(function* () {
            const { received } = yield* receiver(port)
            yield* noted("second")
            yield* arrived(received, ["first", "second"])
            assert.match(
              parsed(received.join(""))[0] ?? "",
              /^<109>1 \d{4}-\S+Z \S+ switchyard - first \[audit@32473 number="1" hash="\S+"\] \{.*"ü"/
            )
          })
        )
      )
      yield* noted("third")
      const { received } = yield* receiver(port)
      yield* during(arrived(received, ["third"]))
    })
  )

  it.effect("receives nothing twice if the server stops as soon as a batch arrives", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const sending = AuditExport.layer.pipe(Layer.provide(configOf({ AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` })))
      const { received, server } = yield* receiver(port)
      const batch = Effect.callback<void>((resume) => {
        server.once("connection", (socket: net.Socket) => socket.once("data", () => resume(Effect.void)))
      })
      const kinds = ["left", "middle", "right"]
      for (const kind of kinds) {
        yield* noted(kind)
        yield* Effect.scoped(Effect.andThen(Layer.build(sending), batch))
      }
      const arrivals = parsed(received.join("")).map((message) => message.split(" ")[5] ?? "")
      assert.deepEqual(
        arrivals.filter((kind) => kinds.includes(kind)),
        kinds
      )
    })
  )

  it.effect("is configured by a scheme, a host and a port", () =>
    Effect.sync(() => {
      assert.deepEqual(
        AuditExport.receiverOf("tls://[2001:db8::1]:6514"),
        Option.some({ secure: true, host: "2001:db8::1", port: 6514 })
      )
      for (const wrong of ["udp://a:1", "tcp://a", "a:6514"])
        assert.isTrue(Option.isNone(AuditExport.receiverOf(wrong)), wrong)
    })
  )
})
