/**
 * A month of a server within minutes (`MONTH_DAYS`, `MONTH_SWITCHES`): each day a changed setting goes to all switches, and people and
 * programs do what they do (`test/support/month`); then the calendar of the database is a day further and what is old goes. After each
 * day everything is looked at that could pile up. What was found is kept in `month.json`. Linux only.
 */
import { Console, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import * as path from "node:path"
import { passDay } from "../test/support/month/Calendar.ts"
import { workDay } from "../test/support/month/MonthDay.ts"
import { type Figure, type MonthSample, takeSample } from "../test/support/month/MonthSample.ts"
import { KEPT_DAYS, makeMonthSite } from "../test/support/month/MonthSite.ts"
import { type Measured, row } from "./Measured.ts"

// Whether a series of figures grows: a line through them by least squares.

export interface Trend {
  readonly mean: number
  /** What a day adds. */
  readonly slope: number
  /** What the line adds from the first to the last, as a part of the mean. */
  readonly growth: number
  /** Two standard errors of that: less than it is noise. */
  readonly noise: number
}

/** The line through figures of days that follow each other. */
export const trendOf = (values: ReadonlyArray<number>): Trend => {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const spread = values.reduce((sum, _, day) => sum + (day - middle) ** 2, 0)
  const slope = values.reduce((sum, value, day) => sum + (day - middle) * (value - mean), 0) / spread
  const rest = values.reduce((sum, value, day) => sum + (value - mean - slope * (day - middle)) ** 2, 0)
  const error = Math.sqrt(rest / Math.max(values.length - 2, 1) / spread)
  const part = (perDay: number) => (mean === 0 ? 0 : (perDay * (values.length - 1)) / mean)
  return { mean, slope, growth: part(slope), noise: part(2 * error) }
}

/** Days until all that has an end has met it, caches have what they hold, and V8 has compiled what is used each day. */
const WARM = KEPT_DAYS + 9
const MEGABYTE = 1e6

/** In the order of the table. */
const FIGURES: ReadonlyArray<Figure> = [
  "heap",
  "external",
  "rss",
  "sockets",
  "descriptors",
  "files",
  "threads",
  "timers",
  "handles",
  "connections",
  "database",
  "bytes",
  "objects",
  "objectBytes"
]

/** What figures may grow by over the days that are judged, as a part of their mean and beside what is noise; memory may a little more. */
const TOLERANCE = 0.02
const MEMORY: ReadonlyArray<Figure> = ["heap", "external", "rss"]
const OF_MEMORY = 0.05
/** Grow with the history of the repositories, by what git needs for a commit. */
const HISTORY: ReadonlyArray<Figure> = ["objects", "objectBytes"]
const BYTES: ReadonlyArray<Figure> = ["heap", "external", "rss", "database", "bytes", "objectBytes"]

const shown = (figure: Figure, value: number) =>
  BYTES.includes(figure) ? `${(value / MEGABYTE).toFixed(2)} MB` : value.toFixed(1)

const percent = (part: number) => `${(100 * part).toFixed(1)} %`

const lineOf = (figure: Figure, samples: ReadonlyArray<MonthSample>): Measured => {
  const values = samples.map(({ figures }) => figures[figure])
  const { growth, mean, noise, slope } = trendOf(values)
  const tolerance = MEMORY.includes(figure) ? OF_MEMORY : TOLERANCE
  const isFlat = HISTORY.includes(figure) || growth <= tolerance || growth <= noise
  return row(
    figure,
    HISTORY.includes(figure) ? "grows with history" : `≤ ${percent(tolerance)}, or noise`,
    `${shown(figure, values[0] ?? 0)} → ${shown(figure, values.at(-1) ?? 0)}, mean ${shown(figure, mean)}, ${percent(growth)}, noise ${percent(noise)}${isFlat ? "" : ": GROWS"}`,
    { mean, slope, growth, noise }
  )
}

/** Tables whose rows grow over the days that are judged. */
const growing = (samples: ReadonlyArray<MonthSample>) =>
  Object.keys(samples.at(-1)?.rows ?? {}).flatMap((table) => {
    const values = samples.map(({ rows }) => rows[table] ?? 0)
    const { growth } = trendOf(values)
    return growth > TOLERANCE ? [`${table} ${values[0]} → ${values.at(-1)}`] : []
  })

const live = Effect.fnUntraced(function* (days: number, switches: number) {
  const site = yield* makeMonthSite(switches)
  const samples: Array<MonthSample & { readonly seconds: number }> = []
  yield* Effect.gen(function* () {
    for (let day = 0; day < days; day++) {
      const began = performance.now()
      yield* workDay(site, day)
      yield* passDay
      const sample = yield* takeSample(site)
      samples.push({ ...sample, seconds: (performance.now() - began) / 1000 })
      const { database, descriptors, heap, rss, sockets, timers } = sample.figures
      yield* Console.log(
        `day ${day + 1}: heap ${shown("heap", heap)}, RSS ${shown("rss", rss)}, ${sockets} sockets, ${descriptors} other descriptors, ${timers} timers, database ${shown("database", database)}`
      )
    }
  }).pipe(Effect.provide(site.database))
  return samples
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (days: number, switches: number) {
  const load = loadavg().slice(0, 2)
  const samples = yield* live(days, switches)
  const judged = samples.slice(WARM)
  const kept = { days, switches, warm: WARM, at: new Date().toISOString().slice(0, 16), load, samples }
  writeFileSync(path.join(import.meta.dirname, "month.json"), `${JSON.stringify(kept)}\n`)
  const tables = growing(judged)
  yield* Console.log(tables.length === 0 ? "No table grows." : `Tables that grow: ${tables.join(", ")}`)
  return FIGURES.map((figure) => lineOf(figure, judged))
})
