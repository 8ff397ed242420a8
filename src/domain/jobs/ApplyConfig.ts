/** Job `apply_config`: puts a given configuration on one device, whatever the settings say (docs/changes.md#apply_config). */
import { Schema } from "effect"
import { defineJob, flag } from "./JobDefinition.ts"
import { windowArgs } from "./WindowWishes.ts"

export const ApplyConfig = defineJob({
  name: "apply_config",
  Args: Schema.Struct({ hostname: Schema.String, config: Schema.String, dry_run: flag(true), ...windowArgs }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: ({ dry_run }) => !dry_run
})
