/**
 * Spans that are told to a receiver of traces (docs/monitoring.md#traces), made only when there is one. Whoever makes a span here
 * answers for its name and its attributes: names of kinds, numbers and host names, never a line of a configuration or a secret.
 */
import { Context, Effect, type Fiber, Option, References, Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"

/** The mark of spans that are told as they are. */
export const Told = Context.Reference<boolean>("switchyard/runtime/Spans/Told", { defaultValue: () => false })

/** The id of a span that stands for none: what begins below it begins a trace. No span may have it by the standard. */
export const NO_SPAN = "0".repeat(16)

type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  readonly attributes?: Attributes
  /** The trace that it belongs to, as `currentTrace` gave it; null begins one. Without it the span belongs to the one around it. */
  readonly trace?: string | null
}

const told = Context.make(Told, true)

/** Spans of the tracer that is there by default are read by nobody. */
const isTraced = (fiber: Fiber.Fiber<unknown, unknown>) =>
  fiber.getRef(References.TracerEnabled) && fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer

/** Where a trace that was kept goes on. */
const placeIn = (trace: string | null): { readonly parent: Tracer.ExternalSpan } | { readonly root: true } =>
  Option.match(HttpTraceContext.w3c(Headers.fromInput({ traceparent: trace ?? "" })), {
    onNone: () => ({ root: true }) as const,
    onSome: (parent) => ({ parent })
  })

/** The work as a span of this name; the work alone when nobody is told of spans. */
export const spanned =
  (name: string, { attributes = {}, trace }: SpanOptions = {}) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (!isTraced(fiber)) return work
      const place = trace === undefined ? {} : placeIn(trace)
      return Effect.useSpan(name, { attributes, annotations: told, ...place }, (span) =>
        Effect.withParentSpan(work, span, { captureStackTrace: false })
      )
    })

/** Where this fiber is in its trace, as a W3C `traceparent`; null when it is in none. */
export const currentTrace: Effect.Effect<string | null> = Effect.withFiber((fiber) => {
  const span = isTraced(fiber) ? Context.getOrUndefined(fiber.context, Tracer.ParentSpan) : undefined
  if (span === undefined || span.spanId === NO_SPAN) return Effect.succeed(null)
  return Effect.succeed(`00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`)
})

/** Adds an attribute to the span that the fiber is in, if there is one. */
export const annotate = (name: string, value: string | number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => (isTraced(fiber) ? Effect.annotateCurrentSpan(name, value) : Effect.void))
