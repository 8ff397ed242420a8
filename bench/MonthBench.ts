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
import { trendOf } from "../test/support/month/Trend.ts"
import { type Measured, row } from "./Measured.ts"

/** Days until all that has an end has met it, and caches have what they hold. */
const WARM = KEPT_DAYS + 3
const MEGABYTE = 1e6

/** What each figure may grow by over the days that are judged, as a part of its mean; what is counted may not grow. */
const TOLERANCE: Readonly<Partial<Record<Figure, number>>> = { heap: 0.05, external: 0.1, rss: 0.1, database: 0.05 }
/** Of what is counted a look may meet one more or less that comes and goes. */
const COUNTED = 0.02
/** Grow with the history of the repositories, by what git needs for a commit. */
const HISTORY: ReadonlyArray<Figure> = ["objects", "objectBytes"]
const BYTES: ReadonlyArray<Figure> = ["heap", "external", "rss", "database", "bytes", "objectBytes"]

const shown = (figure: Figure, value: number) =>
  BYTES.includes(figure) ? `${(value / MEGABYTE).toFixed(1)} MB` : value.toFixed(1)

const isFlat = (figure: Figure, growth: number): boolean =>
  HISTORY.includes(figure) || growth <= (TOLERANCE[figure] ?? COUNTED)

const lineOf = (figure: Figure, samples: ReadonlyArray<MonthSample>): Measured => {
  const values = samples.map(({ figures }) => figures[figure])
  const { growth, mean, slope } = trendOf(values)
  const budget = HISTORY.includes(figure) ? "history" : `≤ ${(100 * (TOLERANCE[figure] ?? COUNTED)).toFixed(0)} %`
  const verdict = isFlat(figure, growth) ? "" : " GROWS"
  return row(
    figure,
    budget,
    `${shown(figure, values[0] ?? 0)} → ${shown(figure, values.at(-1) ?? 0)}, mean ${shown(figure, mean)}, ${(100 * growth).toFixed(1)} %${verdict}`,
    { mean, slope, growth }
  )
}

/** Tables whose rows grow over the days that are judged. */
const growing = (samples: ReadonlyArray<MonthSample>) =>
  Object.keys(samples.at(-1)?.rows ?? {}).flatMap((table) => {
    const values = samples.map(({ rows }) => rows[table] ?? 0)
    const { growth } = trendOf(values)
    return growth > COUNTED ? [`${table} ${values[0]} → ${values.at(-1)}`] : []
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
      const { database, files, heap, rss, sockets, timers } = sample.figures
      yield* Console.log(
        `day ${day + 1}: heap ${shown("heap", heap)}, RSS ${shown("rss", rss)}, ${sockets} sockets, ${files} files, ${timers} timers, database ${shown("database", database)}`
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
  const figures = judged[0]?.figures
  const kept = { days, switches, warm: WARM, at: new Date().toISOString().slice(0, 16), load, samples }
  writeFileSync(path.join(import.meta.dirname, "month.json"), `${JSON.stringify(kept)}\n`)
  const tables = growing(judged)
  yield* Console.log(tables.length === 0 ? "No table grows." : `Tables that grow: ${tables.join(", ")}`)
  const names: ReadonlyArray<Figure> = [
    ...["heap", "external", "rss", "sockets", "files", "threads", "timers", "handles"],
    ...["connections", "database", "bytes", "objects", "objectBytes", "temporary"]
  ].filter((name): name is Figure => figures !== undefined && name in figures)
  return names.map((figure) => lineOf(figure, judged))
})
