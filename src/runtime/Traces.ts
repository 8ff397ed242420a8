/**
 * Traces for a receiver of OpenTelemetry (docs/monitoring.md#traces): from a request through its job and the calls to devices to
 * the commands on a switch. Without OTEL_EXPORTER_OTLP_ENDPOINT there are no spans at all.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option, Redacted, References, Tracer } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { release } from "../domain/Release.ts"
import { ServerConfig } from "../ServerConfig.ts"
import * as SpanFilter from "./SpanFilter.ts"
import { lookup } from "./NameLookup.ts"
import * as SpanOutbox from "./SpanOutbox.ts"
import { readHeaders } from "./TraceVariables.ts"

/** Spans in one request to the receiver. */
const BATCH = 512

/** Milliseconds after which a batch is sent although it is not full. */
const INTERVAL = 2_000

/** What watches the server asks for every few seconds and is no part of anybody's work. */
const isWatching = ({ url }: { readonly url: string }): boolean => /^\/(?:metrics|api\/v1\.0\/health)\b/.test(url)

const outbox = Layer.effect(HttpClient.HttpClient, Effect.flatMap(HttpClient.HttpClient, SpanOutbox.make)).pipe(
  Layer.provide(NodeHttpClient.layerNodeHttpOptions({ lookup }))
)

const telling = (
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
    (exporting) => SpanFilter.make(exporting, OTEL_TRACES_SAMPLER_ARG)
  )
  return Layer.effect(Tracer.Tracer, tracer).pipe(
    Layer.provide([OtlpSerialization.layerJson, OtlpExporter.layerFlusher, outbox]),
    Layer.merge(Layer.succeed(References.TracerEnabled, true)),
    Layer.merge(Layer.succeed(HttpMiddleware.TracerDisabledWhen, isWatching)),
    Layer.merge(Layer.succeed(HttpMiddleware.SpanNameGenerator, ({ method }) => `http.server ${method}`))
  )
}

/** The tracer of everything that it is provided to; nothing without a receiver. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, (config) =>
    Option.match(config.OTEL_EXPORTER_OTLP_ENDPOINT, {
      onNone: () => Layer.empty,
      onSome: (endpoint) => telling(endpoint, config)
    })
  )
)
