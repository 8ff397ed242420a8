/**
 * Removes old jobs with their records, ended tokens and requests, and persons who have no records any more; stores each text once,
 * and counts what is stored. One of all replicas does it (docs/operations.md#retention).
 */
import { Duration, Effect, Layer, Schedule } from "effect"
import { ApiTokenStore } from "../../store/ApiTokenStore.ts"
import { PersonStore } from "../../store/AccountStore.ts"
import { RequestApprovalStore } from "../../store/ApprovalStore.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeOverviewHistory } from "../../store/FleetViews.ts"
import { EventStore } from "../../store/EventStore.ts"
import { makeProposals } from "../../store/ProposalStore.ts"
import { makeJobRetention, makeRetainedFigures } from "../../store/Retention.ts"
import { makeTextPacking } from "../../store/StoredTexts.ts"
import { SecretTexts } from "../../store/SecretStore.ts"
import { SqlClient } from "effect/sql"
import { JOB_ENDED } from "../../store/StatusConditions.ts"
import { JobWorkflow } from "./JobEngine.ts"
import { inTransaction } from "./JobHandler.ts"

/** A part of the interval: work that another replica did more recently is not repeated. */
const YOUNG = 0.9

/** Days after which a person without records is forgotten. */
const PERSON_DAYS = 365

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const retention = yield* makeJobRetention
    const figures = yield* makeRetainedFigures
    const tokens = yield* ApiTokenStore
    const approvals = yield* RequestApprovalStore
    const persons = yield* PersonStore
    const proposals = yield* makeProposals
    const { pack } = yield* makeTextPacking
    const history = yield* makeOverviewHistory
    const round = Effect.gen(function* () {
      if (!(yield* figures.begin(config.UPKEEP_INTERVAL * YOUNG))) return
      yield* history.add
      const removed = yield* retention.remove(config)
      if (config.JOB_DAYS > 0) yield* tokens.forget(config.JOB_DAYS)
      yield* approvals.forget(config.JOB_DAYS)
      yield* persons.forget(PERSON_DAYS)
      yield* proposals.forget(config.PROPOSAL_DAYS)
      yield* pack
      yield* figures.look
      yield* figures.noteRemoved(removed)
    })
    yield* round.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old jobs could not be removed", cause)),
      Effect.repeat(Schedule.spaced(Duration.seconds(config.UPKEEP_INTERVAL))),
      Effect.forkScoped
    )
  })
).pipe(
  Layer.provide([ApiTokenStore.layer, SecretTexts.layer]),
  Layer.provide([PersonStore.layer, RequestApprovalStore.layer]),
  Layer.provide([EventStore.layer])
)

// Forgets the workflow engine's own records of jobs that ended days ago; the job rows stay. The engine never deletes a message, so
// its tables would only grow. Deleting a message frees the job's execution id, which is harmless: a job that has ended does nothing
// when it is executed again.

/** Executions that one statement removes, so that it never holds its locks for long. */
const BATCH = 500
const ENTITY_TYPE = `Workflow/${JobWorkflow._tag}`

const endedExecutions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { JOB_RECORD_DAYS } = yield* ServerConfig
  return yield* sql<{ entity_id: string }>`
    select distinct m.entity_id from cluster_messages m
    left join job j on j.id = (m.payload::jsonb ->> 'jobId')::integer
    where m.entity_type = ${ENTITY_TYPE} and m.tag = 'run' and (j.id is null or j.status in ${sql.literal(JOB_ENDED)}
      and coalesce(j.finish_time, j.scheduled_time) < now() - make_interval(days => ${JOB_RECORD_DAYS}))
    limit ${BATCH}`
})

const forgetBatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const ids = (yield* endedExecutions).map((row) => row.entity_id)
  if (ids.length === 0) return 0
  yield* sql`delete from cluster_replies where request_id in
      (select request_id from cluster_messages where entity_type = ${ENTITY_TYPE} and entity_id in ${sql.in(ids)})`
  yield* sql`delete from cluster_messages where entity_type = ${ENTITY_TYPE} and entity_id in ${sql.in(ids)}`
  return ids.length
}).pipe(inTransaction)

/** Removes records older than JOB_RECORD_DAYS, and records of deleted jobs; yields how many executions were forgotten. */
export const forgetExecutions = Effect.gen(function* () {
  let total = 0
  for (let count = BATCH; count === BATCH; total += count) count = yield* forgetBatch
  return total
}).pipe(Effect.withSpan("EngineRecords.forget"))

/** Forgets them every `UPKEEP_INTERVAL` seconds. */
export const executions = Layer.effectDiscard(
  Effect.gen(function* () {
    const { UPKEEP_INTERVAL } = yield* ServerConfig
    yield* forgetExecutions.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old records of the engine could not be removed", cause)),
      Effect.repeat(Schedule.spaced(Duration.seconds(UPKEEP_INTERVAL))),
      Effect.forkScoped
    )
  })
)
