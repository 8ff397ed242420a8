/**
 * Takes one device through the steps of an upgrade: those that were asked for, in their order, each entry stored as it ends
 * (docs/jobs.md#device_upgrade). After a restart it goes on with the step that was under way.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { UpgradeArguments } from "../../domain/jobs/FirmwareJobs.ts"
import {
  rebootOver,
  stepAborted,
  type StepName,
  stepNames,
  stepOutsideWindow,
  taskName,
  upgradeResult
} from "../../firmware/UpgradeTasks.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { JobStore } from "../../store/JobStore.ts"
import { PluginCallStore } from "../../store/PluginCallStore.ts"
import { type UpgradeProgress, UpgradeStore } from "../../store/UpgradeStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import type { StepEnd, UpgradeJob } from "./UpgradeStep.ts"
import { UpgradeSteps } from "./UpgradeSteps.ts"

/** Steps that change what a switch in service runs, or will. */
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

/** The steps that are left to do: none after one that failed, no reboot of a switch that boots the image already. */
const remaining = (args: UpgradeArguments, { alreadyActive, tasks }: UpgradeProgress) => {
  if (tasks.some((task) => task.failed)) return []
  return stepNames.filter(
    (step) =>
      args[step] &&
      !tasks.some(({ task_name }) => task_name === taskName(step)) &&
      !(alreadyActive && (step === "reboot" || step === "post_flight"))
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const upgrades = yield* UpgradeStore
  const steps = yield* UpgradeSteps
  const windows = yield* JobWindows
  const calls = yield* PluginCallStore
  const plugins = yield* PluginActions

  /** What is known of the upgrade of a device, and ways to store more; the memory is that of the row. */
  const open = Effect.fnUntraced(function* (job: UpgradeJob, device: Device) {
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
      /** A step begins. Plugins hear of a reboot before it, by a call that is recorded in the same transaction. */
      begun: Effect.fnUntraced(function* (step: StepName) {
        yield* save({ begun: step })
        if (step === "reboot") yield* calls.record({ hook: "upgrade_reboot_starting", hostname }, about)
      }, sql.withTransaction),
      /** A step has ended, or was not begun. Yields whether plugins are to hear that the reboot is over. */
      ended: Effect.fnUntraced(function* (step: StepName, { patch, task }: StepEnd) {
        const over = job.args.post_flight ? rebootOver(step, task, progress.tasks, progress.begun === step) : null
        const next = { ...patch, tasks: [...progress.tasks, task], begun: null }
        const written = Effect.gen(function* () {
          yield* save(next)
          if (over !== null) yield* calls.record({ hook: "upgrade_reboot_completed", hostname, ...over }, about)
        })
        yield* sql.withTransaction(written)
        return over !== null
      })
    }
  })

  const run = Effect.fn("UpgradeDevice.run")(function* (job: UpgradeJob, device: Device) {
    const { args } = job
    const { begun, ended, progress, save } = yield* open(job, device)
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
      const end = yield* steps[step]({ job, device, progress: progress(), resumed, save })
      if (yield* ended(step, end)) yield* plugins.runPatiently
    }
    const { reachedEnd, result } = upgradeResult(progress().tasks)
    const { hostname } = device
    yield* sql.withTransaction(
      jobs.addDevice(job.id, { hostname, result, reachedEnd, changed: reachedEnd, score: null })
    )
  })

  return UpgradeDevice.of({ run })
})

/** Upgrades of single devices. */
export class UpgradeDevice extends Context.Service<
  UpgradeDevice,
  {
    /** Upgrades one device of a job and writes its result. */
    readonly run: (job: UpgradeJob, device: Device) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/jobs/UpgradeDevice") {
  static readonly layer = Layer.effect(UpgradeDevice, make)
}
