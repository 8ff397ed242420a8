/**
 * Serves the routes on HOST and PORT, and beside them what switches fetch (`ztp/ZtpServer.ts`). At the end the server stops to listen at once and answers the requests that it has
 * begun. Refuses to serve everybody on a public address.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { BodyMemory } from "./core/BodyMemory.ts"
import { routerConfig } from "./core/ErrorEnvelope.ts"
import { listening } from "./core/Listening.ts"
import { HttpLive } from "./HttpLive.ts"
import { ZtpServer } from "./ztp/ZtpServer.ts"

/** Tokens are off and the address is reachable from elsewhere. */
export class OpenApiRefused extends Schema.TaggedError<OpenApiRefused>()("OpenApiRefused", { host: Schema.String }) {
  override get message() {
    return `JWT_ENABLED is false and HOST is ${this.host}: everybody who reaches this address could change the network. Set JWT_ENABLED=true, HOST=127.0.0.1, or ALLOW_OPEN_API=true if that is wanted`
  }
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)

const guard = Effect.gen(function* () {
  const { ALLOW_OPEN_API, HOST, JWT_ENABLED } = yield* ServerConfig
  if (!JWT_ENABLED && !ALLOW_OPEN_API && !isLoopback(HOST)) return yield* new OpenApiRefused({ host: HOST })
})

const REFUSALS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "Request Header Fields Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "Request Timeout"]
}

/** Answers what is no HTTP request, in the envelope as well. */
const refuse = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = REFUSALS[error.code ?? ""] ?? ["400 Bad Request", "Bad Request"]
  const body = JSON.stringify({ status: "error", message })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
}

const MAX_HEADER_BYTES = 32 * 1024

const nodeServer = () => http.createServer({ maxHeaderSize: MAX_HEADER_BYTES }).on("clientError", refuse)

const api = Layer.unwrap(
  Effect.map(ServerConfig, ({ HOST: host, PORT: port }) => listening(nodeServer, { host, port }, HttpLive))
).pipe(Layer.provide(Layer.succeed(HttpRouter.RouterConfig, routerConfig)))

/** The running server; its address, with the port that the system has chosen for PORT 0, is `HttpServer.address`. */
export const HttpServerLive = Layer.merge(api, ZtpServer).pipe(
  Layer.provide([BodyMemory.layer, BackgroundWork.layer]),
  Layer.provideMerge(Layer.effectDiscard(guard))
)
