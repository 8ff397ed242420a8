/**
 * Job `update_interfacedb`: fills the interface database of an access switch (docs/provisioning.md#ports-of-an-access-switch
 * and docs/jobs.md#update_interfacedb).
 */
import { Effect, Schema } from "effect"
import { defineJob, flag } from "./JobDefinition.ts"

export const UpdateInterfaces = defineJob({
  name: "update_interfacedb",
  Args: Schema.Struct({
    hostname: Schema.String,
    replace: flag(false),
    delete_all: flag(false),
    mlag_peer_hostname: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})
