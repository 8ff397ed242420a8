/**
 * The last step of an upgrade: waits for the switch and looks which version it really runs (docs/jobs.md#device_upgrade). The
 * version is stored whatever it is; a new one makes the device unsynchronized until it is proved again.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { Platform } from "../../domain/platforms/Platform.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { versionIn } from "../../domain/Firmware.ts"
import { postFlightText, stepAborted, stepDone, stepFailed, updatedText } from "../../firmware/UpgradeTasks.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { UpgradeStore } from "../../store/UpgradeStore.ts"
import { nowSeconds, SwitchReturn } from "./SwitchReturn.ts"
import type { StepEnd, UpgradedDevice } from "./UpgradeStep.ts"

const release = (version: string): string => version.split("-", 1)[0] ?? version

/** Switches tell a version with its build (`4.32.2F-3574.4322F`); names of images and older records have the release alone. */
const isSame = (one: string, other: string): boolean =>
  one === other || (one.includes("-") !== other.includes("-") && release(one) === release(other))

/** Why the running version is not the one that was wanted; undefined when it is. */
const versionProblem = (
  platform: Platform | undefined,
  before: string | null,
  running: string,
  file: string | null
): string | undefined => {
  const expected = file === null ? undefined : versionIn(platform?.firmware, file)
  if (before !== null && isSame(before, running)) return "OS version did not change, activation failed"
  return expected === undefined || isSame(running, expected)
    ? undefined
    : `OS version is ${running} instead of ${expected}, activation failed`
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const upgrades = yield* UpgradeStore
  const returns = yield* SwitchReturn

  const storeVersion = Effect.fnUntraced(function* ({ job }: UpgradedDevice, device: Device, version: string) {
    const { confhash, synchronized } = { confhash: null, synchronized: false }
    yield* Effect.catchTag(devices.lock(device.id), "DeviceNotFound", Effect.die)
    yield* events.append([device.hostname], { cause: "firmware_upgrade", by: job.user, job_id: job.id })
    yield* devices
      .update(device.id, { os_version: version, confhash, synchronized })
      .pipe(Effect.catchTags({ DeviceNotFound: Effect.die, HostnameTaken: Effect.die, IdentityTaken: Effect.die }))
    yield* upgrades.seen(device.id)
  }, sql.withTransaction)

  const run = Effect.fn("PostFlight.run")(function* (
    upgrade: UpgradedDevice
  ): Effect.fn.Return<StepEnd, SqlError.SqlError> {
    const { device, job, progress } = upgrade
    const { args } = job
    const since = progress.waitingSince ?? (yield* nowSeconds)
    if (progress.waitingSince === null) yield* upgrade.save({ waitingSince: since })
    const wait = { since, waitSeconds: args.post_waittime, reboot: progress.reboot }
    const back = yield* returns.untilBack(device, wait, job.aborting)
    if (back._tag === "Aborted") return { task: stepAborted("post_flight") }
    if (back._tag === "Away") {
      const sentence = postFlightText(`Device ${device.hostname} did not respond to check`)
      return { task: stepFailed("post_flight", sentence, back.last) }
    }
    const { os_version } = back.facts
    if (os_version === null) {
      const text = postFlightText(`Device ${device.hostname} does not say which version it runs (show version)`)
      return { task: stepFailed("post_flight", text) }
    }
    const wrong = versionProblem(
      platformOf(device.platform),
      progress.versionBefore,
      os_version,
      progress.file ?? args.filename ?? null
    )
    if (wrong === undefined || os_version !== progress.versionBefore) yield* storeVersion(upgrade, device, os_version)
    else yield* upgrades.seen(device.id)
    return {
      task:
        wrong === undefined
          ? stepDone("post_flight", updatedText(progress.versionBefore, os_version))
          : stepFailed("post_flight", postFlightText(wrong))
    }
  })

  return PostFlight.of({ run })
})

/** The last step of an upgrade. */
export class PostFlight extends Context.Service<
  PostFlight,
  { readonly run: (upgrade: UpgradedDevice) => Effect.Effect<StepEnd, SqlError.SqlError> }
>()("switchyard/jobs/PostFlight") {
  static readonly layer = Layer.effect(PostFlight, make)
}
