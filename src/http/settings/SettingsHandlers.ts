/** Handlers of settings, their model, groups and repositories (docs/settings-repository.md). */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { permitted } from "../../access/Permit.ts"
import { Api } from "../../api/Api.ts"
import { BadRequest, Conflict, enveloped, InternalError, ServiceUnavailable } from "../../api/Answers.ts"
import { RefreshRepository } from "../../domain/jobs/UpkeepJobs.ts"
import type { RefreshRequest } from "../../domain/requests/OperationRequests.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { Repositories, type RepositoryFailed, type RepositoryInvalid } from "../../jobs/repositories/Repositories.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { makeCheckRequest } from "./CheckRequest.ts"
import { makeEffective } from "./EffectiveRequest.ts"
import { makeGroups } from "./GroupRequests.ts"
import { serverView } from "./ServerView.ts"

const asFailure = ({ message, problems }: RepositoryInvalid | RepositoryFailed) =>
  problems === undefined ? { message } : { message, problems }

const makeRepository = Effect.gen(function* () {
  const repositories = yield* Repositories
  return {
    describe: Effect.fnUntraced(function* (name: RepositoryName) {
      const waiting = Option.getOrNull(yield* repositories.waiting(name))
      return { ...enveloped(yield* repositories.describe(name)), waiting }
    }),
    problems: Effect.fnUntraced(function* (name: RepositoryName) {
      return enveloped(yield* repositories.problems(name))
    }),
    refresh: Effect.fnUntraced(function* (name: RepositoryName, request: RefreshRequest, user: string) {
      yield* permitted({ beyond: true, job: { name: RefreshRepository.name, live: RefreshRepository.isLive(null) } })
      const { confirm, rename_ports } = request
      const wishes = {
        ...(confirm === undefined ? {} : { confirm }),
        ...(rename_ports === undefined ? {} : { renamePorts: rename_ports })
      }
      const { effects, ignored, message, warnings } = yield* repositories.refresh(name, user, wishes).pipe(
        Effect.catchTags({
          RepositoryWaits: ({ effects, message }) =>
            Effect.fail(new Conflict({ message, ...(effects === undefined ? {} : { effects }) })),
          RepositoryInvalid: (refusal) => Effect.fail(new BadRequest(asFailure(refusal))),
          RepositoryBusy: ({ message }) => Effect.fail(new ServiceUnavailable({ message })),
          RepositoryFailed: (refusal) => Effect.fail(new InternalError(asFailure(refusal)))
        })
      )
      return { ...enveloped(message), warnings, effects, ...(ignored.length === 0 ? {} : { ignored }) }
    })
  }
})

/** Handlers of `SettingsGroup`. */
export const SettingsLive = HttpApiBuilder.group(Api, "settings", (handlers) =>
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const effective = yield* makeEffective
    const groups = yield* makeGroups
    const repository = yield* makeRepository
    return handlers
      .handle("effective", ({ query }) => answered(effective(query)))
      .handle("server", () => Effect.succeed({ api: serverView(config) }))
      .handle("groups", () => answered(groups.all))
      .handle("group", ({ params }) => answered(groups.one(params.name)))
      .handle("osVersions", ({ params }) => answered(groups.osVersions(params.name)))
      .handle("osVersion", ({ params }) => answered(groups.osVersions(params.name)))
      .handle("repository", ({ params }) => answered(repository.describe(params.name)))
      .handle("problems", ({ params }) => answered(repository.problems(params.name)))
      .handle("refresh", ({ params, payload }) => asCaller((user) => repository.refresh(params.name, payload, user)))
  })
)

/** A model in both notations, and once more for readers of the envelope. */
const modelAnswer = (model: Readonly<Record<string, unknown>>) => ({
  status: "success",
  ...model,
  $defs: model["definitions"] ?? {},
  data: model
})

/** Handlers of `SettingsModelGroup`. */
export const SettingsModelLive = HttpApiBuilder.group(Api, "settingsModel", (handlers) =>
  Effect.gen(function* () {
    const settings = yield* SettingsView
    const validate = yield* makeCheckRequest
    return handlers
      .handle("model", () => Effect.map(settings.model, modelAnswer))
      .handle("fileModel", ({ params }) => answered(Effect.map(settings.fileModel(params.file), modelAnswer)))
      .handleRaw("validate", ({ request }) => answered(validate(request, null)))
      .handleRaw("validateFile", ({ params, request }) => answered(validate(request, params.file)))
  })
)
