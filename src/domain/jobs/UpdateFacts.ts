/** Job `update_facts`: reads what a device is and writes what changed (docs/jobs.md#update_facts). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const UpdateFacts = defineJob({
  name: "update_facts",
  Args: Schema.Struct({ hostname: Schema.String }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})
