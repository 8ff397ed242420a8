/** Jobs about switches that are onboarded: `onboard_devices` reads them, `manage_onboarded` manages those without a difference (docs/jobs.md). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const OnboardDevices = defineJob({
  name: "onboard_devices",
  Args: Schema.Struct({ hostnames: Schema.Array(Schema.String) }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})

export const ManageOnboarded = defineJob({
  name: "manage_onboarded",
  Args: Schema.Struct({ hostnames: Schema.Array(Schema.String) }),
  Memo: Schema.Never,
  kind: "devices",
  pinsCommits: true,
  // the switches keep what they run
  changesDevices: () => false
})
