/** Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const GetFirmware = defineJob({
  name: "get_firmware",
  /** As the request had them: what is wrong with them is the result of the job. */
  Args: Schema.Struct({ url: Schema.Unknown, sha1: Schema.Unknown, verify_tls: Schema.Unknown }),
  Memo: Schema.Never,
  kind: "firmware",
  changesDevices: () => false
})
