/**
 * The bounds of a rendering: time, memory and sizes. Rendering is synchronous, so one meter at a time is running; it is kept in
 * this module so that every operation on values can charge it without a parameter. `spend` counts work and checks the clock now and
 * then, `allocate` counts cells (about eight bytes) of newly made values, `borrow` those that an operation needs only while it
 * runs. An operation that does much at once charges before it begins.
 */
import { fail, Fault } from "./Failure.ts"

/** Bounds of one rendering. */
export interface Limits {
  /** Processor time of one rendering in milliseconds. */
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

/** Cells of a megabyte. */
export const cellsPerMegabyte = 131_072

/** The bounds of docs/templates.md#the-language, and 128 MB of values. */
export const defaultLimits: Limits = {
  deadline: 10_000,
  output: 10 * 1024 * 1024,
  depth: 50,
  range: 100_000,
  cells: 128 * cellsPerMegabyte
}

/** Largest text that an operation may make, in UTF-16 units. */
export const maxText = 16 * 1024 * 1024

// Work between two looks at the clock: a few ten microseconds.
const slice = 4096

// Steps of work in a millisecond: how long announced work will take at least.
const stepsPerMilli = 100_000

interface Running {
  readonly limits: Limits
  /** The word for it in messages: rendering or compiling. */
  readonly doing: string
  /** Processor time of the thread when the rendering began. */
  readonly began: number
  /** Until this time the processor time cannot be used up. */
  until: number
  credit: number
  cells: number
}

let running: Running = {
  limits: defaultLimits,
  doing: "rendering",
  began: 0,
  until: Infinity,
  credit: slice,
  cells: Infinity
}

/** The bounds that hold now. */
export const limits = (): Limits => running.limits

/** Milliseconds of processor time that this thread has used. */
export const processorTime = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Runs something under these bounds, beginning now. A rendering inside a rendering keeps the outer bounds. */
export const metered = <A>(bounds: Limits, run: () => A, doing = "rendering"): A => {
  if (running.until !== Infinity) return run()
  const outer = running
  const until = performance.now() + bounds.deadline
  running = { limits: bounds, doing, began: processorTime(), until, credit: slice, cells: bounds.cells }
  try {
    return run()
  } finally {
    running = outer
  }
}

/** Fails with LimitExceeded, naming which bound was met. */
export const exceed = (limit: keyof Limits, message: string): never => {
  throw new Fault("LimitExceeded", message, undefined, limit)
}

const lateness = (): never =>
  exceed("deadline", `${running.doing} needs more than its ${running.limits.deadline / 1000} seconds of processor time`)

const fullness = (): never =>
  exceed("cells", `${running.doing} uses too much memory: more than its ${running.limits.cells / cellsPerMegabyte} MB`)

// the clock comes first, because it costs least: processor time never exceeds elapsed time
const lookAtClock = (announced: number): void => {
  running.credit = slice
  const ahead = announced / stepsPerMilli
  const now = performance.now()
  if (now + ahead <= running.until) return
  const left = running.limits.deadline - (processorTime() - running.began)
  if (ahead > left) lateness()
  running.until = now + left
}

/** Charges work in steps of about ten nanoseconds. Fails with LimitExceeded when the time is up, or would be after it. */
export const spend = (work: number): void => {
  if ((running.credit -= work) < 0) lookAtClock(work > slice ? work : 0)
}

/** Checks the clock now: for operations whose work is not known beforehand. */
export const checkTime = (): void => lookAtClock(0)

/** Charges the making of values. Fails with LimitExceeded when the memory or the time is used up. */
export const allocate = (cells: number): void => {
  if ((running.cells -= cells) < 0) fullness()
  if ((running.credit -= cells) < 0) lookAtClock(0)
}

/** Checks the room for what an operation needs only while it runs. Fails with LimitExceeded when there is not enough. */
export const borrow = (cells: number): void => {
  if (cells > running.cells) fullness()
  if ((running.credit -= cells) < 0) lookAtClock(0)
}

const tooLong = (length: number): never => fail("LimitExceeded", `text of ${length} characters is too long`)

/** Charges a text that is about to be made, `length` in UTF-16 units, and returns its length. */
export const reserveText = (length: number): number => {
  if (length > maxText) tooLong(length)
  if (length > 64) allocate(length / 8)
  return length
}

/** A text that is put together of many pieces, charged as it grows. */
export class GrowingText {
  private text = ""

  /** Adds a piece. Fails with LimitExceeded when the whole becomes too long. */
  add(piece: string): void {
    const length = this.text.length + piece.length
    if (length > maxText) tooLong(length)
    // Joined texts refer to their pieces, which costs more than short pieces themselves.
    allocate(2 + piece.length / 8)
    this.text += piece
  }

  get length(): number {
    return this.text.length
  }

  toString(): string {
    return this.text
  }
}
