/** The counts of devices over time (docs/api.md#history-of-the-overview): the last sample of each step. Pure. */
import { Schema } from "effect"
import { type Overview } from "./Device.ts"

const HOUR = 3_600_000

const Point = Schema.Struct({
  /** When it was counted, ISO 8601 without a zone, UTC. */
  at: Schema.String,
  total: Schema.Int,
  /** Managed, and proved to match the settings. */
  in_sync: Schema.Int,
  unsynchronized: Schema.Int,
  /** The same by the newest cause of each. */
  unsynchronized_by: Schema.Record(Schema.String, Schema.Int),
  drifted: Schema.Int,
  silent: Schema.Int
}).annotate({ identifier: "OverviewPoint" })
export type OverviewPoint = typeof Point.Type

export const OverviewHistory = Schema.Struct({
  hours: Schema.Int,
  step: Schema.Int,
  /** The oldest first; the last one is counted now. A step without a sample is missing. */
  points: Schema.Array(Point)
}).annotate({ identifier: "OverviewHistory" })
export type OverviewHistory = typeof OverviewHistory.Type

/** A count of devices at a time, in epoch milliseconds. */
export interface CountedDevices {
  readonly at: number
  readonly devices: Overview["devices"]
}

const pointOf = ({ at, devices }: CountedDevices): OverviewPoint => {
  const { by_state, drifted, total, unreachable, unsynchronized, unsynchronized_by } = devices
  return {
    at: new Date(at).toISOString().replace(/Z$/, ""),
    total,
    in_sync: (by_state["MANAGED"] ?? 0) - unsynchronized,
    unsynchronized,
    unsynchronized_by,
    drifted,
    silent: unreachable
  }
}

/** The last sample of each step of so many hours; steps are counted back from the newest sample. */
export const historyPoints = (counted: ReadonlyArray<CountedDevices>, step: number): ReadonlyArray<OverviewPoint> => {
  const newest = counted.at(-1)
  if (newest === undefined) return []
  const steps = new Map(counted.map((one) => [Math.ceil((one.at - newest.at) / (step * HOUR)), one]))
  return [...steps.values()].map(pointOf)
}
