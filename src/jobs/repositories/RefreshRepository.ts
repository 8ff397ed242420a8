/**
 * Job `refresh_repo`: brings a repository up to date, checks the new commit, puts it in force and marks the devices that it
 * concerns. A commit with errors changes nothing. The request waits for it, but it is an ordinary job, so a refresh that a restart
 * interrupts is repeated. It waits for no other job and none waits for it (docs/changes.md#commits-of-a-job). See
 * docs/jobs.md#refresh_repo and docs/settings-repository.md#refresh.
 */
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { JobEvent } from "../../../machines/job/JobLifecycle.ts"
import { NO_EFFECTS } from "../../domain/CommitEffects.ts"
import type { JobNotFound } from "../../domain/Job.ts"
import { OwnFault } from "../../runtime/SystemErrors.ts"
import { untilHindered } from "../../store/ForeignLocks.ts"
import { JobStore } from "../../store/JobStore.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { alreadyEnded, handle, type JobRun, memoOf } from "../engine/JobHandler.ts"
import { JobStates } from "../engine/JobStates.ts"
import { type RefreshOptions, type RefreshOutcome, RefreshRefused } from "./CheckedCommit.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { RefreshRepository } from "../../domain/jobs/UpkeepJobs.ts"

/** How often a refresh that waits for its remote checks for an abort. */
const LOOK_EVERY = "1 second"

type Refresh = JobRun<typeof RefreshRepository>

/** The memo that the job was started with. */
const memorized = ({ read }: Refresh["memo"]) => Effect.flatMap(read, (memo) => Effect.orDie(Effect.fromOption(memo)))

const optionsOf = ({
  confirm,
  rename_ports
}: {
  readonly confirm: string | undefined
  readonly rename_ports: boolean | undefined
}): RefreshOptions => ({
  ...(confirm === undefined ? {} : { confirm }),
  ...(rename_ports === undefined ? {} : { renamePorts: rename_ports })
})

/** The only end that the machine takes for a job that is being aborted. */
const stopped = Effect.fnUntraced(function* (id: number, error: string, repository: RepositoryName) {
  const states = yield* JobStates
  return yield* states.apply(id, { type: "STOPPED", result: { error, repository: repository.toUpperCase() } })
})

const refuse = Effect.fnUntraced(
  function* (
    { id, memo }: Refresh,
    repository: RepositoryName,
    { commit, effects, message, problems, status }: RefreshRefused
  ) {
    const states = yield* JobStates

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
    const updates = yield* RepositoryUpdate

    const now = yield* updates.describe(repository)
    const message = `The refresh was aborted. In force: ${now.trimEnd()}`
    yield* memo.write({ repository, refused: { status: 503, message } })
    yield* stopped(id, message, repository)
    return alreadyEnded
  },
  Effect.catchTags({ JobNotFound: Effect.die, JobEventRefused: Effect.die })
)

const handler = Effect.fn("RefreshRepository")(function* (job: JobRun<typeof RefreshRepository>) {
  const updates = yield* RepositoryUpdate
  const repositories = yield* RepositoryStore

  const { aborting, id, memo, user } = job
  const { confirm, rename_ports, repository } = yield* memorized(memo)
  const options = optionsOf({ confirm, rename_ports })
  const refreshed = updates.update(repository, { by: user, jobId: id, ...options }).pipe(
    Effect.tap(({ commit, effects, ignored, warnings }) =>
      memo.write({ repository, warnings, ignored, commit, effects })
    ),
    Effect.flatMap(({ commit, message }) =>
      Effect.map(repositories.signatures([commit]), (signatures) => ({
        result: { message, repository: repository.toUpperCase(), commit, signature: signatures.get(commit) ?? null },
        change_score: null
      }))
    ),
    Effect.catchTag("RefreshRefused", (refusal) => refuse(job, repository, refusal))
  )
  const untilAborted = Effect.repeat(Effect.delay(aborting, LOOK_EVERY), { until: (now) => now })
  const outcome = yield* Effect.raceFirst(refreshed, Effect.as(untilAborted, null))
  return outcome ?? (yield* abort(job, repository))
})

export const job = handle(RefreshRepository, handler)

const Refreshed = Schema.Struct({ message: Schema.String })

const FAULT_KNOWN_FOR = 5_000

/** Milliseconds that a refresh may take while another session holds an unrelated lock. */
const BLOCKED_FOR = 10_000

/** Fails once the job waits for this server's machine or for a lock in the database, so that the caller gets an answer. */
const untilItWaits = (id: number): Effect.Effect<never, RefreshRefused> =>
  Effect.flatMap(untilHindered({ lackingMillis: FAULT_KNOWN_FOR, blockedMillis: BLOCKED_FOR }), (why) => {
    const [cause, sentence] =
      why instanceof OwnFault ? ["the machine of the server", why.message] : ["a lock in the database", why.sentence]
    return new RefreshRefused({
      status: 503,
      message: `Job ${id} waits for ${cause} and goes on by itself: ${sentence}`
    })
  })

/** Refreshes a repository and waits for the result or the refusal. */
export const refresh = Effect.fn("RefreshRepository.refresh")(function* (
  name: RepositoryName,
  user: string,
  { confirm, renamePorts }: RefreshOptions = {}
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

// Reads the repositories at the first start of a server without a commit in force: templates first, because groups of the settings
// may name their branches. A failure is logged and can be repeated by PUT /repository; the server starts anyhow.

/** The user in the job's record. */
const STARTER = "switchyard"

const readFirst = Effect.fnUntraced(
  function* (name: RepositoryName) {
    const config = yield* ServerConfig
    const repositories = yield* RepositoryStore
    const address = name === "settings" ? config.GITREPO_SETTINGS : config.GITREPO_TEMPLATES
    if (Option.isNone(address) || Option.isSome(yield* repositories.commitOf(name, ""))) return
    yield* refresh(name, STARTER)
  },
  (effect, name) =>
    Effect.catch(effect, (error) => Effect.logWarning(`The ${name} repository is not in force: ${error.message}`))
)

/** Reads them while the server starts. */
export const layer = Layer.effectDiscard(
  Effect.forkScoped(Effect.andThen(readFirst("templates"), readFirst("settings")))
)
