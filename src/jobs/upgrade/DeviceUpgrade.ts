/**
 * Job `device_upgrade`: installs another version of the operating system on switches (docs/jobs.md#device_upgrade). Devices are
 * upgraded in parallel; a staggered upgrade runs group after group, each only when the previous one answers again.
 */
import { Effect, Option } from "effect"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { can } from "../../domain/platforms/Platforms.ts"
import {
  notStarted,
  rebootOver,
  stepAborted,
  type StepName,
  stepNames,
  stepOutsideWindow,
  taskName,
  upgradeResult
} from "../../firmware/UpgradeTasks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"
import { JobStore } from "../../store/JobStore.ts"
import { handle, inTransaction, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import type { StepEnd, UpgradeJob } from "./PostFlight.ts"
import { upgradeSteps } from "./UpgradeSteps.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { PluginCallStore } from "../../store/PluginCallStore.ts"
import { type UpgradeProgress, UpgradeStore } from "../../store/UpgradeStore.ts"
import { JobWindows } from "../requests/JobWindows.ts"
import { selectDevices } from "../requests/JobSubjects.ts"
import { makeUpgradeOrders } from "../../firmware/UpgradeOrder.ts"
import { DeviceUpgrade, type UpgradeArguments } from "../../domain/jobs/UpkeepJobs.ts"

// Takes one device through the steps of an upgrade: the requested ones, in their order, each entry stored at its end
// (docs/jobs.md#device_upgrade). After a restart it continues with the step that was running.

/** Steps that change the running or the next version of a switch in service. */
const INTERRUPTS: ReadonlySet<StepName> = new Set(["activate", "reboot"])

const begin = ({ os_version }: Device): UpgradeProgress => ({
  file: null,
  versionBefore: os_version,
  tasks: [],
  begun: null,
  alreadyActive: false,
  reboot: null,
  waitingSince: null
})

/** The remaining steps: none after a failed one, no reboot of a switch that already boots the image. */
const remaining = (args: UpgradeArguments, { alreadyActive, tasks }: UpgradeProgress) => {
  if (tasks.some((task) => task.failed)) return []
  return stepNames.filter(
    (step) =>
      args[step] &&
      !tasks.some(({ task_name }) => task_name === taskName(step)) &&
      !(alreadyActive && (step === "reboot" || step === "post_flight"))
  )
}

/** The stored progress of a device's upgrade, and functions that store more. */
const openUpgrade = Effect.fnUntraced(function* (job: UpgradeJob, device: Device) {
  const upgrades = yield* UpgradeStore
  const calls = yield* PluginCallStore

  const { hostname } = device
  const about = { deviceId: device.id, jobId: job.id }
  const stored = yield* upgrades.find(job.id, hostname)
  let progress = Option.getOrElse(stored, () => begin(device))
  const save = Effect.fnUntraced(function* (patch: Partial<UpgradeProgress>) {
    progress = { ...progress, ...patch }
    yield* upgrades.put(job.id, hostname, progress)
  })
  return {
    progress: () => progress,
    save,
    /** A step begins. Plugins are notified of a reboot before it, by a call that is recorded in the same transaction. */
    begun: Effect.fnUntraced(function* (step: StepName) {
      yield* save({ begun: step })
      if (step === "reboot") yield* calls.record({ hook: "upgrade_reboot_starting", hostname }, about)
    }, inTransaction),
    /** A step has ended, or was not begun. Yields whether plugins must be notified that the reboot has ended. */
    ended: Effect.fnUntraced(function* (step: StepName, { patch, task }: StepEnd) {
      const over = job.args.post_flight ? rebootOver(step, task, progress.tasks, progress.begun === step) : null
      const next = { ...patch, tasks: [...progress.tasks, task], begun: null }
      const written = Effect.gen(function* () {
        yield* save(next)
        if (over !== null) yield* calls.record({ hook: "upgrade_reboot_completed", hostname, ...over }, about)
      })
      yield* inTransaction(written)
      return over !== null
    })
  }
})

/** Upgrades one device of a job and writes its result. */
const upgradeDevice = Effect.fn("UpgradeDevice.run")(function* (job: UpgradeJob, device: Device) {
  const jobs = yield* JobStore
  const windows = yield* JobWindows
  const plugins = yield* PluginActions

  const { args } = job
  const { begun, ended, progress, save } = yield* openUpgrade(job, device)
  for (let [step] = remaining(args, progress()); step !== undefined; [step] = remaining(args, progress())) {
    if (yield* job.aborting) {
      yield* ended(step, { task: stepAborted(step) })
      continue
    }
    const resumed = progress().begun === step
    const closed = !resumed && INTERRUPTS.has(step) ? yield* windows.closed(args, device) : null
    if (closed !== null) {
      yield* ended(step, { task: stepOutsideWindow(step, closed) })
      continue
    }
    if (!resumed) yield* begun(step)
    if (step === "reboot") yield* plugins.runPatiently
    const end = yield* upgradeSteps[step]({ job, device, progress: progress(), resumed, save })
    if (yield* ended(step, end)) yield* plugins.runPatiently
  }
  const { reachedEnd, result } = upgradeResult(progress().tasks)
  const { hostname } = device
  yield* inTransaction(jobs.addDevice(job.id, { hostname, result, reachedEnd, changed: reachedEnd, score: null }))
})

const invalid = (message: string) => new JobFailure({ type: "ValueError", message })

const ABORTED = "The job was aborted before this device was started"
const FAILED_BEFORE = "A device of an earlier group failed, so this device was not started"

const select = Effect.fnUntraced(function* ({ group, hostname, hostnames }: UpgradeArguments) {
  if (hostname !== undefined) return yield* selectDevices({ hostnames: [hostname], resync: true })
  if (hostnames !== undefined) return yield* selectDevices({ hostnames, resync: true })
  if (group !== undefined) return yield* selectDevices({ group, resync: true })
  return yield* invalid("Neither hostname nor group specified for device_upgrade")
})

const decide = Effect.fnUntraced(function* (job: UpgradeJob) {
  const orders = yield* makeUpgradeOrders

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

const skip = Effect.fnUntraced(function* (job: UpgradeJob, hostnames: ReadonlyArray<string>, why: string) {
  const jobs = yield* JobStore
  return yield* Effect.forEach(
    hostnames,
    (hostname) =>
      jobs.addDevice(job.id, { hostname, result: notStarted(why), reachedEnd: false, changed: false, score: null }),
    { discard: true }
  )
})

/** Milliseconds between two looks at a paused job. */
const POLL = 200

/** Waits while the job is paused; an abort ends the pause. */
const whileNotPaused = Effect.fnUntraced(function* (job: UpgradeJob) {
  const { waits } = yield* JobScheduleStore
  while (yield* waits.isPausedNow(job.id)) yield* Effect.sleep(POLL)
})

/** A pause holds the devices that have not begun: those that have go on to their end. */
const upgradeInTurn = Effect.fnUntraced(function* (job: UpgradeJob, device: Device) {
  const upgrades = yield* UpgradeStore
  if (Option.isNone(yield* upgrades.find(job.id, device.hostname))) yield* whileNotPaused(job)
  yield* upgradeDevice(job, device)
})

const upgradeGroup = Effect.fnUntraced(function* (job: UpgradeJob, rest: ReadonlyArray<Device>) {
  const { FIRMWARE_CONCURRENCY } = yield* ServerConfig
  return yield* Effect.forEach(rest, (device) => upgradeInTurn(job, device), {
    concurrency: FIRMWARE_CONCURRENCY,
    discard: true
  })
})

const upgrade = Effect.fnUntraced(function* (job: UpgradeJob, groups: ReadonlyArray<ReadonlyArray<string>>) {
  const jobs = yield* JobStore
  const devices = yield* DeviceStore

  for (const [index, names] of groups.entries()) {
    const results = yield* jobs.devices(job.id)
    const done = new Set(results.map(({ hostname }) => hostname))
    const rest = names.filter((name) => !done.has(name))
    if (rest.length === 0) continue
    const earlier = new Set(groups.slice(0, index).flat())
    const failed = results.some(({ hostname, result }) => earlier.has(hostname) && result.failed)
    if (!failed) yield* whileNotPaused(job)
    // devices that an abort kept from starting count among the failed ones
    if (index > 0 && (yield* job.aborting)) yield* skip(job, rest, ABORTED)
    else if (failed) yield* skip(job, rest, FAILED_BEFORE)
    else yield* upgradeGroup(job, yield* devices.byHostnames(rest))
  }
})

const handler = Effect.fn("DeviceUpgrade")(function* (job: JobRun<typeof DeviceUpgrade>) {
  const memo = yield* job.memo.read
  const { groups } = Option.isSome(memo) ? memo.value : yield* decide(job)
  yield* upgrade(job, groups)
  return { result: groups.length === 0 ? { devices: {} } : null, change_score: null }
}, refusedAsFailure)

export const job = handle(DeviceUpgrade, handler)
