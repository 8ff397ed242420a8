/**
 * Rows that stay where they are while somebody points at them or works in them: what they say changes in place, new rows wait until they
 * are asked for, and rows that are gone stay until the list is left.
 */
import { useState } from "react"

type Key = string | number

interface Calm<Row> {
  readonly shown: ReadonlyArray<Row>
  /** Rows that are not shown yet. */
  readonly fresh: number
  readonly showAll: () => void
  /** For the element around the rows. */
  readonly handlers: {
    readonly onPointerEnter: () => void
    readonly onPointerLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: () => void
  }
}

export const useCalm = <Row>(rows: ReadonlyArray<Row>, keyOf: (row: Row) => Key): Calm<Row> => {
  const [held, setHeld] = useState<ReadonlyMap<Key, Row> | null>(null)
  const now = new Map(rows.map((row) => [keyOf(row), row]))
  const hold = () => setHeld((before) => before ?? now)
  const release = () => setHeld(null)
  const shown = held === null ? rows : [...held].map(([key, row]) => now.get(key) ?? row)
  const fresh = held === null ? 0 : [...now.keys()].filter((key) => !held.has(key)).length
  return {
    shown,
    fresh,
    showAll: () => setHeld(now),
    handlers: { onPointerEnter: hold, onPointerLeave: release, onFocus: hold, onBlur: release }
  }
}
