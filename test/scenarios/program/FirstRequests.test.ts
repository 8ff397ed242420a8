/** What clients meet that are there before the server: a refused connection, or an answer; never silence. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as net from "node:net"
import { NodeServices } from "@effect/platform-node"
import { keyFile, makeIssuer } from "../../support/TokenKeys.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { freePort } from "../../support/FreePort.ts"
import { dataFolder, start, until } from "../../support/Program.ts"
import { seconds } from "../../support/Patience.ts"

/** Connects again and again, and asks as soon as it is let in. */
const knock = (port: number, path: string) => {
  const counts = { accepted: 0, answered: 0 }
  const sockets = new Set<net.Socket>()
  const once = () => {
    const socket = net.connect(port, "127.0.0.1")
    sockets.add(socket)
    socket.on("connect", () => {
      counts.accepted += 1
      socket.write(`GET ${path} HTTP/1.1\r\nhost: switchyard\r\nconnection: close\r\n\r\n`)
    })
    socket.once("data", (data) => {
      if (String(data).startsWith("HTTP/1.1 ")) counts.answered += 1
    })
    // refused before the server listens
    socket.on("error", () => undefined)
    socket.on("close", () => void sockets.delete(socket))
  }
  const timer = setInterval(once, 1)
  const stop = () => {
    clearInterval(timer)
    return sockets
  }
  return { counts, stop }
}

it.live("each request of a connection that is accepted is answered, also in the moment when a port opens", () =>
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
    for (const { counts, stop } of [api, ztp]) {
      const sockets = stop()
      // whoever is still connected waits for an answer
      yield* until(Effect.sync(() => sockets.size === 0)).pipe(Effect.timeoutOption(seconds(60)))
      assert.strictEqual(counts.accepted - counts.answered, 0, "requests without an answer")
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
