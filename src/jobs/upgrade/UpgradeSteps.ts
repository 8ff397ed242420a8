/**
 * The job's side of the upgrade steps on one device: it chooses the image and calls the device's actor, and the answer becomes an
 * entry of the task list (docs/jobs.md#device_upgrade). Steps may be repeated after a restart.
 */
import { Effect, Option, Schema } from "effect"
import { DeviceEntity, type DeviceFailure, patiently } from "../../devices/DeviceCalls.ts"
import { CHECKED_BEFORE, stepDone, stepFailed, type StepName } from "../../firmware/UpgradeTasks.ts"
import type { UpgradeProgress } from "../../store/UpgradeStore.ts"
import {
  lookAtSwitch,
  nowSeconds,
  postFlight,
  type Return,
  type StepEnd,
  untilBack,
  type UpgradedDevice
} from "./PostFlight.ts"
import * as JobChecks from "../../devices/JobChecks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { Device } from "../../domain/Device.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import type { ImageBuilds } from "../../domain/platforms/Platform.ts"
import { defaultUrl, Firmware, imageFor as fileFor } from "../../firmware/Firmware.ts"
import { DETECT_ARCHITECTURE, imageUrl, isImageName } from "../../domain/Firmware.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"

// The image of a device in an upgrade: its file, its URL and its expected checksums.

const problem = (message: string) => new StepProblem({ message, met: `${message}\n`, lost: false })

/** The site's list of models with the narrow build replaces the platform's. */
const narrowModels = Effect.fnUntraced(function* (device: Device, builds: ImageBuilds) {
  const settings = yield* ActiveSettings

  const effective = yield* Effect.option(settings.ofDevice(device))
  const list = Option.map(effective, (found) => found.settings[builds.narrowSetting])
  return Option.isSome(list) && Array.isArray(list.value)
    ? new Set(list.value.filter((model) => typeof model === "string"))
    : builds.narrowModels
})

const detected = Effect.fnUntraced(function* ({ device }: UpgradedDevice, filename: string) {
  const actorOf = yield* DeviceEntity.client

  const { model } = yield* Effect.mapError(patiently(actorOf(String(device.id)).ReadFacts({ login: {} })), toProblem)
  if (model === null) return yield* problem(`${device.hostname} does not say its model (modelName in show version)`)
  const builds = platformOf(device.platform)?.firmware?.builds ?? null
  return builds === null
    ? fileFor(filename, model, builds)
    : fileFor(filename, model, builds, yield* narrowModels(device, builds))
})

/** The file for this device; null when the request names none. */
const findImage = Effect.fnUntraced(function* (upgrade: UpgradedDevice) {
  const { job, progress } = upgrade
  const { args } = job
  if (progress.file !== null || args.filename === undefined) return progress.file
  const file = args.filename.startsWith(DETECT_ARCHITECTURE) ? yield* detected(upgrade, args.filename) : args.filename
  if (!isImageName(file)) return yield* problem(`${JSON.stringify(file)} is not a valid firmware file name`)
  yield* upgrade.save({ file })
  return file
})

/** The same, for a step that needs the file. */
const requireImage = Effect.fnUntraced(function* (upgrade: UpgradedDevice, step: "download" | "activate") {
  const file = yield* findImage(upgrade)
  return file ?? (yield* problem(`No filename specified for ${step}`))
})

/** Where the switch fetches the file. */
const imageAddress = Effect.fnUntraced(function* ({ job: { args } }: UpgradedDevice, file: string) {
  const base = args.url === undefined || args.url === "" ? defaultUrl(yield* ServerConfig) : args.url
  return imageUrl(base, file) ?? (yield* problem("The firmware URL cannot be given to a switch"))
})

/** Size and checksums of the file if this server stores it; null for files of other servers. */
const expectedImage = Effect.fnUntraced(function* (file: string) {
  const firmware = yield* Firmware
  return yield* firmware.image(file).pipe(
    Effect.map(Option.getOrNull),
    Effect.map((image) => (image === null ? null : { size: image.size, sha512: image.sha512, md5: image.md5 })),
    Effect.mapError(({ message }) => problem(message))
  )
})

/** Why a step cannot continue; `met` is the text of the failure, `lost`: the connection ended. */
class StepProblem extends Schema.TaggedError<StepProblem>()("StepProblem", {
  message: Schema.String,
  met: Schema.String,
  lost: Schema.Boolean
}) {}

const LOST: ReadonlySet<string> = new Set(["ConnectionException", "CommandTimeout"])

interface CallFailure {
  readonly _tag: string
  readonly message: string
}

/** A failed call to the actor. */
const toProblem = (error: DeviceFailure | CallFailure): StepProblem =>
  "text" in error
    ? new StepProblem({ message: error.message, met: error.text, lost: LOST.has(error.type) })
    : new StepProblem({ message: error.message, met: `${error._tag}: ${error.message}\n`, lost: true })

const UNCERTAIN = "It is not certain which image the device boots next."

const actor = ({ device }: UpgradedDevice) => Effect.map(DeviceEntity.client, (actorOf) => actorOf(String(device.id)))

const ended = (step: StepName, text?: string): StepEnd => ({ task: stepDone(step, text) })

const preFlight = (upgrade: UpgradedDevice) =>
  Effect.gen(function* () {
    const file = upgrade.job.args.download ? yield* findImage(upgrade) : null
    const image = file === null ? null : yield* expectedImage(file)
    const found = yield* Effect.mapError(
      patiently((yield* actor(upgrade)).FirmwarePreflight({ file, image })),
      toProblem
    )
    yield* Effect.logInfo("Ready for a firmware upgrade", { hostname: upgrade.device.hostname, ...found })
    return ended("pre_flight")
  }).pipe(
    Effect.catchTag("StepProblem", ({ met }) =>
      Effect.succeed<StepEnd>({ task: stepFailed("pre_flight", "Pre-flight check failed", met) })
    )
  )

const download = (upgrade: UpgradedDevice) =>
  Effect.gen(function* () {
    const file = yield* requireImage(upgrade, "download")
    const url = yield* imageAddress(upgrade, file)
    const image = yield* expectedImage(file)
    const vrf = upgrade.device.device_type === "ACCESS" ? null : "MGMT"
    yield* Effect.mapError(patiently((yield* actor(upgrade)).FirmwareDownload({ url, file, vrf, image })), toProblem)
    return ended("download")
  }).pipe(
    Effect.catchTag("StepProblem", ({ message }) =>
      Effect.succeed<StepEnd>({ task: stepFailed("download", `Failed to download firmware: ${message}`) })
    )
  )

const activate = (upgrade: UpgradedDevice) =>
  Effect.gen(function* () {
    const file = yield* requireImage(upgrade, "activate")
    const { alreadyActive } = yield* Effect.mapError(
      patiently((yield* actor(upgrade)).FirmwareActivate({ file })),
      toProblem
    )
    // an earlier run of the step may have activated it
    if (!alreadyActive || upgrade.resumed) return ended("activate")
    const text = `Firmware already activated in boot-config on ${upgrade.device.hostname}`
    return { task: stepDone("activate", text), patch: { alreadyActive: true } } satisfies StepEnd
  }).pipe(
    Effect.catchTag("StepProblem", ({ lost, met, message }) => {
      const what = met === "" ? message : met.trimEnd()
      const text = lost ? `${what}\n${UNCERTAIN}` : what
      return Effect.succeed<StepEnd>({ task: stepFailed("activate", "Failed to activate firmware", text) })
    })
  )

/** True when an earlier run has sent the reload: the switch is silent, or has booted since. */
const wasSent = Effect.fnUntraced(function* ({ device, progress, resumed }: UpgradedDevice) {
  if (!resumed || progress.reboot === null) return false
  const seen = yield* lookAtSwitch(device, progress.reboot)
  return !seen.answers || seen.booted
})

/** Reads what the checks after the reload compare; a sentence if the switch must not be reloaded. */
const checkBefore = Effect.fnUntraced(function* ({ device, job, progress, save }: UpgradedDevice) {
  const { FIRMWARE_RETURN_TIMEOUT } = yield* ServerConfig

  const { post_flight, skip_checks } = job.args
  if (!post_flight || skip_checks !== undefined || progress.checks !== undefined) return null
  const before = yield* JobChecks.readBefore(device, FIRMWARE_RETURN_TIMEOUT)
  if (before._tag === "Refused") return before.why
  if (before.checks !== null) yield* save({ checks: before.checks })
  return null
})

const send = Effect.fnUntraced(function* (upgrade: UpgradedDevice) {
  const { uptime } = yield* Effect.mapError(patiently((yield* actor(upgrade)).ReadFacts({ login: {} })), toProblem)
  const reboot = { at: yield* nowSeconds, uptime }
  yield* upgrade.save({ reboot, waitingSince: reboot.at })
  yield* Effect.mapError(patiently((yield* actor(upgrade)).FirmwareReboot()), toProblem)
  return reboot
})

/** The next group of a staggered upgrade needs this switch to return, even if no check after the reboot is requested. */
const isBack = (upgrade: UpgradedDevice, reboot: UpgradeProgress["reboot"]) => {
  const { device, job, progress } = upgrade
  const { args } = job
  if (!args.staggered_upgrade || args.post_flight) return Effect.succeed<Return | null>(null)
  const since = reboot?.at ?? progress.waitingSince ?? 0
  return untilBack(device, { since, waitSeconds: args.post_waittime, reboot }, job.aborting)
}

const reboot = (upgrade: UpgradedDevice) =>
  Effect.gen(function* () {
    const isSent = yield* wasSent(upgrade)
    const refused = isSent ? null : yield* checkBefore(upgrade)
    if (refused !== null) return { task: stepFailed("reboot", `${CHECKED_BEFORE}: ${refused}`) } satisfies StepEnd
    const sent = isSent ? upgrade.progress.reboot : yield* send(upgrade)
    const back = yield* isBack(upgrade, sent)
    if (back?._tag !== "Away") return ended("reboot")
    const sentence = `Device ${upgrade.device.hostname} did not come back after the reboot`
    return { task: stepFailed("reboot", sentence, back.last) } satisfies StepEnd
  }).pipe(
    Effect.catchTag("StepProblem", ({ met }) =>
      Effect.succeed<StepEnd>({ task: stepFailed("reboot", "Failed to reboot device", met) })
    )
  )

/** The steps by their names. */
export const upgradeSteps = { pre_flight: preFlight, download, activate, reboot, post_flight: postFlight }
