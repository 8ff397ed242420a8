/** Writes what jobs wait for into their records (`JobWaitingColumn.ts`). */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { JobWaiting } from "../domain/JobWaiting.ts"
import { TIMERS_LEFT } from "./JobWaitingColumn.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const timers = sql.literal(TIMERS_LEFT)
  return JobWaitStore.of({
    waitFor: Effect.fn("JobWaitStore.waitFor")((id: number, waiting: JobWaiting) =>
      Effect.asVoid(sql`update job set waiting_for = ${sql.json(waiting)} where id = ${id}`)
    ),
    clear: Effect.fn("JobWaitStore.clear")((id: number) =>
      Effect.asVoid(sql`update job set waiting_for = null where id = ${id}`)
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
    /** Writes whether a job that runs waits for nothing but the commit timers of its devices. */
    readonly refreshWaiting: (id: number) => Write
  }
>()("switchyard/store/JobWaitStore") {
  static readonly layer = Layer.effect(JobWaitStore, make)
}
