/**
 * Forgets the workflow engine's own records of jobs that ended days ago; the job rows stay. The engine keeps every message for
 * ever, and its tables would only grow. Deleting a message frees the job's execution id, which is harmless: a job that has
 * ended does nothing when it is executed again.
 */
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ServerConfig } from "../../ServerConfig.ts"
import { JOB_ENDED } from "../../store/StatusConditions.ts"
import { JobWorkflow } from "./JobWorkflow.ts"

/** Executions that one statement removes, so that it never holds its locks for long. */
const BATCH = 500
const ENTITY_TYPE = `Workflow/${JobWorkflow._tag}`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { JOB_RECORD_DAYS } = yield* ServerConfig

  const endedExecutions = sql<{ entity_id: string }>`
    select distinct m.entity_id from cluster_messages m
    left join job j on j.id = (m.payload::jsonb ->> 'jobId')::integer
    where m.entity_type = ${ENTITY_TYPE} and m.tag = 'run' and (j.id is null or j.status in ${sql.literal(JOB_ENDED)}
      and coalesce(j.finish_time, j.scheduled_time) < now() - make_interval(days => ${JOB_RECORD_DAYS}))
    limit ${BATCH}`

  const forgetBatch = Effect.gen(function* () {
    const ids = (yield* endedExecutions).map((row) => row.entity_id)
    if (ids.length === 0) return 0
    yield* sql`delete from cluster_replies where request_id in
      (select request_id from cluster_messages where entity_type = ${ENTITY_TYPE} and entity_id in ${sql.in(ids)})`
    yield* sql`delete from cluster_messages where entity_type = ${ENTITY_TYPE} and entity_id in ${sql.in(ids)}`
    return ids.length
  }).pipe(sql.withTransaction)

  const forget = Effect.gen(function* () {
    let total = 0
    for (let count = BATCH; count === BATCH; total += count) count = yield* forgetBatch
    return total
  }).pipe(Effect.withSpan("EngineRecords.forget"))

  return EngineRecords.of({ forget })
})

/** The engine's records of ended jobs. */
export class EngineRecords extends Context.Service<
  EngineRecords,
  {
    /** Removes what is older than JOB_RECORD_DAYS, and what is of jobs that are gone; yields how many executions were forgotten. */
    readonly forget: Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/jobs/EngineRecords") {
  static readonly layer = Layer.effect(EngineRecords, make)

  /** Forgets every `UPKEEP_INTERVAL` seconds. */
  static readonly layerSweep = Layer.effectDiscard(
    Effect.gen(function* () {
      const { UPKEEP_INTERVAL } = yield* ServerConfig
      const { forget } = yield* EngineRecords
      yield* forget.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Old records of the engine could not be removed", cause)),
        Effect.repeat(Schedule.spaced(Duration.seconds(UPKEEP_INTERVAL))),
        Effect.forkScoped
      )
    })
  )
}
