/**
 * Job `device_upgrade`: brings another version of its operating system to switches (docs/jobs.md#device_upgrade). Devices are
 * worked on side by side, a staggered upgrade group after group, each group only when the one before is back.
 */
import { Effect, Option } from "effect"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { DeviceUpgrade, type UpgradeArguments } from "../../domain/jobs/FirmwareJobs.ts"
import { can } from "../../domain/platforms/Platforms.ts"
import { notStarted } from "../../firmware/UpgradeTasks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"
import { handle, type JobHandler, refusedAsFailure } from "../engine/JobHandler.ts"
import { UpgradeDevice } from "./UpgradeDevice.ts"
import type { UpgradeJob } from "./UpgradeStep.ts"
import { UpgradeOrders } from "../../firmware/UpgradeOrder.ts"

const invalid = (message: string) => new JobFailure({ type: "ValueError", message })

const ABORTED = "The job was aborted before this device was started"
const FAILED_BEFORE = "A device of an earlier group failed, so this device was not started"

const make = Effect.gen(function* () {
  const { FIRMWARE_CONCURRENCY } = yield* ServerConfig
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const selection = yield* DeviceSelection
  const orders = yield* UpgradeOrders
  const upgradeDevice = yield* UpgradeDevice

  const select = Effect.fnUntraced(function* ({ group, hostname }: UpgradeArguments) {
    if (hostname !== undefined) return yield* selection.select({ hostnames: [hostname], resync: true })
    if (group !== undefined) return yield* selection.select({ group, resync: true })
    return yield* invalid("Neither hostname nor group specified for device_upgrade")
  })

  const decide = Effect.fnUntraced(function* (job: UpgradeJob) {
    const { args } = job
    const selected = yield* select(args)
    const other = selected.find((device) => !can(device, "firmware"))
    if (other !== undefined) {
      return yield* invalid(`Invalid device platform "${other.platform ?? "None"}" for device: ${other.hostname}`)
    }
    const staggered = args.staggered_upgrade && args.reboot && selected.length > 1
    const groups = staggered ? yield* orders.order(selected) : [selected.map(({ hostname }) => hostname)]
    const memo = { groups: groups.filter((names) => names.length > 0) }
    yield* job.memo.write(memo)
    return memo
  })

  const skip = (job: UpgradeJob, hostnames: ReadonlyArray<string>, why: string) =>
    Effect.forEach(
      hostnames,
      (hostname) =>
        jobs.addDevice(job.id, { hostname, result: notStarted(why), reachedEnd: false, changed: false, score: null }),
      { discard: true }
    )

  const upgradeGroup = (job: UpgradeJob, rest: ReadonlyArray<Device>) =>
    Effect.forEach(rest, (device) => upgradeDevice.run(job, device), {
      concurrency: FIRMWARE_CONCURRENCY,
      discard: true
    })

  const upgrade = Effect.fnUntraced(function* (job: UpgradeJob, groups: ReadonlyArray<ReadonlyArray<string>>) {
    for (const [index, names] of groups.entries()) {
      const results = yield* jobs.devices(job.id)
      const done = new Set(results.map(({ hostname }) => hostname))
      const rest = names.filter((name) => !done.has(name))
      if (rest.length === 0) continue
      const earlier = new Set(groups.slice(0, index).flat())
      const failed = results.some(({ hostname, result }) => earlier.has(hostname) && result.failed)
      if (failed) yield* skip(job, rest, FAILED_BEFORE)
      else if (index > 0 && (yield* job.aborting)) yield* skip(job, rest, ABORTED)
      else yield* upgradeGroup(job, yield* devices.byHostnames(rest))
    }
  })

  const handler: JobHandler<typeof DeviceUpgrade> = Effect.fn("DeviceUpgrade")(function* (job) {
    const memo = yield* job.memo.read
    const { groups } = Option.isSome(memo) ? memo.value : yield* decide(job)
    yield* upgrade(job, groups)
    return { result: groups.length === 0 ? { devices: {} } : null, change_score: null }
  }, refusedAsFailure)
  return handler
})

export const job = handle(DeviceUpgrade, make)
