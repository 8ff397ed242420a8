/** Job `read_tables`: reads which machines devices have learnt on their ports and by their addresses (docs/jobs.md#read_tables). */
import { Schema } from "effect"
import { DeviceType } from "../Device.ts"
import { defineJob } from "./JobDefinition.ts"

export const ReadTables = defineJob({
  name: "read_tables",
  Args: Schema.Struct({
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    device_type: Schema.optionalKey(DeviceType),
    group: Schema.optionalKey(Schema.String)
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})
