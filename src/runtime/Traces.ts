/**
 * Traces for a receiver of OpenTelemetry (docs/monitoring.md#traces): from a request through its job and the calls to devices to
 * the commands on a switch. Without OTEL_EXPORTER_OTLP_ENDPOINT there are no spans at all.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import {
  Cause,
  Duration,
  Effect,
  Fiber,
  Layer,
  Option,
  Queue,
  Redacted,
  References,
  Schedule,
  type Scope,
  Tracer
} from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse, HttpMiddleware } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { release } from "../domain/Release.ts"
import { ServerConfig } from "../ServerConfig.ts"
import * as Spans from "./Spans.ts"
import { lookup } from "./NameLookup.ts"
import { readHeaders } from "./SettingForms.ts"

// Sends spans to their receiver, which may be unreachable, slow or faulty: batches wait in a short queue, one is sent at a time, each send
// has a deadline and a few tries, and a batch that finds the queue full is dropped. Only this queue waits for the receiver.

/** The number of waiting batches. With those that the exporter fills, this bounds the memory. */
export const MOST_BATCHES = 16

/** How long one send may take. */
const DEADLINE = Duration.seconds(10)

/** How long the server's stop may wait for unsent spans. */
const LAST_WORDS = Duration.seconds(3)

/** The tries for a batch that its receiver cannot accept now. */
const again = Schedule.exponential("1 second")
const TRIES = 3

/** Statuses after which another try may help: the others say that the batch or its headers are wrong. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

/**
 * A client that accepts every request at once and sends it later through another client. When the scope closes it sends its rest, within
 * `LAST_WORDS`.
 */
const makeOutbox = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient
): Effect.fn.Return<HttpClient.HttpClient, never, Scope.Scope> {
  const batches = yield* Queue.make<HttpClientRequest.HttpClientRequest, Cause.Done>({
    capacity: MOST_BATCHES,
    strategy: "dropping"
  })
  let isReceiving = true

  const report = Effect.fnUntraced(function* (problem: string | null) {
    if (isReceiving === (problem === null)) return
    isReceiving = problem === null
    yield* isReceiving
      ? Effect.logInfo("The receiver of traces takes them again")
      : Effect.logWarning("Traces are lost: their receiver does not take them", { problem })
  })

  const attempt = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.gen(function* () {
      const { status, arrayBuffer } = yield* client.execute(request)
      yield* arrayBuffer
      return isPassing(status) ? yield* Effect.fail(`status ${status}`) : status
    }).pipe(
      Effect.timeout(DEADLINE),
      Effect.mapError((error) => (typeof error === "string" ? error : error._tag))
    )

  const send = (request: HttpClientRequest.HttpClientRequest) =>
    attempt(request).pipe(
      Effect.retry({ times: TRIES, schedule: again }),
      Effect.match({
        onFailure: (problem) => problem,
        onSuccess: (status) => (status < 300 ? null : `status ${status}`)
      }),
      Effect.flatMap(report),
      Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.failCause(cause) : report("defect"))),
      Effect.withTracerEnabled(false)
    )

  const sending = yield* Effect.forkDetach(
    Effect.forever(Effect.flatMap(Queue.take(batches), send)).pipe(Effect.ignore)
  )
  yield* Effect.addFinalizer(() =>
    Queue.end(batches).pipe(
      Effect.andThen(Fiber.await(sending)),
      Effect.timeoutOption(LAST_WORDS),
      Effect.flatMap(Option.match({ onNone: () => Fiber.interrupt(sending), onSome: () => Effect.void }))
    )
  )

  return HttpClient.make((request) =>
    Effect.flatMap(Queue.offer(batches, request), (isTaken) =>
      Effect.as(
        isTaken ? Effect.void : report("more spans than it takes"),
        HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
      )
    )
  )
})

/** Spans in one request to the receiver. */
const BATCH = 512

/** Milliseconds after which a batch is sent although it is not full. */
const INTERVAL = 2_000

/** Requests that watch the server every few seconds and belong to no user's work. */
const isWatching = ({ url }: { readonly url: string }): boolean => /^\/(?:metrics|api\/v1\.0\/health)\b/.test(url)

const outbox = Layer.effect(HttpClient.HttpClient, Effect.flatMap(HttpClient.HttpClient, makeOutbox)).pipe(
  Layer.provide(NodeHttpClient.layerNodeHttpOptions({ lookup }))
)

const tracing = (
  endpoint: string,
  { OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG }: ServerConfig["Service"]
) => {
  const tracer = Effect.map(
    OtlpTracer.make({
      url: `${endpoint.replace(/\/$/, "")}/v1/traces`,
      headers: Option.match(OTEL_EXPORTER_OTLP_HEADERS, {
        onNone: () => ({}),
        onSome: (headers) => Object.fromEntries(readHeaders(Redacted.value(headers)) ?? [])
      }),
      resource: { serviceName: OTEL_SERVICE_NAME, serviceVersion: release },
      maxBatchSize: BATCH,
      exportInterval: INTERVAL,
      shutdownTimeout: "1 second"
    }),
    (exporting) => Spans.makeFilter(exporting, OTEL_TRACES_SAMPLER_ARG)
  )
  return Layer.effect(Tracer.Tracer, tracer).pipe(
    Layer.provide([OtlpSerialization.layerJson, OtlpExporter.layerFlusher, outbox]),
    Layer.merge(Layer.succeed(References.TracerEnabled, true)),
    Layer.merge(Layer.succeed(HttpMiddleware.TracerDisabledWhen, isWatching)),
    Layer.merge(Layer.succeed(HttpMiddleware.SpanNameGenerator, ({ method }) => `http.server ${method}`))
  )
}

/** The tracer for everything that it is provided to; nothing without a receiver. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, (config) =>
    Option.match(config.OTEL_EXPORTER_OTLP_ENDPOINT, {
      onNone: () => Layer.empty,
      onSome: (endpoint) => tracing(endpoint, config)
    })
  )
)
