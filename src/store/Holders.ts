/**
 * Which job holds a lock or a device. This is asked before a user overrides it: clears the lock, changes guarded fields of the device or
 * deletes it (docs/changes.md#locks-and-waiting). A holder is a job, and it holds until it has ended: its status is at an end, no
 * process works on it any more, and no change that it began is open. A job has a lock while it still is SCHEDULED, so none of
 * these can be left out. Each is asked with the row that is held locked, in the transaction that overrides it.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { JobStatus } from "../domain/Job.ts"
import { SILENT_JOB } from "../domain/TakeOver.ts"
import { JOB_BEGUN, JOB_ENDED } from "./JobStatusSql.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

/** A job that has something in hand. */
const Holder = Schema.Struct({ job_id: Schema.Int, function_name: Schema.String, status: JobStatus })
export type Holder = typeof Holder.Type

/** Nothing was changed: the job has to end first. Waiting for it helps, and so does aborting it. */
export class StillHeld extends Schema.TaggedError<StillHeld>()("StillHeld", { what: Schema.String, holder: Holder }) {
  override get message() {
    const { function_name, job_id, status } = this.holder
    return `${this.what} is held by job ${job_id} (${function_name}), which is ${status}: wait until it ends, or abort it`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** Whether a row of `job` has ended, as a condition of statements. */
export const HOLDER_ENDED = `(job.status in ${JOB_ENDED}
  and coalesce(job.alive_at < now() - interval '${SILENT_JOB} seconds', true)
  and not exists (select from config_change c where c.job_id = job.id and c.${UNFINISHED}))`

const COLUMNS = "job.id as job_id, job.function_name, job.status"

/** Asks for holders. To be used in a transaction of the caller's. */
export const makeHolders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(COLUMNS)

  const refuse = (what: string) => (holders: ReadonlyArray<Holder>) => {
    const [holder] = holders
    return holder === undefined ? Effect.void : Effect.fail(new StillHeld({ what, holder }))
  }

  /** The job whose name stands at a lock; the lock cannot be taken, handed on or given back until the transaction ends. */
  const lockedBy = Effect.fn("Holders.lockedBy")(function* (name: string) {
    const [lock] = yield* sql<{ job_id: number }>`select job_id from joblock where name = ${name} for update`
    return Option.fromUndefinedOr(lock)
  })

  return {
    /** Removes a lock that a job has left behind; false when there is none. Fails with StillHeld. */
    clearLock: Effect.fn("Holders.clearLock")(function* (name: string) {
      const lock = yield* lockedBy(name)
      if (Option.isNone(lock)) return false
      yield* Effect.flatMap(
        sql<Holder>`select ${columns} from job where id = ${lock.value.job_id} and not ${sql.literal(HOLDER_ENDED)}`,
        refuse(`The lock ${name}`)
      )
      yield* sql`delete from joblock where name = ${name}`
      return true
    }),
    /**
     * Fails with StillHeld when a change on the device is open, or a job about this device alone has begun. The caller has locked the
     * device's row, so no other change can be stored. `except` is the job that asks.
     */
    requireFree: Effect.fn("Holders.requireFree")(
      (device: { readonly id: number; readonly hostname: string }, except: number | null = null) =>
        Effect.flatMap(
          sql<Holder>`select ${columns} from job where id is distinct from ${except}::integer
            and (exists (select from config_change c where c.job_id = job.id and c.device_id = ${device.id}
                and c.${sql.literal(UNFINISHED)})
              or (job.status in ${sql.literal(JOB_BEGUN)} and job.start_arguments ->> 'device_id' = ${String(device.id)}::text))
            order by job.id limit 1`,
          refuse(device.hostname)
        )
    )
  }
})
