/** Arguments of `device_upgrade` as the job record keeps them (contract engine.md §14.2), and what the job has decided. */
import { Effect, Schema } from "effect"

const flag = Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))

/** `post_waittime` in seconds. */
export const UpgradeArguments = Schema.Struct({
  hostname: Schema.optionalKey(Schema.String),
  group: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  pre_flight: flag,
  download: flag,
  activate: flag,
  reboot: flag,
  post_flight: flag,
  staggered_upgrade: flag,
  post_waittime: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
})
export type UpgradeArguments = typeof UpgradeArguments.Type

/** Hostnames that are upgraded together, first group to last; one group unless the upgrade is staggered. */
export const UpgradeMemo = Schema.Struct({ groups: Schema.Array(Schema.Array(Schema.String)) })
export type UpgradeMemo = typeof UpgradeMemo.Type
