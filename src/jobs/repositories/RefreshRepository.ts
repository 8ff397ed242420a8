/**
 * Job `refresh_repo`: brings a repository up to date, checks the new commit, puts it in force and marks the devices that it
 * concerns. A commit with errors changes nothing. The request waits for it, but it is a job like any other, so a refresh that a
 * restart cut off is done again. It waits for no other job and none waits for it (docs/changes.md#commits-of-a-job). See
 * docs/jobs.md#refresh_repo and docs/settings-repository.md#refresh.
 */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { JobEvent } from "../../../machines/job/JobLifecycle.ts"
import { NO_EFFECTS } from "../../domain/CommitEffects.ts"
import type { JobNotFound } from "../../domain/Job.ts"
import { RefreshRepository } from "../../domain/jobs/UpkeepJobs.ts"
import { OwnFault } from "../../runtime/SystemErrors.ts"
import { untilHindered } from "../../store/ForeignLocks.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { handle, type JobHandler, type JobRun, memoOf, alreadyEnded } from "../engine/JobHandler.ts"
import { JobStates } from "../engine/JobStates.ts"
import { type RefreshOutcome, RefreshRefused, type RefreshWishes } from "./RefreshRefused.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"

/** How often a refresh that waits for its remote looks whether it was aborted. */
const LOOK_EVERY = "1 second"

type Refresh = JobRun<typeof RefreshRepository>

/** The memo that the job was started with. */
const memorized = ({ read }: Refresh["memo"]) => Effect.flatMap(read, (memo) => Effect.orDie(Effect.fromOption(memo)))

const wishesOf = ({
  confirm,
  rename_ports
}: {
  readonly confirm: string | undefined
  readonly rename_ports: boolean | undefined
}): RefreshWishes => ({
  ...(confirm === undefined ? {} : { confirm }),
  ...(rename_ports === undefined ? {} : { renamePorts: rename_ports })
})

const make = Effect.gen(function* () {
  const states = yield* JobStates
  const updates = yield* RepositoryUpdate

  /** In a job that is being aborted the machine takes no other end than this. */
  const stopped = (id: number, error: string, repository: RepositoryName) =>
    states.apply(id, { type: "STOPPED", result: { error, repository: repository.toUpperCase() } })

  const refuse = Effect.fnUntraced(
    function* (
      { id, memo }: Refresh,
      repository: RepositoryName,
      { commit, effects, message, problems, status }: RefreshRefused
    ) {
      const reasons = { ...(problems === undefined ? {} : { problems }), ...(commit === undefined ? {} : { commit }) }
      yield* memo.write(
        commit !== undefined && effects !== undefined
          ? { repository, waits: { message, commit, effects } }
          : { repository, refused: { status, message, ...reasons } }
      )
      const event: JobEvent =
        status === 503
          ? { type: "LOCK_BUSY" }
          : { type: "REFRESH_FAILED", error: message, repository: repository.toUpperCase() }
      yield* Effect.catchTag(states.apply(id, event), "JobEventRefused", () => stopped(id, message, repository))
      return alreadyEnded
    },
    Effect.catchTags({ JobNotFound: Effect.die, JobEventRefused: Effect.die })
  )

  const abort = Effect.fnUntraced(
    function* ({ id, memo }: Refresh, repository: RepositoryName) {
      const now = yield* updates.describe(repository)
      const message = `The refresh was aborted. In force: ${now.trimEnd()}`
      yield* memo.write({ repository, refused: { status: 503, message } })
      yield* stopped(id, message, repository)
      return alreadyEnded
    },
    Effect.catchTags({ JobNotFound: Effect.die, JobEventRefused: Effect.die })
  )

  const handler: JobHandler<typeof RefreshRepository> = Effect.fn("RefreshRepository")(function* (job) {
    const { aborting, id, memo, user } = job
    const { confirm, rename_ports, repository } = yield* memorized(memo)
    const wishes = wishesOf({ confirm, rename_ports })
    const refreshed = updates.update(repository, { by: user, jobId: id, ...wishes }).pipe(
      Effect.tap(({ commit, effects, ignored, warnings }) =>
        memo.write({ repository, warnings, ignored, commit, effects })
      ),
      Effect.map(({ message }) => ({
        result: { message, repository: repository.toUpperCase() },
        change_score: null
      })),
      Effect.catchTag("RefreshRefused", (refusal) => refuse(job, repository, refusal))
    )
    const untilAborted = Effect.repeat(Effect.delay(aborting, LOOK_EVERY), { until: (now) => now })
    const outcome = yield* Effect.raceFirst(refreshed, Effect.as(untilAborted, null))
    return outcome ?? (yield* abort(job, repository))
  })
  return handler
})

export const job = handle(RefreshRepository, make)

const Refreshed = Schema.Struct({ message: Schema.String })

const FAULT_KNOWN_FOR = 5_000

/** So long a refresh may take beside a lock of somebody else that does not concern it. */
const BLOCKED_FOR = 10_000

/** Fails once the job waits for this server's machine or for a lock in the database, so that who asked is not left in silence. */
const untilItWaits = (id: number): Effect.Effect<never, RefreshRefused> =>
  Effect.flatMap(untilHindered({ lackingMillis: FAULT_KNOWN_FOR, blockedMillis: BLOCKED_FOR }), (why) => {
    const [cause, sentence] =
      why instanceof OwnFault ? ["the machine of the server", why.message] : ["a lock in the database", why.sentence]
    return new RefreshRefused({
      status: 503,
      message: `Job ${id} waits for ${cause} and goes on by itself: ${sentence}`
    })
  })

/** Refreshes a repository and waits for the outcome, or why it was refused. */
export const refresh = Effect.fn("RefreshRepository.refresh")(function* (
  name: RepositoryName,
  user: string,
  { confirm, renamePorts }: RefreshWishes = {}
): Effect.fn.Return<
  Pick<RefreshOutcome, "message" | "warnings" | "ignored" | "effects">,
  RefreshRefused | SqlError.SqlError | JobNotFound,
  JobEngine | JobStore
> {
  const engine = yield* JobEngine
  const jobs = yield* JobStore
  const memo = {
    repository: name,
    ...(confirm === undefined ? {} : { confirm }),
    ...(renamePorts === undefined ? {} : { rename_ports: renamePorts })
  }
  const id = yield* engine.start(RefreshRepository, null, { memo, user, delaySeconds: 0 })
  const { result } = yield* Effect.raceFirst(engine.ended(id), untilItWaits(id))
  const remembered = yield* memorized(memoOf(jobs, RefreshRepository, id))
  const { effects = NO_EFFECTS, ignored = [], refused, waits, warnings = [] } = remembered
  if (refused !== undefined) return yield* new RefreshRefused(refused)
  if (waits !== undefined) return yield* new RefreshRefused({ status: 409, ...waits })
  const { message } = yield* Effect.orDie(Schema.decodeUnknownEffect(Refreshed)(result))
  return { message, warnings, ignored, effects }
})
