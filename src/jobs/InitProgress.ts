/**
 * The steps of an initialisation while it runs: sentences in the job's result, written as they happen, so that somebody who
 * looks at the job sees where it is. When the job ends well its result has the usual shape again; one that ended in
 * EXCEPTION keeps the sentences up to the step that failed.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { RunningJob } from "./JobHandler.ts"

/** Sentences that one job keeps; an initialisation has far fewer. */
const LIMIT = 200

export const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  /** Adds a sentence about a step that begins now. `step` is a short name for programs. */
  const say = Effect.fn("InitProgress.say")(function* ({ id }: RunningJob, step: string, message: string) {
    yield* Effect.logInfo(message, { step })
    const time = new Date(yield* Clock.currentTimeMillis).toISOString()
    const entry = sql.json({ time, step, message })
    yield* sql`update job set result = jsonb_build_object('devices', '{}'::jsonb, 'progress',
        coalesce(result -> 'progress', '[]'::jsonb) || jsonb_build_array(${entry}::jsonb))
      where id = ${id} and jsonb_array_length(coalesce(result -> 'progress', '[]'::jsonb)) < ${LIMIT}`
  })

  /** The job's result is its device rows again, with these keys beside them. */
  const finish = Effect.fn("InitProgress.finish")(
    ({ id }: RunningJob, beside: Readonly<Record<string, unknown>> = {}) =>
      Effect.asVoid(sql`update job set result = ${sql.json(beside)} where id = ${id}`)
  )

  return { say, finish }
})

export type InitProgress = Effect.Success<typeof make>
