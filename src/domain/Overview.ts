/** How the network stands, in numbers, as `GET /overview` answers. Each is the number of devices of a list (docs/page.md#now-and-devices). */
import { Schema } from "effect"

const Counts = Schema.Record(Schema.String, Schema.Int)

export const Overview = Schema.Struct({
  devices: Schema.Struct({
    total: Schema.Int,
    by_state: Counts,
    /** Managed, and not proved to run what the settings say. */
    unsynchronized: Schema.Int,
    /** The same by the newest cause of each. */
    unsynchronized_by: Counts,
    drifted: Schema.Int,
    unreachable: Schema.Int,
    /** A change of their configuration is under way, or waits for its end. */
    in_change: Schema.Int
  }),
  jobs: Schema.Struct({
    running: Schema.Int,
    waiting: Schema.Int,
    /** Ended within a day without success. */
    failed_today: Schema.Int
  })
}).annotate({ identifier: "Overview" })
export type Overview = typeof Overview.Type
