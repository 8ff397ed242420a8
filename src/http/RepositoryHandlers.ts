/**
 * Handlers for authors of settings and templates: commits, variables, trial renderings and checks of branches
 * (docs/settings-repository.md#commits).
 */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { RepositoryUpdate } from "../jobs/repositories/RepositoryUpdate.ts"
import type { RepositoryName } from "../store/RepositoryStore.ts"
import { answered } from "./core/HandlerErrors.ts"
import { makeTemplateTrial, type TrialFailed } from "../templates/TemplateTrial.ts"
import { makeLineBlame } from "./LineBlame.ts"
import { makeDeviceLookup } from "./core/Permits.ts"
import { Repositories } from "../jobs/repositories/Repositories.ts"
import { BadRequest, enveloped, InternalError, NotFound, ServiceUnavailable } from "../api/Answers.ts"
import type { BranchRequest, TrialRequest } from "../domain/requests/ChangeRequests.ts"

// Variables of a device, and trial renderings with them (docs/templates.md#trying-templates).

const refused = ({ message, problems }: TrialFailed) => Effect.fail(new BadRequest({ message, problems }))

const failures = {
  ThreadsBusy: ({ message }: { readonly message: string }) => Effect.fail(new ServiceUnavailable({ message }))
}

const makeTrials = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const trials = yield* makeTemplateTrial
  const { ofDevice, ofSource } = yield* makeLineBlame(trials)
  return {
    blame: (hostname: string, asked: Parameters<typeof ofDevice>[1]) =>
      Effect.catchTags(Effect.map(ofDevice(hostname, asked), enveloped), failures),
    lines: (name: RepositoryName, asked: Parameters<typeof ofSource>[1]) =>
      Effect.catchTags(Effect.map(ofSource(name, asked), enveloped), failures),
    variables: Effect.fn("Trials.variables")(function* (hostname: string) {
      const device = yield* lookup.byHostname(hostname)
      const found = yield* Effect.catchTag(trials.variables(device), "TrialFailed", refused)
      return enveloped({ hostname, ...found })
    }),
    render: Effect.fn("Trials.render")(function* (hostname: string, request: TrialRequest) {
      const device = yield* lookup.byHostname(hostname)
      const rendered = yield* trials.render(device, request).pipe(
        Effect.catchTags({
          TrialFailed: refused,
          ...failures
        })
      )
      return enveloped(rendered)
    })
  }
})

const COMMITS = 20
const BRANCHES = 50

interface AskedFile {
  readonly path: string
  readonly branch?: string
  readonly commit?: string
}

const makeFiles = Effect.gen(function* () {
  const repositories = yield* Repositories
  return {
    list: (name: RepositoryName, branch = "") => Effect.map(repositories.files(name, branch), enveloped),
    read: Effect.fn("Files.read")(function* (name: RepositoryName, { branch = "", commit, path }: AskedFile) {
      const text = yield* commit === undefined
        ? repositories.file(name, branch, path)
        : repositories.fileAt(name, commit, path)
      const where =
        commit === undefined ? "is in force" : `is in commit ${commit.slice(0, 10)}, or it is no commit of the list`
      if (Option.isNone(text)) return yield* new NotFound({ message: `path: no file ${path} ${where}` })
      return enveloped({ path, text: text.value })
    })
  }
})

const makeCheck = Effect.map(
  RepositoryUpdate,
  ({ checkBranch }) =>
    (name: RepositoryName, request: BranchRequest) =>
      checkBranch(name, request).pipe(
        Effect.map(enveloped),
        Effect.catchTags({
          BranchUnknown: ({ message }) => Effect.fail(new BadRequest({ message })),
          BranchUnreadable: ({ message }) => Effect.fail(new InternalError({ message })),
          BranchCheckBusy: ({ message }) => Effect.fail(new ServiceUnavailable({ message }))
        })
      )
)

/** Handlers of `RepositoryGroup`. */
export const RepositoryLive = HttpApiBuilder.group(Api, "repository", (handlers) =>
  Effect.gen(function* () {
    const repositories = yield* Repositories
    const files = yield* makeFiles
    const check = yield* makeCheck
    const trials = yield* makeTrials
    return handlers
      .handle("commits", ({ params, query: { limit = COMMITS } }) =>
        answered(Effect.map(repositories.commits(params.name, limit), enveloped))
      )
      .handle("branches", ({ params, query: { limit = BRANCHES } }) =>
        answered(Effect.map(repositories.branches(params.name, limit), enveloped))
      )
      .handle("files", ({ params, query }) => answered(files.list(params.name, query.branch)))
      .handle("file", ({ params, query }) => answered(files.read(params.name, query)))
      .handle("check", ({ params, payload }) => answered(check(params.name, payload)))
      .handle("blame", ({ params, query }) => answered(trials.blame(params.hostname, query)))
      .handle("lines", ({ params, query }) => answered(trials.lines(params.name, query)))
      .handle("variables", ({ params }) => answered(trials.variables(params.hostname)))
      .handle("render", ({ params, payload }) => answered(trials.render(params.hostname, payload)))
  })
)
