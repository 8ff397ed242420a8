/**
 * One reader of a stream (docs/events.md#server-sent-events). It reads the log from the number that the client names, page by page as the
 * client reads, then follows the live feed. Each event is sent once: the log is read up to the number at which the feed begins.
 */
import { Clock, Effect, Latch, Result, Scope } from "effect"
import type { EventFeed, Follower } from "../../events/EventFeed.ts"
import type { Listener, LiveItem } from "../../runtime/LiveFeed.ts"
import type { EventQuestion, makeReadPage } from "./EventQuestion.ts"
import { type EventAccess, hostnamesIn, isAllowed, judgeEvent, judgeTold, type makeVisibleJobs } from "./EventAccess.ts"
import * as SseOutput from "./SseOutput.ts"
import type { SharedTexts, StreamBody } from "./SseOutput.ts"
import type { StreamTimes } from "../core/OpenStreams.ts"
import { type LiveEvent, matchesFilter, movesDevices } from "../../domain/events/Event.ts"
import type { EventStore } from "../../store/EventStore.ts"

// The inbox of a reader, which is bounded: a slow reader costs no more than that. Events that do not fit end the stream; live messages that
// do not fit are skipped.

/** A waiting event with its number, or a live message without one. The access is checked later. */
type Waiting =
  | { readonly id: number; readonly text: string; readonly event: LiveEvent }
  | { readonly id: null; readonly text: string; readonly thing: LiveItem }

interface InboxBounds {
  readonly count: number
  /** Characters of all texts. */
  readonly size: number
  /** Live messages. */
  readonly live: number
}

/** As much as a job with some thousand devices emits within seconds. */
const INBOX: InboxBounds = { count: 10_000, size: 16 * 1024 * 1024, live: 1000 }

/** The largest piece that is sent at once. */
const PIECE = { count: 200, size: 256 * 1024 }

/** An empty inbox. */
const makeInbox = (bounds: InboxBounds = INBOX) => {
  const latch = Latch.makeUnsafe(false)
  let waiting: Array<Waiting> = []
  let size = 0
  let live = 0
  let skipped = 0
  let isOverfull = false

  const fits = (one: Waiting): boolean => waiting.length < bounds.count && size + one.text.length <= bounds.size

  const overflow = (): false => {
    isOverfull = true
    waiting = []
    latch.openUnsafe()
    return false
  }

  /** The number of waiting items in the next piece. */
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
    /** Opens when an item arrives or the reader must check something. */
    latch,
    /** Adds an item. Yields false if it does not fit: then the inbox is emptied and accepts nothing more. */
    put: (one: Waiting): boolean => {
      if (isOverfull) return false
      if (one.id === null && (live >= bounds.live || !fits(one))) {
        skipped += 1
        return true
      }
      if (!fits(one)) return overflow()
      waiting.push(one)
      size += one.text.length
      if (one.id === null) live += 1
      latch.openUnsafe()
      return true
    },
    /** Takes the oldest items, and the number of skipped live messages. */
    take: () => {
      const taken = waiting.splice(0, pieceOf())
      const left = skipped
      skipped = 0
      for (const { id, text } of taken) {
        size -= text.length
        if (id === null) live -= 1
      }
      if (waiting.length === 0) latch.closeUnsafe()
      return { taken, skipped: left }
    },
    isEmpty: () => waiting.length === 0 && skipped === 0,
    isOverfull: () => isOverfull
  }
}

/** The parts that all readers share. */
export interface ReaderParts {
  readonly feed: EventFeed["Service"]
  readonly pages: EventStore["Service"]["pages"]
  readonly readPage: Effect.Success<typeof makeReadPage>
  readonly seenJobs: Effect.Success<typeof makeVisibleJobs>
  readonly texts: SharedTexts
  readonly times: StreamTimes
}

interface ReaderOrder {
  readonly question: EventQuestion
  /** The number of the last event that the client has; null to start from now. */
  readonly since: number | null
  /** The question with its present meaning. A failure is the reason to end; null means that it is unknown now. */
  readonly renewed: Effect.Effect<EventQuestion, string | null>
  /** The caller's access now, by their last known roles. Fails in the same way. */
  readonly access: Effect.Effect<EventAccess, string | null>
  /** When the caller's token expires, in epoch milliseconds. */
  readonly expiresAt: number
}

/** Kinds of events that can change permissions, and the milliseconds after which every replica knows the change. */
const CHANGES_RIGHTS: ReadonlySet<string> = new Set(["token", "user", "person", "permission"])
const KNOWN_AFTER = 750
/** Milliseconds for which the caller's permissions are reused. */
const ACCESS_VALID = 1000
/** Events of one page. */
const PAGE = 200

const BEHIND = "You have not read for too long"
const STOPPING = "The server stops"
const ANEW = "The log of events has begun anew"
const AWAY = "The database is not available"

/** A part of the stream; `isLast` ends it. */
interface Piece {
  readonly text: string
  readonly isLast: boolean
}

type Phase = "begins" | "reads the log" | "joins" | "reads the rest" | "follows"

const isAsked = ({ hostnames, live, filter }: EventQuestion, thing: LiveItem): boolean =>
  live.has(thing.kind) &&
  (filter.job === null || filter.job === thing.job) &&
  (hostnames === null || (thing.kind === "step" && hostnames.has(thing.hostname)))

/** Whether an event may match; the devices of the filter are resolved when it is sent. */
const isCandidate = ({ filter, followsDevices }: EventQuestion, event: LiveEvent): boolean =>
  matchesFilter(followsDevices ? { ...filter, devices: null } : filter, event)

const withAccess = (question: EventQuestion, access: EventAccess): EventQuestion => ({
  ...question,
  access,
  followsDevices: question.followsDevices || access.within !== null
})

/** Starts a reader that writes to this body; `scope` is that of the stream. */
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
  /** Everything up to this number was sent or does not match. */
  let position = order.since ?? 0
  /** The position when the inbox is empty. */
  let received = 0
  let joined = 0
  /** The newest event that may have moved devices, and the number up to which the devices are known. */
  let moved = 0
  let known = 0
  /** Whether the body can be written to directly. */
  let isIdle = false
  let ending: string | null = null
  let saidAt = begun
  let seenAt = begun
  let renewAt = Math.min(begun + times.renewal, order.expiresAt)

  /** Whether the permissions are recent; never after the clock was set back. */
  const isAccessFresh = (): boolean => {
    const age = clock.currentTimeMillisUnsafe() - seenAt
    return age >= 0 && age < ACCESS_VALID
  }

  /** Whether the client reads, and no lookup is needed to judge events. */
  const canWrite = (): boolean =>
    isIdle &&
    inbox.isEmpty() &&
    body.isWanted() &&
    !question.followsDevices &&
    question.access.within === null &&
    isAccessFresh()

  const write = (text: string | Buffer): void => {
    if (text.length === 0) return
    body.write(text)
    saidAt = clock.currentTimeMillisUnsafe()
  }

  /** Puts events into the inbox; yields false if they do not fit. */
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
    // a client that resumes may have these events already
    const isDirect = (events[0]?.id ?? 0) > position && canWrite()
    if (!isDirect && !keep(events)) return
    received = events.at(-1)?.id ?? received
    if (!isDirect) return
    position = Math.max(position, received)
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
    // a restored database gives numbers again
    if (phase !== "begins" && (yield* pages.bounds).newest < position) ending ??= ANEW
    const now = yield* Clock.currentTimeMillis
    seenAt = now
    renewAt = Math.min(now + times.renewal, order.expiresAt > now ? order.expiresAt : Number.POSITIVE_INFINITY)
    return Result.isSuccess(found)
  })

  /** Renews the permissions for events up to this number if they may have changed. */
  const lookAgain = Effect.fnUntraced(function* (through: number) {
    if (question.followsDevices && through > known) {
      if (!(yield* renew)) ending ??= AWAY
      known = through
    } else if (!isAccessFresh()) {
      const access = yield* Effect.result(order.access)
      if (Result.isFailure(access)) ending ??= access.failure
      else question = withAccess(question, access.success)
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

  /** The items that match and that the caller may read. */
  const readable = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
    const access = yield* question.access.knowing(
      hostnamesIn(waiting.flatMap((one) => ("event" in one ? one.event : [])))
    )
    const asked = waiting
      .filter((one) => !("event" in one) || matchesFilter(question.filter, one.event))
      .map((one) => ({ one, verdict: "event" in one ? judgeEvent(access, one.event) : judgeTold(access, one.thing) }))
    const jobs = yield* seenJobs(
      access,
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
    const texts = (yield* readable(fresh)).map(shownText)
    position = fresh.reduce((last, { id }) => id ?? last, position)
    return (skipped > 0 ? SseOutput.skippedText(skipped) : "") + texts.join("")
  })

  const wait = Effect.gen(function* () {
    if (inbox.isEmpty()) position = Math.max(position, received)
    const now = yield* Clock.currentTimeMillis
    const until = Math.min(saidAt + times.heartbeat, renewAt)
    isIdle = true
    yield* Effect.timeoutOption(inbox.latch.await, Math.max(1, until - now))
    isIdle = false
    // woken for another reason: nothing to take
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

  /** The next part that has not been written directly. */
  const next = Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      // after the clock was set back nothing is late
      saidAt = Math.min(saidAt, now)
      renewAt = Math.min(renewAt, now + times.renewal)
      if (inbox.isOverfull()) return last(BEHIND)
      if (ending !== null) return last(ending)
      if (now >= renewAt) {
        yield* renew
        // a stream that ends sends no heartbeat
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
