/** Handlers of events: pages of the log, or a stream, by what the client accepts (docs/events.md). */
import { findToken, makeCallerOf } from "../core/Callers.ts"
import { Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { answered } from "../core/HandlerErrors.ts"
import {
  type EventQuestion,
  type EventRequest,
  makeQuestionOf,
  makeReadPage,
  readEventRequest
} from "./EventQuestion.ts"
import { decodeJwt } from "jose"
import { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { NotPermitted } from "../../access/Permit.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { EventFeed } from "../../events/EventFeed.ts"
import { LiveFeed } from "../../runtime/LiveFeed.ts"
import { OpenStreams, StreamTimes } from "../core/OpenStreams.ts"
import { LEEWAY } from "../core/JsonWebTokens.ts"
import { makeReader } from "./EventReader.ts"
import { makeSharedTexts, makeStreamBody } from "./SseOutput.ts"
import { type EventBounds, EventStore } from "../../store/EventStore.ts"
import { makeAccessOf, makeVisibleJobs } from "./EventAccess.ts"
import { Caller } from "../../api/Requests.ts"
import { BadRequest, enveloped, TooManyRequests, Unauthorized } from "../../api/Answers.ts"

type Request = HttpServerRequest.HttpServerRequest

// Streams of events (docs/events.md#server-sent-events): their callers, their number, and clients that do not read.

/** Milliseconds for the last message at the shutdown. */
const LAST = 2000

const HEADERS = { "x-accel-buffering": "no", "cache-control": "no-store", connection: "close" } as const

/** Errors that end the caller's stream; others say nothing about the caller. */
const isFinal = Schema.is(Schema.Union([Unauthorized, BadRequest, NotPermitted]))

const reasonOf = (error: unknown): string | null => (isFinal(error) ? String(error.message) : null)

const socketOf = ({ source }: Request): Socket | undefined =>
  source instanceof IncomingMessage ? source.socket : undefined

/** When a token expires, in epoch milliseconds, if it says so itself. */
const expiryOf = (request: Request): number => {
  const read = Result.flatMap(findToken(request.headers["authorization"], undefined), (token) =>
    Result.try({ try: () => decodeJwt(token).exp, catch: () => undefined })
  )
  const seconds = Result.getOrElse(read, () => undefined)
  return seconds === undefined ? Number.POSITIVE_INFINITY : (seconds + LEEWAY) * 1000
}

/** Opens streams. Fails with TooManyRequests. */
const makeOpenStream = Effect.gen(function* () {
  const streams = yield* OpenStreams
  const liveFeed = yield* LiveFeed
  const times = yield* StreamTimes
  const callerOf = yield* makeCallerOf
  const questionOf = yield* makeQuestionOf
  const accessOf = yield* makeAccessOf
  const parts = {
    feed: yield* EventFeed,
    pages: (yield* EventStore).pages,
    readPage: yield* makeReadPage,
    seenJobs: yield* makeVisibleJobs,
    texts: makeSharedTexts(),
    times
  }

  return Effect.fnUntraced(function* (
    request: Request,
    asked: EventRequest,
    question: EventQuestion,
    caller: Identity
  ) {
    let known = caller
    const refusal = streams.refusalOf(caller)
    if (refusal !== undefined) return yield* new TooManyRequests({ message: refusal })
    const context = yield* Effect.context<HttpServerRequest.ParsedSearchParams>()
    const socket = socketOf(request)
    const renewed = callerOf(request).pipe(
      Effect.tap((found) => Effect.sync(() => (known = found))),
      Effect.flatMap((found) => questionOf(asked, found)),
      Effect.mapError(reasonOf),
      Effect.provideContext(context)
    )

    const scope = yield* Effect.scope
    const body = makeStreamBody()
    const access = Effect.mapError(
      Effect.suspend(() => accessOf(known)),
      reasonOf
    )
    const order = { question, since: asked.since, renewed, access, expiresAt: expiryOf(request) }
    const reader = yield* makeReader(parts, order, body, scope)
    const end = () => {
      socket?.setTimeout(LAST)
      reader.end()
    }
    socket?.setTimeout(times.stuck)
    yield* streams.hold(caller, end)
    if (question.live.size > 0) yield* liveFeed.listen(reader.listener)
    yield* Effect.forkIn(reader.run, scope)
    return HttpServerResponse.raw(body.readable, { contentType: "text/event-stream", headers: HEADERS })
  })
})

const STREAM = "text/event-stream"

const wantsStream = ({ headers }: Request): boolean => headers["accept"]?.includes(STREAM) === true

const makePage = Effect.gen(function* () {
  const { pages } = yield* EventStore
  const readPage = yield* makeReadPage
  return Effect.fnUntraced(function* (
    { limit, since }: EventRequest,
    question: EventQuestion,
    { complete, newest, removed }: EventBounds
  ) {
    if (question.live.size > 0) {
      const message = `kind: ${[...question.live].join(", ")} are told and not kept; ask with 'Accept: ${STREAM}'`
      return yield* new BadRequest({ message })
    }
    const asked = since ?? 0
    const isForeign = asked > newest
    const after = isForeign ? complete : asked
    const { events, next } = yield* readPage(question, { after, through: complete, limit })
    const truncated = isForeign || asked < removed ? yield* pages.oldest(removed) : null
    return enveloped({ events, next, more: next < complete, truncated })
  })
})

const makeEvents = Effect.gen(function* () {
  const { pages } = yield* EventStore
  const questionOf = yield* makeQuestionOf
  const page = yield* makePage
  const openStream = yield* makeOpenStream
  return Effect.fn("Events.read")(function* (request: Request) {
    const parameters = yield* HttpServerRequest.ParsedSearchParams
    const caller = yield* Caller
    const isStream = wantsStream(request)
    const asked = yield* Effect.mapError(
      Effect.fromResult(readEventRequest(parameters, isStream ? request.headers["last-event-id"] : undefined)),
      (message) => new BadRequest({ message })
    )
    // before the question, so that it knows the devices of all events up to here
    const bounds = yield* pages.bounds
    const question = yield* questionOf(asked, caller)
    if (isStream) return yield* openStream(request, asked, question, caller)
    return yield* page(asked, question, bounds)
  })
})

/** Handlers of `EventsGroup`. */
export const EventsLive = HttpApiBuilder.group(Api, "events", (handlers) =>
  Effect.map(makeEvents, (read) => handlers.handleRaw("list", ({ request }) => answered(read(request))))
)
