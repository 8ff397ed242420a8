/**
 * One reader of a stream (docs/events.md#server-sent-events): first what the log has after the number that they name, page by page as they
 * read, then what the feed hands over. Each event is told once: the log is read up to the number from which the feed goes on.
 */
import { Clock, Effect, Result, Scope } from "effect"
import type { LiveEvent } from "../../domain/events/LiveEvent.ts"
import { matchesFilter } from "../../domain/events/EventFilter.ts"
import type { EventFeed, Follower } from "../../events/EventFeed.ts"
import type { Listener, ToldThing } from "../../runtime/Told.ts"
import type { EventPages } from "../../store/EventPages.ts"
import type { EventQuestion } from "./EventQuestion.ts"
import { type makeReadPage, shownTo } from "./EventReading.ts"
import { isSeen, judgeEvent, judgeTold, type makeSeenJobs } from "./EventSight.ts"
import { makeInbox } from "./Inbox.ts"
import * as SseText from "./SseText.ts"
import type { StreamTimes } from "./StreamTimes.ts"

/** Events that can change what a caller may hear of, and the milliseconds after which what they changed is known everywhere. */
const CHANGES_RIGHTS: ReadonlySet<string> = new Set(["token", "user", "permission"])
const KNOWN_AFTER = 1500
/** Events of the log at once. */
const PAGE = 200

const BEHIND = "You have not read for too long"
const STOPPING = "The server stops"
const ANEW = "The log of events has begun anew"
const AWAY = "The database is not available"

/** What a reader works with. */
export interface ReaderParts {
  readonly feed: EventFeed["Service"]
  readonly pages: EventPages["Service"]
  readonly readPage: Effect.Success<typeof makeReadPage>
  readonly seenJobs: Effect.Success<typeof makeSeenJobs>
  readonly textOf: (event: LiveEvent) => string
  readonly times: StreamTimes
}

export interface ReaderOrder {
  readonly question: EventQuestion
  /** The number after which events are wanted; null for those from now on. */
  readonly since: number | null
  /** The question as it would be answered now; a failure is the reason to end, null that it is not known now. */
  readonly renewed: Effect.Effect<EventQuestion, string | null>
  /** When the caller's token ends, in epoch milliseconds. */
  readonly expiresAt: number
}

/** A part of the stream; nothing comes after the last one. */
export interface Piece {
  readonly text: string
  readonly isLast: boolean
}

type Phase = "begins" | "reads the log" | "joins" | "reads the rest" | "follows"

const isAsked = ({ hostnames, told, filter }: EventQuestion, thing: ToldThing): boolean =>
  told.has(thing.kind) &&
  (filter.job === null || filter.job === thing.job) &&
  (hostnames === null || (thing.kind === "step" && hostnames.has(thing.hostname)))

/** Begins a reader; `scope` is that of the stream. */
export const makeReader = Effect.fnUntraced(function* (parts: ReaderParts, order: ReaderOrder, scope: Scope.Scope) {
  const { feed, pages, readPage, seenJobs, textOf, times } = parts
  const inbox = makeInbox()
  const begun = yield* Clock.currentTimeMillis
  let question = order.question
  let phase: Phase = "begins"
  /** Everything up to this number was told, or is not for this reader. */
  let position = order.since ?? 0
  /** The same when the inbox is empty. */
  let heard = 0
  let joined = 0
  let ending: string | null = null
  let saidAt = begun
  let renewAt = Math.min(begun + times.renewal, order.expiresAt)

  const follower: Follower = (events) => {
    for (const event of events) {
      if (CHANGES_RIGHTS.has(event.kind)) {
        renewAt = Math.min(renewAt, Date.now() + KNOWN_AFTER)
        inbox.latch.openUnsafe()
      }
      const verdict = matchesFilter(question.filter, event) && judgeEvent(question.sight, event)
      if (verdict === false) continue
      const shown = shownTo(question, event)
      const text = shown === event ? textOf(event) : SseText.eventText(shown)
      if (!inbox.put({ id: event.id, text, verdict })) return
    }
    heard = events.at(-1)?.id ?? heard
  }

  const listener: Listener = (thing) => {
    const verdict = isAsked(question, thing) && judgeTold(question.sight, thing)
    if (verdict !== false) inbox.put({ id: null, text: SseText.toldText(thing), verdict })
  }

  const renew = Effect.gen(function* () {
    const found = yield* Effect.result(order.renewed)
    if (Result.isSuccess(found)) question = found.success
    else ending ??= found.failure
    // after a database was restored numbers are given again
    if (phase !== "begins" && (yield* pages.bounds).newest < position) ending ??= ANEW
    const now = yield* Clock.currentTimeMillis
    renewAt = Math.min(now + times.renewal, order.expiresAt > now ? order.expiresAt : Number.POSITIVE_INFINITY)
  })

  const begin = Effect.gen(function* () {
    if (order.since === null) {
      yield* join
      position = joined
      phase = "follows"
      return SseText.beginning(position)
    }
    const { complete, newest, removed } = yield* pages.bounds
    phase = "reads the log"
    if (position > newest) position = complete
    else if (position >= removed) return SseText.beginning(position)
    const gap = { since: order.since, oldest: yield* pages.oldest(removed), next: position }
    return SseText.beginning(position) + SseText.gapText(gap)
  })

  const join = Effect.gen(function* () {
    joined = yield* Effect.provideService(feed.follow(follower), Scope.Scope, scope)
    phase = "reads the rest"
    return ""
  })

  const read = Effect.fnUntraced(function* (through: number, then: Phase) {
    const page = yield* readPage(question, { after: position, through, limit: PAGE })
    position = Math.max(position, page.next)
    if (position >= through) phase = then
    return page.events.map(textOf).join("")
  })

  const deliver = Effect.gen(function* () {
    const { skipped, taken } = inbox.take()
    const fresh = taken.filter(({ id }) => id === null || id > position)
    const jobs = yield* seenJobs(
      question.sight,
      fresh.map(({ verdict }) => verdict)
    )
    const texts = fresh.filter(({ verdict }) => isSeen(verdict, jobs)).map(({ text }) => text)
    position = fresh.reduce((last, { id }) => id ?? last, position)
    return (skipped > 0 ? SseText.skippedText(skipped) : "") + texts.join("")
  })

  const wait = Effect.gen(function* () {
    if (inbox.isEmpty()) position = Math.max(position, heard)
    const now = yield* Clock.currentTimeMillis
    const until = Math.min(saidAt + times.heartbeat, renewAt)
    yield* Effect.timeoutOption(inbox.latch.await, Math.max(1, until - now))
    // who was woken for another reason finds nothing to take
    if (inbox.isEmpty() && ending === null && !inbox.isOverfull()) inbox.latch.closeUnsafe()
    return ""
  })

  const step = Effect.suspend(() => {
    switch (phase) {
      case "begins":
        return begin
      case "reads the log":
        return Effect.flatMap(pages.bounds, ({ complete }) => read(complete, "joins"))
      case "joins":
        return join
      case "reads the rest":
        return read(joined, "follows")
      case "follows":
        return inbox.isEmpty() ? wait : deliver
    }
  })

  const last = (reason: string): Piece => ({ text: SseText.endText(reason, position), isLast: true })

  /** The next part, as soon as there is one. */
  const next = Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      // a clock that was set back makes nothing late
      saidAt = Math.min(saidAt, now)
      renewAt = Math.min(renewAt, now + times.renewal)
      if (inbox.isOverfull()) return last(BEHIND)
      if (ending !== null) return last(ending)
      if (now >= renewAt) yield* renew
      else if (now >= saidAt + times.heartbeat) {
        saidAt = now
        return { text: SseText.heartbeat(position), isLast: false }
      }
      const text = yield* step
      if (text === "") continue
      saidAt = yield* Clock.currentTimeMillis
      return { text, isLast: false }
    }
  }).pipe(Effect.catch(() => Effect.sync(() => last(AWAY))))

  const end = (): void => {
    ending ??= STOPPING
    inbox.latch.openUnsafe()
  }

  return { next, end, listener }
})
