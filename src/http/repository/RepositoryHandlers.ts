/** Handlers for authors of settings and templates (docs/settings-repository.md#commits). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped } from "../../api/Envelope.ts"
import { RepositoryCommits } from "../../jobs/repositories/RepositoryCommits.ts"
import { answered } from "../core/Unavailable.ts"

const COMMITS = 20

/** Handlers of `RepositoryGroup`. */
export const RepositoryLive = HttpApiBuilder.group(Api, "repository", (handlers) =>
  Effect.gen(function* () {
    const commits = yield* RepositoryCommits
    return handlers.handle("commits", ({ params, query: { limit = COMMITS } }) =>
      answered(Effect.map(commits.list(params.name, limit), enveloped))
    )
  })
)
