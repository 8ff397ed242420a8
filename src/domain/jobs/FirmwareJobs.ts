/**
 * Jobs about firmware: `device_upgrade` on switches, and the jobs of the image store (docs/jobs.md#device_upgrade,
 * docs/jobs.md#get_firmware).
 */
import { Effect, Schema } from "effect"
import { defineJob, flag, windowArgs } from "./JobDefinition.ts"

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
  // a check or a download changes nothing in service
  followsWindows: ({ activate, reboot }) => activate || reboot,
  pinsCommits: true
})

// Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware).

export const GetFirmware = defineJob({
  name: "get_firmware",
  /** As in the request: the job reports mistakes in them as its result. */
  Args: Schema.Struct({ url: Schema.Unknown, sha1: Schema.Unknown, verify_tls: Schema.Unknown }),
  /** The progress: bytes received, and in total if the server reports it. */
  Memo: Schema.Struct({ bytes: Schema.Int, total: Schema.NullOr(Schema.Int) }),
  kind: "firmware",
  changesDevices: () => false
})

// Job `get_firmware_chksum`: computes the SHA-1 of a stored image (docs/jobs.md#get_firmware).

export const GetFirmwareChksum = defineJob({
  name: "get_firmware_chksum",
  Args: Schema.Struct({ filename: Schema.String }),
  Memo: Schema.Never,
  kind: "firmware",
  changesDevices: () => false
})

// Job `remove_file`: removes a stored image (docs/jobs.md#get_firmware).

export const RemoveFile = defineJob({
  name: "remove_file",
  Args: Schema.Struct({ filename: Schema.String }),
  Memo: Schema.Struct({ begun: Schema.Literal(true) }),
  kind: "firmware"
})
