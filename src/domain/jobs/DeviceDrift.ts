/** Job `device_drift`: compares what devices run with what each was last proved to run. */
import { Schema } from "effect"
import { DeviceType } from "../Device.ts"
import { defineJob } from "./JobDefinition.ts"

export const DeviceDrift = defineJob({
  name: "device_drift",
  Args: Schema.Struct({
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    device_type: Schema.optionalKey(DeviceType),
    group: Schema.optionalKey(Schema.String)
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})
