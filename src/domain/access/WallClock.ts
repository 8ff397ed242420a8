/**
 * What the clocks of a zone show, as instants, over every change of its offset (docs/windows.md#summer-time). A time that the clock shows
 * twice is the first of the two; a time that it skips is the moment at which it skips. Pure.
 */
import { DateTime } from "effect"

const MINUTE = 60_000
const DAY = 86_400_000

/** A time on a clock of no particular zone: days since 1970-01-01, and minutes of that day, 0 to 1440. */
export interface LocalTime {
  readonly day: number
  readonly minute: number
}

/** Milliseconds by which the clocks of the zone are ahead of UTC at an instant (milliseconds since 1970). */
const offsetAt = (zone: DateTime.TimeZone, instant: number): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(instant, { timeZone: zone }))

/** The instant at which the offset changes, after `before` and not after `after`. */
const changeBetween = (zone: DateTime.TimeZone, before: number, after: number): number => {
  const offset = offsetAt(zone, before)
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === offset) low = middle
    else high = middle
  }
  return high
}

/** The instant at which the clocks of a zone show this time for the first time, in milliseconds since 1970. */
export const instantOf = (zone: DateTime.TimeZone, { day, minute }: LocalTime): number => {
  const shown = day * DAY + minute * MINUTE
  const offsets = [offsetAt(zone, shown - DAY), offsetAt(zone, shown + DAY)]
  const fitting = offsets.map((offset) => ({ offset, instant: shown - offset }))
  const real = fitting.filter(({ instant, offset }) => offsetAt(zone, instant) === offset)
  const instants = fitting.map(({ instant }) => instant)
  return real.length > 0
    ? Math.min(...real.map(({ instant }) => instant))
    : changeBetween(zone, Math.min(...instants) - 1, Math.max(...instants))
}

/** The day that the clocks of a zone show at an instant, in days since 1970-01-01. */
export const dayAt = (zone: DateTime.TimeZone, instant: number): number =>
  Math.floor((instant + offsetAt(zone, instant)) / DAY)

/** Day of the week, 0 for Sunday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** What the clocks of a zone show at an instant, `2026-11-23 22:00`. */
export const shownAt = (zone: DateTime.TimeZone, instant: number): string =>
  new Date(instant + offsetAt(zone, instant)).toISOString().slice(0, 16).replace("T", " ")
