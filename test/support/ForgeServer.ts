/**
 * A forge for tests: a real HTTP server that takes statuses of commits and comments in the form that the documentation of GitHub, GitLab
 * and Gitea describes, and refuses everything else; and the webhooks that each sends, signed as each signs them.
 */
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Forge } from "../../src/domain/ForgeEvents.ts"

export const PROJECT = "network/settings"
export const TOKEN = "forge-token-of-the-tests-0001"
export const SECRET = "webhook secret of the tests"

interface Status {
  readonly commit: string
  readonly state: string
  readonly description: string
  readonly context: string
  readonly target_url?: string
}

interface Comment {
  readonly number: number
  body: string
  edits: number
}

const text = (value: unknown): string => {
  if (typeof value !== "string") throw new Error("expected a text")
  return value
}

const isAuthorized: Readonly<Record<Forge, (headers: http.IncomingHttpHeaders) => boolean>> = {
  github: ({ accept, authorization }) =>
    authorization === `Bearer ${TOKEN}` && accept === "application/vnd.github+json",
  gitea: ({ authorization }) => authorization === `token ${TOKEN}`,
  gitlab: (headers) => headers["private-token"] === TOKEN
}

const STATES: Readonly<Record<Forge, ReadonlyArray<string>>> = {
  github: ["error", "failure", "pending", "success"],
  gitea: ["error", "failure", "pending", "success", "warning"],
  gitlab: ["pending", "running", "success", "failed", "canceled"]
}

const PATHS: Readonly<Record<Forge, { readonly status: RegExp; readonly fresh: RegExp; readonly edit: RegExp }>> = {
  github: {
    status: /^\/api\/v3\/repos\/network\/settings\/statuses\/([0-9a-f]{40})$/,
    fresh: /^\/api\/v3\/repos\/network\/settings\/issues\/(\d+)\/comments$/,
    edit: /^\/api\/v3\/repos\/network\/settings\/issues\/comments\/(\d+)$/
  },
  gitea: {
    status: /^\/api\/v1\/repos\/network\/settings\/statuses\/([0-9a-f]{40})$/,
    fresh: /^\/api\/v1\/repos\/network\/settings\/issues\/(\d+)\/comments$/,
    edit: /^\/api\/v1\/repos\/network\/settings\/issues\/comments\/(\d+)$/
  },
  gitlab: {
    status: /^\/api\/v4\/projects\/network%2Fsettings\/statuses\/([0-9a-f]{40})$/,
    fresh: /^\/api\/v4\/projects\/network%2Fsettings\/merge_requests\/(\d+)\/notes$/,
    edit: /^\/api\/v4\/projects\/network%2Fsettings\/merge_requests\/\d+\/notes\/(\d+)$/
  }
}

/** A forge that takes what is said to it. */
export const makeForgeServer = Effect.fnUntraced(function* (kind: Forge) {
  const statuses: Array<Status> = []
  const comments = new Map<number, Comment>()
  const refused: Array<string> = []
  let answer: { readonly status: number; readonly body: string } | null = null

  const take = (method: string, path: string, body: Readonly<Record<string, unknown>>) => {
    const { edit, fresh, status } = PATHS[kind]
    const [, commit] = method === "POST" ? (status.exec(path) ?? []) : []
    if (commit !== undefined) {
      const state = text(body["state"])
      if (!STATES[kind].includes(state)) return { status: 422, body: { message: `no state ${state}` } }
      const context = text(body[kind === "gitlab" ? "name" : "context"])
      const description = text(body["description"])
      if (description.length > 140) return { status: 422, body: { message: "description is too long" } }
      const { target_url } = body
      statuses.push({
        commit,
        state,
        description,
        context,
        ...(target_url === undefined ? {} : { target_url: text(target_url) })
      })
      return { status: 201, body: { id: statuses.length, state } }
    }
    const [, number] = method === "POST" ? (fresh.exec(path) ?? []) : []
    if (number !== undefined) {
      const id = comments.size + 1
      comments.set(id, { number: Number(number), body: text(body["body"]), edits: 0 })
      return { status: 201, body: { id } }
    }
    const [, id] = method === (kind === "gitlab" ? "PUT" : "PATCH") ? (edit.exec(path) ?? []) : []
    const comment = id === undefined ? undefined : comments.get(Number(id))
    if (comment !== undefined) {
      comment.body = text(body["body"])
      comment.edits += 1
      return { status: 200, body: { id: Number(id) } }
    }
    return { status: 404, body: { message: "Not Found" } }
  }

  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const reply = (status: number, body: unknown) => {
        response.writeHead(status, { "content-type": "application/json" })
        response.end(typeof body === "string" ? body : JSON.stringify(body))
      }
      if (answer !== null) {
        refused.push(`${request.method} ${request.url}`)
        return reply(answer.status, answer.body)
      }
      if (!isAuthorized[kind](request.headers)) return reply(401, { message: "Bad credentials" })
      const taken = take(request.method ?? "", request.url ?? "", JSON.parse(Buffer.concat(chunks).toString()))
      if (taken.status >= 300) refused.push(`${request.method} ${request.url}: ${taken.status}`)
      return reply(taken.status, taken.body)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    statuses,
    comments,
    refused,
    /** Answers everything so from now on; null: as usual. */
    answerWith: (given: typeof answer) => {
      answer = given
    },
    variables: {
      FORGE: kind,
      FORGE_URL: url,
      FORGE_TOKEN: TOKEN,
      FORGE_WEBHOOK_SECRET: SECRET,
      FORGE_PROJECT_SETTINGS: PROJECT,
      PAGE_URL: "https://switchyard.example.org",
      PROPOSAL_POLL: "1"
    }
  }
})

/** A request to merge, in the words of the tests. */
export interface Pull {
  readonly number: number
  readonly branch: string
  readonly commit: string
  readonly at: string
  readonly by?: string
  readonly state?: "open" | "closed" | "merged"
  readonly mergedCommit?: string
  readonly target?: string
  readonly action?: string
}

const pullOf = ({ at, branch, by = "sam-b", commit, mergedCommit, number, state = "open", target = "main" }: Pull) => ({
  number,
  title: `Request ${number}`,
  html_url: `https://git.example.org/${PROJECT}/pull/${number}`,
  state: state === "open" ? "open" : "closed",
  merged: state === "merged",
  merge_commit_sha: mergedCommit ?? null,
  updated_at: at,
  user: { login: by },
  head: { ref: branch, sha: commit, repo: { full_name: PROJECT } },
  base: { ref: target, sha: "0".repeat(40), repo: { full_name: PROJECT } }
})

/** The event that opens, moves or ends a request to merge, as this forge sends it. */
export const pullEvent = (kind: Forge, pull: Pull): readonly [event: string, body: object] => {
  const { action, at, branch, by = "sam-b", commit, mergedCommit, number, state = "open", target = "main" } = pull
  if (kind !== "gitlab") {
    const repository = { full_name: PROJECT }
    return [
      "pull_request",
      {
        action: action ?? (state === "open" ? "opened" : "closed"),
        number,
        pull_request: pullOf(pull),
        repository,
        sender: { login: by }
      }
    ]
  }
  return [
    "Merge Request Hook",
    {
      object_kind: "merge_request",
      user: { username: by },
      project: { path_with_namespace: PROJECT },
      object_attributes: {
        iid: number,
        title: `Request ${number}`,
        url: `https://git.example.org/${PROJECT}/-/merge_requests/${number}`,
        state: state === "open" ? "opened" : state,
        action: action ?? { open: "open", closed: "close", merged: "merge" }[state],
        source_branch: branch,
        target_branch: target,
        source_project_id: 1,
        target_project_id: 1,
        merge_commit_sha: mergedCommit ?? null,
        updated_at: at.replace("T", " ").replace("Z", " UTC"),
        last_commit: { id: commit }
      }
    }
  ]
}

/** The event of a person who approves it, as this forge sends it. */
export const reviewEvent = (
  kind: Forge,
  { by, ...pull }: Pull & { readonly by: string }
): readonly [event: string, body: object] => {
  if (kind === "gitlab") return pullEvent(kind, { ...pull, by, action: "approved" })
  const common = { pull_request: pullOf(pull), repository: { full_name: PROJECT }, sender: { login: by } }
  return kind === "github"
    ? [
        "pull_request_review",
        {
          ...common,
          action: "submitted",
          review: { state: "approved", commit_id: pull.commit, submitted_at: pull.at, user: { login: by } }
        }
      ]
    : [
        "pull_request_approved",
        { ...common, action: "reviewed", review: { type: "pull_request_review_approved", content: "" } }
      ]
}

/** Sends an event as this forge does. */
export const sendEvent = (
  kind: Forge,
  server: string,
  [event, body]: readonly [event: string, body: object | string],
  secret = SECRET
) =>
  Effect.promise(async () => {
    const sent = typeof body === "string" ? body : JSON.stringify(body)
    const hex = createHmac("sha256", secret).update(sent).digest("hex")
    const headers: Readonly<Record<Forge, Readonly<Record<string, string>>>> = {
      github: { "x-github-event": event, "x-hub-signature-256": `sha256=${hex}` },
      gitea: { "x-gitea-event": event, "x-gitea-signature": hex },
      gitlab: { "x-gitlab-event": event, "x-gitlab-token": secret }
    }
    const response = await fetch(`${server}/api/v1.0/forge/events`, {
      method: "POST",
      body: sent,
      headers: { "content-type": "application/json", ...headers[kind] }
    })
    const answer = (await response.json()) as {
      readonly message?: string
      readonly data?: { readonly taken: boolean; readonly why: string; readonly proposal: number | null }
    }
    return { ...answer, status: response.status }
  })
