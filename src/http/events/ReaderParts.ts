/** What a reader of a stream works with, and what is asked of it. */
import type { Effect } from "effect"
import type { EventFeed } from "../../events/EventFeed.ts"
import type { EventPages } from "../../store/EventStore.ts"
import type { EventQuestion } from "./EventQuestion.ts"
import type { makeReadPage } from "./EventReading.ts"
import type { makeSeenJobs, Sight } from "./EventSight.ts"
import type { SharedTexts } from "./SharedTexts.ts"
import type { StreamTimes } from "./StreamTimes.ts"

/** What a reader works with. */
export interface ReaderParts {
  readonly feed: EventFeed["Service"]
  readonly pages: EventPages["Service"]
  readonly readPage: Effect.Success<typeof makeReadPage>
  readonly seenJobs: Effect.Success<typeof makeSeenJobs>
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
  readonly sight: Effect.Effect<Sight, string | null>
  /** When the caller's token ends, in epoch milliseconds. */
  readonly expiresAt: number
}
