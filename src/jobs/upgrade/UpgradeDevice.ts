/**
 * Takes one device through the steps of an upgrade: those that were asked for, in their order, each entry stored as it ends
 * (docs/jobs.md#device_upgrade). After a restart it goes on with the step that was under way.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { UpgradeArguments } from "../../domain/jobs/DeviceUpgrade.ts"
import {
  stepAborted,
  type StepName,
  stepNames,
  stepOutsideWindow,
  taskName,
  upgradeResult
} from "../../firmware/UpgradeTasks.ts"
import { JobStore } from "../../store/JobStore.ts"
import { type UpgradeProgress, UpgradeStore } from "../../store/UpgradeStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import type { UpgradeJob } from "./UpgradeStep.ts"
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

  const run = Effect.fn("UpgradeDevice.run")(function* (job: UpgradeJob, device: Device) {
    const { args } = job
    const stored = yield* upgrades.find(job.id, device.hostname)
    let progress = Option.getOrElse(stored, () => begin(device))
    const save = Effect.fnUntraced(function* (patch: Partial<UpgradeProgress>) {
      progress = { ...progress, ...patch }
      yield* upgrades.put(job.id, device.hostname, progress)
    })
    for (let [step] = remaining(args, progress); step !== undefined; [step] = remaining(args, progress)) {
      if (yield* job.aborting) {
        yield* save({ tasks: [...progress.tasks, stepAborted(step)], begun: null })
        continue
      }
      const resumed = progress.begun === step
      const closed = !resumed && INTERRUPTS.has(step) ? yield* windows.closed(args, device) : null
      if (closed !== null) {
        yield* save({ tasks: [...progress.tasks, stepOutsideWindow(step, closed)], begun: null })
        continue
      }
      if (!resumed) yield* save({ begun: step })
      const end = yield* steps[step]({ job, device, progress, resumed, save })
      yield* save({ ...end.patch, tasks: [...progress.tasks, end.task], begun: null })
    }
    const { reachedEnd, result } = upgradeResult(progress.tasks)
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
