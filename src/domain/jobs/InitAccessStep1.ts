/** Job `init_access_device_step1`: gives a discovered access switch its place in the network (docs/provisioning.md). */
import { Schema } from "effect"
import { InitDecision } from "./InitDecision.ts"
import { defineJob } from "./JobDefinition.ts"

export const InitAccessStep1 = defineJob({
  name: "init_access_device_step1",
  Args: Schema.Struct({
    device_id: Schema.Int,
    new_hostname: Schema.String,
    mlag_peer_id: Schema.optionalKey(Schema.Int),
    mlag_peer_new_hostname: Schema.optionalKey(Schema.String),
    uplink_hostnames_arg: Schema.optionalKey(Schema.Array(Schema.String)),
    replace_hostname: Schema.optionalKey(Schema.Boolean)
  }),
  Memo: InitDecision,
  // a new switch is not in service yet
  followsWindows: () => false,
  kind: "devices",
  pinsCommits: true
})
