/**
 * Attempts at jobs: which one may work on a job, and when somebody last said that it does. A job that nobody works on gets a
 * further attempt.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { JobNotFound } from "../domain/Job.ts"
import { JOB_UNFINISHED } from "./JobStatusSql.ts"

/** One attempt at a job; one that is started again because nobody works on it gets the next number. */
export interface JobAttempt {
  readonly jobId: number
  readonly attempt: number
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  /** Jobs that are due and have not ended, and of which nobody has said for so many seconds that they are worked on. */
  const isSilent = (seconds: number) => sql`status in ${sql.literal(JOB_UNFINISHED)}
    and greatest(alive_at, scheduled_time) < now() - make_interval(secs => ${seconds})`

  return JobAttemptStore.of({
    stayAlive: Effect.fn("JobAttemptStore.stayAlive")((attempts: ReadonlyArray<JobAttempt>) => {
      const given = attempts.map(({ attempt, jobId }) => ({ attempt, jobId }))
      return Effect.map(
        sql<{ id: number }>`update job set alive_at = now()
          from jsonb_to_recordset(${sql.json(given)}) as given ("jobId" integer, attempt integer)
          where id = given."jobId" and job.attempt = given.attempt returning id`,
        (rows) => rows.map(({ id }) => id)
      )
    }),
    silent: Effect.fn("JobAttemptStore.silent")(
      (seconds: number) =>
        sql<JobAttempt>`select id as "jobId", attempt from job where ${isSilent(seconds)} order by id`
    ),
    current: Effect.fn("JobAttemptStore.current")(function* (id: number) {
      const [row] = yield* sql<{ attempt: number }>`select attempt from job where id = ${id}`
      return row === undefined ? yield* new JobNotFound({ id }) : row.attempt
    }),
    next: Effect.fn("JobAttemptStore.next")(function* ({ attempt, jobId }: JobAttempt, seconds: number) {
      const rows = yield* sql`update job set attempt = attempt + 1, alive_at = now()
        where id = ${jobId} and attempt = ${attempt} and ${isSilent(seconds)} returning id`
      return rows.length === 1
    })
  })
})

/** Attempts by job. */
export class JobAttemptStore extends Context.Service<
  JobAttemptStore,
  {
    /** Writes that these attempts are worked on; yields the jobs of those that no newer one has replaced. */
    readonly stayAlive: (attempts: ReadonlyArray<JobAttempt>) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** Attempts at jobs that are due and have not ended, and that nobody has worked on for so many seconds. */
    readonly silent: (seconds: number) => Effect.Effect<ReadonlyArray<JobAttempt>, SqlError.SqlError>
    /** The number of the attempt that may work on the job. */
    readonly current: (id: number) => Effect.Effect<number, SqlError.SqlError | JobNotFound>
    /** Replaces the attempt of a job that still is silent; false when it is not, or somebody else has done it. */
    readonly next: (left: JobAttempt, seconds: number) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/store/JobAttemptStore") {
  static readonly layer = Layer.effect(JobAttemptStore, make)
}
