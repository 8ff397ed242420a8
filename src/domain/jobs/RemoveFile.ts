/** Job `remove_file`: removes a stored image (docs/jobs.md#get_firmware). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"

export const RemoveFile = defineJob({
  name: "remove_file",
  Args: Schema.Struct({ filename: Schema.String }),
  Memo: Schema.Struct({ begun: Schema.Literal(true) }),
  kind: "firmware"
})
