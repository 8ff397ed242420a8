/**
 * Two jobs that want the same device. An urgent sync goes beside a running one (docs/changes.md#emergencies), so either of them
 * may come to a device that the other has begun. Whoever comes second waits for the end of the first, and leaves the device
 * alone when it has been brought to what the settings say. The device's actor makes sure that they never write at the same
 * time. Pure.
 */
import { type DeviceResult, deviceResult, functionOf, taskOk } from "../../domain/Job.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import type { CommitSet } from "../../domain/Repository.ts"
import { MAIN_TASK } from "./SyncTasks.ts"
import type { LiveChange } from "../../store/UnfinishedChanges.ts"

const SUCCEEDED: ReadonlySet<string> = new Set(["confirmed", "unchanged"])

/** A job that comes to a device, and what it knows of others there. */
export interface Latecomer {
  readonly jobId: number
  /** Number of the newest change when the job began. */
  readonly changesSeen: number
  readonly commits: CommitSet | null
  /** The job has waited for another one on this device. */
  readonly hasWaited: boolean
}

/** What a job does on a device where the newest live change is of another one. */
export type Turn =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "LeaveAlone"; readonly because: number }

const BEGIN: Turn = { _tag: "Begin" }

/** Whether the other job has brought the device to what this one wants: from the same commits, or from later ones. */
const isSameGoal = (change: LiveChange, { commits, jobId }: Latecomer): boolean => {
  if (functionOf(change.function_name) !== SyncDevices.name || !SUCCEEDED.has(change.phase)) return false
  const isSame = change.settings_commit === commits?.settings && change.templates_commit === commits.templates
  return change.job_id > jobId || isSame
}

/** Whose turn it is on a device, by its newest live change. */
export const turnOf = (newest: LiveChange | null, own: Latecomer): Turn => {
  if (newest === null || newest.job_id === own.jobId) return BEGIN
  if (newest.underWay) return { _tag: "Wait" }
  const isNews = own.hasWaited || newest.id > own.changesSeen
  return isNews && isSameGoal(newest, own) ? { _tag: "LeaveAlone", because: newest.job_id } : BEGIN
}

/** The entries of a device that another job has brought to the same configuration. */
export const doneElsewhere = (jobId: number): DeviceResult =>
  deviceResult([taskOk(MAIN_TASK, `Job ${jobId} has synchronized this device meanwhile, so it was left alone`)])
