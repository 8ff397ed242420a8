/**
 * Serves the routes on HOST and PORT, with TLS on TLS_HOST and TLS_PORT, and starts the listener for switches (`ZtpServer.ts`). A stopping
 * server closes its ports at once and answers the requests that it has begun. It does not start if it has a public address and needs no
 * tokens, or when it has TLS and a public address without TLS.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { listening, Mounts } from "./core/Listening.ts"
import { RequestBodies } from "./core/RequestBodies.ts"
import { routerConfig } from "./core/ErrorEnvelope.ts"
import { Limits } from "./core/Limits.ts"
import { OpenStreams } from "./core/OpenStreams.ts"
import { isLoopback } from "./core/Client.ts"
import { securityHeaderLines } from "./core/GlobalMiddleware.ts"
import { makeTlsListener } from "./core/TlsListener.ts"
import { HttpLive } from "./HttpLive.ts"
import { FirstScreen, FirstStart } from "./core/FirstStart.ts"
import { ZtpServer } from "./ZtpServer.ts"

/** Tokens are off and the address is reachable from other machines. */
class OpenApiRefused extends Schema.TaggedError<OpenApiRefused>()("OpenApiRefused", {
  variable: Schema.Literals(["HOST", "TLS_HOST"]),
  host: Schema.String
}) {
  override get message() {
    return `JWT_ENABLED is false and ${this.variable} is ${this.host}: everybody who reaches this address could change the network. Set JWT_ENABLED=true, ${this.variable}=127.0.0.1, or ALLOW_OPEN_API=true if that is wanted`
  }
}

/** TLS is configured, and other machines can still connect without it. */
class PlainHttpRefused extends Schema.TaggedError<PlainHttpRefused>()("PlainHttpRefused", {
  host: Schema.String
}) {
  override get message() {
    return `TLS_CERT is set and HOST is ${this.host}: tokens could still be sent in clear to this address. Set HOST=127.0.0.1, where plain HTTP stays; TLS_HOST and TLS_PORT are for everybody else`
  }
}

const guard = Effect.gen(function* () {
  const { ALLOW_OPEN_API, HOST, JWT_ENABLED, TLS_CERT, TLS_HOST } = yield* ServerConfig
  const hasTls = Option.isSome(TLS_CERT)
  if (hasTls && !isLoopback(HOST)) return yield* new PlainHttpRefused({ host: HOST })
  if (JWT_ENABLED || ALLOW_OPEN_API) return
  if (!isLoopback(HOST)) return yield* new OpenApiRefused({ variable: "HOST", host: HOST })
  if (hasTls && !isLoopback(TLS_HOST)) return yield* new OpenApiRefused({ variable: "TLS_HOST", host: TLS_HOST })
})

const REFUSALS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "Request Header Fields Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "Request Timeout"]
}

/** Answers a malformed HTTP request, also in the envelope. */
const refuse = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = REFUSALS[error.code ?? ""] ?? ["400 Bad Request", "Bad Request"]
  const body = JSON.stringify({ status: "error", message })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\n${securityHeaderLines}Connection: close\r\n\r\n${body}`)
}

const MAX_HEADER_BYTES = 32 * 1024

/**
 * Milliseconds that an idle connection stays open. Proxies keep theirs for a minute, and a request that is sent on a connection that has
 * just been closed is lost.
 */
const KEPT_IDLE = 75_000

const HTTP_OPTIONS = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEPT_IDLE } satisfies http.ServerOptions

const nodeServer = () => http.createServer(HTTP_OPTIONS).on("clientError", refuse)

const api = Layer.unwrap(
  Effect.gen(function* () {
    const { HOST: host, PORT: port } = yield* ServerConfig
    const mounts = yield* Mounts
    const encrypted = yield* makeTlsListener(HTTP_OPTIONS)
    for (const { server } of encrypted) server().on("clientError", refuse)
    const { endAll } = yield* OpenStreams
    const options = { mounts: mounts.all, beforeEnd: endAll, listeners: encrypted }
    return listening(
      { server: nodeServer, where: { host, port, settings: { host: "HOST", port: "PORT" } }, scheme: "http" },
      HttpLive,
      options
    )
  })
).pipe(Layer.provide(Layer.succeed(HttpRouter.RouterConfig, routerConfig)))

/** The running server; its address, with the port that the system has chosen for PORT 0, is `HttpServer.address`. */
export const HttpServerLive = Layer.merge(
  FirstScreen.pipe(Layer.provideMerge(api.pipe(Layer.provide(Mounts.layer)))),
  ZtpServer
).pipe(
  Layer.provide(FirstStart.layer),
  Layer.provide([RequestBodies.layer, BackgroundWork.layer, Limits.layer]),
  Layer.provideMerge(OpenStreams.layer),
  Layer.provideMerge(Layer.effectDiscard(guard))
)
