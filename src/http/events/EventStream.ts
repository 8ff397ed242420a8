/** Streams of events (docs/events.md#server-sent-events): who asks, how many there are, and what becomes of a reader who does not read. */
import { Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { decodeJwt } from "jose"
import { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { NotPermitted } from "../../access/Permit.ts"
import { BadRequest, TooManyRequests, Unauthorized } from "../../api/Answers.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { EventFeed } from "../../events/EventFeed.ts"
import { Told } from "../../runtime/Told.ts"
import { EventPages } from "../../store/EventPages.ts"
import { findToken, makeCallerOf } from "../core/AuthorizationLive.ts"
import { OpenStreams } from "../core/OpenStreams.ts"
import { LEEWAY } from "../core/TokenRules.ts"
import { type EventQuestion, makeQuestionOf } from "./EventQuestion.ts"
import { makeReader } from "./EventReader.ts"
import { makeReadPage } from "./EventReading.ts"
import type { EventRequest } from "./EventRequest.ts"
import { makeSeenJobs, makeSightOf } from "./EventSight.ts"
import { makeSharedTexts } from "./SharedTexts.ts"
import { makeStreamBody } from "./StreamBody.ts"
import { StreamTimes } from "./StreamTimes.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Milliseconds that a client has for the last message when the server stops. */
const LAST = 2000

const HEADERS = { "x-accel-buffering": "no", "cache-control": "no-store", connection: "close" } as const

/** Errors that say that the caller may not go on; others say nothing of them. */
const isFinal = Schema.is(Schema.Union([Unauthorized, BadRequest, NotPermitted]))

const reasonOf = (error: unknown): string | null => (isFinal(error) ? String(error.message) : null)

const socketOf = ({ source }: Request): Socket | undefined =>
  source instanceof IncomingMessage ? source.socket : undefined

/** When a token ends, in epoch milliseconds, as far as it says so itself. */
const expiryOf = (request: Request): number => {
  const read = Result.flatMap(findToken(request.headers["authorization"], undefined), (token) =>
    Result.try({ try: () => decodeJwt(token).exp, catch: () => undefined })
  )
  const seconds = Result.getOrElse(read, () => undefined)
  return seconds === undefined ? Number.POSITIVE_INFINITY : (seconds + LEEWAY) * 1000
}

/** Opens streams. Fails with TooManyRequests. */
export const makeOpenStream = Effect.gen(function* () {
  const streams = yield* OpenStreams
  const told = yield* Told
  const times = yield* StreamTimes
  const callerOf = yield* makeCallerOf
  const questionOf = yield* makeQuestionOf
  const sightOf = yield* makeSightOf
  const parts = {
    feed: yield* EventFeed,
    pages: yield* EventPages,
    readPage: yield* makeReadPage,
    seenJobs: yield* makeSeenJobs,
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
    const sight = Effect.mapError(
      Effect.suspend(() => sightOf(known)),
      reasonOf
    )
    const order = { question, since: asked.since, renewed, sight, expiresAt: expiryOf(request) }
    const reader = yield* makeReader(parts, order, body, scope)
    const end = () => {
      socket?.setTimeout(LAST)
      reader.end()
    }
    socket?.setTimeout(times.stuck)
    yield* streams.hold(caller, end)
    if (question.told.size > 0) yield* told.listen(reader.listener)
    yield* Effect.forkIn(reader.run, scope)
    return HttpServerResponse.raw(body.readable, { contentType: "text/event-stream", headers: HEADERS })
  })
})
