/** Handlers of events: pages of the log, or a stream, by what the client accepts (docs/events.md). */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Requests.ts"
import { BadRequest, enveloped } from "../../api/Answers.ts"
import { type EventBounds, EventPages } from "../../store/EventPages.ts"
import { answered } from "../core/Unavailable.ts"
import { type EventQuestion, makeQuestionOf } from "./EventQuestion.ts"
import { makeReadPage } from "./EventReading.ts"
import { type EventRequest, readEventRequest } from "./EventRequest.ts"
import { makeOpenStream } from "./EventStream.ts"

type Request = HttpServerRequest.HttpServerRequest

const STREAM = "text/event-stream"

const wantsStream = ({ headers }: Request): boolean => headers["accept"]?.includes(STREAM) === true

const makePage = Effect.gen(function* () {
  const pages = yield* EventPages
  const readPage = yield* makeReadPage
  return Effect.fnUntraced(function* (
    { limit, since }: EventRequest,
    question: EventQuestion,
    { complete, newest, removed }: EventBounds
  ) {
    if (question.told.size > 0) {
      const message = `kind: ${[...question.told].join(", ")} are told and not kept; ask with 'Accept: ${STREAM}'`
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
  const pages = yield* EventPages
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
    // before the question: the devices of what was told until then are known to it
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
