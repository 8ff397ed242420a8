/** The two repositories as the API shows and refreshes them (docs/settings-repository.md#refresh). */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlError } from "effect/sql"
import { CommitEffects } from "../../domain/CommitEffects.ts"
import { Remark } from "../../domain/Repository.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { refresh } from "./RefreshRepository.ts"
import type { RefreshRefused, RefreshWishes } from "./RefreshRefused.ts"
import { RepositoryProblems } from "./RepositoryProblems.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"

/** The repository's content is not acceptable; the old commit stays in force. Answered with 400 and this text. */
export class RepositoryInvalid extends Schema.TaggedError<RepositoryInvalid>()("RepositoryInvalid", {
  message: Schema.String,
  problems: Schema.optionalKey(Schema.Array(Remark))
}) {}

/** Another job has the lock of the devices; trying again later helps. Answered with 503. */
export class RepositoryBusy extends Schema.TaggedError<RepositoryBusy>()("RepositoryBusy", {
  message: Schema.String
}) {}

/** The commit takes away too much and waits, or another one than the newest was confirmed. Answered with 409. */
export class RepositoryWaits extends Schema.TaggedError<RepositoryWaits>()("RepositoryWaits", {
  message: Schema.String,
  effects: Schema.optionalKey(CommitEffects)
}) {}

/** Git or something else failed. Answered with 500. */
export class RepositoryFailed extends Schema.TaggedError<RepositoryFailed>()("RepositoryFailed", {
  message: Schema.String,
  problems: Schema.optionalKey(Schema.Array(Remark))
}) {}

/** The commit that a refresh brought into force, as a text, what is doubtful about it, and what it means. */
export interface RefreshedRepository {
  readonly message: string
  readonly warnings: ReadonlyArray<Remark>
  /** Files that nobody meant to be read. */
  readonly ignored: ReadonlyArray<string>
  readonly effects: CommitEffects
}

/** What is wrong with a repository now; `commit` is the one in force. */
export interface ProblemsOfRepository {
  readonly commit: string | null
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
}

/** Why a refresh brought nothing into force, by what its caller can do. */
export const repositoryError = ({ effects, message, problems, status }: RefreshRefused) => {
  if (status === 503) return new RepositoryBusy({ message })
  if (status === 409) return new RepositoryWaits({ message, ...(effects === undefined ? {} : { effects }) })
  const reasons = { message, ...(problems === undefined ? {} : { problems }) }
  return status === 400 ? new RepositoryInvalid(reasons) : new RepositoryFailed(reasons)
}

const make = Effect.gen(function* () {
  const updates = yield* RepositoryUpdate
  const problems = yield* RepositoryProblems
  const services = yield* Effect.context<JobEngine | JobStore>()
  return Repositories.of({
    describe: updates.describe,
    problems: problems.find,
    waiting: updates.waiting,
    refresh: (name, user, wishes) =>
      refresh(name, user, wishes).pipe(
        Effect.mapError((error) => {
          if (SqlError.isSqlError(error)) return error
          if (error._tag === "JobNotFound") return new RepositoryFailed({ message: error.message })
          return repositoryError(error)
        }),
        Effect.provideContext(services)
      )
  })
})

/** Describes and refreshes repositories, by way of the engine. */
export class Repositories extends Context.Service<
  Repositories,
  {
    /** The line about the commit in force, ending in a newline, or that nothing is cloned yet. */
    readonly describe: (name: RepositoryName) => Effect.Effect<string, SqlError.SqlError>
    /** Fetches, checks and applies the newest commit, recorded as a job of this user. */
    readonly refresh: (
      name: RepositoryName,
      user: string,
      wishes?: RefreshWishes
    ) => Effect.Effect<
      RefreshedRepository,
      RepositoryInvalid | RepositoryBusy | RepositoryWaits | RepositoryFailed | SqlError.SqlError
    >
    /** The commit that waits until somebody confirms it. */
    readonly waiting: RepositoryUpdate["Service"]["waiting"]
    /** Warnings of what is in force, and why the last refresh was refused. */
    readonly problems: (name: RepositoryName) => Effect.Effect<ProblemsOfRepository, SqlError.SqlError>
  }
>()("switchyard/jobs/Repositories") {
  static readonly layer = Layer.effect(Repositories, make)
}
