/** Feature locks between jobs: one row per held lock, one lock per job (docs/changes.md#locks-and-waiting). */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type JobLock, JobLockBusy, type LockHolder } from "../domain/Job.ts"
import { serviceClasses } from "../domain/jobs/ServiceClasses.ts"
import { HOLDER_ENDED } from "./Holders.ts"
import { JOB_UNFINISHED } from "./JobStatusSql.ts"

/** A job that has waited for so long goes before all that have come later, whatever their class. */
const PASSED_FOR = "5 minutes"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    "job_id, name, to_char(start_time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as start_time, abort"
  )

  const unfinished = sql.literal(`status in ${JOB_UNFINISHED}`)

  /** The class of a job's service as a number; one that has waited for long is not passed by anybody any more. */
  const rank = (job: string) =>
    sql`(case when (${sql.literal(job)}.waiting_for ->> 'waits_since')::timestamp at time zone 'UTC'
          < now() - ${PASSED_FOR}::interval then 0
        else coalesce(array_position(${[...serviceClasses]}::text[], ${sql.literal(job)}.service_class), 1) - 1 end)`

  const waiting = (job: string, name: string) => sql`${sql.literal(job)}.status = 'SCHEDULED'
    and ${sql.literal(job)}.waiting_for ->> 'lock' = ${name} and ${sql.literal(job)}.alive_at > now() - interval '10 seconds'`

  /** The line: this job and those that wait for the lock; one whose process has died does not count, and one of an earlier release comes last. */
  const line = (name: string, jobId: number) => sql`line as (
      select w.id, w.function_name, w.scheduled_time, ${rank("w")} as rank, coalesce(w.lock_turn, 2147483647) as turn
      from job w where w.id = ${jobId} or (${waiting("w", name)})),
    before as (select l.* from line l, line own where own.id = ${jobId} and (l.rank, l.turn, l.id) < (own.rank, own.turn, own.id))`

  /**
   * Gives a job its turn when it joins the line: the one after the last of its own person, and no earlier one than that which is served now, so
   * that each person has their turn, however many jobs one of them has in the line.
   */
  const join = (name: string, jobId: number) => sql`update job set lock_turn = (
      select greatest(coalesce(max(w.lock_turn) filter (where w.person = own.person) + 1, 0), coalesce(min(w.lock_turn), 0))
      from (select lock_turn, coalesce(scheduled_person, scheduled_by, '') as person from job o where ${waiting("o", name)}
          or o.id in (select job_id from joblock where name = ${name})) w,
        (select coalesce(job.scheduled_person, job.scheduled_by, '') as person) own)
    where id = ${jobId} and lock_turn is null`

  return JobLockStore.of({
    acquire: Effect.fn("JobLockStore.acquire")(function* (name: string, jobId: number) {
      yield* join(name, jobId)
      // the job's row is locked, so that a job that ends in this moment does not get a lock that nobody gives back
      yield* sql`with job_now as (select id from job where id = ${jobId} and ${unfinished} for update),
        ${line(name, jobId)} insert into joblock (job_id, name) select id, ${name} from job_now
        where not exists (select 1 from before) on conflict do nothing`
      const [first, second] = yield* sql<LockHolder>`with ${line(name, jobId)}
        select joblock.job_id, function_name, iso_time(joblock.start_time) as since, false as "isWaiting"
          from joblock join job on job.id = joblock.job_id where name = ${name}
        union all (select id, function_name, iso_time(scheduled_time), true from before order by rank, turn, id limit 1)
        order by "isWaiting" limit 2`
      if (first === undefined || first.job_id === jobId) return
      return yield* new JobLockBusy({ name, holder: first, isNext: !first.isWaiting && second === undefined })
    }),
    release: Effect.fn("JobLockStore.release")(function* (jobId: number) {
      yield* sql`delete from joblock where job_id = ${jobId}`
    }),
    releaseEnded: Effect.withSpan(
      Effect.map(
        sql<{ job_id: number }>`delete from joblock using job where job.id = joblock.job_id
          and ${sql.literal(HOLDER_ENDED)} returning job_id`,
        (rows) => rows.map(({ job_id }) => job_id)
      ),
      "JobLockStore.releaseEnded"
    ),
    transfer: Effect.fn("JobLockStore.transfer")(function* (from: number, to: number) {
      yield* sql`update joblock set job_id = ${to} where job_id = ${from}`
    }),
    all: Effect.withSpan(sql<JobLock>`select ${columns} from joblock order by name`, "JobLockStore.all")
  })
})

/** Locks by name. */
export class JobLockStore extends Context.Service<
  JobLockStore,
  {
    /**
     * Takes the lock for the job when nobody has it or goes before (docs/jobs.md#who-goes-first); succeeds again for the job that has it, and
     * for one that has ended and needs none.
     */
    readonly acquire: (name: string, jobId: number) => Effect.Effect<void, SqlError.SqlError | JobLockBusy>
    /** Gives back what the job holds; a lock that is gone already is no error. */
    readonly release: (jobId: number) => Effect.Effect<void, SqlError.SqlError>
    /** Removes locks of jobs that have ended; yields those jobs. */
    readonly releaseEnded: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** Hands the lock of one job to another that finishes its work. */
    readonly transfer: (from: number, to: number) => Effect.Effect<void, SqlError.SqlError>
    readonly all: Effect.Effect<ReadonlyArray<JobLock>, SqlError.SqlError>
  }
>()("switchyard/store/JobLockStore") {
  static readonly layer = Layer.effect(JobLockStore, make)
}
