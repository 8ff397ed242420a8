/**
 * Job `refresh_repo`: brings a repository up to date, checks the new commit, puts it in force and marks the devices that it
 * concerns. A commit with errors changes nothing. The request waits for it, but it is a job like any other, so a refresh
 * that a restart cut off is done again. Carries contract engine.md §15 and settings-and-templates.md §7.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { JobEvent } from "../../machines/JobLifecycle.ts"
import type { JobNotFound } from "../domain/Job.ts"
import { DEVICES_LOCK } from "../domain/JobLock.ts"
import { Remark } from "../domain/Remark.ts"
import { JobLockStore } from "../store/JobLockStore.ts"
import { JobStore } from "../store/JobStore.ts"
import type { RepositoryName } from "../store/RepositoryStore.ts"
import { JobEngine } from "./JobEngine.ts"
import { type JobHandler, type RunningJob, settled } from "./JobHandler.ts"
import { JobStates } from "./JobStates.ts"
import { type RefreshOutcome, RefreshRefused } from "./RefreshRefused.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"

/** What the job remembers: which repository, and the answer to the request once it was refused. */
const Memo = Schema.Struct({
  repository: Schema.Literals(["settings", "templates"]),
  refused: Schema.optionalKey(
    Schema.Struct({
      status: Schema.Literals([400, 500, 503]),
      message: Schema.String,
      problems: Schema.optionalKey(Schema.Array(Remark))
    })
  ),
  warnings: Schema.optionalKey(Schema.Array(Remark))
})

const BUSY =
  "Another job is locking configuration of devices, try again later (Unable to acquire lock for configuring devices)"

const readMemo = (jobs: JobStore["Service"], id: number) =>
  Effect.flatMap(jobs.memo(id), (memo) => Effect.orDie(Schema.decodeUnknownEffect(Memo)(Option.getOrNull(memo))))

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const locks = yield* JobLockStore
  const states = yield* JobStates
  const updates = yield* RepositoryUpdate

  const refuse = Effect.fnUntraced(
    function* (id: number, repository: RepositoryName, { message, problems, status }: RefreshRefused) {
      const reasons = problems === undefined ? {} : { problems }
      yield* jobs.remember(id, { repository, refused: { status, message, ...reasons } })
      const event: JobEvent =
        status === 503
          ? { type: "LOCK_BUSY" }
          : { type: "REFRESH_FAILED", error: message, repository: repository.toUpperCase() }
      yield* states.apply(id, event)
      return settled
    },
    Effect.catchTags({ JobNotFound: Effect.die, JobEventRefused: Effect.die })
  )

  const handler: JobHandler = Effect.fn("RefreshRepository")(function* ({ id, user }: RunningJob) {
    const { repository } = yield* readMemo(jobs, id)
    const refreshed = locks.acquire(DEVICES_LOCK, id).pipe(
      Effect.mapError((error) =>
        error._tag === "JobLockBusy" ? new RefreshRefused({ status: 503, message: BUSY }) : error
      ),
      Effect.andThen(updates.update(repository, { by: user, jobId: id })),
      Effect.tap(({ warnings }) => jobs.remember(id, { repository, warnings })),
      Effect.map(({ message }) => ({
        result: { message, repository: repository.toUpperCase() },
        change_score: null
      }))
    )
    return yield* refreshed.pipe(
      Effect.ensuring(Effect.ignore(locks.release(id))),
      Effect.catchTag("RefreshRefused", (refusal) => refuse(id, repository, refusal))
    )
  })
  return handler
})

const Refreshed = Schema.Struct({ message: Schema.String })

/** Refreshes a repository and waits for the outcome, or why it was refused. */
export const refresh = Effect.fn("RefreshRepository.refresh")(function* (
  name: RepositoryName,
  user: string
): Effect.fn.Return<RefreshOutcome, RefreshRefused | SqlError.SqlError | JobNotFound, JobEngine | JobStore> {
  const engine = yield* JobEngine
  const jobs = yield* JobStore
  const memo = { repository: name }
  const id = yield* engine.start({ function: "refresh_repo", args: null, memo, user, delaySeconds: 0 })
  const { result } = yield* engine.ended(id)
  const { refused, warnings = [] } = yield* readMemo(jobs, id)
  if (refused !== undefined) return yield* new RefreshRefused(refused)
  const { message } = yield* Effect.orDie(Schema.decodeUnknownEffect(Refreshed)(result))
  return { message, warnings }
})
