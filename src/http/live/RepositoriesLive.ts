/** Describes and refreshes the repositories by way of the engine. */
import { Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import { JobEngine } from "../../jobs/JobEngine.ts"
import { refresh } from "../../jobs/RefreshRepository.ts"
import { RepositoryUpdate } from "../../jobs/RepositoryUpdate.ts"
import { JobStore } from "../../store/JobStore.ts"
import { Repositories, RepositoryBusy, RepositoryFailed, RepositoryInvalid } from "../ports/Repositories.ts"

const make = Effect.gen(function* () {
  const updates = yield* RepositoryUpdate
  const services = yield* Effect.context<JobEngine | JobStore>()
  return Repositories.of({
    describe: updates.describe,
    refresh: (name, user) =>
      refresh(name, user).pipe(
        Effect.mapError((error) => {
          if (SqlError.isSqlError(error)) return error
          if (error._tag === "JobNotFound") return new RepositoryFailed({ message: error.message })
          const { message, status } = error
          if (status === 400) return new RepositoryInvalid({ message })
          return status === 503 ? new RepositoryBusy({ message }) : new RepositoryFailed({ message })
        }),
        Effect.provideContext(services)
      )
  })
})

export const layer = Layer.effect(Repositories, make)
