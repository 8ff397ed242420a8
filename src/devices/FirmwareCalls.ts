/** What an upgrade asks of a device's actor, one step a call; a step that is asked for again finds what is done already. */
import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { DeviceFailure } from "./DeviceFailure.ts"

/** What the image must be like: its size in bytes and checksums in hexadecimal. */
export const ExpectedImage = Schema.Struct({ size: Schema.Int, sha512: Schema.String, md5: Schema.String })
export type ExpectedImage = typeof ExpectedImage.Type

/** Looks whether an image fits on the switch and makes room when there is little; `file` and `image` when they are known. */
export const FirmwarePreflight = Rpc.make("FirmwarePreflight", {
  payload: { file: Schema.NullOr(Schema.String), image: Schema.NullOr(ExpectedImage) },
  success: Schema.Struct({
    freeKib: Schema.Int,
    bootImage: Schema.String,
    model: Schema.NullOr(Schema.String),
    os_version: Schema.NullOr(Schema.String)
  }),
  error: DeviceFailure
})

/** Makes the switch fetch an image, and verifies it there when its checksums are known. One that is there and right is kept. */
export const FirmwareDownload = Rpc.make("FirmwareDownload", {
  payload: {
    url: Schema.String,
    file: Schema.String,
    vrf: Schema.NullOr(Schema.String),
    image: Schema.NullOr(ExpectedImage)
  },
  error: DeviceFailure
})

/** Makes the image the one that is booted next. `alreadyActive` when it was that before. */
export const FirmwareActivate = Rpc.make("FirmwareActivate", {
  payload: { file: Schema.String },
  success: Schema.Struct({ alreadyActive: Schema.Boolean }),
  error: DeviceFailure
})

/** Saves the configuration and reloads; a connection that ends after the reload was sent is no failure. */
export const FirmwareReboot = Rpc.make("FirmwareReboot", { error: DeviceFailure })

/** The calls of this file, for the device's entity. */
export const firmwareCalls = [FirmwarePreflight, FirmwareDownload, FirmwareActivate, FirmwareReboot] as const
