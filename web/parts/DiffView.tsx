/**
 * A difference of two texts, in one column or beside each other: line numbers, changed words marked, equal lines folded, a search, the next and
 * previous difference (`n`, `p`), copy and patch. Read aloud, each changed line begins with "added" or "removed".
 */
import { Button, Group, SegmentedControl, TextInput } from "@mantine/core"
import { useLocalStorage, useMediaQuery } from "@mantine/hooks"
import { IconArrowDown, IconArrowUp, IconChevronRight, IconDownload } from "@tabler/icons-react"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, type RefObject, useMemo, useRef, useState } from "react"
import { type DiffGap, type DiffLine, type DiffRow, diffRows, type SideRow, sideRows } from "./diffRows.ts"
import { CopyButton } from "./KeyValues.tsx"
import { saveFile } from "./saveFile.ts"
import "./diff.css"

interface Props {
  readonly diff: string
  /** The subject of the diff. */
  readonly label: string
  /** The text that a search of the screen looks for; without it the view has a search of its own. */
  readonly find?: string
  /** Maximum height in pixels. */
  readonly maxHeight?: number
  /** The name of the file with the patch. */
  readonly file?: string
}

/** Pixels; a gap can be pressed. */
const LINE = 20
const GAP = 24
/** From this number of rows on only those in sight are in the page. */
const MANY = 500
/** From this number of rows on a search helps. */
const SEARCHED = 30

const SPOKEN = { "+": "added: ", "-": "removed: ", " ": "" } as const

const Text = ({ line: { mark, text } }: { readonly line: DiffLine }) =>
  mark === null || mark[0] === mark[1] ? (
    <>{text}</>
  ) : (
    <>
      {text.slice(0, mark[0])}
      <b>{text.slice(...mark)}</b>
      {text.slice(mark[1])}
    </>
  )

interface LineProps {
  readonly line: DiffLine
  readonly isFound: boolean
  readonly numbers: ReadonlyArray<number | null>
}

const Line = ({ isFound, line, numbers }: LineProps) => (
  <div className="diff-row" data-kind={line.kind} {...(isFound ? { "data-found": true } : {})}>
    {numbers.map((number, side) => (
      // there is one number for each side
      // oxlint-disable-next-line no-array-index-key
      <span key={side} className="diff-number" aria-hidden>
        {number}
      </span>
    ))}
    <span className="diff-sign" aria-hidden>
      {line.kind}
    </span>
    <span className="unseen">{SPOKEN[line.kind]}</span>
    <Text line={line} />
  </div>
)

const Gap = ({ gap, show }: { readonly gap: DiffGap; readonly show: () => void }) => {
  const said = (
    <>
      {gap.hidden} {gap.hidden === 1 ? "line" : "lines"} not shown
      {gap.section !== "" && (
        <>
          {" · in "}
          <code>{gap.section}</code>
        </>
      )}
    </>
  )
  return gap.lines.length === 0 ? (
    <div className="diff-gap">{said}</div>
  ) : (
    <button type="button" className="diff-gap" onClick={show}>
      <IconChevronRight size={14} stroke={1.75} aria-hidden /> {said}
    </button>
  )
}

const isChanged = (row: SideRow): boolean =>
  "kind" in row ? false : row.left === null || row.right === null || row.left !== row.right

const heightOf = (row: SideRow | DiffRow | undefined): number =>
  row !== undefined && "kind" in row && row.kind === "gap" ? GAP : LINE

/** The first row of each difference. */
const differencesIn = (rows: ReadonlyArray<SideRow | DiffRow>): ReadonlyArray<number> => {
  const changed = rows.map((row) => ("kind" in row ? row.kind === "+" || row.kind === "-" : isChanged(row)))
  return changed.flatMap((is, at) => (is && changed[at - 1] !== true ? [at] : []))
}

const linesOf = (row: SideRow | DiffRow): ReadonlyArray<DiffLine> => {
  if (!("kind" in row)) return [row.left, row.right].filter((line) => line !== null)
  if (row.kind === "gap") return row.lines
  return row.kind === "@" ? [] : [row]
}

const isFoundIn = (row: SideRow | DiffRow, wanted: string): boolean =>
  wanted !== "" && linesOf(row).some(({ text }) => text.toLowerCase().includes(wanted))

/** The rows with the opened gaps, and those in which something is found, unfolded. */
const unfolded = (rows: ReadonlyArray<DiffRow>, opened: ReadonlySet<DiffRow>, wanted: string) =>
  rows.flatMap((row): ReadonlyArray<DiffRow> =>
    row.kind === "gap" && (opened.has(row) || isFoundIn(row, wanted))
      ? row.lines.length > 0
        ? row.lines
        : [row]
      : [row]
  )

interface RowProps {
  readonly row: SideRow | DiffRow
  readonly wanted: string
  readonly show: (gap: DiffGap) => void
}

const Row = ({ row, show, wanted }: RowProps) => {
  if (!("kind" in row)) {
    const found = (line: DiffLine | null) => line !== null && isFoundIn(line, wanted)
    return (
      <div className="diff-sides">
        <div className="diff-side">
          {row.left !== null && <Line line={row.left} isFound={found(row.left)} numbers={[row.left.old]} />}
        </div>
        <div className="diff-side">
          {row.right !== null && <Line line={row.right} isFound={found(row.right)} numbers={[row.right.new]} />}
        </div>
      </div>
    )
  }
  if (row.kind === "gap") return <Gap gap={row} show={() => show(row)} />
  if (row.kind === "@") return <div className="diff-note">{row.text}</div>
  return <Line line={row} isFound={isFoundIn(row, wanted)} numbers={[row.old, row.new]} />
}

interface RowsProps extends Omit<RowProps, "row"> {
  readonly rows: ReadonlyArray<SideRow | DiffRow>
  readonly scroller: RefObject<HTMLDivElement | null>
}

const AllRows = ({ rows, show, wanted }: RowsProps): ReactNode =>
  // a row has no name but its place
  // oxlint-disable-next-line no-array-index-key
  rows.map((row, index) => <Row key={index} row={row} wanted={wanted} show={show} />)

const RowsInSight = ({ rows, scroller, show, wanted }: RowsProps) => {
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    overscan: 20
  })
  return (
    <div style={{ height: lines.getTotalSize(), position: "relative" }}>
      {lines.getVirtualItems().map(({ index, start }) => {
        const row = rows[index]
        return (
          row !== undefined && (
            <div key={index} className="diff-placed" style={{ transform: `translateY(${start}px)` }}>
              <Row row={row} wanted={wanted} show={show} />
            </div>
          )
        )
      })}
    </div>
  )
}

export const DiffView = ({ diff, file = "difference.patch", find, label, maxHeight = 480 }: Props) => {
  const parsed = useMemo(() => diffRows(diff), [diff])
  const [opened, setOpened] = useState<ReadonlySet<DiffRow>>(new Set())
  const [typed, setTyped] = useState("")
  const isWide = useMediaQuery("(min-width: 75em)")
  const [layout, setLayout] = useLocalStorage<string>({ key: "diff.layout", defaultValue: "unified" })
  const scroller = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(-1)
  const wanted = (find ?? typed).trim().toLowerCase()
  const isSides = isWide && layout === "sides"
  const rows = useMemo(() => {
    const shown = unfolded(parsed, opened, wanted)
    return isSides ? sideRows(shown) : shown
  }, [isSides, opened, parsed, wanted])
  const differences = useMemo(() => differencesIn(rows), [rows])
  const all = parsed.flatMap(linesOf)
  const [added, removed] = (["+", "-"] as const).map((kind) => all.filter((line) => line.kind === kind).length)
  const go = (step: 1 | -1) => {
    const next = Math.max(0, Math.min(differences.length - 1, at + step))
    setAt(next)
    const above = rows.slice(0, Math.max(0, (differences[next] ?? 0) - 2))
    scroller.current?.scrollTo({ top: above.reduce((sum, row) => sum + heightOf(row), 0) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key !== "n" && event.key !== "p") return
    event.preventDefault()
    go(event.key === "n" ? 1 : -1)
  }
  const List = rows.length > MANY ? RowsInSight : AllRows
  return (
    <div className="difference">
      <Group gap="xs" className="diff-tools">
        <span className="diff-counts">
          <b data-tone="good">+{added}</b> <b data-tone="bad">−{removed}</b>
        </span>
        {find === undefined && all.length >= SEARCHED && (
          <TextInput
            type="search"
            size="xs"
            aria-label={`Search in: ${label}`}
            placeholder="Search in the difference"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Group gap={6} ml="auto">
          {differences.length > 1 && (
            <>
              <Button size="compact-xs" variant="subtle" onClick={() => go(-1)} aria-label="Previous difference">
                <IconArrowUp size={14} stroke={1.75} />
              </Button>
              <Button size="compact-xs" variant="subtle" onClick={() => go(1)} aria-label="Next difference">
                <IconArrowDown size={14} stroke={1.75} />
              </Button>
            </>
          )}
          {isWide && (
            <SegmentedControl
              size="xs"
              aria-label="Layout of the difference"
              value={layout}
              onChange={setLayout}
              data={[
                { value: "unified", label: "Unified" },
                { value: "sides", label: "Side by side" }
              ]}
            />
          )}
          <CopyButton name="the difference" text={diff} />
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconDownload size={14} stroke={1.75} />}
            onClick={() => saveFile(file, diff)}
          >
            Patch
          </Button>
        </Group>
      </Group>
      <div
        ref={scroller}
        className="diff"
        role="region"
        aria-label={label}
        aria-keyshortcuts="n p"
        tabIndex={0}
        style={{ maxHeight, ...(rows.length > MANY ? { height: maxHeight } : {}) }}
        onKeyDown={onKeyDown}
      >
        <div className="diff-lines">
          <List rows={rows} wanted={wanted} scroller={scroller} show={(gap) => setOpened(new Set([...opened, gap]))} />
        </div>
      </div>
    </div>
  )
}
