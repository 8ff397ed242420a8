/** What a job changes, or would change, grouped: as `GET /job/<id>/diffs` answers. */
import { Schema } from "effect"

const RiskyLine = Schema.Struct({ line: Schema.String, weight: Schema.Finite })

const Group = Schema.Struct({
  /** Names the group as long as its change is the same. */
  key: Schema.String,
  /** How many devices are in it. */
  count: Schema.Int,
  /** Their names; the first hundred unless the group is asked for by its key. */
  hostnames: Schema.Array(Schema.String),
  /** The difference of one of them. */
  diff: Schema.String,
  added: Schema.Int,
  removed: Schema.Int,
  score: Schema.NullOr(Schema.Finite),
  /** The changed lines that are risky, the worst first. */
  risks: Schema.Array(RiskyLine)
})

export const JobDiffs = Schema.Struct({
  groups: Schema.Array(Group),
  /** Devices with a difference that matches, without one, and that have failed. */
  changed: Schema.Int,
  unchanged: Schema.Int,
  failed: Schema.Int,
  /** Devices whose differences are left out, because all of them together are too long. */
  left_out: Schema.Int
}).annotate({ identifier: "JobDiffs" })
export type JobDiffs = typeof JobDiffs.Type
