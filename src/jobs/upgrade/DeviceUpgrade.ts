/**
 * Job `device_upgrade`: brings another version of its operating system to switches (contract engine.md §14.2). Devices are
 * worked on side by side, a staggered upgrade group after group, each group only when the one before is back.
 */
import { Effect, Option, Schema } from "effect"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { can } from "../../domain/platforms/Platforms.ts"
import { UpgradeOrders } from "../../firmware/UpgradeOrders.ts"
import { notStarted } from "../../firmware/UpgradeTasks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"
import { decodeArguments, type JobHandler, refusedAsFailure, type RunningJob } from "../engine/JobHandler.ts"
import { UpgradeArguments, UpgradeMemo } from "./UpgradeArguments.ts"
import { makeUpgradeDevice } from "./UpgradeDevice.ts"

const invalid = (message: string) => new JobFailure({ type: "ValueError", message })

const ABORTED = "The job was aborted before this device was started"
const FAILED_BEFORE = "A device of an earlier group failed, so this device was not started"

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const { FIRMWARE_CONCURRENCY } = yield* ServerConfig
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const selection = yield* DeviceSelection
  const orders = yield* UpgradeOrders
  const upgradeDevice = yield* makeUpgradeDevice

  const select = Effect.fnUntraced(function* ({ group, hostname }: UpgradeArguments) {
    if (hostname !== undefined) return yield* selection.select({ hostnames: [hostname], resync: true })
    if (group !== undefined) return yield* selection.select({ group, resync: true })
    return yield* invalid("Neither hostname nor group specified for device_upgrade")
  })

  const decide = Effect.fnUntraced(function* (job: RunningJob, args: UpgradeArguments) {
    const selected = yield* select(args)
    const other = selected.find((device) => !can(device, "firmware"))
    if (other !== undefined) {
      return yield* invalid(`Invalid device platform "${other.platform ?? "None"}" for device: ${other.hostname}`)
    }
    const staggered = args.staggered_upgrade && args.reboot && selected.length > 1
    const groups = staggered ? yield* orders.order(selected) : [selected.map(({ hostname }) => hostname)]
    const memo: UpgradeMemo = { groups: groups.filter((names) => names.length > 0) }
    yield* jobs.remember(job.id, memo)
    return memo
  })

  const decided = Effect.fnUntraced(function* (job: RunningJob, args: UpgradeArguments) {
    const memo = Option.flatMap(yield* jobs.memo(job.id), Schema.decodeUnknownOption(UpgradeMemo))
    return Option.isSome(memo) ? memo.value : yield* decide(job, args)
  })

  const skip = (job: RunningJob, hostnames: ReadonlyArray<string>, why: string) =>
    Effect.forEach(
      hostnames,
      (hostname) =>
        jobs.addDevice(job.id, { hostname, result: notStarted(why), reachedEnd: false, changed: false, score: null }),
      { discard: true }
    )

  const upgradeGroup = (job: RunningJob, args: UpgradeArguments, rest: ReadonlyArray<Device>) =>
    Effect.forEach(rest, (device) => upgradeDevice(job, args, device), {
      concurrency: FIRMWARE_CONCURRENCY,
      discard: true
    })

  const upgrade = Effect.fnUntraced(function* (job: RunningJob, args: UpgradeArguments, { groups }: UpgradeMemo) {
    for (const [index, names] of groups.entries()) {
      const results = yield* jobs.devices(job.id)
      const done = new Set(results.map(({ hostname }) => hostname))
      const rest = names.filter((name) => !done.has(name))
      if (rest.length === 0) continue
      const earlier = new Set(groups.slice(0, index).flat())
      const failed = results.some(({ hostname, result }) => earlier.has(hostname) && result.failed)
      if (failed) yield* skip(job, rest, FAILED_BEFORE)
      else if (index > 0 && (yield* job.aborting)) yield* skip(job, rest, ABORTED)
      else yield* upgradeGroup(job, args, yield* devices.byHostnames(rest))
    }
  })

  const handler: JobHandler = Effect.fn("DeviceUpgrade")(function* (job: RunningJob) {
    const args = yield* decodeArguments(UpgradeArguments)(job)
    const memo = yield* decided(job, args)
    yield* upgrade(job, args, memo)
    const none = memo.groups.length === 0
    return { result: none ? { devices: {} } : null, change_score: null }
  }, refusedAsFailure)
  return handler
})
