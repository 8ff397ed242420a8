/**
 * Indexes and slices of sequences as Python reads them: negative ones count from the end, a step may go backwards.
 */
import { fail } from "../Failure.ts"
import { allocate } from "../Meter.ts"
import { Dict } from "./Dict.ts"
import { codePoints, isAstral } from "./Iteration.ts"
import { typeName } from "./Printing.ts"
import { isInteger, Markup, Tuple, Undefined } from "./Value.ts"
import type { Value } from "./Value.ts"

/** Which elements a slice takes: `count` of them, beginning at `start`. */
export interface Selection {
  readonly start: number
  /** Where it ends, as `slice.indices` gives it. */
  readonly stop: number
  readonly step: number
  readonly count: number
}

const bound = (value: Value): number | undefined => {
  if (value === null) return undefined
  if (typeof value === "boolean") return value ? 1 : 0
  if (isInteger(value)) return Number(value)
  return fail("TypeError", sliceMessage)
}

const sliceMessage = "slice indices must be integers or None or have an __index__ method"

const clamp = (index: number, length: number, low: number, high: number): number =>
  Math.min(Math.max(index < 0 ? index + length : index, low), high)

/** Reads `[start:stop:step]` for a sequence of this length. Fails with TypeError or ValueError as Python does. */
export const select = (start: Value, stop: Value, step: Value, length: number): Selection => {
  const stride = bound(step) ?? 1
  if (stride === 0) return fail("ValueError", "slice step cannot be zero")
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1]
  const from = bound(start)
  const to = bound(stop)
  const first = from === undefined ? (stride > 0 ? 0 : length - 1) : clamp(from, length, low, high)
  const end = to === undefined ? (stride > 0 ? length : -1) : clamp(to, length, low, high)
  return { start: first, stop: end, step: stride, count: Math.max(0, Math.ceil((end - first) / stride)) }
}

const pick = <A>(items: ReadonlyArray<A>, selection: Selection): Array<A> => {
  const { start, step, count } = selection
  allocate(count)
  if (step === 1) return items.slice(start, start + count)
  const result: Array<A> = []
  for (let i = 0; i < count; i++) {
    const item = items[start + i * step]
    if (item !== undefined) result.push(item)
  }
  return result
}

/** A slice of a text by code points. */
export const sliceText = (text: string, start: Value, stop: Value, step: Value): string => {
  if (isAstral(text)) {
    const points = codePoints(text)
    return pick(points, select(start, stop, step, points.length)).join("")
  }
  const selection = select(start, stop, step, text.length)
  if (selection.step === 1) return text.slice(selection.start, selection.start + selection.count)
  return pick(codePoints(text), selection).join("")
}

/** The character at an index; undefined if there is none. */
export const characterAt = (text: string, index: number): string | undefined => {
  if (isAstral(text)) return codePoints(text).at(index)
  const position = index < 0 ? index + text.length : index
  return position >= 0 && position < text.length ? text.charAt(position) : undefined
}

/** A slice of a text, list or tuple; undefined for values that have none. */
export const sliceValue = (value: Value, start: Value, stop: Value, step: Value): Value | undefined => {
  if (typeof value === "string") return sliceText(value, start, stop, step)
  if (value instanceof Markup) return new Markup(sliceText(value.text, start, stop, step))
  if (Array.isArray(value)) return pick(value, select(start, stop, step, value.length))
  if (value instanceof Tuple) return new Tuple(pick(value.items, select(start, stop, step, value.items.length)))
  return undefined
}

/** The error for a slice of a value that has none. */
export const notSliceable = (value: Value): never => {
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  if (value instanceof Dict) return fail("TypeError", "unhashable type: 'slice'")
  return fail("TypeError", `'${typeName(value)}' object is not subscriptable`)
}
