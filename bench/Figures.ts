/**
 * The figures by which commits are compared, and their budgets: most are multiples of the reference load of the same run, because
 * machines differ twofold. A run with `--keep` adds its figures to `history.json`, with its commit and its machine.
 */
import { Schema } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import * as path from "node:path"
import type { Reference } from "./ReferenceLoad.ts"
import type { SyncRun } from "./SyncRun.ts"

interface Meaning {
  readonly unit: "×" | "ms" | "MB" | "s"
  /** The budgets, by the number of switches. */
  readonly most: Readonly<Record<number, number>>
}

/** A sync is one after a setting has changed; "×" is a multiple of the reference load, or of what the name says. */
const FIGURES = {
  "live sync: wall time": { unit: "×", most: { 1000: 2.5 } },
  "live sync: processor time of the server": { unit: "×", most: { 1000: 3 } },
  "live sync: processor time of PostgreSQL a device": { unit: "ms", most: { 1000: 3 } },
  "dry run: wall time": { unit: "×", most: { 1000: 1.4 } },
  "dry run: processor time of the server": { unit: "×", most: { 1000: 1.8 } },
  "memory at the most": { unit: "MB", most: { 1000: 420, 10_000: 700 } },
  "live sync: wall time against 1,000 switches": { unit: "×", most: { 10_000: 10.2 } },
  "live sync by four replicas: processor time against one server": { unit: "×", most: { 1000: 1.25 } },
  "live sync with three checks: processor time against none": { unit: "×", most: { 1000: 1.4 } },
  "live sync of Junos: processor time a device against EOS, confirm mode 0": { unit: "×", most: { 300: 1.5 } },
  "live sync of Junos: processor time a device against EOS, confirm mode 1": { unit: "×", most: { 300: 1.5 } },
  "live sync of Junos: processor time a device against EOS, confirm mode 2": { unit: "×", most: { 300: 1.5 } },
  "reference load: wall time": { unit: "s", most: {} },
  "reference load: processor time a device": { unit: "ms", most: {} }
} as const satisfies Readonly<Record<string, Meaning>>

type FigureName = keyof typeof FIGURES

/** A figure of a run over so many switches. */
export interface Figure {
  readonly name: FigureName
  readonly devices: number
  readonly value: number
}

/** A figure; none where it could not be measured. */
export const figure = (name: FigureName, devices: number, value: number): ReadonlyArray<Figure> =>
  Number.isFinite(value) ? [{ name, devices, value }] : []

/** A sync of so many switches, and the reference load of the same run. PostgreSQL's processor time is in seconds. */
interface SyncsMeasured {
  readonly devices: number
  readonly live: SyncRun & { readonly databaseSeconds: number }
  readonly dry: SyncRun
  readonly reference: Reference
  readonly megabytes: number
}

/** The figures of a dry run and a live sync. */
export const figuresOf = ({ devices, dry, live, megabytes, reference }: SyncsMeasured): ReadonlyArray<Figure> => {
  const one = (name: FigureName, value: number) => figure(name, devices, value)
  return [
    ...one("live sync: wall time", live.seconds / reference.seconds),
    ...one("live sync: processor time of the server", live.processorSeconds / reference.processorSeconds),
    ...one("live sync: processor time of PostgreSQL a device", (1000 * live.databaseSeconds) / devices),
    ...one("dry run: wall time", dry.seconds / reference.seconds),
    ...one("dry run: processor time of the server", dry.processorSeconds / reference.processorSeconds),
    ...one("memory at the most", megabytes),
    ...one("reference load: wall time", reference.seconds),
    ...one("reference load: processor time a device", (1000 * reference.processorSeconds) / devices)
  ]
}

const meaningOf = (name: FigureName): Meaning => FIGURES[name]

const shown = (value: number, unit: string): string => `${value.toFixed(unit === "MB" ? 0 : 2)} ${unit}`

/** The lines of a table of figures, each with its budget for that number of switches. */
export const figureTable = (figures: ReadonlyArray<Figure>): ReadonlyArray<string> => [
  "| Figure | Switches | Measured | Budget |",
  "| --- | --- | --- | --- |",
  ...figures.map(({ devices, name, value }) => {
    const { most, unit } = meaningOf(name)
    const budget = most[devices]
    return `| ${name} | ${devices} | ${shown(value, unit)} | ${budget === undefined ? "" : `≤ ${shown(budget, unit)}`} |`
  })
]

/** What a run has kept. A name may be one that is measured no more. */
const Entry = Schema.Struct({
  commit: Schema.String,
  at: Schema.String,
  machine: Schema.String,
  figures: Schema.Array(Schema.Struct({ name: Schema.String, devices: Schema.Int, value: Schema.Finite }))
})
export type Entry = typeof Entry.Type

const file = path.join(import.meta.dirname, "history.json")

const decode = Schema.decodeSync(Schema.fromJsonString(Schema.Array(Entry)))

/** All entries that were kept, the oldest first. */
export const history = (): ReadonlyArray<Entry> => (existsSync(file) ? decode(readFileSync(file, "utf8")) : [])

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", import.meta.dirname, ...args], { encoding: "utf8" }).trim()

/** The commit that is checked out, with a `+` if files differ from it. */
const commit = (): string => {
  const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+"
  return `${git("rev-parse", "--short=8", "HEAD")}${changed}`
}

const machine = (): string => `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`

/** Adds the figures of this run to the history. */
export const keep = (figures: ReadonlyArray<Figure>): void => {
  const rounded = figures.map((one) => ({ ...one, value: Number(one.value.toPrecision(4)) }))
  const at = new Date().toISOString().slice(0, 16)
  const entries = [...history(), { commit: commit(), at, machine: machine(), figures: rounded }]
  writeFileSync(file, `${JSON.stringify(entries, null, 2)}\n`)
}

/** The last entry with figures of so many switches. */
export const lastWith = (entries: ReadonlyArray<Entry>, devices: number): Entry | undefined =>
  entries.findLast(({ figures }) => figures.some((one) => one.devices === devices))

/** The lines of a table that compares figures with those of an entry, in percent. */
export const comparison = (figures: ReadonlyArray<Figure>, before: Entry): ReadonlyArray<string> => [
  `| Figure | ${before.commit} (${before.at.slice(0, 10)}) | Now | Change |`,
  "| --- | --- | --- | --- |",
  ...figures.flatMap(({ devices, name, value }) => {
    const { unit } = meaningOf(name)
    const then = before.figures.find((one) => one.name === name && one.devices === devices)?.value
    if (then === undefined) return []
    const percent = (100 * (value - then)) / then
    return [
      `| ${name} | ${shown(then, unit)} | ${shown(value, unit)} | ${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(0)} % |`
    ]
  })
]
