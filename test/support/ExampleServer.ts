/**
 * A server that answers each call with the example of the API's document, or with what a test gives instead; it remembers what it was asked.
 * For commands whose answers are in question, not the server's work.
 */
import { Context, Effect, Option } from "effect"
import { HttpApi } from "effect/http-api"
import * as http from "node:http"
import { text } from "node:stream/consumers"
import { Api, BASE } from "../../src/api/Api.ts"
import { Document } from "../../src/api/Documented.ts"

interface Asked {
  readonly call: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** An answer: its body, or a function of the request. */
type Given = unknown

interface Route {
  readonly call: string
  readonly method: string
  readonly pattern: RegExp
  readonly example: unknown
}

/** Calls as the command line names them, such as `GET /job/:id`. */
const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.slice(BASE.length).replaceAll(/\([^)]*\)/g, "")
      found.push({
        call: `${endpoint.method} ${path}`,
        method: endpoint.method,
        pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
        example: Option.getOrUndefined(Context.getOption(endpoint.annotations, Document))?.example.response
      })
    }
  })
  return found.toSorted((one, other) => Number(one.call.includes(":")) - Number(other.call.includes(":")))
})()

/** The number of records of a list, as the server says it. */
const countOf = (body: unknown): Record<string, string> => {
  const data: unknown = typeof body === "object" && body !== null && "data" in body ? body.data : null
  const list = Object.values(typeof data === "object" && data !== null ? data : {}).find(Array.isArray)
  return list === undefined ? {} : { "x-matching-count": String(list.length) }
}

/** Starts the server; `given` has answers by call, which a test may change later. */
export const makeExampleServer = (given: Map<string, Given> = new Map()) =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<http.Server>((resume) => {
        const made = http.createServer((request, response) => {
          void text(request).then((sent) => {
            const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
            const path = pathname.slice(BASE.length)
            const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(path))
            const call = route?.call ?? `${request.method} ${path}`
            const one = { call, path, query: searchParams, body: sent === "" ? null : JSON.parse(sent) }
            asked.push(one)
            const answer = given.has(call) ? given.get(call) : route?.example
            const body: unknown = typeof answer === "function" ? answer(one) : answer
            response
              .writeHead(body === undefined ? 404 : 200, { "content-type": "application/json", ...countOf(body) })
              .end(JSON.stringify(body ?? { status: "error", message: `No example of ${call}` }))
          })
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.sync(() => {
          made.closeAllConnections()
          made.close()
        })
    )
    const address = server.address()
    return { asked, given, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
  })

/** What a successful call answers. */
export const answer = (data: unknown, more: object = {}) => ({ status: "success", data, ...more })
