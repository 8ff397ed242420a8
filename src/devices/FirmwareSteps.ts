/**
 * The steps of a firmware upgrade on one device (docs/jobs.md#device_upgrade). Each can be repeated: an image that is there and
 * right is not fetched again, and one that is active is not activated again.
 */
import { Effect, Option } from "effect"
import type { DriverSession } from "../drivers/Driver.ts"
import { type FirmwareVerbs, offered } from "../drivers/Verbs.ts"
import * as DeviceWork from "./DeviceWork.ts"
import type { ExpectedImage } from "./FirmwareCalls.ts"

const KIB = 1024

const firmwareOf = (session: DriverSession, hostname: string) => offered(session, "firmware", hostname)

/** What the device is, runs and boots, and room for an image. */
export const preflight = Effect.fn("FirmwareSteps.preflight")(function* (
  session: DriverSession,
  hostname: string,
  { file, image }: { readonly file: string | null; readonly image: ExpectedImage | null }
) {
  const firmware = yield* firmwareOf(session, hostname)
  const { model, os_version } = yield* session.facts
  const bootImage = yield* firmware.bootImage
  const freeKib = yield* firmware.makeRoom
  if (file !== null && image !== null) {
    const room = freeKib * KIB + (yield* firmware.sizeOf(file))
    if (room < image.size) {
      const needed = Math.ceil(image.size / KIB)
      const message = `${file} needs ${needed} KiB on the flash, ${Math.floor(room / KIB)} KiB are free`
      return yield* DeviceWork.failure("CommandRejected", message)
    }
  }
  return { freeKib, bootImage, model, os_version }
})

/** Compares the file on the device with the image: `absent` also when the device cannot tell. */
const compare = Effect.fnUntraced(function* (firmware: FirmwareVerbs, file: string, image: ExpectedImage) {
  for (const kind of ["sha512", "md5"] as const) {
    const sum = yield* firmware.checksum(kind, file)
    if (Option.isSome(sum)) return sum.value === image[kind] ? "same" : "other"
  }
  return "absent"
})

/** Makes the device fetch the image unless it is there, and compares it with what it must be. A wrong one is removed. */
export const download = Effect.fn("FirmwareSteps.download")(function* (
  session: DriverSession,
  hostname: string,
  order: {
    readonly url: string
    readonly file: string
    readonly vrf: string | null
    readonly image: ExpectedImage | null
  }
) {
  const { file, image } = order
  const firmware = yield* firmwareOf(session, hostname)
  if (image !== null && (yield* firmware.sizeOf(file)) === image.size) {
    if ((yield* compare(firmware, file, image)) === "same") return
  }
  yield* firmware.fetch(order)
  if (image === null || (yield* compare(firmware, file, image)) === "same") return
  yield* firmware.remove(file)
  return yield* DeviceWork.failure("UnexpectedAnswer", `Checksum mismatch of ${file} on the switch, file corrupt`)
})

/** Makes the image the one that boots next. */
export const activate = Effect.fn("FirmwareSteps.activate")(function* (
  session: DriverSession,
  hostname: string,
  file: string
) {
  const firmware = yield* firmwareOf(session, hostname)
  const alreadyActive = (yield* firmware.bootImage) === file
  if (!alreadyActive) yield* firmware.activate(file)
  return { alreadyActive }
})

/** Saves and reloads. Once the reload was sent, a connection that ends in any way is no failure. */
export const reboot = Effect.fn("FirmwareSteps.reboot")(function* (session: DriverSession, hostname: string) {
  const firmware = yield* firmwareOf(session, hostname)
  yield* session.save
  yield* firmware.reload
})

/** Handlers of `firmwareCalls`. */
export const handlers = (withSession: DeviceWork.WithSession) => ({
  FirmwarePreflight: ({ payload }: { readonly payload: Parameters<typeof preflight>[2] }) =>
    withSession((session, hostname) => preflight(session, hostname, payload)),
  FirmwareDownload: ({ payload }: { readonly payload: Parameters<typeof download>[2] }) =>
    withSession((session, hostname) => download(session, hostname, payload)),
  FirmwareActivate: ({ payload }: { readonly payload: { readonly file: string } }) =>
    withSession((session, hostname) => activate(session, hostname, payload.file)),
  FirmwareReboot: () => withSession(reboot)
})
