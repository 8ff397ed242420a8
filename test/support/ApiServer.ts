/**
 * The HTTP API on a free port of this machine with a database of its own, and a client for it. Jobs are recorded, not run;
 * settings and the other rooms are those of `Ports.ts`.
 */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { HttpServerLive } from "../../src/http/HttpServer.ts"
import { DeviceDeletion } from "../../src/jobs/upkeep/DeviceDeletion.ts"
import { DeviceStates } from "../../src/jobs/engine/DeviceStates.ts"
import { JobStates } from "../../src/jobs/engine/JobStates.ts"
import type { Previews } from "../../src/jobs/sync/Previews.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { JobLockStore } from "../../src/store/JobLockStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { LiveChangeStore } from "../../src/store/LiveChangeStore.ts"
import { LinknetStore } from "../../src/store/LinknetStore.ts"
import { MgmtDomainStore } from "../../src/store/MgmtDomainStore.ts"
import { ReservationStore } from "../../src/store/ReservationStore.ts"
import { StackMemberStore } from "../../src/store/StackMemberStore.ts"
import { SyncEventStore } from "../../src/store/SyncEventStore.ts"
import { NodeServices } from "@effect/platform-node"
import * as http from "node:http"
import { TestPorts } from "./Ports.ts"
import { RecordingEngine } from "./RecordingEngine.ts"
import { TestDatabase } from "./TestDatabase.ts"

/** An answer as a client sees it; `body` is parsed JSON, or the text when it is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
}

/** What to send beside method and path. `json` becomes the body, `raw` is sent as it is; both as application/json unless `headers` say otherwise. */
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

/** Requests go out as they are written: no header or path is corrected on the way. */
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

const Stores = Layer.mergeAll(
  DeviceStore.layer,
  InterfaceStore.layer,
  JobLockStore.layer,
  ChangeStore.layer,
  JobStore.layer,
  LiveChangeStore.layer,
  LinknetStore.layer,
  MgmtDomainStore.layer,
  ReservationStore.layer,
  StackMemberStore.layer,
  SyncEventStore.layer
)

/** Variables of the server under test. */
const DEFAULTS: Readonly<Record<string, string>> = {
  HOST: "127.0.0.1",
  JWT_ENABLED: "false",
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

/** What a test may put in the place of the usual parts. */
export interface Parts {
  readonly database?: typeof TestDatabase
  readonly previews?: Layer.Layer<Previews>
}

/** Database, stores and recording engine, without a server. */
export const Backend = (variables: Readonly<Record<string, string>> = {}, parts: Parts = {}) =>
  (parts.previews ?? Layer.empty).pipe(
    Layer.provideMerge(TestPorts),
    Layer.provideMerge(Layer.merge(DeviceStates.layer, DeviceDeletion.layer)),
    Layer.provideMerge(RecordingEngine),
    Layer.provideMerge(JobStates.layer),
    Layer.provideMerge(Stores),
    Layer.provideMerge(parts.database ?? TestDatabase),
    Layer.provideMerge(configOf(variables)),
    Layer.provideMerge(NodeServices.layer)
  )

/** The server and a client; everything behind the server can be reached as well. */
export const ApiServer = (variables: Readonly<Record<string, string>> = {}, parts: Parts = {}) =>
  ApiClient.layer.pipe(Layer.provideMerge(HttpServerLive), Layer.provideMerge(Backend(variables, parts)))
