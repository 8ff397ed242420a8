/** Switches that were not in sync in the last seven days, as columns: an own drawing, and the same numbers as a table. */
import { useId, useState } from "react"
import { Button } from "@mantine/core"
import { switches } from "../../../src/domain/words/Units.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { momentOf } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"
import { useZone } from "../../parts/zone.ts"

type Point = Data<"GET /overview/history">["points"][number]

const HOURS = 168
const STEP = 6
const EVERY = 300_000

/** The drawing has its own units; it is as wide as its place. */
const WIDTH = 640
const HEIGHT = 150
const LEFT = 30
const BASE = 130
const TOP = 8

const PARTS = [
  {
    key: "out",
    tone: "warn",
    words: "out of sync",
    of: ({ drifted, unsynchronized }: Point) => unsynchronized - drifted
  },
  { key: "drifted", tone: "wait", words: "changed by hand", of: ({ drifted }: Point) => drifted },
  { key: "silent", tone: "bad", words: "not answering", of: ({ silent }: Point) => silent }
] as const

const sumOf = (point: Point) => PARTS.reduce((sum, { of }) => sum + Math.max(0, of(point)), 0)

/** A round number that is not below: 1, 2, 4, 10, 20, 40, 100. */
const roundUp = (value: number): number => {
  for (let power = 1; ; power *= 10) for (const step of [2, 4, 10]) if (step * power >= value) return step * power
}

const dayOf = (at: string, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat("en-GB", { weekday: "short", ...(timeZone === undefined ? {} : { timeZone }) }).format(
    momentOf(at)
  )

interface ColumnProps {
  readonly point: Point
  readonly x: number
  readonly width: number
  readonly scale: number
}

const Column = ({ point, scale, width, x }: ColumnProps) => {
  let from = BASE
  return PARTS.map(({ key, of, tone, words }) => {
    const count = Math.max(0, of(point))
    if (count === 0) return null
    const height = Math.max(2, count * scale)
    from -= height
    return (
      <rect key={key} x={x} y={from} width={width} height={Math.max(1, height - 1)} rx={1.5} data-tone={tone}>
        <title>{`${count} ${words}`}</title>
      </rect>
    )
  })
}

const Drawing = ({ points }: { readonly points: ReadonlyArray<Point> }) => {
  const { timeZone } = useZone()
  const label = useId()
  const highest = Math.max(...points.map(sumOf))
  const top = roundUp(Math.max(1, highest))
  const scale = (BASE - TOP) / top
  const slot = (WIDTH - LEFT) / (HOURS / STEP + 1)
  const newest = momentOf(points.at(-1)?.at)?.getTime() ?? 0
  // a step without a count stays free
  const placeOf = (at: string) => {
    const ago = (newest - (momentOf(at)?.getTime() ?? 0)) / 3_600_000
    return WIDTH - slot * (Math.round(ago / STEP) + 1)
  }
  const days = points.map(({ at }) => dayOf(at, timeZone))
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="history" role="img" aria-labelledby={label}>
      <title id={label}>
        {`Switches that were not in sync, every ${STEP} hours for 7 days: at most ${highest}, now ${sumOf(points.at(-1) ?? points[0]!)}`}
      </title>
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={WIDTH} y1={BASE - value * scale} y2={BASE - value * scale} />
          <text x={LEFT - 8} y={BASE - value * scale + 4} textAnchor="end">
            {value}
          </text>
        </g>
      ))}
      {points.map((point, index) => (
        <g key={point.at}>
          <Column point={point} x={placeOf(point.at) + slot * 0.15} width={slot * 0.7} scale={scale} />
          {days[index] !== days[index - 1] && index > 0 && (
            <text x={placeOf(point.at)} y={HEIGHT - 4}>
              {days[index]}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

const Table = ({ points }: { readonly points: ReadonlyArray<Point> }) => (
  <div className="history-table">
    <SmallTable
      label="Not in sync, last 7 days"
      heads={["When", ...PARTS.map(({ words }) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`)]}
      rows={points.toReversed()}
      keyOf={({ at }) => at}
      cells={(point) => [<When at={point.at} />, ...PARTS.map(({ of }) => Math.max(0, of(point)))]}
    />
  </div>
)

export const History = () => {
  const may = useMay()
  const [isTable, setTable] = useState(false)
  const allowed = may("GET", "/overview/history")
  const asked = useAsk(
    "GET /overview/history",
    { query: { hours: HOURS, step: STEP } },
    { enabled: allowed, every: EVERY }
  )
  const points = asked.data?.answer.data.points ?? []
  if (!allowed || points.length === 0) return null
  return (
    <div className="fleet-history">
      <div className="history-head">
        <h3>Not in sync, last 7 days</h3>
        <Button size="compact-xs" variant="subtle" onClick={() => setTable(!isTable)}>
          {isTable ? "Show as columns" : "Show as table"}
        </Button>
      </div>
      {isTable ? <Table points={points} /> : <Drawing points={points} />}
      {points.length < 3 && (
        <p>Counts are kept every hour, so this grows. {switches(points.at(-1)?.total ?? 0)} now.</p>
      )}
    </div>
  )
}
