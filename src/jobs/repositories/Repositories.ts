/** The two repositories as the API shows and refreshes them (docs/settings-repository.md#refresh). */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlError } from "effect/sql"
import { Remark } from "../../domain/Remark.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { refresh } from "./RefreshRepository.ts"
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

/** Git or something else failed. Answered with 500. */
export class RepositoryFailed extends Schema.TaggedError<RepositoryFailed>()("RepositoryFailed", {
  message: Schema.String,
  problems: Schema.optionalKey(Schema.Array(Remark))
}) {}

/** The commit that a refresh brought into force, as a text, and what is doubtful about it. */
export interface RefreshedRepository {
  readonly message: string
  readonly warnings: ReadonlyArray<Remark>
  /** Files that nobody meant to be read. */
  readonly ignored: ReadonlyArray<string>
}

/** What is wrong with a repository now; `commit` is the one in force. */
export interface ProblemsOfRepository {
  readonly commit: string | null
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
}

const make = Effect.gen(function* () {
  const updates = yield* RepositoryUpdate
  const problems = yield* RepositoryProblems
  const services = yield* Effect.context<JobEngine | JobStore>()
  return Repositories.of({
    describe: updates.describe,
    problems: problems.find,
    refresh: (name, user) =>
      refresh(name, user).pipe(
        Effect.mapError((error) => {
          if (SqlError.isSqlError(error)) return error
          if (error._tag === "JobNotFound") return new RepositoryFailed({ message: error.message })
          const { message, status } = error
          if (status === 503) return new RepositoryBusy({ message })
          const reasons = { message, ...(error.problems === undefined ? {} : { problems: error.problems }) }
          return status === 400 ? new RepositoryInvalid(reasons) : new RepositoryFailed(reasons)
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
      user: string
    ) => Effect.Effect<RefreshedRepository, RepositoryInvalid | RepositoryBusy | RepositoryFailed | SqlError.SqlError>
    /** Warnings of what is in force, and why the last refresh was refused. */
    readonly problems: (name: RepositoryName) => Effect.Effect<ProblemsOfRepository, SqlError.SqlError>
  }
>()("switchyard/jobs/Repositories") {
  static readonly layer = Layer.effect(Repositories, make)
}
