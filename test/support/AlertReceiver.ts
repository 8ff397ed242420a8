/** A receiver of webhooks that can be down, slow, hostile or good, and keeps what it was sent. */
import { Effect, type Scope } from "effect"
import * as http from "node:http"

/** The received messages. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a receiver answers. */
export type Behaviour = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (_request, response) =>
    void response.writeHead(code, headers).end(code < 300 ? "ok" : "no")

/** Ways to answer, and not to. */
export const behaviours = {
  good: status(200),
  broken: status(500),
  gone: status(410),
  busy: status(429, { "retry-after": "3600" }),
  /** Somewhere else would take it. */
  elsewhere: status(307, { location: "/elsewhere" }),
  /** Takes the request and never answers. */
  silent: () => undefined,
  closes: (request: http.IncomingMessage) => void request.socket.destroy(),
  /** Sends a header a little at a time, for ever. */
  slowHeaders: (request: http.IncomingMessage) => {
    const { socket } = request
    socket.write("HTTP/1.1 200 OK\r\n")
    const timer = setInterval(() => socket.write("x: y\r\n"), 50)
    socket.once("close", () => clearInterval(timer))
  },
  /** An answer without an end, as fast as it is read. */
  endless:
    (code: number): Behaviour =>
    (_request, response) => {
      response.writeHead(code)
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      }
      response.on("drain", more)
      more()
    }
} satisfies Readonly<Record<string, Behaviour | ((code: number) => Behaviour)>>

export interface AlertReceiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** From now on. */
  readonly behave: (behaviour: Behaviour) => void
}

const headersOf = (request: http.IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))

/** Listens on this port, or any; ends with the scope. */
export const listen = Effect.fnUntraced(function* (
  behaviour: Behaviour = behaviours.good,
  port = 0
): Effect.fn.Return<AlertReceiver, never, Scope.Scope> {
  const received: Array<Received> = []
  let current = behaviour
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("error", () => undefined)
    response.on("error", () => undefined)
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      received.push({ path: request.url ?? "", headers: headersOf(request), body })
      current(request, response, body)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const address = server.address()
  const own = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${own}/hook`, received, behave: (next) => (current = next) }
})
