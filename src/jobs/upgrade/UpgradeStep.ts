/** What the steps of an upgrade work on, what they yield, and how they fail. */
import { type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { DeviceFailure } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import type { JobTask } from "../../domain/Job.ts"
import type { DeviceUpgrade } from "../../domain/jobs/FirmwareJobs.ts"
import type { UpgradeProgress } from "../../store/UpgradeStore.ts"
import type { JobRun } from "../engine/JobHandler.ts"

export type UpgradeJob = JobRun<typeof DeviceUpgrade>

/** One device of a running upgrade. */
export interface UpgradedDevice {
  readonly job: UpgradeJob
  readonly device: Device
  /** What is stored. */
  readonly progress: UpgradeProgress
  /** True when the step had begun in a process that is gone. */
  readonly resumed: boolean
  /** Stores more. */
  readonly save: (patch: Partial<UpgradeProgress>) => Effect.Effect<void, SqlError.SqlError>
}

/** The entry of a step, with what else is to be stored with it. */
export interface StepEnd {
  readonly task: JobTask
  readonly patch?: Partial<UpgradeProgress>
}

/** Why a step cannot go on; `met` is what was met on the way, `lost` that the connection ended. */
export class StepProblem extends Schema.TaggedError<StepProblem>()("StepProblem", {
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
export const toProblem = (error: DeviceFailure | CallFailure): StepProblem =>
  "text" in error
    ? new StepProblem({ message: error.message, met: error.text, lost: LOST.has(error.type) })
    : new StepProblem({ message: error.message, met: `${error._tag}: ${error.message}\n`, lost: true })
