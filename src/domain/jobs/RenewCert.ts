/** Job `renew_cert`: gives managed devices new keys and certificates (docs/security.md#certificate-authority). */
import { Schema } from "effect"
import { defineJob } from "./JobDefinition.ts"
import { windowArgs } from "./WindowWishes.ts"

export const RenewCert = defineJob({
  name: "renew_cert",
  Args: Schema.Struct({
    hostname: Schema.optionalKey(Schema.String),
    group: Schema.optionalKey(Schema.String),
    /** Of the schedule: devices whose certificates end soon. */
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    ...windowArgs
  }),
  Memo: Schema.Never,
  kind: "devices"
})
