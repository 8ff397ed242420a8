/** Job `revert_job`: gives the devices that a job has changed the configuration that they had before. */
import { Schema } from "effect"
import { defineJob, flag } from "./JobDefinition.ts"
import { windowArgs } from "./WindowWishes.ts"

export const RevertJob = defineJob({
  name: "revert_job",
  Args: Schema.Struct({
    job_id: Schema.Int,
    dry_run: flag(false),
    /** Only these of the job's devices. */
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    ...windowArgs
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: ({ dry_run }) => !dry_run,
  locksDevices: ({ dry_run }) => !dry_run
})
