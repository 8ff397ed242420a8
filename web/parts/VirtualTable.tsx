/** A table of any number of rows; only the visible ones are in the page. `j` and `k` move, Enter opens, `x` marks. */
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

export interface Column<Row> {
  readonly key: string
  readonly head: string
  /** Pixels. */
  readonly width: number
  readonly cell: (row: Row) => ReactNode
  /** The field that the server sorts by. */
  readonly sort?: string
}

interface Props<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  /** The number of rows, including those that are not loaded yet. */
  readonly count: number
  /** A row that is not loaded yet is undefined. */
  readonly rowAt: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string | number
  readonly open?: (row: Row) => void
  /** The visible rows, so that they can be loaded. */
  readonly inSight?: (first: number, last: number) => void
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly marks?: {
    readonly has: (row: Row) => boolean
    readonly toggle: (row: Row) => void
    readonly nameOf: (row: Row) => string
  }
  readonly height?: string
}

const ROW = 32

const sortAfter = (now: string | undefined, field: string): string => (now === field ? `-${field}` : field)

const ariaSort = (now: string | undefined, field: string | undefined) => {
  if (field === undefined || now === undefined) return undefined
  if (now === field) return "ascending" as const
  return now === `-${field}` ? ("descending" as const) : undefined
}

interface RowProps<Row> {
  readonly row: Row | undefined
  readonly index: number
  /** Pixels from the top. */
  readonly start: number
  readonly columns: ReadonlyArray<Column<Row>>
  readonly isActive: boolean
  readonly activate: (index: number) => void
  /** Omitted if rows cannot be marked. */
  readonly isMarked?: boolean
  readonly name?: string
  readonly toggle: (row: Row) => void
}

const PlainRow = <Row,>({ activate, columns, index, isActive, isMarked, name, row, start, toggle }: RowProps<Row>) => (
  <div
    role="row"
    className="grid-row"
    aria-rowindex={index + 2}
    style={{ transform: `translateY(${start}px)`, height: ROW, top: 0 }}
    {...(isActive ? { "data-active": true } : {})}
    onClick={() => activate(index)}
  >
    {isMarked !== undefined && (
      <div role="cell" className="grid-cell" style={{ width: 40 }}>
        {row !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isMarked}
            onChange={() => toggle(row)}
            aria-label={`Mark ${name}`}
          />
        )}
      </div>
    )}
    {columns.map(({ cell, key, width }) => (
      <div key={key} role="cell" className="grid-cell" style={{ width }}>
        {row === undefined ? "…" : cell(row)}
      </div>
    ))}
  </div>
)

export const VirtualTable = <Row,>(props: Props<Row>) => {
  const {
    columns,
    count,
    height = "calc(100dvh - 220px)",
    inSight,
    keyOf,
    label,
    marks,
    onSort,
    open,
    rowAt,
    sort
  } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10
  })
  const items = rows.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  // drawn again only when a row changes: scrolling renders the table at every frame
  const [TableRow] = useState(() => memo(PlainRow<Row>))
  const marking = useRef(marks)
  useEffect(() => {
    marking.current = marks
  })
  const toggle = useCallback((row: Row) => marking.current?.toggle(row), [])
  const tellSight = useEffectEvent(() => inSight?.(first, last))
  useEffect(() => tellSight(), [first, last])
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to))
    setActive(next)
    rows.scrollToIndex(next)
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
      Enter: row === undefined ? undefined : () => open?.(row),
      x: row === undefined ? undefined : () => marks?.toggle(row)
    }
    const does = act[event.key]
    if (does === undefined) return
    event.preventDefault()
    does()
  }
  return (
    <div
      ref={scroller}
      className="grid"
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      style={{ height }}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup">
        <div role="row" className="grid-head" aria-rowindex={1} style={{ height: ROW }}>
          {marks !== undefined && (
            <div role="columnheader" className="grid-cell" style={{ width: 40 }} aria-label="Marked" />
          )}
          {columns.map((column) => {
            const { head, key, sort: field, width } = column
            const direction = ariaSort(sort, field)
            return (
              <div
                key={key}
                role="columnheader"
                className="grid-cell"
                style={{ width }}
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
      <div role="rowgroup" style={{ height: rows.getTotalSize(), position: "relative" }}>
        {items.map(({ index, key, start }) => {
          const row = rowAt(index)
          return (
            <TableRow
              key={row === undefined ? key : keyOf(row)}
              row={row}
              index={index}
              start={start}
              columns={columns}
              isActive={index === active}
              activate={setActive}
              {...(marks === undefined
                ? {}
                : { isMarked: row !== undefined && marks.has(row), name: row === undefined ? "" : marks.nameOf(row) })}
              toggle={toggle}
            />
          )
        })}
      </div>
    </div>
  )
}
