/** Locks that keep conflicting jobs apart, one row per feature (docs/changes.md#locks-and-waiting). */
import { Schema } from "effect"

/** The lock of everything that configures devices. It is the only name there is. */
export const DEVICES_LOCK = "devices"

/** A lock row as the API shows it; `start_time` is `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
export const JobLock = Schema.Struct({
  job_id: Schema.Int,
  name: Schema.String,
  start_time: Schema.String,
  abort: Schema.Boolean
})
export type JobLock = typeof JobLock.Type

/** Whose turn it is: the job that has the lock, or that waits for it and goes before. `since` is ISO 8601, UTC. */
export const LockHolder = Schema.Struct({
  job_id: Schema.Int,
  function_name: Schema.String,
  since: Schema.String,
  isWaiting: Schema.Boolean
})
export type LockHolder = typeof LockHolder.Type

/** `job 12 (sync_devices) has had it since 2026-03-02T09:12:07`. */
export const describeHolder = ({ function_name, isWaiting, job_id, since }: LockHolder): string =>
  `job ${job_id} (${function_name}) ${isWaiting ? "has waited for it" : "has had it"} since ${since}`

/** Another job has the lock; trying again later can help. */
export class JobLockBusy extends Schema.TaggedError<JobLockBusy>()("JobLockBusy", {
  name: Schema.String,
  holder: LockHolder,
  /** Nobody else who waits goes before. */
  isNext: Schema.Boolean
}) {
  override get message() {
    return `Unable to acquire lock for configuring devices: ${describeHolder(this.holder)}`
  }
}
