/**
 * How often a device that refuses its logins is asked again by one piece of work. Switches count failed logins and lock accounts,
 * also against people, so a loop that would only wait for an answer must not try its passwords each few seconds
 * (docs/security.md#changing-passwords).
 */

/** After two refusals in a row: the first pause in milliseconds, which doubles from one to the next. */
const FIRST_PAUSE = 10_000
const FREE_TRIES = 2
/** A switch takes a commit back a moment after its timer has run out. */
const ROLLBACK_MARGIN = 2_000

/** The refusals of one piece of work. Times are epoch milliseconds. */
export interface RefusedLogins {
  /** Whether the device may be asked now. */
  readonly mayTry: (now: number) => boolean
  /** After a refusal one login is enough to see whether anything has changed. */
  readonly isRetry: () => boolean
  readonly refused: (now: number) => void
  readonly accepted: () => void
  /** When the switch takes back what made it refuse: until then it goes on refusing, and from then on it is asked anew. */
  readonly rollsBackAt: (at: number | null) => void
}

/** Nothing was refused yet. */
export const make = (): RefusedLogins => {
  let count = 0
  let last = 0
  let rollback: number | null = null
  return {
    mayTry: (now) => {
      const back = rollback === null ? null : rollback + ROLLBACK_MARGIN
      if (back !== null && last < back && now >= back) count = 0
      if (count < FREE_TRIES) return true
      return back !== null && now < back ? false : now >= last + FIRST_PAUSE * 2 ** (count - FREE_TRIES)
    },
    isRetry: () => count > 0,
    refused: (now) => {
      count += 1
      last = now
    },
    accepted: () => {
      count = 0
    },
    rollsBackAt: (at) => {
      rollback = at
    }
  }
}
