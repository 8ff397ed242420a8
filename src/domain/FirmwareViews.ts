/** Firmware as people look at it: which versions run where, which images there are, and how far an upgrade is (docs/api.md#firmware-images). */
import { Schema } from "effect"

/** Managed devices of a group by version; null is a version that is not known. */
export const VersionsOfGroup = Schema.Struct({
  group: Schema.String,
  devices: Schema.Int,
  versions: Schema.Array(Schema.Struct({ os_version: Schema.NullOr(Schema.String), count: Schema.Int }))
})
export type VersionsOfGroup = typeof VersionsOfGroup.Type

/** An image. `size` in bytes and `sha1` are null where they are not known; `defaults` are the links that lead to it. */
export const ImageView = Schema.Struct({
  file: Schema.String,
  size: Schema.NullOr(Schema.Int),
  sha1: Schema.NullOr(Schema.String),
  defaults: Schema.Array(Schema.String)
})
export type ImageView = typeof ImageView.Type

/** A download that has not ended. Bytes that are there, and of the whole; null as long as they are not known. */
export const DownloadView = Schema.Struct({
  job_id: Schema.Int,
  status: Schema.String,
  by: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  file: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  total: Schema.NullOr(Schema.Int)
})
export type DownloadView = typeof DownloadView.Type

export const ImagesAndDownloads = Schema.Struct({
  images: Schema.Array(ImageView),
  downloads: Schema.Array(DownloadView)
})

const Step = Schema.Literals(["pre_flight", "download", "activate", "reboot", "post_flight"])

/**
 * A device of an upgrade. `waiting`: not begun; `working` on `step`; `returning`: it reboots, and is waited for; `done`; `failed`, with the
 * last sentence in `message`.
 */
export const UpgradeOfDevice = Schema.Struct({
  hostname: Schema.String,
  /** Its group in the order of the upgrade, from 1. */
  group: Schema.Int,
  state: Schema.Literals(["waiting", "working", "returning", "done", "failed"]),
  step: Schema.NullOr(Step),
  steps_done: Schema.Array(Step),
  file: Schema.NullOr(Schema.String),
  version_before: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  /** What was met before that, such as the switch's own words; its last thousand characters. */
  said: Schema.NullOr(Schema.String)
})
export type UpgradeOfDevice = typeof UpgradeOfDevice.Type

export const UpgradeCampaign = Schema.Struct({
  job_id: Schema.Int,
  status: Schema.String,
  /** What was asked for, in its order. */
  steps: Schema.Array(Step),
  devices: Schema.Array(UpgradeOfDevice)
})
export type UpgradeCampaign = typeof UpgradeCampaign.Type
