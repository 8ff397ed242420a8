/**
 * One reader of a stream (docs/events.md#server-sent-events): first what the log has after the number that they name, page by page as they
 * read, then what the feed hands over. Each event is told once: the log is read up to the number from which the feed goes on.
 */
import { Clock, Effect, Latch, Result, Scope } from "effect"
import { type LiveEvent, matchesFilter, movesDevices } from "../../domain/events/Event.ts"
import type { EventFeed, Follower } from "../../events/EventFeed.ts"
import type { Listener, ToldThing } from "../../runtime/Told.ts"
import type { EventQuestion, makeReadPage } from "./EventQuestion.ts"
import { type EventAccess, hostnamesIn, isAllowed, judgeEvent, judgeTold, type makeVisibleJobs } from "./EventAccess.ts"
import * as SseOutput from "./SseOutput.ts"
import type { SharedTexts, StreamBody } from "./SseOutput.ts"
import type { StreamTimes } from "../core/OpenStreams.ts"
import type { EventPages } from "../../store/EventStore.ts"

// What waits for one reader of a stream, within bounds: a reader who does not read costs no more than that. Events that do not fit end the
// stream; what is told and not kept is left out.

/** Something for the reader, if they may hear of it: an event with its number, or what has none. */
export type Waiting =
  | { readonly id: number; readonly text: string; readonly event: LiveEvent }
  | { readonly id: null; readonly text: string; readonly thing: ToldThing }

export interface InboxBounds {
  readonly count: number
  /** Characters of all texts. */
  readonly size: number
  /** How many of what is told and not kept. */
  readonly told: number
}

/** As much as a job with some thousand devices tells within seconds. */
export const INBOX: InboxBounds = { count: 10_000, size: 16 * 1024 * 1024, told: 1000 }

/** How much a reader gets at once. */
const PIECE = { count: 200, size: 256 * 1024 }

/** An empty inbox. */
export const makeInbox = (bounds: InboxBounds = INBOX) => {
  const latch = Latch.makeUnsafe(false)
  let waiting: Array<Waiting> = []
  let size = 0
  let told = 0
  let skipped = 0
  let isOverfull = false

  const fits = (one: Waiting): boolean => waiting.length < bounds.count && size + one.text.length <= bounds.size

  const overflow = (): false => {
    isOverfull = true
    waiting = []
    latch.openUnsafe()
    return false
  }

  /** How many of those that wait are a piece. */
  const pieceOf = (): number => {
    let [count, length] = [0, 0]
    for (const { text } of waiting) {
      length += text.length
      if (count === PIECE.count || (count > 0 && length > PIECE.size)) break
      count += 1
    }
    return count
  }

  return {
    /** Opens when there is something to take, or when `end` says that the reader has to look. */
    latch,
    /** Adds something; yields false when it does not fit: then the inbox holds nothing any more, and takes nothing. */
    put: (one: Waiting): boolean => {
      if (isOverfull) return false
      if (one.id === null && (told >= bounds.told || !fits(one))) {
        skipped += 1
        return true
      }
      if (!fits(one)) return overflow()
      waiting.push(one)
      size += one.text.length
      if (one.id === null) told += 1
      latch.openUnsafe()
      return true
    },
    /** What has waited longest, and how much of what is not kept was left out. */
    take: () => {
      const taken = waiting.splice(0, pieceOf())
      const left = skipped
      skipped = 0
      for (const { id, text } of taken) {
        size -= text.length
        if (id === null) told -= 1
      }
      if (waiting.length === 0) latch.closeUnsafe()
      return { taken, skipped: left }
    },
    isEmpty: () => waiting.length === 0 && skipped === 0,
    isOverfull: () => isOverfull
  }
}

export type Inbox = ReturnType<typeof makeInbox>

/** Events that can change what a caller may hear of, and the milliseconds after which what they changed is known everywhere. */
const CHANGES_RIGHTS: ReadonlySet<string> = new Set(["token", "user", "person", "permission"])
const KNOWN_AFTER = 750
/** Milliseconds for which it counts what the caller may hear of, as for whoever asks anew. */
const SIGHT_KEPT = 1000
/** Events of the log at once. */
const PAGE = 200

const BEHIND = "You have not read for too long"
const STOPPING = "The server stops"
const ANEW = "The log of events has begun anew"
const AWAY = "The database is not available"

/** A part of the stream; nothing comes after the last one. */
interface Piece {
  readonly text: string
  readonly isLast: boolean
}

type Phase = "begins" | "reads the log" | "joins" | "reads the rest" | "follows"

const isAsked = ({ hostnames, told, filter }: EventQuestion, thing: ToldThing): boolean =>
  told.has(thing.kind) &&
  (filter.job === null || filter.job === thing.job) &&
  (hostnames === null || (thing.kind === "step" && hostnames.has(thing.hostname)))

/** Whether an event may be asked for: which devices are meant is looked up anew when it is told. */
const isCandidate = ({ filter, followsDevices }: EventQuestion, event: LiveEvent): boolean =>
  matchesFilter(followsDevices ? { ...filter, devices: null } : filter, event)

const withSight = (question: EventQuestion, sight: EventAccess): EventQuestion => ({
  ...question,
  sight,
  followsDevices: question.followsDevices || sight.within !== null
})

/** Begins a reader who writes to this body; `scope` is that of the stream. */
export const makeReader = Effect.fnUntraced(function* (
  parts: ReaderParts,
  order: ReaderOrder,
  body: StreamBody,
  scope: Scope.Scope
) {
  const { feed, pages, readPage, seenJobs, texts, times } = parts
  const inbox = makeInbox()
  const clock = yield* Clock.Clock
  const begun = clock.currentTimeMillisUnsafe()
  let question = order.question
  let phase: Phase = "begins"
  /** Everything up to this number was told, or is not for this reader. */
  let position = order.since ?? 0
  /** The same when the inbox is empty. */
  let heard = 0
  let joined = 0
  /** The newest event by which devices may have moved, and the number up to which it is known where they are. */
  let moved = 0
  let known = 0
  /** Whether nothing is on its way to the body, so that it can be written to directly. */
  let isIdle = false
  let ending: string | null = null
  let saidAt = begun
  let seenAt = begun
  let renewAt = Math.min(begun + times.renewal, order.expiresAt)

  /** Whether it counts still what the caller may hear of; not beside a clock that was set back. */
  const isSightFresh = (): boolean => {
    const age = clock.currentTimeMillisUnsafe() - seenAt
    return age >= 0 && age < SIGHT_KEPT
  }

  /** Whether the reader takes more now, and nothing has to be looked up to know what they may hear of. */
  const canWrite = (): boolean =>
    isIdle &&
    inbox.isEmpty() &&
    body.isWanted() &&
    !question.followsDevices &&
    question.sight.within === null &&
    isSightFresh()

  const write = (text: string | Buffer): void => {
    if (text.length === 0) return
    body.write(text)
    saidAt = clock.currentTimeMillisUnsafe()
  }

  /** Keeps events until they are taken; yields false when they are too many. */
  const keep = (events: ReadonlyArray<LiveEvent>): boolean => {
    for (const event of events) {
      if (!isCandidate(question, event)) continue
      if (!inbox.put({ id: event.id, text: texts.textOf(event), event })) return false
    }
    return true
  }

  const follower: Follower = (events) => {
    if (events.some(({ kind }) => CHANGES_RIGHTS.has(kind))) {
      renewAt = Math.min(renewAt, clock.currentTimeMillisUnsafe() + KNOWN_AFTER)
      inbox.latch.openUnsafe()
    }
    moved = events.findLast(movesDevices)?.id ?? moved
    // a reader who resumes may know what the feed comes to only now
    const isDirect = (events[0]?.id ?? 0) > position && canWrite()
    if (!isDirect && !keep(events)) return
    heard = events.at(-1)?.id ?? heard
    if (!isDirect) return
    position = Math.max(position, heard)
    write(texts.batchFor(question, events))
  }

  const listener: Listener = (thing) => {
    if (!isAsked(question, thing)) return
    const text = SseOutput.toldText(thing)
    if (canWrite()) write(text)
    else inbox.put({ id: null, text, thing })
  }

  const renew = Effect.gen(function* () {
    const found = yield* Effect.result(order.renewed)
    if (Result.isSuccess(found)) question = found.success
    else ending ??= found.failure
    // after a database was restored numbers are given again
    if (phase !== "begins" && (yield* pages.bounds).newest < position) ending ??= ANEW
    const now = yield* Clock.currentTimeMillis
    seenAt = now
    renewAt = Math.min(now + times.renewal, order.expiresAt > now ? order.expiresAt : Number.POSITIVE_INFINITY)
    return Result.isSuccess(found)
  })

  /** Looks again at what may be told of events up to this number, where it may be something else by now. */
  const lookAgain = Effect.fnUntraced(function* (through: number) {
    if (question.followsDevices && through > known) {
      if (!(yield* renew)) ending ??= AWAY
      known = through
    } else if (!isSightFresh()) {
      const sight = yield* Effect.result(order.sight)
      if (Result.isFailure(sight)) ending ??= sight.failure
      else question = withSight(question, sight.success)
      seenAt = yield* Clock.currentTimeMillis
    }
  })

  const begin = Effect.gen(function* () {
    if (order.since === null) {
      yield* join
      position = joined
      phase = "follows"
      return SseOutput.beginning(position)
    }
    const { complete, newest, removed } = yield* pages.bounds
    phase = "reads the log"
    if (position > newest) position = complete
    else if (position >= removed) return SseOutput.beginning(position)
    const gap = { since: order.since, oldest: yield* pages.oldest(removed), next: position }
    return SseOutput.beginning(position) + SseOutput.gapText(gap)
  })

  const join = Effect.gen(function* () {
    joined = yield* Effect.provideService(feed.follow(follower), Scope.Scope, scope)
    moved = joined
    phase = "reads the rest"
    return ""
  })

  const read = Effect.fnUntraced(function* (through: number, then: Phase) {
    yield* lookAgain(through)
    if (ending !== null) return ""
    const page = yield* readPage(question, { after: position, through, limit: PAGE })
    position = Math.max(position, page.next)
    if (position >= through) phase = then
    return page.events.map(texts.textOf).join("")
  })

  /** Those that are asked for and may be heard of, as they are shown. */
  const heardOf = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
    const sight = yield* question.sight.knowing(
      hostnamesIn(waiting.flatMap((one) => ("event" in one ? one.event : [])))
    )
    const asked = waiting
      .filter((one) => !("event" in one) || matchesFilter(question.filter, one.event))
      .map((one) => ({ one, verdict: "event" in one ? judgeEvent(sight, one.event) : judgeTold(sight, one.thing) }))
    const jobs = yield* seenJobs(
      sight,
      asked.map(({ verdict }) => verdict)
    )
    return asked.filter(({ verdict }) => isAllowed(verdict, jobs)).map(({ one }) => one)
  })

  const shownText = (one: Waiting): string => ("event" in one ? texts.shownText(question, one.event) : one.text)

  const deliver = Effect.gen(function* () {
    const { skipped, taken } = inbox.take()
    yield* lookAgain(moved)
    if (ending !== null) return ""
    const fresh = taken.filter(({ id }) => id === null || id > position)
    const texts = (yield* heardOf(fresh)).map(shownText)
    position = fresh.reduce((last, { id }) => id ?? last, position)
    return (skipped > 0 ? SseOutput.skippedText(skipped) : "") + texts.join("")
  })

  const wait = Effect.gen(function* () {
    if (inbox.isEmpty()) position = Math.max(position, heard)
    const now = yield* Clock.currentTimeMillis
    const until = Math.min(saidAt + times.heartbeat, renewAt)
    isIdle = true
    yield* Effect.timeoutOption(inbox.latch.await, Math.max(1, until - now))
    isIdle = false
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

  const last = (reason: string): Piece => ({ text: SseOutput.endText(reason, position), isLast: true })

  /** The next part that cannot be written directly, as soon as there is one. */
  const next = Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      // a clock that was set back makes nothing late
      saidAt = Math.min(saidAt, now)
      renewAt = Math.min(renewAt, now + times.renewal)
      if (inbox.isOverfull()) return last(BEHIND)
      if (ending !== null) return last(ending)
      if (now >= renewAt) {
        yield* renew
        // whoever may not go on waits for no heartbeat
        if (ending !== null) continue
      } else if (now >= saidAt + times.heartbeat) {
        saidAt = now
        return { text: SseOutput.heartbeat(position), isLast: false }
      }
      const text = yield* step
      if (text === "") continue
      saidAt = yield* Clock.currentTimeMillis
      return { text, isLast: false }
    }
  }).pipe(Effect.catch(() => Effect.sync(() => last(AWAY))))

  /** Writes until the last part. */
  const run = Effect.gen(function* () {
    for (;;) {
      yield* body.wanted
      const { isLast, text } = yield* next
      body.write(text)
      if (isLast) return body.end()
    }
  })

  const end = (): void => {
    ending ??= STOPPING
    inbox.latch.openUnsafe()
  }

  return { run, end, listener }
})

// What a reader of a stream works with, and what is asked of it.

/** What a reader works with. */
export interface ReaderParts {
  readonly feed: EventFeed["Service"]
  readonly pages: EventPages["Service"]
  readonly readPage: Effect.Success<typeof makeReadPage>
  readonly seenJobs: Effect.Success<typeof makeVisibleJobs>
  readonly texts: SharedTexts
  readonly times: StreamTimes
}

export interface ReaderOrder {
  readonly question: EventQuestion
  /** The number after which events are wanted; null for those from now on. */
  readonly since: number | null
  /** The question as it would be answered now; a failure is the reason to end, null that it is not known now. */
  readonly renewed: Effect.Effect<EventQuestion, string | null>
  /** What the caller may hear of now, by the roles that they were last known to have; fails in the same way. */
  readonly sight: Effect.Effect<EventAccess, string | null>
  /** When the caller's token ends, in epoch milliseconds. */
  readonly expiresAt: number
}
