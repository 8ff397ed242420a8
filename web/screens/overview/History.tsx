/** Switches that were not in sync in the last seven days, as columns. */
import { exactTime, momentOf } from "../../../src/domain/words/Units.ts"
import type { Zone } from "../../../src/domain/words/Units.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { type ChartColumn, ColumnsChart, type Series } from "../../parts/Charts.tsx"
import { useZone } from "../../parts/zone.ts"

type Point = Data<"GET /overview/history">["points"][number]

const HOURS = 168
const STEP = 6
/** Milliseconds between two readings: counts are made every hour. */
const EVERY = 300_000
/** The places of all steps: with fewer counts the columns stand at the right. */
const PLACES = HOURS / STEP + 1

const SERIES: ReadonlyArray<Series> = [
  { key: "out", label: "out of sync", tone: "warn" },
  { key: "drifted", label: "changed by hand", tone: "wait" },
  { key: "silent", label: "not answering", tone: "bad" }
]

const valuesOf = ({ drifted, silent, unsynchronized }: Point) => [
  Math.max(0, unsynchronized - drifted),
  drifted,
  silent
]

const sumOf = (values: ReadonlyArray<number>) => values.reduce((one, other) => one + other, 0)

const dayOf = (at: Date, { timeZone }: Zone): string =>
  new Intl.DateTimeFormat("en-GB", { weekday: "short", ...(timeZone === undefined ? {} : { timeZone }) }).format(at)

const columnsOf = (points: ReadonlyArray<Point>, zone: Zone): ReadonlyArray<ChartColumn> => {
  const newest = momentOf(points.at(-1)?.at)?.getTime() ?? 0
  const placed = new Map(
    points.map((point) => [Math.round((newest - (momentOf(point.at)?.getTime() ?? 0)) / 3_600_000 / STEP), point])
  )
  let before = ""
  return Array.from({ length: PLACES }, (_, index) => {
    const ago = PLACES - 1 - index
    const at = new Date(newest - ago * STEP * 3_600_000)
    const day = dayOf(at, zone)
    const tick = day === before || index === 0 ? "" : day
    before = day
    const point = placed.get(ago)
    return { name: exactTime(at, zone), tick, values: point === undefined ? [0, 0, 0] : valuesOf(point) }
  })
}

export const History = () => {
  const may = useMay()
  const zone = useZone()
  const allowed = may("GET", "/overview/history")
  const asked = useAsk(
    "GET /overview/history",
    { query: { hours: HOURS, step: STEP } },
    { enabled: allowed, every: EVERY }
  )
  const points = asked.data?.answer.data.points ?? []
  if (!allowed || points.length === 0) return null
  const columns = columnsOf(points, zone)
  const highest = Math.max(...columns.map(({ values }) => sumOf(values)))
  const now = sumOf(columns.at(-1)?.values ?? [])
  return (
    <div className="fleet-history">
      <div className="history-head">
        <h3>Not in sync, last 7 days</h3>
        <span>every {STEP} hours</span>
      </div>
      <ColumnsChart
        label={`Switches not in sync, every ${STEP} hours for 7 days: at most ${highest}, now ${now}.`}
        series={SERIES}
        columns={columns}
        height={150}
      />
    </div>
  )
}
