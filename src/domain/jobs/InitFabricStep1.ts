/**
 * Job `init_fabric_device_step1`: gives a discovered DIST or CORE device its place in the network
 * (docs/provisioning.md#fabric-step-1).
 */
import { Schema } from "effect"
import { InitDecision } from "./InitDecision.ts"
import { defineJob } from "./JobDefinition.ts"

export const InitFabricStep1 = defineJob({
  name: "init_fabric_device_step1",
  Args: Schema.Struct({
    device_id: Schema.Int,
    new_hostname: Schema.String,
    device_type: Schema.String,
    /** Null: find out; empty: do not check. */
    neighbors: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
  }),
  Memo: InitDecision,
  // a new switch is not in service yet
  followsWindows: () => false,
  kind: "devices",
  pinsCommits: true
})
