/** Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const GetFirmware = defineJob({
  name: "get_firmware",
  /** As the request had them: what is wrong with them is the result of the job. */
  Args: Schema.Struct({ url: Schema.Unknown, sha1: Schema.Unknown, verify_tls: Schema.Unknown }),
  /** How far it is: bytes that are there, and of the whole when the other side tells. */
  Memo: Schema.Struct({ bytes: Schema.Int, total: Schema.NullOr(Schema.Int) }),
  kind: "firmware",
  changesDevices: () => false
})
