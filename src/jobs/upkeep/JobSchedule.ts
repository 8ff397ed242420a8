/**
 * Jobs that the server starts by itself every so often. Which replica does it does not matter: the time of the last one is in the job
 * table, and the look at it is made by one at a time.
 */
import { Duration, Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { SCHEDULER } from "../../domain/Job.ts"
import { JOB_UNFINISHED } from "../../store/StatusConditions.ts"

/** The longest time between two looks at the clock, in seconds. */
const LONGEST_PAUSE = 30

export interface RegularJob {
  /** The name of its function. */
  readonly name: string
  /** Seconds between two starts; 0: never. */
  readonly interval: number
  /** Jobs of other people count as well: what they have done need not be done again. */
  readonly countsOthers: boolean
  /** Starts it, unless there is nothing to do. */
  readonly start: Effect.Effect<void, SqlError.SqlError>
}

/** Starts the job whenever it is due, for as long as the scope is open. */
export const startRegularly = Effect.fnUntraced(function* ({ countsOthers, interval, name, start }: RegularJob) {
  const sql = yield* SqlClient.SqlClient
  if (interval === 0) return
  const whose = countsOthers ? sql`true` : sql`scheduled_by = ${SCHEDULER}`

  const startWhenDue = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(hashtext(${name}))`
    const recent = yield* sql`select 1 from job where function_name = ${name} and ${whose}
      and (status in ${sql.literal(JOB_UNFINISHED)}
        or scheduled_time > now() - make_interval(secs => ${interval})) limit 1`
    if (recent.length === 0) yield* start
  }).pipe(sql.withTransaction)

  yield* startWhenDue.pipe(
    Effect.tapCause((cause) => Effect.logWarning(`The job ${name} could not be started`, cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(Duration.seconds(Math.min(interval, LONGEST_PAUSE)))),
    Effect.forkScoped
  )
})
