/** A diff of any length; lines that contain a searched text are marked. */
import { useVirtualizer } from "@tanstack/react-virtual"
import { useMemo, useRef } from "react"
import { diffRows } from "./diffRows.ts"

interface Props {
  readonly diff: string
  /** The subject of the diff. */
  readonly label: string
  readonly find?: string
  /** Maximum height in pixels. */
  readonly maxHeight?: number
}

const LINE = 20

export const DiffView = ({ diff, find = "", label, maxHeight = 480 }: Props) => {
  const rows = useMemo(() => diffRows(diff), [diff])
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 20
  })
  const wanted = find.toLowerCase()
  return (
    <div
      ref={scroller}
      className="grid diff"
      role="region"
      aria-label={label}
      tabIndex={0}
      style={{ height: Math.min(maxHeight, rows.length * LINE + 18) }}
    >
      <div style={{ height: lines.getTotalSize(), position: "relative" }}>
        {lines.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const isFound = wanted !== "" && row.text.toLowerCase().includes(wanted)
          return (
            <div
              key={index}
              className="diff-row"
              data-kind={row.kind}
              style={{ transform: `translateY(${start}px)`, top: 0 }}
              {...(isFound ? { "data-found": true } : {})}
            >
              <span className="diff-sign">{row.kind === "@" ? "" : row.kind}</span>
              {row.text}
            </div>
          )
        })}
      </div>
    </div>
  )
}
