/**
 * The schedule of jobs (docs/changes.md#locks-and-waiting): feature locks, one row per held lock and one lock per job; the reasons why jobs
 * wait; and attempts.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { serviceClasses } from "../domain/jobs/ServiceClasses.ts"
import { JOB_BEGUN, JOB_ENDED, JOB_UNFINISHED, TIMERS_LEFT, UNFINISHED } from "./StatusConditions.ts"
import {
  finalStatuses,
  type JobLock,
  JobLockBusy,
  JobNotFound,
  JobStatus,
  type JobWaiting,
  type LockHolder,
  type WindowWait
} from "../domain/Job.ts"
import { PgClient } from "@effect/sql-pg"
import { SILENT_JOB } from "../domain/TakeOver.ts"

// The job that holds a lock or a device. It is read before a user overrides it: clears the lock, changes guarded fields of the device or
// deletes the device (docs/changes.md#locks-and-waiting). A job is a holder until it has ended: its status is final, no process works on it,
// and none of its changes is open. A job can have a lock while it is still SCHEDULED, so all three conditions are needed. The query locks
// the row in the transaction that overrides the holder.

/** A job that holds a lock or a device. */
const Holder = Schema.Struct({ job_id: Schema.Int, function_name: Schema.String, status: JobStatus })
type Holder = typeof Holder.Type

/** Nothing was changed, because the job must end first. The user can wait for it; one without a result can be aborted. */
export class StillHeld extends Schema.TaggedError<StillHeld>()("StillHeld", { what: Schema.String, holder: Holder }) {
  override get message() {
    const { function_name, job_id, status } = this.holder
    const holder = `${this.what} is held by job ${job_id} (${function_name})`
    return finalStatuses.includes(status)
      ? `${holder}, which has its result (${status}), but whose last work has not ended: try again in a minute`
      : `${holder}, which is ${status}: wait until it ends, or abort it`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** Whether a row of `job` has ended, as a condition of statements. */
const HOLDER_ENDED = `(job.status in ${JOB_ENDED}
  and coalesce(job.alive_at < now() - interval '${SILENT_JOB} seconds', true)
  and not exists (select from config_change c where c.job_id = job.id and c.${UNFINISHED}))`

const HOLDER_COLUMNS = "job.id as job_id, job.function_name, job.status"

/** Queries about holders, for use in a transaction of the caller. */
export const makeHolders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(HOLDER_COLUMNS)

  const refuse = (what: string) => (holders: ReadonlyArray<Holder>) => {
    const [holder] = holders
    return holder === undefined ? Effect.void : Effect.fail(new StillHeld({ what, holder }))
  }

  /** The job that holds a lock. The row of the lock stays locked until the transaction ends. */
  const lockedBy = Effect.fn("Holders.lockedBy")(function* (name: string) {
    const [lock] = yield* sql<{ job_id: number }>`select job_id from joblock where name = ${name} for update`
    return Option.fromUndefinedOr(lock)
  })

  return {
    /** Removes the lock of a job that has ended; false if no such lock exists. Fails with StillHeld while the job works. */
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
     * Fails with StillHeld if a change on the device is open, or if a job about this device alone has begun. The caller has locked the
     * device's row, so no other change can be stored. `except` is the calling job.
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

/** A job that has waited this long goes before all later jobs of any class. */
const PASSED_FOR = "5 minutes"

const makeLocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    "job_id, name, to_char(start_time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as start_time, abort"
  )

  const unfinished = sql.literal(`status in ${JOB_UNFINISHED}`)

  /** The service class of a job as a number; a job that has waited long gets the first rank. */
  const rank = (job: string) =>
    sql`(case when (${sql.literal(job)}.waiting_for ->> 'waits_since')::timestamp at time zone 'UTC'
          < now() - ${PASSED_FOR}::interval then 0
        else coalesce(array_position(${[...serviceClasses]}::text[], ${sql.literal(job)}.service_class), 1) - 1 end)`

  const waiting = (job: string, name: string) => sql`${sql.literal(job)}.status = 'SCHEDULED'
    and ${sql.literal(job)}.waiting_for ->> 'lock' = ${name} and ${sql.literal(job)}.alive_at > now() - interval '10 seconds'`

  /** The queue: this job and those that wait for the lock. Jobs of dead processes do not count; jobs of an earlier release come last. */
  const line = (name: string, jobId: number) => sql`line as (
      select w.id, w.function_name, w.scheduled_time, ${rank("w")} as rank, coalesce(w.lock_turn, 2147483647) as turn
      from job w where w.id = ${jobId} or (${waiting("w", name)})),
    before as (select l.* from line l, line own where own.id = ${jobId} and (l.rank, l.turn, l.id) < (own.rank, own.turn, own.id))`

  /**
   * Gives a job its turn when it joins the queue: the turn after the last job of the same person, and no earlier turn than the current one.
   * So each person gets a turn, however many jobs another person has in the queue.
   */
  const join = (name: string, jobId: number) => sql`update job set lock_turn = (
      select greatest(coalesce(max(w.lock_turn) filter (where w.person = own.person) + 1, 0), coalesce(min(w.lock_turn), 0))
      from (select lock_turn, coalesce(scheduled_person, scheduled_by, '') as person from job o where ${waiting("o", name)}
          or o.id in (select job_id from joblock where name = ${name})) w,
        (select coalesce(job.scheduled_person, job.scheduled_by, '') as person) own)
    where id = ${jobId} and lock_turn is null`

  return {
    acquire: Effect.fn("JobScheduleStore.locks.acquire")(function* (name: string, jobId: number) {
      yield* join(name, jobId)
      // the job's row is locked: a job that ends at this moment would never release the lock
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
    release: Effect.fn("JobScheduleStore.locks.release")(function* (jobId: number) {
      yield* sql`delete from joblock where job_id = ${jobId}`
    }),
    releaseEnded: Effect.withSpan(
      Effect.map(
        sql<{ job_id: number }>`delete from joblock using job where job.id = joblock.job_id
          and ${sql.literal(HOLDER_ENDED)} returning job_id`,
        (rows) => rows.map(({ job_id }) => job_id)
      ),
      "JobScheduleStore.locks.releaseEnded"
    ),
    transfer: Effect.fn("JobScheduleStore.locks.transfer")(function* (from: number, to: number) {
      yield* sql`update joblock set job_id = ${to} where job_id = ${from}`
    }),
    all: Effect.withSpan(sql<JobLock>`select ${columns} from joblock order by name`, "JobScheduleStore.locks.all")
  } satisfies JobLocks
})

/** Locks by name. */
interface JobLocks {
  /**
   * Takes the lock for the job if no job holds it or goes first (docs/jobs.md#who-goes-first). Also succeeds for the lock's holder, and
   * for a job that has ended and needs no lock.
   */
  readonly acquire: (name: string, jobId: number) => Effect.Effect<void, SqlError.SqlError | JobLockBusy>
  /** Releases the job's lock; it is no error if the lock no longer exists. */
  readonly release: (jobId: number) => Effect.Effect<void, SqlError.SqlError>
  /** Removes locks of jobs that have ended; yields those jobs. */
  readonly releaseEnded: Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
  /** Passes the lock of a job to the job that finishes its work. */
  readonly transfer: (from: number, to: number) => Effect.Effect<void, SqlError.SqlError>
  readonly all: Effect.Effect<ReadonlyArray<JobLock>, SqlError.SqlError>
}

// The reasons why jobs wait, in the column that `WAITING` of `StatusConditions.ts` reads.

const pauseMessage = (by: string, why: string | null) =>
  `Paused by ${by}${why === null ? "" : `: ${why}`}. What is under way comes to its end, nothing further is begun until it is resumed`

/** A job that waits for its windows. Times are in epoch milliseconds. */
export interface PutOffJob {
  readonly id: number
  readonly attempt: number
  readonly function_name: string
  /** The begin by its windows at the time of the last check. */
  readonly due: number
  /** The requested begin; null for a job of an earlier release, which was to begin at once. */
  readonly wanted: number | null
  /** The message about the window in its record, if any. */
  readonly message: string | null
  /** It waits for an approval first. */
  readonly awaits_approval: boolean
}

/** The begin of a job by the current windows, in epoch milliseconds; `waiting` is null if it does not wait for them. */
export interface NewTime {
  readonly at: number
  readonly waiting: WindowWait | null
}

/** Whether a job may begin with further devices. */
export interface JobStanding {
  readonly status: JobStatus
  readonly isPaused: boolean
}

const makeWaits = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const timers = sql.literal(TIMERS_LEFT)
  return {
    waitFor: Effect.fn("JobScheduleStore.waits.waitFor")((id: number, waiting: JobWaiting) =>
      Effect.asVoid(sql`update job set waiting_for = ${sql.json(waiting)} where id = ${id}`)
    ),
    clear: Effect.fn("JobScheduleStore.waits.clear")((id: number) =>
      Effect.asVoid(sql`update job set waiting_for = null where id = ${id}`)
    ),
    putOff: Effect.withSpan(
      sql<PutOffJob>`select id, attempt, function_name, (extract(epoch from scheduled_time) * 1000)::float8 as due,
          (extract(epoch from wanted_time) * 1000)::float8 as wanted,
          case waiting_for ->> 'reason' when 'window' then waiting_for ->> 'message' end as message,
          coalesce(waiting_for ->> 'reason' = 'approval', false) as awaits_approval
        from job where status = 'SCHEDULED' and scheduled_time > now()
          and (wanted_time is not null or waiting_for ->> 'reason' = 'window') order by id`,
      "JobScheduleStore.waits.putOff"
    ),
    reschedule: Effect.fn("JobScheduleStore.waits.reschedule")(function* (job: PutOffJob, { at, waiting }: NewTime) {
      // a job that also waits for an approval keeps that reason
      const rows =
        yield* sql`update job set scheduled_time = to_timestamp(${at / 1000}::float8), attempt = attempt + 1, alive_at = now(),
          waiting_for = case waiting_for ->> 'reason' when 'approval' then waiting_for
            else ${waiting === null ? null : sql.json(waiting)}::jsonb end
        where id = ${job.id} and attempt = ${job.attempt} and status = 'SCHEDULED' and scheduled_time > now() returning id`
      return rows.length === 1
    }),
    pause: Effect.fn("JobScheduleStore.waits.pause")((id: number, by: string, why: string | null) =>
      Effect.asVoid(sql`update job set pause = jsonb_build_object('reason', 'pause', 'by', ${by}::text, 'why', ${why}::text,
          'since', iso_time(now()), 'message', ${pauseMessage(by, why)}::text) where id = ${id}`)
    ),
    resume: Effect.fn("JobScheduleStore.waits.resume")((id: number) =>
      Effect.asVoid(sql`update job set pause = null where id = ${id}`)
    ),
    standing: Effect.fn("JobScheduleStore.waits.standing")((id: number) =>
      Effect.map(
        sql<JobStanding>`select status, pause is not null and status = 'RUNNING' as "isPaused" from job where id = ${id}`,
        ([row]) => row ?? { status: "ABORTED" as const, isPaused: false }
      )
    ),
    isPausedNow: Effect.fn("JobScheduleStore.waits.isPausedNow")((id: number) =>
      Effect.map(
        sql`select from job where id = ${id} and pause is not null and status = 'RUNNING'`,
        (found) => found.length > 0
      )
    ),
    refreshWaiting: Effect.fn("JobScheduleStore.waits.refreshWaiting")((id: number) =>
      Effect.map(
        sql<{ status: JobStatus }>`with timed as materialized (select ${timers} as waiting from job where id = ${id}),
          changed as (update job set waiting_for = timed.waiting from timed where id = ${id}
            and (waiting_for ->> 'until') is distinct from (timed.waiting ->> 'until'))
          select status from job where id = ${id}`,
        ([row]) => row?.status
      )
    )
  } satisfies JobWaits
})

type Write = Effect.Effect<void, SqlError.SqlError>

/** Waits of jobs. */
interface JobWaits {
  /** Writes the reason why the job waits before its begin. */
  readonly waitFor: (id: number, waiting: JobWaiting) => Write
  /** Writes that the job waits for nothing. */
  readonly clear: (id: number) => Write
  /** Jobs that wait for their windows and are not due. */
  readonly putOff: Effect.Effect<ReadonlyArray<PutOffJob>, SqlError.SqlError>
  /** Gives such a job another time and another attempt; false if it is due, or if another process has rescheduled it. */
  readonly reschedule: (job: PutOffJob, time: NewTime) => Effect.Effect<boolean, SqlError.SqlError>
  /** Pauses a running job until `resume`. */
  readonly pause: (id: number, by: string, why: string | null) => Write
  readonly resume: (id: number) => Write
  /** The facts that a job asks for before it begins with a device. */
  readonly standing: (id: number) => Effect.Effect<JobStanding, SqlError.SqlError>
  /** Whether the job is paused. */
  readonly isPausedNow: (id: number) => Effect.Effect<boolean, SqlError.SqlError>
  /** Writes whether a running job waits only for the commit timers of its devices; yields its status. */
  readonly refreshWaiting: (id: number) => Effect.Effect<JobStatus | undefined, SqlError.SqlError>
}

// Attempts at jobs: the attempt that may work on a job, and the time of its last heartbeat. A job on which no process works gets another
// attempt.

/** One attempt at a job. A job that is resumed because no process works on it gets the next number. */
export interface JobAttempt {
  readonly jobId: number
  readonly attempt: number
}

const makeAttempts = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  /** Jobs that are due and have not ended, without a heartbeat for this number of seconds. */
  const isSilent = (seconds: number) => sql`status in ${sql.literal(JOB_UNFINISHED)}
    and greatest(alive_at, scheduled_time) < now() - make_interval(secs => ${seconds})`

  return {
    stayAlive: Effect.fn("JobScheduleStore.attempts.stayAlive")((attempts: ReadonlyArray<JobAttempt>) => {
      const given = attempts.map(({ attempt, jobId }) => ({ attempt, jobId }))
      return Effect.map(
        sql<{ id: number }>`update job set alive_at = now()
          from jsonb_to_recordset(${sql.json(given)}) as given ("jobId" integer, attempt integer)
          where id = given."jobId" and job.attempt = given.attempt returning id`,
        (rows) => rows.map(({ id }) => id)
      )
    }),
    silent: Effect.fn("JobScheduleStore.attempts.silent")(
      (seconds: number) =>
        sql<JobAttempt>`select id as "jobId", attempt from job where ${isSilent(seconds)} order by id`
    ),
    current: Effect.fn("JobScheduleStore.attempts.current")(function* (id: number) {
      const [row] = yield* sql<{ attempt: number }>`select attempt from job where id = ${id}`
      return row === undefined ? yield* new JobNotFound({ id }) : row.attempt
    }),
    next: Effect.fn("JobScheduleStore.attempts.next")(function* ({ attempt, jobId }: JobAttempt, seconds: number) {
      const rows = yield* sql`update job set attempt = attempt + 1, alive_at = now()
        where id = ${jobId} and attempt = ${attempt} and ${isSilent(seconds)} returning id`
      return rows.length === 1
    })
  } satisfies JobAttempts
})

/** Attempts by job. */
interface JobAttempts {
  /** Writes a heartbeat for these attempts; yields the jobs whose attempt was not replaced. */
  readonly stayAlive: (attempts: ReadonlyArray<JobAttempt>) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
  /** Attempts at jobs that are due and have not ended, without a heartbeat for this number of seconds. */
  readonly silent: (seconds: number) => Effect.Effect<ReadonlyArray<JobAttempt>, SqlError.SqlError>
  /** The number of the attempt that may work on the job. */
  readonly current: (id: number) => Effect.Effect<number, SqlError.SqlError | JobNotFound>
  /** Replaces the attempt of a job that is still silent; false if it is not, or if another process was first. */
  readonly next: (left: JobAttempt, seconds: number) => Effect.Effect<boolean, SqlError.SqlError>
}

/** The schedule of jobs: locks by name, waits and attempts by job. */
export class JobScheduleStore extends Context.Service<
  JobScheduleStore,
  { readonly locks: JobLocks; readonly waits: JobWaits; readonly attempts: JobAttempts }
>()("switchyard/store/JobScheduleStore") {
  static readonly layer = Layer.effect(
    JobScheduleStore,
    Effect.all({ locks: makeLocks, waits: makeWaits, attempts: makeAttempts })
  )
}
