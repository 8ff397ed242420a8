/**
 * The forge where the repositories are (docs/reviewing.md#at-the-forge): which of its projects is which repository, and what is said there
 * about a commit, in the form of each kind of forge. It has no influence here: its answers are read up to a limit, redirects are not
 * followed, and a failure alters nothing.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import type { Forge as Kind } from "../../domain/ForgeEvents.ts"
import type { ForgeState, ForgeWord } from "../../domain/words/ProposalSentences.ts"
import * as OutboundFetch from "../../runtime/OutboundFetch.ts"
import { forgeGuard } from "../../runtime/OutboundHosts.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"

/** The forge did not take it. A retry may help; the message has no secret. */
export class ForgeRefused extends Schema.TaggedError<ForgeRefused>()("ForgeRefused", {
  message: Schema.String,
  /** The status of its answer; null without one. */
  status: Schema.NullOr(Schema.Int)
}) {}

/** The project of a git address: `network/settings` of `https://git.example.org/network/settings.git#main`. */
export const projectOf = (address: string): string | null => {
  const path = /^(?:[a-z+]+:\/\/[^/]+\/|[^/:]+@[^/:]+:)([^#?]+)/i.exec(address)?.[1]
  const project = path?.replace(/\/+$/, "").replace(/\.git$/, "") ?? ""
  return /^[\w.-]+(?:\/[\w.-]+)+$/.test(project) ? project : null
}

type ForgeSettings = Pick<
  ServerSettings,
  "FORGE_PROJECT_SETTINGS" | "FORGE_PROJECT_TEMPLATES" | "GITREPO_SETTINGS" | "GITREPO_TEMPLATES"
>

/** The project of a repository; null if it is not known. */
const projectIn = (settings: ForgeSettings, name: RepositoryName): string | null => {
  const [named, address] =
    name === "settings"
      ? [settings.FORGE_PROJECT_SETTINGS, settings.GITREPO_SETTINGS]
      : [settings.FORGE_PROJECT_TEMPLATES, settings.GITREPO_TEMPLATES]
  return Option.getOrElse(named, () => Option.getOrNull(Option.map(address, projectOf)))
}

/** The repository that a project is; projects are named without regard to case. */
export const repositoryOf = (settings: ForgeSettings, project: string): RepositoryName | null =>
  (["settings", "templates"] as const).find(
    (name) => projectIn(settings, name)?.toLowerCase() === project.toLowerCase()
  ) ?? null

// The form of each kind of forge.

const CONTEXT = "switchyard"

interface Request {
  readonly method: "POST" | "PUT" | "PATCH"
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Form {
  /** The address of its API. */
  readonly api: (url: string) => string
  readonly headers: (token: string) => Readonly<Record<string, string>>
  readonly status: (
    project: string,
    word: ForgeWord,
    more: { readonly branch: string; readonly url: string | null }
  ) => Request
  readonly newComment: (project: string, number: number, body: string) => Request
  readonly comment: (project: string, number: number, id: string, body: string) => Request
}

const link = (url: string | null) => (url === null ? {} : { target_url: url })
const segments = (project: string): string => project.split("/").map(encodeURIComponent).join("/")

/** GitHub and Gitea have the same paths. */
const statusOfPulls: Form["status"] = (project, { commit, description, state }, { url }) => ({
  method: "POST",
  path: `/repos/${segments(project)}/statuses/${commit}`,
  body: { state, description, context: CONTEXT, ...link(url) }
})
const commentsOfPulls: Pick<Form, "comment" | "newComment"> = {
  newComment: (project, number, body) => ({
    method: "POST",
    path: `/repos/${segments(project)}/issues/${number}/comments`,
    body: { body }
  }),
  comment: (project, _number, id, body) => ({
    method: "PATCH",
    path: `/repos/${segments(project)}/issues/comments/${encodeURIComponent(id)}`,
    body: { body }
  })
}

const GITLAB_STATES: Readonly<Record<ForgeState, string>> = {
  pending: "pending",
  success: "success",
  failure: "failed",
  error: "failed"
}

const FORMS: Readonly<Record<Kind, Form>> = {
  github: {
    api: (url) => (new URL(url).hostname === "github.com" ? "https://api.github.com" : `${url}/api/v3`),
    headers: (token) => ({
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28"
    }),
    status: statusOfPulls,
    ...commentsOfPulls
  },
  gitea: {
    api: (url) => `${url}/api/v1`,
    headers: (token) => ({ authorization: `token ${token}`, accept: "application/json" }),
    status: statusOfPulls,
    ...commentsOfPulls
  },
  gitlab: {
    api: (url) => `${url}/api/v4`,
    headers: (token) => ({ "private-token": token, accept: "application/json" }),
    status: (project, { commit, description, state }, { branch, url }) => ({
      method: "POST",
      path: `/projects/${encodeURIComponent(project)}/statuses/${commit}`,
      body: { state: GITLAB_STATES[state], description, name: CONTEXT, ref: branch, ...link(url) }
    }),
    newComment: (project, number, body) => ({
      method: "POST",
      path: `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`,
      body: { body }
    }),
    comment: (project, number, id, body) => ({
      method: "PUT",
      path: `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes/${encodeURIComponent(id)}`,
      body: { body }
    })
  }
}

/** GitLab refuses a status that a commit has already. */
const isAlreadySo = (kind: Kind, status: number, text: string): boolean =>
  kind === "gitlab" && status === 400 && text.includes("Cannot transition status")

const SECONDS = 20
const MOST_BYTES = 256 * 1024
const SHOWN = 200

const Posted = Schema.fromJsonString(Schema.Struct({ id: Schema.Union([Schema.Int, Schema.String]) }))
const readPosted = Schema.decodeUnknownOption(Posted)

/** What is to be said about a proposal. */
export interface Saying {
  readonly repository: RepositoryName
  readonly branch: string
  readonly word: ForgeWord
  /** The address of the proposal in the page; null if it is not known. */
  readonly url: string | null
}

/** The forge of the settings; null if nothing is to be said there. */
export const makeForge = Effect.gen(function* () {
  const settings = yield* ServerConfig
  const { FORGE, FORGE_TOKEN, FORGE_URL } = settings
  if (Option.isNone(FORGE) || Option.isNone(FORGE_TOKEN) || Option.isNone(FORGE_URL)) return null
  const kind = FORGE.value
  const form = FORMS[kind]
  const url = FORGE_URL.value.replace(/\/+$/, "")
  const api = form.api(url)
  const guard = forgeGuard(settings, api)
  const token = Redacted.value(FORGE_TOKEN.value)
  const hidden = (text: string): string => text.replaceAll(token, "***")
  const refused = (message: string, status: number | null = null) =>
    new ForgeRefused({ message: hidden(message).slice(0, SHOWN), status })

  const send = Effect.fn("Forge.send")(
    function* ({ body, method, path }: Request) {
      const response = yield* OutboundFetch.open(`${api}${path}`, {
        method,
        headers: { ...form.headers(token), "user-agent": "switchyard", "content-type": "application/json" },
        body: JSON.stringify(body),
        verifyTls: true,
        guard,
        idleSeconds: SECONDS
      })
      const status = response.statusCode ?? 0
      const text = yield* OutboundFetch.textOf(response, MOST_BYTES)
      if ((status >= 200 && status < 300) || isAlreadySo(kind, status, text)) return text
      return yield* refused(`${kind} answered ${status}: ${text.trim()}`, status)
    },
    Effect.scoped,
    Effect.timeoutOrElse({ duration: SECONDS * 1000, orElse: () => Effect.fail(refused("it did not answer")) }),
    Effect.catchTags({
      OutboundRefused: ({ isHost, message }) =>
        Effect.fail(refused(isHost ? message : `its certificate is not accepted or it redirects: ${message}`)),
      OutboundAway: ({ code, message }) => Effect.fail(refused(code ?? message)),
      OwnFault: ({ message }) => Effect.fail(refused(message))
    })
  )

  const project = Effect.fnUntraced(function* (repository: RepositoryName) {
    const found = projectIn(settings, repository)
    if (found !== null) return found
    return yield* refused(`FORGE_PROJECT_${repository.toUpperCase()} is not set`)
  })

  return {
    /** Says the state of a commit. */
    state: Effect.fn("Forge.state")(function* ({ branch, repository, url, word }: Saying) {
      yield* send(form.status(yield* project(repository), word, { branch, url }))
    }),
    /** Writes a comment, or the one with this id again; yields its id. */
    comment: Effect.fn("Forge.comment")(function* (
      repository: RepositoryName,
      number: number,
      text: string,
      id: string | null
    ) {
      const of = yield* project(repository)
      const fresh = send(form.newComment(of, number, text))
      const answer =
        id === null
          ? yield* fresh
          : // somebody may have removed it
            yield* Effect.catchIf(
              send(form.comment(of, number, id, text)),
              ({ status }) => status === 404,
              () => fresh
            )
      return Option.match(readPosted(answer), { onNone: () => id, onSome: (posted) => String(posted.id) })
    })
  }
})
