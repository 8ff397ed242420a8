/** Clients that connect before the server is ready: a refused connection, or an answer; never silence. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as net from "node:net"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { keyFile, makeIssuer } from "../../support/TokenKeys.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { freePort } from "../../support/FreePort.ts"
import { dataFolder, start, until } from "../../support/Program.ts"
import { seconds } from "../../support/Patience.ts"

/** Fewer than a port keeps for a program that is busy, so that none is turned away by the system. */
const MOST_AT_ONCE = 100

/** Connects again and again, and sends a request as soon as it is accepted. */
const knock = (port: number, path: string) => {
  const counts = { answered: 0 }
  // the results of accepted clients without an answer
  const unanswered: Array<string> = []
  const sockets = new Set<net.Socket>()
  const once = () => {
    if (sockets.size >= MOST_AT_ONCE) return
    const socket = net.connect(port, "127.0.0.1")
    sockets.add(socket)
    let isLetIn = false
    let heard = ""
    let problem = "closed"
    socket.on("connect", () => {
      isLetIn = true
      socket.write(`GET ${path} HTTP/1.1\r\nhost: switchyard\r\nconnection: close\r\n\r\n`)
    })
    socket.on("data", (data) => {
      heard += String(data)
    })
    // refused before the server listens
    socket.on("error", (error) => {
      problem = error.message
    })
    socket.on("close", () => {
      sockets.delete(socket)
      if (heard.startsWith("HTTP/1.1 ")) counts.answered += 1
      else if (isLetIn) unanswered.push(heard === "" ? problem : heard.slice(0, 100))
    })
  }
  const timer = setInterval(once, 1)
  const stop = () => {
    clearInterval(timer)
    return sockets
  }
  return { counts, unanswered, stop }
}

it.live("each request of an accepted connection is answered, also at the moment when a port opens", () =>
  Effect.gen(function* () {
    const ports = [yield* freePort, yield* freePort] as const
    const [api, ztp] = [knock(ports[0], "/api/health/live"), knock(ports[1], "/firmware/none")]
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => [api, ztp].forEach(({ stop }) => stop().forEach((socket) => socket.destroy())))
    )
    const tokens = { JWT_ENABLED: "true", JWT_CERT: yield* keyFile(makeIssuer("ES256")) }
    const env = { DATA_DIR: yield* dataFolder, DATABASE_URL: yield* databaseUrl, ...tokens }
    yield* start({ ...env, PORT: String(ports[0]), ZTP_HTTP_PORT: String(ports[1]), ZTP_HTTP_HOST: "127.0.0.1" })
    yield* until(Effect.sync(() => api.counts.answered > 100 && ztp.counts.answered > 100))
    for (const { stop, unanswered } of [api, ztp]) {
      const sockets = stop()
      // a client that is still connected waits for an answer
      yield* until(Effect.sync(() => sockets.size === 0)).pipe(Effect.timeoutOption(seconds(200)))
      assert.deepStrictEqual({ waiting: sockets.size, unanswered }, { waiting: 0, unanswered: [] })
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
