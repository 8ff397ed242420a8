/** Writes what jobs wait for into their records (`JobWaitingColumn.ts`). */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import type { JobWaiting, WindowWait } from "../domain/Job.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"
import { TIMERS_LEFT } from "./JobWaitingColumn.ts"

const pauseMessage = (by: string, why: string | null) =>
  `Paused by ${by}${why === null ? "" : `: ${why}`}. What is under way comes to its end, nothing further is begun until it is resumed`

/** A job that waits for its windows. Times are in epoch milliseconds. */
export interface PutOffJob {
  readonly id: number
  readonly attempt: number
  readonly function_name: string
  /** When it begins as its windows were when somebody looked last. */
  readonly due: number
  /** When it was to begin; null for a job of an earlier release, which was to begin at once. */
  readonly wanted: number | null
  /** What its record says about the window; null where it says nothing about one. */
  readonly message: string | null
  /** It waits for an approval first. */
  readonly awaits_approval: boolean
}

/** When a job begins by the windows as they are now, in epoch milliseconds; `waiting` is null when it need not wait for them. */
export interface NewTime {
  readonly at: number
  readonly waiting: WindowWait | null
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const paused = (ids: ReadonlyArray<number>) =>
    sql<{
      id: number
    }>`select id from job where id = any(${ids}::integer[]) and pause is not null and status = 'RUNNING'`
  const findPaused = makeGroupedFind(grouped, paused, ({ id }) => id)
  const timers = sql.literal(TIMERS_LEFT)
  return JobWaitStore.of({
    waitFor: Effect.fn("JobWaitStore.waitFor")((id: number, waiting: JobWaiting) =>
      Effect.asVoid(sql`update job set waiting_for = ${sql.json(waiting)} where id = ${id}`)
    ),
    clear: Effect.fn("JobWaitStore.clear")((id: number) =>
      Effect.asVoid(sql`update job set waiting_for = null where id = ${id}`)
    ),
    putOff: Effect.withSpan(
      sql<PutOffJob>`select id, attempt, function_name, (extract(epoch from scheduled_time) * 1000)::float8 as due,
          (extract(epoch from wanted_time) * 1000)::float8 as wanted,
          case waiting_for ->> 'reason' when 'window' then waiting_for ->> 'message' end as message,
          coalesce(waiting_for ->> 'reason' = 'approval', false) as awaits_approval
        from job where status = 'SCHEDULED' and scheduled_time > now()
          and (wanted_time is not null or waiting_for ->> 'reason' = 'window') order by id`,
      "JobWaitStore.putOff"
    ),
    reschedule: Effect.fn("JobWaitStore.reschedule")(function* (job: PutOffJob, { at, waiting }: NewTime) {
      // an approval is waited for first, and says so
      const rows =
        yield* sql`update job set scheduled_time = to_timestamp(${at / 1000}::float8), attempt = attempt + 1, alive_at = now(),
          waiting_for = case waiting_for ->> 'reason' when 'approval' then waiting_for
            else ${waiting === null ? null : sql.json(waiting)}::jsonb end
        where id = ${job.id} and attempt = ${job.attempt} and status = 'SCHEDULED' and scheduled_time > now() returning id`
      return rows.length === 1
    }),
    pause: Effect.fn("JobWaitStore.pause")((id: number, by: string, why: string | null) =>
      Effect.asVoid(sql`update job set pause = jsonb_build_object('reason', 'pause', 'by', ${by}::text, 'why', ${why}::text,
          'since', iso_time(now()), 'message', ${pauseMessage(by, why)}::text) where id = ${id}`)
    ),
    resume: Effect.fn("JobWaitStore.resume")((id: number) =>
      Effect.asVoid(sql`update job set pause = null where id = ${id}`)
    ),
    isPaused: Effect.fn("JobWaitStore.isPaused")((id: number) => Effect.map(findPaused(id), Option.isSome)),
    isPausedNow: Effect.fn("JobWaitStore.isPausedNow")((id: number) =>
      Effect.map(paused([id]), (found) => found.length > 0)
    ),
    refreshWaiting: Effect.fn("JobWaitStore.refreshWaiting")((id: number) =>
      Effect.asVoid(sql`update job set waiting_for = ${timers} where id = ${id}
        and (waiting_for ->> 'until') is distinct from (${timers} ->> 'until')`)
    )
  })
})

type Write = Effect.Effect<void, SqlError.SqlError>

/** What jobs wait for. */
export class JobWaitStore extends Context.Service<
  JobWaitStore,
  {
    /** Writes what the job waits for before it begins. */
    readonly waitFor: (id: number, waiting: JobWaiting) => Write
    /** Writes that the job waits for nothing. */
    readonly clear: (id: number) => Write
    /** Jobs that wait for their windows and are not due. */
    readonly putOff: Effect.Effect<ReadonlyArray<PutOffJob>, SqlError.SqlError>
    /** Gives such a job another time, and the next attempt that then works on it; false when it is due, or somebody else has done so. */
    readonly reschedule: (job: PutOffJob, time: NewTime) => Effect.Effect<boolean, SqlError.SqlError>
    /** Holds a job that runs, until `resume`. */
    readonly pause: (id: number, by: string, why: string | null) => Write
    readonly resume: (id: number) => Write
    /** Whether somebody holds the job now. Many that ask at the same time share a statement. */
    readonly isPaused: (id: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** The same within the caller's transaction. */
    readonly isPausedNow: (id: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Writes whether a job that runs waits for nothing but the commit timers of its devices. */
    readonly refreshWaiting: (id: number) => Write
  }
>()("switchyard/store/JobWaitStore") {
  static readonly layer = Layer.effect(JobWaitStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
