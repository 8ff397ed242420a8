/**
 * The last step of an upgrade: waits for the switch and reads its running version (docs/jobs.md#device_upgrade). Any version is
 * stored; a new one makes the device unsynchronized until it is proved again.
 */
import { Clock, Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { Platform } from "../../domain/platforms/Platform.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { postFlightText, stepAborted, stepDone, stepFailed, updatedText } from "../../firmware/UpgradeTasks.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { type UpgradeProgress, UpgradeStore } from "../../store/UpgradeStore.ts"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import * as JobChecks from "../../devices/JobChecks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { JobTask } from "../../domain/Job.ts"
import type { DeviceUpgrade } from "../../domain/jobs/UpkeepJobs.ts"
import { inTransaction, type JobRun } from "../engine/JobHandler.ts"
import type { Facts } from "../../domain/DeviceReadings.ts"
import { versionIn } from "../../domain/Firmware.ts"

// The input and the result of the steps of an upgrade.

export type UpgradeJob = JobRun<typeof DeviceUpgrade>

/** One device of a running upgrade. */
export interface UpgradedDevice {
  readonly job: UpgradeJob
  readonly device: Device
  /** The stored progress. */
  readonly progress: UpgradeProgress
  /** True if the step had begun in a process that has ended. */
  readonly resumed: boolean
  /** Stores more. */
  readonly save: (patch: Partial<UpgradeProgress>) => Effect.Effect<void, SqlError.SqlError>
}

/** The entry of a step, with further fields to store. */
export interface StepEnd {
  readonly task: JobTask
  readonly patch?: Partial<UpgradeProgress>
}

// Waits until a switch has returned after a reload, with bounds (docs/jobs.md#device_upgrade). It has returned only if it has
// really booted: right after the command the old system may still answer.

type Reboot = NonNullable<UpgradeProgress["reboot"]>

/** Uptime is rounded by switches; a real reload makes it smaller by much more. In seconds. */
const ROUNDING = 1

/** Server time in epoch seconds. */
export const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

/** True when a switch that shows this uptime at `at` (epoch seconds, taken before it was asked) has booted since. */
const hasRebooted = (reboot: Reboot, uptime: number | null, at: number): boolean => {
  if (uptime === null) return false
  const before = reboot.uptime ?? 0
  return uptime < before + (at - reboot.at) - Math.min(ROUNDING, before / 4)
}

/** The end of the wait. `away`: `last` is the error of the last attempt. */
export type Return =
  | { readonly _tag: "Back"; readonly facts: Facts }
  | { readonly _tag: "Away"; readonly last: string }
  | { readonly _tag: "Aborted" }

/** How long to wait: `since` is in epoch seconds, so a restart of the server does not restart the wait. */
interface ReturnWait {
  readonly since: number
  readonly waitSeconds: number
  readonly reboot: Reboot | null
}

/** Waiting does not help: an operator must confirm the key, the address or the switch. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  "HostKeyChanged",
  "HostKeyNotApproved",
  "AddressOutside",
  "WrongDevice"
])

const notBack = ({ hostname }: Device, { uptime }: Facts): string =>
  uptime === null
    ? `Device ${hostname} answers but does not say since when it runs (uptime or bootupTimestamp in show version)`
    : `Device ${hostname} answers but has not rebooted`

export const lookAtSwitch = Effect.fn("SwitchReturn.look")(function* (device: Device, reboot: Reboot | null) {
  const actorOf = yield* DeviceEntity.client

  const at = yield* nowSeconds
  const facts = yield* Effect.result(patiently(actorOf(String(device.id)).ReadFacts({ login: {} })))
  if (Result.isFailure(facts)) {
    const error = facts.failure
    const last = "text" in error ? error.text : `${error._tag}: ${error.message}\n`
    const type = "type" in error ? error.type : error._tag
    return { answers: false, final: FORBIDDEN.has(type), refused: type === "ConnectAuthError", last } as const
  }
  const booted = reboot === null || hasRebooted(reboot, facts.success.uptime, at)
  return { answers: true, booted, facts: facts.success } as const
})

/** Sleeps until then, or until the job is aborted. */
const pauseUntil = Effect.fnUntraced(function* (until: number, aborting: Effect.Effect<boolean>) {
  const config = yield* ServerConfig

  for (;;) {
    const rest = until - (yield* nowSeconds)
    if (rest <= 0) return
    if (yield* aborting) return
    yield* Effect.sleep(Math.min(rest, config.FIRMWARE_RETURN_INTERVAL) * 1000)
  }
})

/**
 * First waits until `waitSeconds` after `since`, then tries repeatedly for FIRMWARE_RETURN_TIMEOUT seconds, at least once.
 */
export const untilBack = Effect.fn("SwitchReturn.untilBack")(function* (
  device: Device,
  wait: ReturnWait,
  aborting: Effect.Effect<boolean>
) {
  const config = yield* ServerConfig

  const first = wait.since + wait.waitSeconds
  const deadline = first + config.FIRMWARE_RETURN_TIMEOUT
  yield* pauseUntil(first, aborting)
  let refusals = 0
  for (;;) {
    if (yield* aborting) return { _tag: "Aborted" } satisfies Return
    const seen = yield* lookAtSwitch(device, wait.reboot)
    if (seen.answers && seen.booted) return { _tag: "Back", facts: seen.facts } satisfies Return
    const last = seen.answers ? notBack(device, seen.facts) : seen.last
    const now = yield* nowSeconds
    if (now >= deadline || (!seen.answers && seen.final)) return { _tag: "Away", last } satisfies Return
    // its AAA servers may still be unreachable for a while, but switches lock accounts after refused logins
    refusals = !seen.answers && seen.refused ? refusals + 1 : 0
    const pause = config.FIRMWARE_RETURN_INTERVAL * 2 ** Math.max(0, refusals - 1)
    yield* pauseUntil(Math.min(now + pause, deadline), aborting)
  }
})

const release = (version: string): string => version.split("-", 1)[0] ?? version

/** Switches report a version with its build (`4.32.2F-3574.4322F`); names of images and older records have only the release. */
const isSame = (one: string, other: string): boolean =>
  one === other || (one.includes("-") !== other.includes("-") && release(one) === release(other))

/** Why the running version is not the wanted one; undefined if it is. */
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

const storeVersion = Effect.fnUntraced(function* ({ job }: UpgradedDevice, device: Device, version: string) {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const upgrades = yield* UpgradeStore

  const { confhash, synchronized } = { confhash: null, synchronized: false }
  yield* Effect.catchTag(devices.lock(device.id), "DeviceNotFound", Effect.die)
  yield* events.append([device.hostname], { cause: "firmware_upgrade", by: job.user, job_id: job.id })
  yield* devices
    .update(device.id, { os_version: version, confhash, synchronized })
    .pipe(Effect.catchTags({ DeviceNotFound: Effect.die, HostnameTaken: Effect.die, IdentityTaken: Effect.die }))
  yield* upgrades.seen(device.id)
}, inTransaction)

/** Makes the checks of the device, which compare with what was read before the reload. `updated`: the version that runs now. */
const checkAfter = Effect.fnUntraced(function* ({ device, job, progress, save }: UpgradedDevice, updated: string) {
  if (progress.checks === undefined) return { task: stepDone("post_flight", updated) }
  const after = yield* JobChecks.readAfter(device, progress.checks, job.aborting, (checks) => save({ checks }))
  if (after._tag === "Aborted") return { task: stepAborted("post_flight") }
  const { failure, results } = after
  const task = failure === null ? stepDone("post_flight", updated) : stepFailed("post_flight", failure.message, updated)
  return { task: { ...task, checks: results } }
})

export const postFlight = Effect.fn("PostFlight.run")(function* (upgrade: UpgradedDevice) {
  const upgrades = yield* UpgradeStore

  const { device, job, progress } = upgrade
  const { args } = job
  const since = progress.waitingSince ?? (yield* nowSeconds)
  if (progress.waitingSince === null) yield* upgrade.save({ waitingSince: since })
  const wait = { since, waitSeconds: args.post_waittime, reboot: progress.reboot }
  const back = yield* untilBack(device, wait, job.aborting)
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
  // a restart while the checks are made finds the version stored, and the device may have been proved since
  if (progress.checks?.since === undefined) {
    if (wrong === undefined || os_version !== progress.versionBefore) yield* storeVersion(upgrade, device, os_version)
    else yield* upgrades.seen(device.id)
  }
  if (wrong !== undefined) return { task: stepFailed("post_flight", postFlightText(wrong)) }
  return yield* checkAfter(upgrade, updatedText(progress.versionBefore, os_version))
})
