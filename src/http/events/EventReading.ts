/**
 * Reads the log for one caller, page by page (docs/events.md#pages). A page looks at a bounded number of rows, whatever is asked for; where it
 * has looked at others in between it says from where to go on.
 */
import { Effect } from "effect"
import { type LiveEvent, matchesFilter } from "../../domain/events/Event.ts"
import { EventPages, type ScannedEvent } from "../../store/EventPages.ts"
import type { EventQuestion } from "./EventQuestion.ts"
import { hostnamesIn, isSeen, judgeEvent, makeSeenJobs } from "./EventSight.ts"

/** How many rows a page looks at, and how many of them at once. */
const MAX_SCANNED = 4000
const SCAN = 2000

/** Where a page begins, and up to where it may go. */
export interface PageRange {
  readonly after: number
  readonly through: number
  readonly limit: number
}

/** Events, and the number up to which everything that is asked for was read. */
export interface EventPage {
  readonly events: ReadonlyArray<LiveEvent>
  readonly next: number
}

/** What a caller sees of an event: addresses are of the audit. */
export const shownTo = ({ sight }: EventQuestion, event: LiveEvent): LiveEvent =>
  sight.seesAudit ? event : { ...event, address: null }

/** How many rows to look at next, by how many of those before were for the caller. */
const nextCount = (limit: number, chosen: number, scanned: number): number =>
  chosen === 0 ? SCAN : Math.min(SCAN, Math.max(limit, Math.ceil((1.2 * (limit - chosen) * scanned) / chosen)))

/** Reads a page. */
export const makeReadPage = Effect.gen(function* () {
  const pages = yield* EventPages
  const seenJobs = yield* makeSeenJobs

  const chosenOf = Effect.fnUntraced(function* (question: EventQuestion, rows: ReadonlyArray<ScannedEvent>) {
    const asked = rows.filter((row) => matchesFilter(question.filter, row))
    const sight = yield* question.sight.knowing(hostnamesIn(asked))
    const matching = asked.map((row) => ({ id: row.id, verdict: judgeEvent(sight, row) }))
    const jobs = yield* seenJobs(
      sight,
      matching.map(({ verdict }) => verdict)
    )
    return matching.filter(({ verdict }) => isSeen(verdict, jobs)).map(({ id }) => id)
  })

  return Effect.fn("EventReading.page")(function* (question: EventQuestion, range: PageRange) {
    const { limit, through } = range
    const { filter } = question
    const isNothing = filter.kinds?.size === 0 || filter.devices?.size === 0
    const chosen: Array<number> = []
    let after = range.after
    let isMore = !isNothing && after < through
    let count = limit
    for (let scanned = 0; isMore && chosen.length < limit && scanned < MAX_SCANNED;) {
      const { last, looked, rows } = yield* pages.scan({ ...filter, after, through, limit: count })
      chosen.push(...(yield* chosenOf(question, rows)))
      scanned += looked
      isMore = looked === count
      after = last ?? after
      count = nextCount(limit, chosen.length, scanned)
    }
    const taken = chosen.slice(0, limit)
    const last = chosen.length >= limit ? taken.at(-1) : undefined
    const events = taken.length === 0 ? [] : yield* pages.load(taken)
    return {
      events: events.map((event) => shownTo(question, event)),
      next: last ?? (isMore ? after : Math.max(range.after, through))
    } satisfies EventPage
  })
})
