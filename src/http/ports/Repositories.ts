/** The two repositories as the API shows and refreshes them (contract api-rest.md §8). */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { RepositoryName } from "../../store/RepositoryStore.ts"

/** The repository's content is not acceptable; the old commit stays in force. Answered with 400 and this text. */
export class RepositoryInvalid extends Schema.TaggedError<RepositoryInvalid>()("RepositoryInvalid", {
  message: Schema.String
}) {}

/** Another job has the lock of the devices; trying again later helps. Answered with 503. */
export class RepositoryBusy extends Schema.TaggedError<RepositoryBusy>()("RepositoryBusy", {
  message: Schema.String
}) {}

/** Git or something else failed. Answered with 500. */
export class RepositoryFailed extends Schema.TaggedError<RepositoryFailed>()("RepositoryFailed", {
  message: Schema.String
}) {}

/** Describes and refreshes repositories. */
export class Repositories extends Context.Service<
  Repositories,
  {
    /** The line about the commit in force, ending in a newline, or that nothing is cloned yet. */
    readonly describe: (name: RepositoryName) => Effect.Effect<string, SqlError.SqlError>
    /** Fetches, checks and applies the newest commit, recorded as a job of this user. Yields the text to answer with. */
    readonly refresh: (
      name: RepositoryName,
      user: string
    ) => Effect.Effect<string, RepositoryInvalid | RepositoryBusy | RepositoryFailed | SqlError.SqlError>
  }
>()("switchyard/http/ports/Repositories") {}
