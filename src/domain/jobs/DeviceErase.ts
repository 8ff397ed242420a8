/** Job `device_erase`: brings an access switch back to its factory default and deletes its row (docs/jobs.md#device_erase). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"
import { windowArgs } from "./WindowWishes.ts"

export const DeviceErase = defineJob({
  name: "device_erase",
  Args: Schema.Struct({ device_id: Schema.Int, ...windowArgs }),
  Memo: Schema.Never,
  kind: "devices"
})
