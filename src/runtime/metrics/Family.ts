/**
 * Families of metrics: a name, what it says, and its labels, with the series that programs write to. They are kept in Effect's own
 * registry, so that other exporters see them too. Labels have few values: templates, kinds and states, never hostnames, ids or texts
 * of others.
 */
import { Context, Metric } from "effect"

/** What is known of a family; the manual's table is made of these (docs/monitoring.md#metrics). */
export interface Definition {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /** One sentence without a full stop. */
  readonly help: string
  readonly labels: ReadonlyArray<string>
}

/** Where a value is written: the process's own registry, or one that is made for a single answer. */
export type Place = Context.Context<never>

const ofProcess: Place = Context.empty()

/** A place for the values of one answer. */
export const makePlace = (registry: Metric.MetricRegistry): Place =>
  Context.add(Context.empty(), Metric.MetricRegistry, registry)

/** The registry of the process. */
export const registryOfProcess = (): Metric.MetricRegistry => Context.get(ofProcess, Metric.MetricRegistry)

const makeSeries = <Kept>(
  labels: ReadonlyArray<string>,
  make: (attributes: Readonly<Record<string, string>>) => Kept
) => {
  const known = new Map<string, Kept>()
  return (values: ReadonlyArray<string>): Kept => {
    const key = values.join("\n")
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(Object.fromEntries(labels.map((label, place) => [label, values[place] ?? ""])))
    known.set(key, made)
    return made
  }
}

/** A number that only grows; the name ends in `_total`. */
export const counter = (name: string, help: string, ...labels: ReadonlyArray<string>) => {
  const definition: Definition = { name, kind: "counter", help, labels }
  const series = makeSeries(labels, (attributes) =>
    Metric.counter(name, { description: help, attributes, incremental: true })
  )
  return {
    definition,
    add: (amount: number, ...values: ReadonlyArray<string>): void => series(values).updateUnsafe(amount, ofProcess)
  }
}

/** A number that goes up and down. */
export const gauge = (name: string, help: string, ...labels: ReadonlyArray<string>) => {
  const definition: Definition = { name, kind: "gauge", help, labels }
  const series = makeSeries(labels, (attributes) => Metric.gauge(name, { description: help, attributes }))
  return {
    definition,
    set: (value: number, ...values: ReadonlyArray<string>): void => series(values).updateUnsafe(value, ofProcess),
    add: (amount: number, ...values: ReadonlyArray<string>): void => series(values).modifyUnsafe(amount, ofProcess),
    /** Writes what was found for one answer. */
    tell: (place: Place, value: number, ...values: ReadonlyArray<string>): void =>
      series(values).updateUnsafe(value, place)
  }
}

/** Durations in seconds, counted by these upper bounds. */
export const durations = (
  name: string,
  help: string,
  boundaries: ReadonlyArray<number>,
  ...labels: ReadonlyArray<string>
) => {
  const definition: Definition = { name, kind: "histogram", help, labels }
  const series = makeSeries(labels, (attributes) =>
    Metric.histogram(name, { description: help, attributes, boundaries })
  )
  return {
    definition,
    record: (seconds: number, ...values: ReadonlyArray<string>): void => series(values).updateUnsafe(seconds, ofProcess)
  }
}

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000
