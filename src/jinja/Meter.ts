/**
 * The bounds of a rendering: time, memory and sizes. Rendering is synchronous, so one meter at a time is running; it is
 * kept in this module so that every operation on values can charge it without carrying it around. `spend` counts work
 * and looks at the clock now and then, `allocate` counts cells (about eight bytes) of newly made values.
 */
import { fail } from "./Failure.ts"

/** Bounds of one rendering. */
export interface Limits {
  /** Wall time of one rendering in milliseconds. */
  readonly deadline: number
  /** Largest output, in bytes of UTF-8. */
  readonly output: number
  /** How deep includes, imports and parent templates may nest. */
  readonly depth: number
  /** Largest number of elements of a `range`. */
  readonly range: number
  /** Cells of memory (about 8 bytes each) that one rendering may allocate over its whole life. */
  readonly cells: number
}

/** The bounds of contract/settings-and-templates.md section 10.4, and 128 MB of values. */
export const defaultLimits: Limits = {
  deadline: 10_000,
  output: 10 * 1024 * 1024,
  depth: 50,
  range: 100_000,
  cells: 16 * 1024 * 1024
}

/** Largest text that an operation may make, in UTF-16 units. */
export const maxText = 16 * 1024 * 1024

// Work between two looks at the clock: a few ten microseconds.
const slice = 4096

interface Running {
  readonly limits: Limits
  readonly until: number
  credit: number
  cells: number
}

let running: Running = { limits: defaultLimits, until: Infinity, credit: slice, cells: Infinity }

/** The bounds that hold now. */
export const limits = (): Limits => running.limits

/** Runs something under these bounds, beginning now. A rendering inside a rendering keeps the outer bounds. */
export const metered = <A>(bounds: Limits, run: () => A): A => {
  if (running.until !== Infinity) return run()
  const outer = running
  running = { limits: bounds, until: performance.now() + bounds.deadline, credit: slice, cells: bounds.cells }
  try {
    return run()
  } finally {
    running = outer
  }
}

const lookAtClock = (): void => {
  running.credit = slice
  if (performance.now() > running.until) {
    fail("LimitExceeded", `rendering took longer than ${running.limits.deadline / 1000} seconds`)
  }
}

/** Charges work in steps of about ten nanoseconds. Fails with LimitExceeded when the time is up. */
export const spend = (work: number): void => {
  if ((running.credit -= work) < 0) lookAtClock()
}

/** Charges the making of values. Fails with LimitExceeded when the memory or the time is used up. */
export const allocate = (cells: number): void => {
  if ((running.cells -= cells) < 0) fail("LimitExceeded", "rendering uses too much memory")
  if ((running.credit -= cells) < 0) lookAtClock()
}

/** Charges a text that is about to be made, `length` in UTF-16 units, and returns its length. */
export const reserveText = (length: number): number => {
  if (length > maxText) fail("LimitExceeded", `text of ${length} characters is too long`)
  if (length > 64) allocate(length / 8)
  return length
}
