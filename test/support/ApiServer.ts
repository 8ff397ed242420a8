/**
 * The HTTP API on a free port of this machine with a database of its own, and a client for it. All services behind it are real, but no
 * worker runs the jobs that it starts.
 */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Engine from "../../src/Engine.ts"
import { EventFeed } from "../../src/events/EventFeed.ts"
import { HttpServerLive } from "../../src/http/HttpServer.ts"
import * as Cluster from "../../src/jobs/engine/Cluster.ts"
import { Repositories, repositoryError } from "../../src/jobs/repositories/Repositories.ts"
import { RepositoryUpdate } from "../../src/jobs/repositories/RepositoryUpdate.ts"
import { LiveFeed } from "../../src/runtime/LiveFeed.ts"
import * as Server from "../../src/Server.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as http from "node:http"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { keepRepositories } from "../scenarios/conformance/Scene.ts"
import { ApiSite } from "./ApiSite.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { JobWorkflow } from "../../src/jobs/engine/JobEngine.ts"
import type { Previews } from "../../src/templates/CandidateConfigs.ts"

/** An answer as a client sees it; `body` is parsed JSON, or the text when it is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
}

/**
 * The request in addition to method and path. `json` becomes the body, `raw` is sent verbatim; both as application/json unless `headers`
 * say otherwise.
 */
export interface Sending {
  readonly json?: unknown
  readonly raw?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const exchange = (
  agent: http.Agent,
  url: string,
  method: string,
  headers: http.OutgoingHttpHeaders,
  body?: string | Uint8Array
) =>
  Effect.callback<Answer>((resume) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const received = new Headers()
        for (const [name, value] of Object.entries(response.headers)) received.set(name, String(value))
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: received, body: parse(text), text }))
      })
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

/** Requests are sent verbatim: no header or path is corrected on the way. */
const makeClient = (base: string, agent: http.Agent) => {
  const send = (method: string, path: string, { headers = {}, json, raw }: Sending = {}) => {
    const type: Record<string, string> =
      json === undefined && raw === undefined ? {} : { "content-type": "application/json" }
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
    const length: Record<string, string> =
      body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    return exchange(agent, base + path, method, { ...type, ...length, ...headers }, body)
  }
  const v1 = (method: string) => (path: string, json?: unknown) =>
    send(method, `/api/v1.0${path}`, json === undefined ? {} : { json })
  return { base, send, get: v1("GET"), post: v1("POST"), put: v1("PUT"), delete: v1("DELETE") }
}

/** Sends requests to the test server; the short methods take paths below /api/v1.0. */
export class ApiClient extends Context.Service<ApiClient, ReturnType<typeof makeClient>>()("test/ApiClient") {
  static readonly layer = Layer.effect(
    ApiClient,
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new http.Agent({ keepAlive: true })),
        (agent) => Effect.sync(() => agent.destroy())
      )
      return makeClient(`http://127.0.0.1:${"port" in address ? address.port : 0}`, agent)
    })
  )
}

/** Variables of the server under test. */
const DEFAULTS: Readonly<Record<string, string>> = {
  HOST: "127.0.0.1",
  // next to the cache of the run, which is removed at its end
  DATA_DIR: path.join(path.dirname(process.env["NODE_COMPILE_CACHE"] ?? tmpdir()), "data-of-api"),
  JWT_ENABLED: "false",
  SSH_REFUSED_DELAY: "0",
  // no test of the API alone makes files
  CAFILE: "/dev/null/rootCA.crt",
  CAKEYFILE: "/dev/null/rootCA.key"
}

/** The server's configuration from these variables alone. */
export const configOf = (variables: Readonly<Record<string, string>>) =>
  // any free port: the variable itself takes real ports only
  Layer.effect(
    ServerConfig,
    Effect.map(Effect.service(ServerConfig), (config) => ServerConfig.of({ ...config, PORT: 0 }))
  ).pipe(Layer.provide(ServerConfig.layerOf({ ...DEFAULTS, ...variables })))

/** Replacements of the usual parts. */
export interface Parts {
  readonly database?: typeof TestDatabase
  readonly previews?: Layer.Layer<Previews>
}

/** Jobs are recorded and started by the real engine, and their executions wait for ever without a worker. */
const Executions = JobWorkflow.toLayer(() => Effect.never)

/** Refreshes are done at once, where a server makes jobs of them. */
const RefreshesAtOnce = Layer.effect(
  Repositories,
  Effect.gen(function* () {
    const repositories = yield* Repositories
    const updates = yield* RepositoryUpdate
    return Repositories.of({
      ...repositories,
      refresh: (name, user, wishes) =>
        Effect.mapError(updates.update(name, { by: user, jobId: 0, ...wishes }), (error) =>
          error._tag === "SqlError" ? error : repositoryError(error)
        )
    })
  })
).pipe(Layer.provide(Repositories.layer))

/** Everything behind the server: the real services of all rooms, on a database of its own. */
export const Backend = (variables: Readonly<Record<string, string>> = {}, parts: Parts = {}) =>
  Layer.mergeAll(RefreshesAtOnce, parts.previews ?? Layer.empty).pipe(
    Layer.provideMerge(Server.ports),
    Layer.provideMerge(Layer.mergeAll(Engine.actors, Executions, EventFeed.layer, LiveFeed.layer)),
    Layer.provideMerge(Engine.services),
    Layer.provideMerge(Cluster.layer),
    Layer.provideMerge(Engine.stores),
    Layer.provideMerge(NodeServices.layer),
    Layer.provideMerge(parts.database ?? TestDatabase),
    Layer.provideMerge(configOf(variables))
  )

/** The server and a client; everything behind the server can be reached as well. */
export const ApiServer = (variables: Readonly<Record<string, string>> = {}, parts: Parts = {}) =>
  ApiClient.layer.pipe(Layer.provideMerge(HttpServerLive), Layer.provideMerge(Backend(variables, parts)))

/** Puts the repositories of the site in force and remembers that, so that `setScene` can bring it back. */
const InForce = Layer.effectDiscard(
  Effect.gen(function* () {
    const updates = yield* RepositoryUpdate
    yield* updates.update("templates", { by: "tester", jobId: 0 })
    yield* updates.update("settings", { by: "tester", jobId: 0 })
    yield* keepRepositories
  })
)

/** The server of a site that has settings, templates and switches. */
export const SiteServer = (variables: Readonly<Record<string, string>> = {}, parts: Parts = {}) =>
  Layer.unwrap(
    Effect.map(ApiSite, (site) =>
      InForce.pipe(Layer.provideMerge(ApiServer({ ...site.variables, ...variables }, parts)))
    )
  ).pipe(Layer.provideMerge(ApiSite.layer))
