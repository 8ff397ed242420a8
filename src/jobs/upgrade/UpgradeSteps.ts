/**
 * What each step of an upgrade does on one device, seen from the job: the image is chosen, the device's actor is asked, and the
 * answer becomes an entry of the task list (docs/jobs.md#device_upgrade). Steps may be repeated after a restart.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { stepDone, stepFailed, type StepName } from "../../firmware/UpgradeTasks.ts"
import type { UpgradeProgress } from "../../store/UpgradeStore.ts"
import { PostFlight } from "./PostFlight.ts"
import { nowSeconds, type Return, SwitchReturn } from "./SwitchReturn.ts"
import { UpgradeImages } from "./UpgradeImages.ts"
import { type StepEnd, toProblem, type UpgradedDevice } from "./UpgradeStep.ts"

const UNCERTAIN = "It is not certain which image the device boots next."

const make = Effect.gen(function* () {
  const actorOf = yield* DeviceEntity.client
  const images = yield* UpgradeImages
  const returns = yield* SwitchReturn
  const postFlight = yield* PostFlight
  const actor = ({ device }: UpgradedDevice) => actorOf(String(device.id))

  const ended = (step: StepName, text?: string): StepEnd => ({ task: stepDone(step, text) })

  const preFlight = (upgrade: UpgradedDevice) =>
    Effect.gen(function* () {
      const file = upgrade.job.args.download ? yield* images.find(upgrade) : null
      const image = file === null ? null : yield* images.expected(file)
      const found = yield* Effect.mapError(patiently(actor(upgrade).FirmwarePreflight({ file, image })), toProblem)
      yield* Effect.logInfo("Ready for a firmware upgrade", { hostname: upgrade.device.hostname, ...found })
      return ended("pre_flight")
    }).pipe(
      Effect.catchTag("StepProblem", ({ met }) =>
        Effect.succeed<StepEnd>({ task: stepFailed("pre_flight", "Pre-flight check failed", met) })
      )
    )

  const download = (upgrade: UpgradedDevice) =>
    Effect.gen(function* () {
      const file = yield* images.required(upgrade, "download")
      const url = yield* images.url(upgrade, file)
      const image = yield* images.expected(file)
      const vrf = upgrade.device.device_type === "ACCESS" ? null : "MGMT"
      yield* Effect.mapError(patiently(actor(upgrade).FirmwareDownload({ url, file, vrf, image })), toProblem)
      return ended("download")
    }).pipe(
      Effect.catchTag("StepProblem", ({ message }) =>
        Effect.succeed<StepEnd>({ task: stepFailed("download", `Failed to download firmware: ${message}`) })
      )
    )

  const activate = (upgrade: UpgradedDevice) =>
    Effect.gen(function* () {
      const file = yield* images.required(upgrade, "activate")
      const { alreadyActive } = yield* Effect.mapError(patiently(actor(upgrade).FirmwareActivate({ file })), toProblem)
      // a step that was begun before may have activated it itself
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
    const seen = yield* returns.look(device, progress.reboot)
    return !seen.answers || seen.booted
  })

  const send = Effect.fnUntraced(function* (upgrade: UpgradedDevice) {
    const { uptime } = yield* Effect.mapError(patiently(actor(upgrade).ReadFacts({ login: {} })), toProblem)
    const reboot = { at: yield* nowSeconds, uptime }
    yield* upgrade.save({ reboot, waitingSince: reboot.at })
    yield* Effect.mapError(patiently(actor(upgrade).FirmwareReboot()), toProblem)
    return reboot
  })

  /** The next group of a staggered upgrade needs this switch back, also when no check after the reboot is asked for. */
  const isBack = (upgrade: UpgradedDevice, reboot: UpgradeProgress["reboot"]) => {
    const { device, job, progress } = upgrade
    const { args } = job
    if (!args.staggered_upgrade || args.post_flight) return Effect.succeed<Return | null>(null)
    const since = reboot?.at ?? progress.waitingSince ?? 0
    return returns.untilBack(device, { since, waitSeconds: args.post_waittime, reboot }, job.aborting)
  }

  const reboot = (upgrade: UpgradedDevice) =>
    Effect.gen(function* () {
      const sent = (yield* wasSent(upgrade)) ? upgrade.progress.reboot : yield* send(upgrade)
      const back = yield* isBack(upgrade, sent)
      if (back?._tag !== "Away") return ended("reboot")
      const sentence = `Device ${upgrade.device.hostname} did not come back after the reboot`
      return { task: stepFailed("reboot", sentence, back.last) } satisfies StepEnd
    }).pipe(
      Effect.catchTag("StepProblem", ({ met }) =>
        Effect.succeed<StepEnd>({ task: stepFailed("reboot", "Failed to reboot device", met) })
      )
    )

  return UpgradeSteps.of({ pre_flight: preFlight, download, activate, reboot, post_flight: postFlight.run })
})

/** The steps by their names. */
export class UpgradeSteps extends Context.Service<
  UpgradeSteps,
  Readonly<Record<StepName, (upgrade: UpgradedDevice) => Effect.Effect<StepEnd, SqlError.SqlError>>>
>()("switchyard/jobs/UpgradeSteps") {
  static readonly layer = Layer.effect(UpgradeSteps, make)
}
