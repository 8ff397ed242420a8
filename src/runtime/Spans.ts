/**
 * Spans for a receiver of traces (docs/monitoring.md#traces), made only if there is one. The author of a span
 * answers for its name and its attributes: names of kinds, numbers and host names, never a line of a configuration or a secret.
 */
import { Cause, Context, Effect, Exit, type Fiber, Option, References, Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import { maskUrl } from "./Logging.ts"

/** The mark of spans that are sent unchanged. */
export const Exported = Context.Reference<boolean>("switchyard/runtime/Spans/Exported", { defaultValue: () => false })

/** The id of a span that stands for none: a span below it begins a trace. By the standard no span has this id. */
const NO_SPAN = "0".repeat(16)

type Attributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  readonly attributes?: Attributes
  /** The trace that the span belongs to, as `currentTrace` gave it; null begins one. Without it the span belongs to the one around it. */
  readonly trace?: string | null
}

const exported = Context.make(Exported, true)

/** Spans of the default tracer are not read. */
const isTraced = (fiber: Fiber.Fiber<unknown, unknown>) =>
  fiber.getRef(References.TracerEnabled) && fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer

/** Where a stored trace continues. */
const placeIn = (trace: string | null): { readonly parent: Tracer.ExternalSpan } | { readonly root: true } =>
  Option.match(HttpTraceContext.w3c(Headers.fromInput({ traceparent: trace ?? "" })), {
    onNone: () => ({ root: true }) as const,
    onSome: (parent) => ({ parent })
  })

/** The work as a span of this name; the work alone if there is no receiver of spans. */
export const spanned = (name: string, options: SpanOptions = {}) => spannedAs(() => ({ ...options, name }))

/** The same for a name that takes time to find, so that it is looked for only if there is a receiver. */
export const spannedAs =
  (describe: () => SpanOptions & { readonly name: string }) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (!isTraced(fiber)) return work
      const { attributes = {}, name, trace } = describe()
      const place = trace === undefined ? {} : placeIn(trace)
      return Effect.useSpan(name, { attributes, annotations: exported, ...place }, (span) =>
        Effect.withParentSpan(work, span, { captureStackTrace: false })
      )
    })

/** The position of this fiber in its trace, as a W3C `traceparent`; null without a trace. */
export const currentTrace: Effect.Effect<string | null> = Effect.withFiber((fiber) => {
  const span = isTraced(fiber) ? Context.getOrUndefined(fiber.context, Tracer.ParentSpan) : undefined
  if (span === undefined || span.spanId === NO_SPAN) return Effect.succeed(null)
  return Effect.succeed(`00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`)
})

/** Adds an attribute to the span that the fiber is in, if there is one. */
export const annotate = (name: string, value: string | number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => (isTraced(fiber) ? Effect.annotateCurrentSpan(name, value) : Effect.void))

// Chooses the spans to export, and their attributes. Almost every function of the program and of its libraries makes a span; a span that is
// not exported stands for the exported one around it, so that its children appear at the right place, and it keeps nothing in memory. An
// exported span has only listed attributes, and of an error only the name: messages quote switches.

type Options = Parameters<Tracer.Tracer["span"]>[0]

/** The exported attributes of the libraries' spans, with their exported names. */
const SHOWN: Readonly<Record<string, string>> = {
  "http.request.method": "http.request.method",
  "url.path": "url.path",
  "http.route": "http.route",
  "http.response.status_code": "http.response.status_code",
  "entity.id": "device.id",
  "device.hostname": "device.hostname"
}

/** The exported spans of the libraries: a request, and a call that a device's actor serves. */
const LIBRARY_SPANS = /^(?:http\.server [A-Z]+|Device\.[A-Z]\w*)$/

const NO_TRACE = "0".repeat(32)
const none = Context.empty()
const noAttributes: ReadonlyMap<string, unknown> = new Map()

/** A span that is not exported: it has the ids of the exported one around it. */
class Unseen implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly spanId: string
  readonly traceId: string
  readonly sampled: boolean
  readonly annotations = none
  readonly kind = "internal"
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly attributes = noAttributes
  readonly status: Tracer.SpanStatus

  constructor({ name, sampled, startTime }: Options, around: Option.Option<Tracer.AnySpan>) {
    this.name = name
    this.parent = around
    this.sampled = sampled
    this.spanId = Option.match(around, { onNone: () => NO_SPAN, onSome: ({ spanId }) => spanId })
    this.traceId = Option.match(around, { onNone: () => NO_TRACE, onSome: ({ traceId }) => traceId })
    this.status = { _tag: "Started", startTime }
  }

  // the program reads nothing of it
  end(): void {}
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}

/** An error in the form for a receiver. */
class NamedFailure extends Error {
  constructor(name: string) {
    super(name)
    this.name = name
    this.stack = name
  }
}

const nameOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string")
    return error._tag
  return error instanceof Error ? error.constructor.name : "Error"
}

/** The end of a span, without results and messages, which would stay in memory until they are sent. */
const endOf = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, NamedFailure> => {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return Exit.interrupt()
  const [reason] = exit.cause.reasons.filter((one) => !Cause.isInterruptReason(one))
  return Exit.fail(
    new NamedFailure(nameOf(reason !== undefined && Cause.isDieReason(reason) ? reason.defect : reason?.error))
  )
}

/** The parts that its children need, without the children of its parents. */
const slim = ({ sampled, spanId, traceId }: Tracer.AnySpan): Tracer.ExternalSpan =>
  Tracer.externalSpan({ spanId, traceId, sampled })

/** The exported span around a new one. */
const around = (parent: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
  Option.map(
    Option.filter(parent, ({ spanId }) => spanId !== NO_SPAN),
    slim
  )

/** A path may contain a token, as when a client has written `;jwt=` for `?jwt=`. */
const shown = (name: string, value: unknown): unknown =>
  name === "url.path" && typeof value === "string" ? maskUrl(value) : value

/** Admits only listed attributes into a span. */
const guard = (span: Tracer.Span, attributeName: (key: string) => string | undefined): Tracer.Span => {
  const end = span.end.bind(span)
  const attribute = span.attribute.bind(span)
  return Object.assign(span, {
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) => end(time, endOf(exit)),
    attribute: (key: string, value: unknown) => {
      const name = attributeName(key)
      if (name !== undefined) attribute(name, shown(name, value))
    },
    event: () => undefined,
    addLinks: () => undefined
  })
}

const ofLibrary = (key: string): string | undefined => SHOWN[key]
const asGiven = (key: string): string => key

/**
 * A tracer that passes exported spans to another one. Of the traces that begin here this share, from 0 to 1, is exported; a trace that came
 * with a request is exported if its beginning was.
 */
export const makeFilter = (tracer: Tracer.Tracer, ratio: number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = around(options.parent)
      const isOurs = Context.get(options.annotations, Exported)
      if (!options.sampled || !(isOurs || (options.kind === "server" && LIBRARY_SPANS.test(options.name)))) {
        return new Unseen(options, parent)
      }
      if (Option.isNone(parent) && Math.random() >= ratio) return new Unseen({ ...options, sampled: false }, parent)
      return guard(tracer.span({ ...options, parent, links: [] }), isOurs ? asGiven : ofLibrary)
    }
  })
