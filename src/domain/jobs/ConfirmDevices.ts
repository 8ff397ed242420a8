/**
 * Job `confirm_devices`: confirms what a sync has committed and proved, on all devices or on none
 * (docs/changes.md#confirm-modes).
 */
import { Schema } from "effect"
import { defineJob, flag } from "./JobDefinition.ts"

export const ConfirmDevices = defineJob({
  name: "confirm_devices",
  Args: Schema.Struct({
    prev_job_id: Schema.Int,
    hostnames: Schema.Array(Schema.String),
    revert_on_failure: flag(true)
  }),
  /** That the job has begun to confirm: from then on an abort comes too late. */
  Memo: Schema.Struct({ begun: Schema.Boolean }),
  // works in the place of the job that waits for it: timers run on the switches, so it must not queue
  kind: null
})
