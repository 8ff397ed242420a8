/**
 * Keeps the rows of a list in their places while the pointer or the focus is in it: their contents change, but no row moves, and what is new is
 * counted until the user wants to see it.
 */
import { type FocusEvent, useRef, useState } from "react"

/** Rows on both sides of those in sight in which a row that moved is looked for. */
const NEAR = 100

interface List<Row> {
  /** The question that the rows answer; null while they still answer the last one. */
  readonly answers: string | null
  readonly count: number
  readonly rowAt: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string | number
}

interface Kept<Row> {
  readonly answers: string
  readonly count: number
  readonly rows: Map<number, Row>
}

/** The row of a place that was kept, with its newest content. Notes the row of a place that is seen for the first time. */
const keptRow = <Row>(
  kept: Map<number, Row>,
  index: number,
  now: Row | undefined,
  {
    keyOf,
    near
  }: { readonly keyOf: (row: Row) => string | number; readonly near: (key: string | number) => Row | undefined }
): { readonly row: Row | undefined; readonly hasMoved: boolean } => {
  const before = kept.get(index)
  if (before === undefined || (now !== undefined && keyOf(now) === keyOf(before))) {
    if (now !== undefined) kept.set(index, now)
    return { row: now, hasMoved: false }
  }
  // a page that is not loaded has not moved
  return { row: near(keyOf(before)) ?? before, hasMoved: now !== undefined }
}

const newsOf = (before: number, now: number, hasMoved: boolean): string | null => {
  if (now > before) return `${now - before} new`
  if (now < before) return `${before - now} gone`
  return hasMoved ? "The order has changed" : null
}

export const useHold = <Row>({ answers, count, keyOf, rowAt }: List<Row>) => {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const [turn, setTurn] = useState(0)
  const kept = useRef<Kept<Row> | null>(null)
  const isHeld = (isPointed || isFocused) && answers !== null
  const question = `${turn} ${answers}`
  if (!isHeld) kept.current = null
  else if (kept.current?.answers !== question) kept.current = { answers: question, count, rows: new Map() }
  const hold = kept.current
  let hasMoved = false

  /** Rows by their place, those in sight first. */
  const rowsWithin = (first: number, last: number) => {
    if (hold === null) return rowAt
    let byKey: Map<string | number, Row> | undefined
    const near = (key: string | number) => {
      byKey ??= new Map(
        Array.from({ length: last - first + 2 * NEAR }, (_, step) => rowAt(Math.max(0, first - NEAR) + step)).flatMap(
          (row) => (row === undefined ? [] : [[keyOf(row), row] as const])
        )
      )
      return byKey.get(key)
    }
    const shown = new Map<number, Row | undefined>()
    for (let index = first; index <= last; index++) {
      const found = keptRow(hold.rows, index, rowAt(index), { keyOf, near })
      hasMoved ||= found.hasMoved
      shown.set(index, found.row)
    }
    return (index: number): Row | undefined => (shown.has(index) ? shown.get(index) : rowAt(index))
  }

  return {
    count: hold?.count ?? count,
    rowsWithin,
    /** What changed meanwhile; null if nothing did. Known after `rowsWithin`. */
    get news() {
      return hold === null ? null : newsOf(hold.count, count, hasMoved)
    },
    show: () => setTurn(turn + 1),
    handlers: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocus: () => setFocused(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))
    }
  }
}
