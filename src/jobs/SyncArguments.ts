/** Arguments of `sync_devices` as the job record keeps them (contract engine.md §7.1). */
import { Effect, Schema } from "effect"
import { DeviceType } from "../domain/Device.ts"

export const SyncArguments = Schema.Struct({
  dry_run: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  force: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  auto_push: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  resync: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
  device_type: Schema.optionalKey(DeviceType),
  group: Schema.optionalKey(Schema.String),
  confirm_mode_override: Schema.optionalKey(Schema.Int)
})
export type SyncArguments = typeof SyncArguments.Type

/** What the job decided when it started, so that a restart goes on with the same devices and judges by the same moment. */
export const SyncMemo = Schema.Struct({
  hostnames: Schema.Array(Schema.String),
  /** Newest sync event when the job started: later ones are news that this job's proof does not cover. */
  eventsSeen: Schema.Int
})
export type SyncMemo = typeof SyncMemo.Type
