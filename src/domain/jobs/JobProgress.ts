/** How far a job is with each of its devices, as `GET /job/<id>/progress` answers. */
import { Schema } from "effect"
import { changePhases } from "../../../machines/change/ChangeRow.ts"

const nullableText = Schema.NullOr(Schema.String)

const DeviceProgress = Schema.Struct({
  hostname: Schema.String,
  /** Where its change stands; null for a job that changes no configuration, and before the change was planned. */
  phase: Schema.NullOr(Schema.Literals(changePhases)),
  /** Why the change ended otherwise than confirmed, in one word. */
  reason: nullableText,
  /** Null until the job has a result for it. */
  failed: Schema.NullOr(Schema.Boolean),
  changed: Schema.Boolean,
  score: Schema.NullOr(Schema.Finite),
  /** Moment at which the switch takes its commit back by itself, UTC; null when no timer is known to run. */
  timer_until: nullableText,
  /** The step that failed, why in one line, and all that was said, which is the switch's own words where it has refused something. */
  step: nullableText,
  why: nullableText,
  said: nullableText
})

/** The devices of a job, by name. */
export const JobProgress = Schema.Struct({
  devices: Schema.Array(DeviceProgress),
  /** Why the job can never be paused; null when it can while it runs. */
  unpausable: nullableText
}).annotate({ identifier: "JobProgress" })
export type JobProgress = typeof JobProgress.Type
