import { EXPIRY_MARGIN_SECONDS } from "../../machines/change/ChangeSetup.ts"

/**
 * Seconds after the end of its timer for which a device that does not answer holds up its job: it may be late in taking the change
 * back, and the way to it opens only then, when routes and trees have been found anew; and a look takes its time. Looks that run into
 * their time limits take longer; the record is brought up to date when they have ended.
 */
export const ANSWER_MARGIN_SECONDS = EXPIRY_MARGIN_SECONDS + 10

/** Phases of a change `c` whose commit was sent and not proved: what is left is to hear of its device, or to wait for the timer. */
export const UNHEARD = "c.phase in ('committing', 'committed', 'looking', 'withdrawing', 'expiring')"

/** Epoch seconds at which the timer of a change `c` has ended at the latest. */
export const TIMER_END = `(coalesce((c.protocol ->> 'committedAt')::float8 / 1000, extract(epoch from coalesce(c.sent_at, c.updated_at)))
  + coalesce((c.protocol ->> 'timerSeconds')::float8, 0))::float8`

/** Changes that have not come to their end, as a condition of statements; to be put behind the name of the table. */
export const UNFINISHED = "phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')"
