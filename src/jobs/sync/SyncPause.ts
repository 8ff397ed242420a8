/**
 * Holds rollouts and lets them go on (docs/jobs.md#pause). What is under way on a switch comes to its end; nothing further is begun.
 * The row of the job says so, so that a restart holds it as well.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { functionOf, type JobNotFound } from "../../domain/Job.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobStore } from "../../store/JobStore.ts"
import { planOf } from "./SyncPlan.ts"
import { JobWaitStore } from "../../store/JobScheduling.ts"

/** The job cannot be held, or is not held. */
export class PauseRefused extends Schema.TaggedError<PauseRefused>()("PauseRefused", { message: Schema.String }) {}

/** Why a job of this function and with these arguments cannot be held; null when it can. */
const unfitness = (name: string, start_arguments: unknown, configured: number): string | null => {
  if (name !== SyncDevices.name) return "only jobs of sync_devices can be paused"
  const args = Schema.decodeUnknownOption(SyncDevices.Args)(start_arguments)
  if (Option.isNone(args)) return "its arguments cannot be read"
  return planOf(args.value, configured).scope === "job"
    ? "in confirm mode 2 all devices wait for each other while their timers run, so it can only be aborted"
    : null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { COMMIT_CONFIRMED_MODE } = yield* ServerConfig
  const jobs = yield* JobStore
  const waits = yield* JobWaitStore

  const unfit = Effect.fn("SyncPause.unfit")(function* (id: number) {
    const { function_name, start_arguments } = yield* jobs.head(id)
    return unfitness(functionOf(function_name), start_arguments, COMMIT_CONFIRMED_MODE)
  })

  const pause = Effect.fn("SyncPause.pause")(function* (id: number, by: string, why: string | null) {
    const refused = (because: string) => new PauseRefused({ message: `Job ${id} cannot be paused: ${because}` })
    const status = yield* jobs.lockStatus(id)
    const because = yield* unfit(id)
    if (because !== null) return yield* refused(because)
    if (status !== "RUNNING") return yield* refused(`it is ${status}, and must be RUNNING`)
    if (yield* waits.isPausedNow(id)) return yield* refused("it is paused already")
    yield* waits.pause(id, by, why)
    yield* Effect.logInfo(`Job ${id}: paused by ${by}`)
  }, sql.withTransaction)

  const resume = Effect.fn("SyncPause.resume")(function* (id: number, by: string) {
    yield* jobs.lockStatus(id)
    if (!(yield* waits.isPausedNow(id))) {
      return yield* new PauseRefused({ message: `Job ${id} cannot be resumed: it is not paused` })
    }
    yield* waits.resume(id)
    yield* Effect.logInfo(`Job ${id}: resumed by ${by}`)
  }, sql.withTransaction)

  return SyncPause.of({ unfit, pause, resume })
})

type Held = Effect.Effect<void, JobNotFound | PauseRefused | SqlError.SqlError>

/** Rollouts that are held. */
export class SyncPause extends Context.Service<
  SyncPause,
  {
    /** Why this job can never be paused; null when it can while it runs. */
    readonly unfit: (id: number) => Effect.Effect<string | null, JobNotFound | SqlError.SqlError>
    readonly pause: (id: number, by: string, why: string | null) => Held
    readonly resume: (id: number, by: string) => Held
  }
>()("switchyard/jobs/SyncPause") {
  static readonly layer = Layer.effect(SyncPause, make)
}
