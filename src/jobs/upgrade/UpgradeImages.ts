/** Which image a device gets in an upgrade, where it fetches it, and what the image must be like. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import type { ImageBuilds } from "../../domain/platforms/Platform.ts"
import { fileFor } from "../../firmware/Architecture.ts"
import { defaultUrl, Firmware } from "../../firmware/Firmware.ts"
import { DETECT_ARCHITECTURE, imageUrl, isImageName } from "../../domain/Firmware.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { StepProblem, toProblem, type UpgradedDevice } from "./UpgradeStep.ts"

/** What an image must be like; `size` in bytes, the sums in hexadecimal. */
export interface ExpectedImage {
  readonly size: number
  readonly sha512: string
  readonly md5: string
}

const problem = (message: string) => new StepProblem({ message, met: `${message}\n`, lost: false })

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const firmware = yield* Firmware
  const settings = yield* ActiveSettings
  const actorOf = yield* DeviceEntity.client

  /** The site's list of models with the narrow build replaces the platform's. */
  const narrowModels = Effect.fnUntraced(function* (device: Device, builds: ImageBuilds) {
    const effective = yield* Effect.option(settings.ofDevice(device))
    const list = Option.map(effective, (found) => found.settings[builds.narrowSetting])
    return Option.isSome(list) && Array.isArray(list.value)
      ? new Set(list.value.filter((model) => typeof model === "string"))
      : builds.narrowModels
  })

  const detected = Effect.fnUntraced(function* ({ device }: UpgradedDevice, filename: string) {
    const { model } = yield* Effect.mapError(patiently(actorOf(String(device.id)).ReadFacts({ login: {} })), toProblem)
    if (model === null) return yield* problem(`${device.hostname} does not say its model (modelName in show version)`)
    const builds = platformOf(device.platform)?.firmware?.builds ?? null
    return builds === null
      ? fileFor(filename, model, builds)
      : fileFor(filename, model, builds, yield* narrowModels(device, builds))
  })

  const find = Effect.fnUntraced(function* (
    upgrade: UpgradedDevice
  ): Effect.fn.Return<string | null, StepProblem | SqlError.SqlError> {
    const { job, progress } = upgrade
    const { args } = job
    if (progress.file !== null || args.filename === undefined) return progress.file
    const file = args.filename.startsWith(DETECT_ARCHITECTURE) ? yield* detected(upgrade, args.filename) : args.filename
    if (!isImageName(file)) return yield* problem(`${JSON.stringify(file)} is not a valid firmware file name`)
    yield* upgrade.save({ file })
    return file
  })

  return UpgradeImages.of({
    find,
    required: Effect.fnUntraced(function* (upgrade: UpgradedDevice, step: "download" | "activate") {
      const file = yield* find(upgrade)
      return file ?? (yield* problem(`No filename specified for ${step}`))
    }),
    url: ({ job: { args } }: UpgradedDevice, file: string) => {
      const base = args.url === undefined || args.url === "" ? defaultUrl(config) : args.url
      const whole = imageUrl(base, file)
      return whole === undefined
        ? Effect.fail(problem("The firmware URL cannot be given to a switch"))
        : Effect.succeed(whole)
    },
    expected: (file: string) =>
      firmware.image(file).pipe(
        Effect.map(Option.getOrNull),
        Effect.map((image) => (image === null ? null : { size: image.size, sha512: image.sha512, md5: image.md5 })),
        Effect.mapError(({ message }) => problem(message))
      )
  })
})

/** Names and places of images, for the steps of an upgrade. */
export class UpgradeImages extends Context.Service<
  UpgradeImages,
  {
    /** The file for this device; null when the request names none. */
    readonly find: (upgrade: UpgradedDevice) => Effect.Effect<string | null, StepProblem | SqlError.SqlError>
    /** The same, for a step that cannot do without. */
    readonly required: (
      upgrade: UpgradedDevice,
      step: "download" | "activate"
    ) => Effect.Effect<string, StepProblem | SqlError.SqlError>
    /** Where the switch fetches the file. */
    readonly url: (upgrade: UpgradedDevice, file: string) => Effect.Effect<string, StepProblem>
    /** Size and checksums of the file when this server keeps it; null for files of other servers. */
    readonly expected: (file: string) => Effect.Effect<ExpectedImage | null, StepProblem>
  }
>()("switchyard/jobs/UpgradeImages") {
  static readonly layer = Layer.effect(UpgradeImages, make)
}
