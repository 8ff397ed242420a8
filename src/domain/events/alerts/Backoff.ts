/** When a message that could not be handed over is tried again, and when no more (docs/alerts.md#delivery). Pure. */

/** Milliseconds. */
export interface Pace {
  readonly first: number
  readonly longest: number
  /** From when the message was made. */
  readonly giveUp: number
}

/** Waits of 5 seconds, 10, 20 … at most an hour, for three days. */
export const PACE: Pace = { first: 5000, longest: 3_600_000, giveUp: 3 * 86_400_000 }

const LONGEST_ASKED = 86_400_000

/**
 * Milliseconds until the next attempt after so many. `random` is in [0, 1): half of the wait is left to it, so that many messages do
 * not come together. A receiver may ask for a longer one.
 */
export const pause = (pace: Pace, attempts: number, random: number, asked: number | null): number => {
  const full = Math.min(pace.first * 2 ** Math.min(attempts - 1, 30), pace.longest)
  return Math.round(Math.max(full / 2 + (full / 2) * random, asked ?? 0))
}

/** Milliseconds that a header `Retry-After` asks for: seconds or a date; null when it says nothing. At most a day. */
export const retryAfter = (header: string | null, now: number): number | null => {
  if (header === null || header.trim() === "") return null
  const found = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(found) || found <= 0 ? null : Math.min(found, LONGEST_ASKED)
}
