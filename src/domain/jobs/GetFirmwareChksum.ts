/** Job `get_firmware_chksum`: computes the SHA-1 of a stored image (docs/jobs.md#get_firmware). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const GetFirmwareChksum = defineJob({
  name: "get_firmware_chksum",
  Args: Schema.Struct({ filename: Schema.String }),
  Memo: Schema.Never,
  kind: "firmware",
  changesDevices: () => false
})
