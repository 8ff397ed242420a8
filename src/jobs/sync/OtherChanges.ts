/**
 * Two jobs that want the same device. An urgent sync goes beside a running one (DESIGN §7 row 24), so either of them may come
 * to a device that the other has begun. Whoever comes second waits for the end of the first, and leaves the device alone when
 * it has been brought to what the settings say. The device's actor makes sure that they never write at the same time.
 */
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, functionOf, taskOk } from "../../domain/Job.ts"
import { type CommitSet, WorkingCommits } from "../../domain/WorkingCommits.ts"
import { ChangeStore, type LiveChange } from "../../store/ChangeStore.ts"
import { MAIN_TASK } from "./SyncTasks.ts"

const POLL = "500 millis"

const WELL: ReadonlySet<string> = new Set(["confirmed", "unchanged"])

/** Whose run asks, and the newest change when it began: later ones have happened meanwhile. */
export interface Asking {
  readonly jobId: number
  readonly changesSeen: number
  /** The run is to begin nothing more. */
  readonly isStopped: () => boolean
}

/** Whether the other job has brought the device to what this one wants: from the same commits, or from later ones. */
const hasDoneOurs = (change: LiveChange, { jobId }: Asking, ours: CommitSet | null): boolean => {
  if (functionOf(change.function_name) !== "sync_devices" || !WELL.has(change.phase)) return false
  return (
    change.job_id > jobId || (change.settings_commit === ours?.settings && change.templates_commit === ours.templates)
  )
}

/** The entries of a device that another job has brought to the same configuration. */
export const doneElsewhere = (jobId: number): DeviceResult =>
  deviceResult([taskOk(MAIN_TASK, `Job ${jobId} has synchronized this device meanwhile, so it was left alone`)])

/** Waiting for other jobs on a device. */
export const make = Effect.gen(function* () {
  const changes = yield* ChangeStore

  /** The job that has synchronized the device since this run began, or while it waited; none when there is work to do. */
  const meanwhile = Effect.fn("OtherChanges.meanwhile")(function* (
    { id }: Device,
    asking: Asking
  ): Effect.fn.Return<Option.Option<number>, SqlError.SqlError> {
    let waited = false
    while (!asking.isStopped()) {
      const found = Option.filter(yield* changes.newestLive(id), ({ job_id }) => job_id !== asking.jobId)
      if (Option.isNone(found)) break
      const change = found.value
      if (!change.underWay) {
        const isNews = waited || change.id > asking.changesSeen
        return isNews && hasDoneOurs(change, asking, yield* WorkingCommits) ? Option.some(change.job_id) : Option.none()
      }
      waited = true
      yield* Effect.sleep(POLL)
    }
    return Option.none()
  })
  return { meanwhile }
})
