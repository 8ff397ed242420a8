/** Job `device_upgrade`: brings another version of its operating system to switches (docs/jobs.md#device_upgrade). */
import { Effect, Schema } from "effect"
import { defineJob, flag } from "./JobDefinition.ts"
import { windowArgs } from "./WindowWishes.ts"

/** `post_waittime` in seconds. */
const Args = Schema.Struct({
  hostname: Schema.optionalKey(Schema.String),
  group: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  pre_flight: flag(false),
  download: flag(false),
  activate: flag(false),
  reboot: flag(false),
  post_flight: flag(false),
  staggered_upgrade: flag(false),
  post_waittime: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  ...windowArgs
})
export type UpgradeArguments = typeof Args.Type

export const DeviceUpgrade = defineJob({
  name: "device_upgrade",
  Args,
  /** Hostnames that are upgraded together, first group to last; one group unless the upgrade is staggered. */
  Memo: Schema.Struct({ groups: Schema.Array(Schema.Array(Schema.String)) }),
  kind: "devices",
  // what is only looked at or downloaded changes nothing in service
  followsWindows: ({ activate, reboot }) => activate || reboot,
  pinsCommits: true
})
