/**
 * Which spans are told, and what of them. Almost every function of the program and of its libraries makes a span; those that are
 * not told stand for the told one around them, so that what is below hangs at the right place, and they keep nothing in memory.
 * A told span bears only attributes that are listed, and of what went wrong only the name of the error: messages quote switches.
 */
import { Cause, Context, Exit, Option, Tracer } from "effect"
import { maskUrl } from "./MaskedUrl.ts"
import { NO_SPAN, Told } from "./Spans.ts"

type Options = Parameters<Tracer.Tracer["span"]>[0]

/** Attributes of the libraries' spans that are told, by the names under which they are. */
const SHOWN: Readonly<Record<string, string>> = {
  "http.request.method": "http.request.method",
  "url.path": "url.path",
  "http.route": "http.route",
  "http.response.status_code": "http.response.status_code",
  "entity.id": "device.id",
  "device.hostname": "device.hostname"
}

/** Spans of the libraries that are told: a request, and a call that a device's actor serves. */
const LIBRARY_SPANS = /^(?:http\.server [A-Z]+|Device\.[A-Z]\w*)$/

const NO_TRACE = "0".repeat(32)
const none = Context.empty()
const noAttributes: ReadonlyMap<string, unknown> = new Map()

/** A span that is not told: it bears the ids of the told one that it is in. */
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

  // the program asks for nothing of it
  end(): void {}
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}

/** An error as a receiver may know it. */
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

/** How it ended, without results and messages, which would stay in memory until they are sent. */
const endOf = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, NamedFailure> => {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return Exit.interrupt()
  const [reason] = exit.cause.reasons.filter((one) => !Cause.isInterruptReason(one))
  return Exit.fail(
    new NamedFailure(nameOf(reason !== undefined && Cause.isDieReason(reason) ? reason.defect : reason?.error))
  )
}

/** What its children need to know of it: not the children of its parents. */
const slim = ({ sampled, spanId, traceId }: Tracer.AnySpan): Tracer.ExternalSpan =>
  Tracer.externalSpan({ spanId, traceId, sampled })

/** The told span around a new one. */
const around = (parent: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
  Option.map(
    Option.filter(parent, ({ spanId }) => spanId !== NO_SPAN),
    slim
  )

/** A path may have a token in it, as when its client has written `;jwt=` for `?jwt=`. */
const shown = (name: string, value: unknown): unknown =>
  name === "url.path" && typeof value === "string" ? maskUrl(value) : value

/** Lets only what is listed into a span. */
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
 * A tracer that hands what is told to another one. Of the traces that begin here this share, from 0 to 1, is told; one that came
 * with a request is told when its beginning was.
 */
export const make = (tracer: Tracer.Tracer, ratio: number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = around(options.parent)
      const isOurs = Context.get(options.annotations, Told)
      if (!options.sampled || !(isOurs || (options.kind === "server" && LIBRARY_SPANS.test(options.name)))) {
        return new Unseen(options, parent)
      }
      if (Option.isNone(parent) && Math.random() >= ratio) return new Unseen({ ...options, sampled: false }, parent)
      return guard(tracer.span({ ...options, parent, links: [] }), isOurs ? asGiven : ofLibrary)
    }
  })
