/**
 * Starts the job `device_drift` every DRIFT_INTERVAL seconds (0: never). Which replica does it does not matter: the time of
 * the last one is in the job table, and the look at it is made by one at a time.
 */
import { Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceDrift } from "../../domain/jobs/DeviceDrift.ts"
import { JOB_UNFINISHED } from "../../store/JobStatusSql.ts"
import { JobEngine } from "../engine/JobEngine.ts"

/** The longest time between two looks at the clock, in seconds. */
const LONGEST_PAUSE = 30

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const engine = yield* JobEngine
  const { DRIFT_INTERVAL } = yield* ServerConfig
  if (DRIFT_INTERVAL === 0) return

  const startWhenDue = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(hashtext('device_drift'))`
    const recent = yield* sql`select 1 from job where function_name = ${DeviceDrift.name}
      and (status in ${sql.literal(JOB_UNFINISHED)}
        or scheduled_time > now() - make_interval(secs => ${DRIFT_INTERVAL})) limit 1`
    if (recent.length > 0) return
    yield* engine.start(DeviceDrift, {}, { user: "scheduler", delaySeconds: 0 })
  }).pipe(sql.withTransaction)

  yield* startWhenDue.pipe(
    Effect.tapCause((cause) => Effect.logWarning("The drift job could not be started", cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(Duration.seconds(Math.min(DRIFT_INTERVAL, LONGEST_PAUSE)))),
    Effect.forkScoped
  )
})

/** The schedule, for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
