/** A sync job at work: what its stages, its devices and the verdict over them share. */
import type { Device } from "../../domain/Device.ts"
import type { Stop, SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import type { ChangeProgress } from "../../store/ChangeStore.ts"
import type { JobRun } from "../engine/JobHandler.ts"
import type { Render } from "./CandidateConfigs.ts"
import type { Guard } from "./Rollout.ts"
import type { SyncPlan } from "./SyncPlan.ts"
import type { SyncRun } from "./SyncStatus.ts"
import type { TimerWatch } from "./TimerWaits.ts"

export type SyncJob = JobRun<typeof SyncDevices>

/** A device whose change is proved and waits for a verdict. */
export interface WaitingDevice {
  readonly device: Device
  readonly changeId: number
}

/** What the verdict over a waiting device needs to know of its job. */
export interface VerdictContext {
  readonly run: SyncRun
  readonly guard: Guard
  readonly timers: TimerWatch
}

/** A sync job at work. */
export interface SyncWork extends VerdictContext {
  readonly job: SyncJob
  readonly plan: SyncPlan
  readonly render: Render
  /** Number of the newest change of all when the job started. */
  readonly changesSeen: number
  /** Changes of this job that an earlier run has begun, by device id. */
  readonly begun: ReadonlyMap<number, ChangeProgress>
  /** Devices that wait, by id. Grows and shrinks while the job runs. */
  readonly waiting: Map<number, WaitingDevice>
}

/** Whether devices that wait are taken back now. */
export const takesBackNow = ({ plan }: SyncWork, stop: Stop | null): stop is Stop =>
  stop !== null && (plan.takesBack || stop.aborted)

/** Takes the waiting devices out of the list; whoever takes one settles it. */
export const takeWaiting = ({ waiting }: SyncWork): ReadonlyArray<WaitingDevice> => {
  const taken = [...waiting.values()]
  waiting.clear()
  return taken
}
