/** The remains of ended jobs in the database, read by a tester who waits for the database like other clients. */
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { finalStatuses, type Job, type JobStatus } from "../../../src/domain/Job.ts"
import { UNFINISHED } from "../../../src/store/StatusConditions.ts"
import { seconds } from "../../support/Patience.ts"

/** The tester's own work on the database: as often as it takes until it answers. */
export const calmly = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  work.pipe(Effect.timeout(seconds(20)), Effect.sandbox, Effect.retry(Schedule.spaced("200 millis")), Effect.orDie)

/** Jobs that have not ended. */
export const openJobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; status: string; function_name: string }>`
    select id, status, function_name from job where status not in ${sql.in(finalStatuses)} order by id`
}).pipe(calmly)

export const untilAllEnded = Effect.gen(function* () {
  while ((yield* openJobs).length > 0) yield* Effect.sleep(50)
})

/** Locks, and changes that have not come to an end: nothing may be left of jobs that have. */
export const leftovers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const locks = yield* sql<{ job_id: number }>`select job_id from joblock`
  const open = yield* sql<{ id: number; job_id: number; phase: string }>`
    select id, job_id, phase from config_change where ${sql.literal(UNFINISHED)}`
  return [
    ...locks.map(({ job_id }) => `leaked lock of job ${job_id}`),
    ...open.map(({ id, job_id, phase }) => `open change ${id} of job ${job_id}: ${phase}`)
  ]
}).pipe(calmly)

export const untilNothingIsLeft = Effect.gen(function* () {
  while ((yield* leftovers).length > 0) yield* Effect.sleep(100)
})

/** Texts that no record may contain when only a requirement of the server was faulty. */
const OWN_ERROR = /DatabaseError|SqlError|InternalError|PersistenceError|internal error/

/** An end that only a fault of the server's surroundings can have caused. A job may end FINISHED, or as is said. */
export const recordProblems = (job: Job, ...mayEnd: ReadonlyArray<JobStatus>): ReadonlyArray<string> => {
  const { exception, function_name, id, status } = job
  const text = JSON.stringify([job.result, exception])
  const said = OWN_ERROR.exec(text)
  const name = `job ${id} (${function_name})`
  if (said !== null)
    return [`${name} ended by ${said[0]}: ${text.slice(Math.max(0, said.index - 80), said.index + 300)}`]
  // a job that the lock has refused says so
  return status === "FINISHED" || mayEnd.includes(status) || exception?.type === "JoblockError"
    ? []
    : [`${name} is ${status}: ${text.slice(0, 300)}`]
}
