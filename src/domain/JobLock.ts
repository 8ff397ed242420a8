/** Locks that keep conflicting jobs apart, one row per feature (contract `engine.md` §3). */
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

/** Another job holds the lock; trying again later can help. */
export class JobLockBusy extends Schema.TaggedError<JobLockBusy>()("JobLockBusy", {
  name: Schema.String,
  holder: Schema.Int
}) {
  override get message() {
    return "Unable to acquire lock for configuring devices"
  }
}
