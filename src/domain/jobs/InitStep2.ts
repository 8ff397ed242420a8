/**
 * Job `init_device_step2`: logs in to a new switch on its management address and declares it MANAGED
 * (docs/provisioning.md#step-2).
 */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const InitStep2 = defineJob({
  name: "init_device_step2",
  /** `iteration`: number of the attempt, from 1. */
  Args: Schema.Struct({ device_id: Schema.Int, iteration: Schema.Int }),
  Memo: Schema.Struct({ done: Schema.Literal(true) }),
  // a new switch is not in service yet
  followsWindows: () => false,
  kind: "devices"
})
