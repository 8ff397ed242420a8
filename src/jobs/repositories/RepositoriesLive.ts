/** Describes and refreshes the repositories by way of the engine. */
import { Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import { JobEngine } from "../engine/JobEngine.ts"
import { refresh } from "./RefreshRepository.ts"
import { RepositoryProblems } from "./RepositoryProblems.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"
import { JobStore } from "../../store/JobStore.ts"
import { Repositories, RepositoryBusy, RepositoryFailed, RepositoryInvalid } from "./Repositories.ts"

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

export const layer = Layer.effect(Repositories, make)
