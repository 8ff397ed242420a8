/**
 * A table of any number of rows; only the visible ones are in the page. A row is a link. `j` and `k` move, Enter opens, space marks, and with
 * shift it marks a range. While the pointer or the focus is in the list its rows keep their places: what is new gathers in a bar. On the phone
 * each row is a card of two lines.
 */
import { Button } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { useVirtualizer } from "@tanstack/react-virtual"
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState
} from "react"
import { inNaturalOrder } from "../../src/domain/Natural.ts"
import { number } from "../../src/domain/words/Units.ts"
import { useDensity } from "./density.ts"
import { useHold } from "./useHold.ts"
import "./table.css"

export interface Column<Row> {
  readonly key: string
  readonly head: string
  /** Pixels at least; what is left of the width is shared. */
  readonly width: number
  readonly cell: (row: Row) => ReactNode
  /** The field that the server sorts by; for rows that are all here, any name. */
  readonly sort?: string
  /** The cell as text, for sorting rows that are all here. */
  readonly text?: (row: Row) => string
  /** Shown only by choice. */
  readonly isExtra?: boolean
}

/** The rows that are chosen for actions. */
export interface Marks<Row> {
  readonly has: (row: Row) => boolean
  readonly set: (rows: ReadonlyArray<Row>, isMarked: boolean) => void
  readonly nameOf: (row: Row) => string
  /** Reads rows that are not loaded, both places included. */
  readonly read?: (first: number, last: number) => Promise<ReadonlyArray<Row>>
  /** All rows are marked. */
  readonly isAll: boolean
}

interface Props<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  /** All rows, sorted here; or, for long lists, `count`, `rowAt` and `inSight`. */
  readonly rows?: ReadonlyArray<Row>
  /** The number of rows, including those that are not loaded yet. */
  readonly count?: number
  /** A row that is not loaded yet is undefined. */
  readonly rowAt?: (index: number) => Row | undefined
  /** The visible rows, so that they can be loaded. */
  readonly inSight?: (first: number, last: number) => void
  readonly keyOf: (row: Row) => string | number
  readonly open?: (row: Row) => void
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly marks?: Marks<Row>
  /** The question that the rows answer, so that a new question shows its rows at once; null while they are those of the last one. */
  readonly answers?: string | null
  /** The row on the phone: two lines. */
  readonly card?: (row: Row) => ReactNode
  readonly height?: string
}

/** Pixels. */
const ROW = { comfortable: 32, compact: 28, touch: 44, card: 62 } as const
const MARK = 40

const sortAfter = (now: string | undefined, field: string): string => (now === field ? `-${field}` : field)

const ariaSort = (now: string | undefined, field: string | undefined) => {
  if (field === undefined || now === undefined) return undefined
  if (now === field) return "ascending" as const
  return now === `-${field}` ? ("descending" as const) : undefined
}

/** Rows that are all here, in the natural order of a column. */
const inOrder = <Row,>(rows: ReadonlyArray<Row>, columns: ReadonlyArray<Column<Row>>, sort: string | undefined) => {
  const field = sort?.replace(/^-/, "")
  const text = columns.find((column) => column.sort !== undefined && column.sort === field)?.text
  if (text === undefined) return rows
  const sorted = rows.toSorted((one, other) => inNaturalOrder(text(one), text(other)))
  return sort?.startsWith("-") === true ? sorted.toReversed() : sorted
}

interface RowProps<Row> {
  readonly row: Row | undefined
  readonly index: number
  /** Pixels from the top. */
  readonly start: number
  readonly height: number
  readonly columns: ReadonlyArray<Column<Row>>
  readonly card: ((row: Row) => ReactNode) | undefined
  readonly isActive: boolean
  readonly activate: (index: number) => void
  /** Omitted if rows cannot be marked. */
  readonly isMarked?: boolean
  readonly name?: string
  readonly toggle: (index: number, isRange: boolean) => void
}

const PlainRow = <Row,>(props: RowProps<Row>) => {
  const { activate, card, columns, height, index, isActive, isMarked, name, row, start, toggle } = props
  return (
    <div
      role="row"
      className="grid-row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)`, height, top: 0 }}
      {...(isActive ? { "data-active": true } : {})}
      {...(isMarked === true ? { "data-marked": true } : {})}
      onClick={() => activate(index)}
    >
      {isMarked !== undefined && (
        <div role="cell" className="grid-cell grid-mark" style={{ width: MARK }}>
          {row !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isMarked}
              // a click knows whether shift is pressed; a change does not
              onClick={({ shiftKey }) => toggle(index, shiftKey)}
              onChange={() => undefined}
              aria-label={`Mark ${name}`}
            />
          )}
        </div>
      )}
      {card === undefined ? (
        columns.map(({ cell, key, width }) => (
          <div key={key} role="cell" className="grid-cell" style={{ flexBasis: width }}>
            {row === undefined ? "…" : cell(row)}
          </div>
        ))
      ) : (
        <div role="cell" className="grid-card">
          {row === undefined ? "…" : card(row)}
        </div>
      )}
    </div>
  )
}

interface HeadProps<Row> extends Pick<Props<Row>, "columns" | "marks" | "onSort" | "sort"> {
  readonly markAll: () => void
}

const Head = <Row,>({ columns, markAll, marks, onSort, sort }: HeadProps<Row>) => (
  <div role="rowgroup" className="grid-heads">
    <div role="row" className="grid-head" aria-rowindex={1} style={{ height: ROW.comfortable }}>
      {marks !== undefined && (
        <div role="columnheader" className="grid-cell grid-mark" style={{ width: MARK }}>
          <input type="checkbox" checked={marks.isAll} onChange={markAll} aria-label="Mark all" />
        </div>
      )}
      {columns.map(({ head, key, sort: field, width }) => {
        const direction = ariaSort(sort, field)
        return (
          <div
            key={key}
            role="columnheader"
            className="grid-cell"
            style={{ flexBasis: width }}
            {...(direction === undefined ? {} : { "aria-sort": direction })}
          >
            {field === undefined || onSort === undefined ? (
              head
            ) : (
              <button type="button" className="grid-sort" onClick={() => onSort(sortAfter(sort, field))}>
                {head} {direction === "ascending" ? "↑" : direction === "descending" ? "↓" : ""}
              </button>
            )}
          </div>
        )
      })}
    </div>
  </div>
)

const useRowHeight = (isCards: boolean): number => {
  const density = useDensity()
  const isTouched = useMediaQuery("(pointer: coarse)", false, { getInitialValueInEffect: false })
  if (isCards) return ROW.card
  return isTouched ? ROW.touch : ROW[density]
}

export const DataTable = <Row,>(props: Props<Row>) => {
  const { answers = "", columns, height = "calc(100dvh - 220px)", inSight, keyOf, label, marks, onSort, open } = props
  const [ownSort, setOwnSort] = useState<string>()
  const sort = props.sort ?? ownSort
  const sortBy = onSort ?? (props.rows === undefined ? undefined : setOwnSort)
  const sorted = props.rows === undefined ? undefined : inOrder(props.rows, columns, sort)
  const isPhone = useMediaQuery("(max-width: 43.74em)", false, { getInitialValueInEffect: false })
  const card = isPhone ? props.card : undefined
  const rowHeight = useRowHeight(card !== undefined)
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const [from, setFrom] = useState(0)
  const held = useHold({
    answers: answers === null ? null : `${answers} ${sort ?? ""}`,
    count: sorted?.length ?? props.count ?? 0,
    rowAt: sorted === undefined ? (props.rowAt ?? (() => undefined)) : (index) => sorted[index],
    keyOf
  })
  const { count } = held
  const lines = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10
  })
  useEffect(() => lines.measure(), [lines, rowHeight])
  const items = lines.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  const rowAt = held.rowsWithin(first, last)
  // drawn again only when a row changes: scrolling renders the table at every frame
  const [TableRow] = useState(() => memo(PlainRow<Row>))

  const mark = async (begin: number, end: number, isMarked: boolean) => {
    const indexes = Array.from({ length: end - begin + 1 }, (_, step) => begin + step)
    const here = indexes.flatMap((index) => rowAt(index) ?? [])
    const rows = here.length < indexes.length && marks?.read !== undefined ? await marks.read(begin, end) : here
    marks?.set(rows, isMarked)
  }
  const toggleAt = (index: number, isRange: boolean) => {
    const row = rowAt(index)
    if (row === undefined || marks === undefined) return
    setFrom(index)
    if (isRange) void mark(Math.min(from, index), Math.max(from, index), true)
    else marks.set([row], !marks.has(row))
  }
  const toggling = useRef(toggleAt)
  useEffect(() => {
    toggling.current = toggleAt
  })
  const toggle = useCallback((index: number, isRange: boolean) => toggling.current(index, isRange), [])

  /** The first rows of another order are those that a person looks for. */
  const sortAnew =
    sortBy === undefined
      ? undefined
      : (wanted: string) => {
          sortBy(wanted)
          setActive(0)
          lines.scrollToOffset(0)
        }

  const tellSight = useEffectEvent(() => inSight?.(first, last))
  useEffect(() => tellSight(), [first, last])
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to))
    setActive(next)
    lines.scrollToIndex(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    const row = rowAt(active)
    const act: Readonly<Record<string, (() => void) | undefined>> = {
      j: () => move(active + 1),
      k: () => move(active - 1),
      ArrowDown: () => move(active + 1),
      ArrowUp: () => move(active - 1),
      Home: () => move(0),
      End: () => move(count - 1),
      PageDown: () => move(active + 15),
      PageUp: () => move(active - 15),
      Enter: row === undefined || open === undefined ? undefined : () => open(row),
      " ": marks === undefined ? undefined : () => toggleAt(active, event.shiftKey),
      x: marks === undefined ? undefined : () => toggleAt(active, false),
      X: marks === undefined ? undefined : () => toggleAt(active, true)
    }
    const does = act[event.key]
    if (does === undefined) return
    event.preventDefault()
    does()
  }
  return (
    <div className="table" {...held.handlers}>
      {held.news !== null && (
        <div className="table-news" role="status">
          <Button size="compact-xs" variant="subtle" onClick={held.show}>
            {held.news}, show
          </Button>
        </div>
      )}
      <div
        ref={scroller}
        className="grid"
        role="table"
        aria-label={label}
        aria-rowcount={count + 1}
        tabIndex={0}
        style={{ height: `min(${height}, ${count * rowHeight + ROW.comfortable + 18}px)` }}
        onKeyDown={onKeyDown}
        {...(card === undefined ? {} : { "data-cards": true })}
      >
        <Head
          columns={card === undefined ? columns : []}
          {...(marks === undefined ? {} : { marks })}
          {...(sort === undefined ? {} : { sort })}
          {...(sortAnew === undefined ? {} : { onSort: sortAnew })}
          markAll={() => void mark(0, count - 1, marks?.isAll !== true)}
        />
        <div role="rowgroup" style={{ height: lines.getTotalSize(), position: "relative" }}>
          {items.map(({ index, key, start }) => {
            const row = rowAt(index)
            return (
              <TableRow
                key={row === undefined ? key : keyOf(row)}
                row={row}
                index={index}
                start={start}
                height={rowHeight}
                columns={columns}
                card={card}
                isActive={index === active}
                activate={setActive}
                {...(marks === undefined
                  ? {}
                  : {
                      isMarked: row !== undefined && marks.has(row),
                      name: row === undefined ? "" : marks.nameOf(row)
                    })}
                toggle={toggle}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface MarkedBarProps {
  /** `chosen switches`, for screen readers. */
  readonly label: string
  readonly count: number
  readonly clear: () => void
  readonly children: ReactNode
}

/** The actions for what is marked; it floats at the bottom. */
export const MarkedBar = ({ children, clear, count, label }: MarkedBarProps) => (
  <div className="marked-bar" role="group" aria-label={label}>
    <b>{number(count)} chosen</b>
    {children}
    <Button size="xs" variant="subtle" onClick={clear}>
      Clear selection
    </Button>
  </div>
)
