/** The costs of traces with a failing receiver, and which of them are exported (docs/monitoring.md#traces). */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, References, Scope, Tracer } from "effect"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as Logging from "../../src/runtime/Logging.ts"
import * as Traces from "../../src/runtime/Traces.ts"
import { MOST_BATCHES } from "../../src/runtime/Traces.ts"
import { currentTrace, spanned } from "../../src/runtime/Spans.ts"
import { seconds } from "../support/Patience.ts"
import { until } from "../support/Program.ts"
import { attribute, make as makeReceiver, type ReceiverMode } from "../support/TraceReceiver.ts"

const BATCH = 512

const tracesOf = (env: Readonly<Record<string, string>>) =>
  Traces.layer.pipe(
    Layer.provideMerge(Logging.layer),
    Layer.provide(ServerConfig.layerOf({ LOG_LEVEL: "Fatal", ...env }))
  )

/** Does so much work in spans, as fast as it goes. */
const work = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => spanned("step")(Effect.void), { discard: true })

for (const mode of ["hangs", 500, 503] satisfies ReadonlyArray<ReceiverMode>) {
  it.live(
    `a bounded number of spans is kept for a receiver that ${mode === "hangs" ? "never answers" : `answers ${mode}`}, and sent when it works again`,
    () =>
      Effect.gen(function* () {
        const receiver = yield* makeReceiver
        yield* receiver.become(mode)
        const scope = yield* Scope.make()
        const services = yield* Layer.buildWithScope(tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }), scope)
        const told = Effect.provideContext(work(40 * BATCH), services)
        yield* told
        yield* until(Effect.sync(() => receiver.requests() > 0))
        yield* told
        yield* receiver.become("takes")
        yield* until(Effect.sync(() => receiver.spans.length > 0))
        yield* Effect.provideContext(spanned("after it")(Effect.void), services)
        yield* until(Effect.sync(() => receiver.spans.some(({ name }) => name === "after it")))
        // those that waited, the one that was under way, and what came since
        assert.isAtMost(receiver.spans.length, (MOST_BATCHES + 2) * BATCH + 1)
        yield* Scope.close(scope, Exit.void)
      }).pipe(Effect.scoped)
  )
}

it.live("the export stops within a few seconds although the receiver never answers", () =>
  Effect.gen(function* () {
    const receiver = yield* makeReceiver
    yield* receiver.become("hangs")
    const begun = yield* Effect.gen(function* () {
      const services = yield* Layer.build(tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }))
      yield* Effect.provideContext(work(10), services)
      return performance.now()
    }).pipe(Effect.scoped)
    assert.isBelow(performance.now() - begun, seconds(8))
  }).pipe(Effect.scoped)
)

it.live("work continues without a receiver at its address", () =>
  Effect.gen(function* () {
    const services = yield* Layer.build(tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }))
    yield* Effect.provideContext(work(3 * BATCH), services)
  }).pipe(Effect.scoped)
)

/** The spans of this work that reach a receiver from a server with these settings. */
const toldOf = <A, E>(told: Effect.Effect<A, E>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const receiver = yield* makeReceiver
    yield* Effect.gen(function* () {
      const services = yield* Layer.build(tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env }))
      yield* Effect.exit(Effect.provideContext(told, services))
    }).pipe(Effect.scoped)
    return receiver.spans
  }).pipe(Effect.scoped)

it.live("a span is a child of the nearest exported one around it", () =>
  Effect.gen(function* () {
    const inner = spanned("inner")(Effect.void).pipe(Effect.withSpan("library", { attributes: { text: "secret" } }))
    const spans = yield* toldOf(Effect.withSpan(spanned("outer")(Effect.withSpan(inner, "sql.execute")), "background"))
    const [outer] = spans.filter(({ name }) => name === "outer")
    assert.deepStrictEqual(
      spans.map(({ name, parentSpanId, traceId }) => [name, parentSpanId, traceId === outer?.traceId]),
      [
        ["inner", outer?.spanId, true],
        ["outer", undefined, true]
      ]
    )
  })
)

it.live("an error is named, and its message, its events and unlisted attributes are omitted", () =>
  Effect.gen(function* () {
    class Refused extends Error {
      readonly _tag = "Refused"
    }
    const failing = Effect.logInfo("a secret line").pipe(
      Effect.andThen(Effect.fail(new Refused("the password is secret")))
    )
    const request = Effect.withSpan(failing, "http.server GET", {
      kind: "server",
      attributes: { "url.full": "http://host/?jwt=secret", "url.path": "/devices" }
    })
    const [span, ...others] = yield* toldOf(request)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(span?.status.message, "Refused")
    assert.notInclude(JSON.stringify(span), "secret")
    assert.strictEqual(span === undefined ? undefined : attribute(span, "url.path"), "/devices")
  })
)

it.live("paths of requests are exported without tokens, in any spelling", () =>
  Effect.gen(function* () {
    const paths = [
      "/devices;jwt=secret",
      "/devices%3Fjwt%3Dsecret",
      "/jwt=secret",
      "/device/eyJhbGciOiJFUzI1NiJ9.eyJzdWIi.secret"
    ]
    const requests = Effect.forEach(paths, (path) =>
      Effect.withSpan(Effect.void, "http.server GET", { kind: "server", attributes: { "url.path": path } })
    )
    const spans = yield* toldOf(requests)
    assert.strictEqual(spans.length, paths.length)
    assert.notInclude(JSON.stringify(spans), "secret")
  })
)

it.live("the requested share of the traces is exported, each completely", () =>
  Effect.gen(function* () {
    const trace = spanned("outer")(spanned("inner")(Effect.void))
    const many = Effect.forEach(Array.from({ length: 400 }), () => trace, { discard: true })
    const spans = yield* toldOf(many, { OTEL_TRACES_SAMPLER_ARG: "0.5" })
    const outer = spans.filter(({ name }) => name === "outer")
    assert.isAbove(outer.length, 100)
    assert.isBelow(outer.length, 300)
    assert.strictEqual(spans.length, 2 * outer.length)
    assert.deepStrictEqual(yield* toldOf(many, { OTEL_TRACES_SAMPLER_ARG: "0" }), [])
  })
)

it.live("work continues in the trace that was stored with it", () =>
  Effect.gen(function* () {
    let kept: string | null = null
    const keeping = spanned("request")(Effect.map(currentTrace, (trace) => void (kept = trace)))
    const later = Effect.suspend(() => spanned("job", { trace: kept })(Effect.void))
    const [request, job] = yield* toldOf(Effect.andThen(keeping, later))
    assert.strictEqual(job?.parentSpanId, request?.spanId)
    assert.strictEqual(job?.traceId, request?.traceId)
  })
)

it.live("no span is made without a receiver", () =>
  Effect.gen(function* () {
    const services = yield* Layer.build(tracesOf({}))
    const seen = Effect.withFiber((fiber) =>
      Effect.succeed({
        isEnabled: fiber.getRef(References.TracerEnabled),
        span: Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
      })
    )
    const found = yield* Effect.provideContext(spanned("step")(seen), services)
    assert.deepStrictEqual(found, { isEnabled: false, span: undefined })
    assert.isNull(yield* Effect.provideContext(currentTrace, services))
  }).pipe(Effect.scoped)
)

it.effect("an invalid receiver is refused, and its headers are never repeated", () =>
  Effect.gen(function* () {
    const messageOf = (env: Readonly<Record<string, string>>) =>
      Effect.map(Effect.flip(Effect.scoped(Layer.build(ServerConfig.layerOf(env)))), String)
    const login = yield* messageOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:MarkV@127.0.0.1" })
    assert.include(login, "OTEL_EXPORTER_OTLP_HEADERS")
    const headers = yield* messageOf({ OTEL_EXPORTER_OTLP_HEADERS: "MarkW without a name" })
    assert.include(headers, "OTEL_EXPORTER_OTLP_HEADERS")
    assert.notInclude(headers, "MarkW")
  })
)
