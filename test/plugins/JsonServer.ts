/** A real HTTP server for plugins to talk to, which answers by a function and notes what it was asked. */
import { Effect } from "effect"
import * as http from "node:http"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export interface Answered {
  readonly status: number
  readonly json?: unknown
}

const bodyOf = async (request: http.IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += String(piece)
  return text
}

/** The address of the server, and every request so far. */
export const serve = Effect.fnUntraced(function* (answer: (asked: Asked) => Answered) {
  const asked: Array<Asked> = []
  const server = http.createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const url = new URL(request.url ?? "/", "http://localhost")
      const one = {
        method: request.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        text
      }
      asked.push(one)
      const { json, status } = answer(one)
      response.writeHead(status, { "content-type": "application/json" })
      response.end(json === undefined ? "" : JSON.stringify(json))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the server has no port")
  return { url: `http://127.0.0.1:${address.port}`, asked }
})
