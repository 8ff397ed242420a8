/** Writes what jobs wait for into their records (`JobWaitingColumn.ts`). */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import type { JobWaiting } from "../domain/JobWaiting.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"
import { TIMERS_LEFT } from "./JobWaitingColumn.ts"

const pauseMessage = (by: string, why: string | null) =>
  `Paused by ${by}${why === null ? "" : `: ${why}`}. What is under way comes to its end, nothing further is begun until it is resumed`

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
