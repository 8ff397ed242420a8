/**
 * Events that forges report by webhooks (docs/reviewing.md#webhooks), read from the bodies that GitHub, GitLab and Gitea document: a branch
 * was pushed or removed, a request to merge it was opened, changed, merged or closed, and a person approved it or asked for changes.
 * Everything else is not of interest, and the answer says so. Pure.
 */
import { Option, Schema } from "effect"

export const forges = ["github", "gitlab", "gitea"] as const
export type Forge = (typeof forges)[number]

/** What happened. `at` is when, by the clock of the forge, as ISO 8601 with a zone; null if the event does not say. */
export type ForgeEvent =
  | { readonly _tag: "Pushed"; readonly branch: string; readonly removed: boolean; readonly commit: string | null }
  | {
      readonly _tag: "Requested"
      readonly branch: string
      /** The branch of the repository into which it is to be merged. */
      readonly target: string
      readonly number: number
      readonly title: string
      readonly url: string
      readonly by: string
      readonly at: string | null
      readonly commit: string | null
      readonly state: "open" | "merged" | "closed"
      readonly mergedCommit: string | null
    }
  | {
      readonly _tag: "Reviewed"
      readonly branch: string
      readonly number: number
      readonly by: string
      readonly commit: string | null
      readonly at: string | null
      /** `withdrawn`: it does not count any more. */
      readonly decision: "approved" | "rejected" | "withdrawn"
    }

/** An event of a project, or why it is of no interest. */
export type ForgeReport = { readonly project: string; readonly event: ForgeEvent } | { readonly ignored: string }

const LONGEST = 255
const Text = Schema.String
const Person = Schema.Struct({ login: Text })
const NullableText = Schema.NullOr(Text)

const ignored = (why: string): ForgeReport => ({ ignored: why })
const ZEROS = /^0+$/
const branchOf = (ref: string): string | null => /^refs\/heads\/(.+)$/s.exec(ref)?.[1] ?? null
const shortened = (text: string): string => text.slice(0, LONGEST)

/** Requests of another copy of the repository: its branch is not in ours. */
const FORK = "the branch is in another repository"

// GitHub and Gitea, whose bodies have the same form in what is read here.

const Head = Schema.Struct({
  ref: Text,
  sha: Text,
  repo: Schema.NullOr(Schema.Struct({ full_name: Text }))
})

const PullRequest = Schema.Struct({
  number: Schema.Int,
  title: Text,
  html_url: Text,
  state: Text,
  merged: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  merge_commit_sha: Schema.optionalKey(NullableText),
  merged_commit_sha: Schema.optionalKey(NullableText),
  updated_at: Schema.optionalKey(NullableText),
  user: Schema.NullOr(Person),
  head: Head,
  base: Schema.Struct({ ref: Text })
})
type PullRequest = typeof PullRequest.Type

const Pull = Schema.Struct({
  action: Text,
  repository: Schema.Struct({ full_name: Text }),
  pull_request: PullRequest,
  sender: Person
})
const Review = Schema.Struct({
  ...Pull.fields,
  review: Schema.Struct({
    state: Schema.optionalKey(Text),
    type: Schema.optionalKey(Text),
    commit_id: Schema.optionalKey(NullableText),
    submitted_at: Schema.optionalKey(NullableText),
    user: Schema.optionalKey(Schema.NullOr(Person))
  }),
  pull_request: Schema.Struct({
    number: Schema.Int,
    updated_at: Schema.optionalKey(NullableText),
    head: Head
  })
})
const Push = Schema.Struct({ ref: Text, after: Text, repository: Schema.Struct({ full_name: Text }) })
const Removed = Schema.Struct({ ref: Text, ref_type: Text, repository: Schema.Struct({ full_name: Text }) })

const isPull = Schema.decodeUnknownOption(Pull)
const isReview = Schema.decodeUnknownOption(Review)
const isPush = Schema.decodeUnknownOption(Push)
const isRemoved = Schema.decodeUnknownOption(Removed)

const requested = (pull: PullRequest, by: string): ForgeEvent => {
  const merged = pull.merged === true
  return {
    _tag: "Requested",
    branch: pull.head.ref,
    target: pull.base.ref,
    number: pull.number,
    title: shortened(pull.title),
    url: pull.html_url,
    by: shortened(by),
    at: pull.updated_at ?? null,
    commit: pull.head.sha,
    state: merged ? "merged" : pull.state === "closed" ? "closed" : "open",
    mergedCommit: merged ? (pull.merge_commit_sha ?? pull.merged_commit_sha ?? null) : null
  }
}

const ofForks = (project: string, head: typeof Head.Type): boolean =>
  head.repo !== null && head.repo.full_name.toLowerCase() !== project.toLowerCase()

const pullReport = (body: unknown): ForgeReport =>
  Option.match(isPull(body), {
    onNone: () => ignored("its body is not that of a pull request"),
    onSome: ({ pull_request, repository: { full_name }, sender }) =>
      ofForks(full_name, pull_request.head)
        ? ignored(FORK)
        : { project: full_name, event: requested(pull_request, sender.login) }
  })

const pushReport = (body: unknown): ForgeReport =>
  Option.match(isPush(body), {
    onNone: () => ignored("its body is not that of a push"),
    onSome: ({ after, ref, repository: { full_name } }) => {
      const branch = branchOf(ref)
      if (branch === null) return ignored("it is not about a branch")
      const removed = ZEROS.test(after)
      return { project: full_name, event: { _tag: "Pushed", branch, removed, commit: removed ? null : after } }
    }
  })

const removedReport = (body: unknown): ForgeReport =>
  Option.match(isRemoved(body), {
    onNone: () => ignored("its body is not that of a removed branch"),
    onSome: ({ ref, ref_type, repository: { full_name } }) =>
      ref_type === "branch"
        ? { project: full_name, event: { _tag: "Pushed", branch: ref, removed: true, commit: null } }
        : ignored("it is not about a branch")
  })

type Reviewed = Extract<ForgeEvent, { readonly _tag: "Reviewed" }>

const reviewReport = (
  body: unknown,
  decisionOf: (review: (typeof Review.Type)["review"], action: string) => Reviewed["decision"] | null
): ForgeReport =>
  Option.match(isReview(body), {
    onNone: () => ignored("its body is not that of a review"),
    onSome: ({ action, pull_request, repository: { full_name }, review, sender }) => {
      if (ofForks(full_name, pull_request.head)) return ignored(FORK)
      const decision = decisionOf(review, action)
      if (decision === null) return ignored("the review neither approves nor asks for changes")
      // a review that others dismiss is still that of its author
      const by = shortened(review.user?.login ?? sender.login)
      const { head, number, updated_at } = pull_request
      const commit = review.commit_id ?? head.sha
      const at = updated_at ?? review.submitted_at ?? null
      return { project: full_name, event: { _tag: "Reviewed", branch: head.ref, number, by, commit, at, decision } }
    }
  })

const GITHUB_REVIEWS: Readonly<Record<string, Reviewed["decision"]>> = {
  approved: "approved",
  changes_requested: "rejected",
  dismissed: "withdrawn"
}

const ofGitHub = (event: string, body: unknown): ForgeReport => {
  if (event === "pull_request") return pullReport(body)
  if (event === "push") return pushReport(body)
  if (event === "delete") return removedReport(body)
  if (event === "pull_request_review") {
    return reviewReport(body, ({ state = "" }, action) =>
      action === "dismissed" ? "withdrawn" : (GITHUB_REVIEWS[state.toLowerCase()] ?? null)
    )
  }
  return ignored(
    event === "ping" ? "it only asks whether this server answers" : `events "${shortened(event)}" are not used`
  )
}

const GITEA_REVIEWS: Readonly<Record<string, Reviewed["decision"]>> = {
  pull_request_review_approved: "approved",
  pull_request_review_rejected: "rejected"
}

/** Gitea names reviews by the event or by the type in their body. */
const ofGitea = (event: string, body: unknown): ForgeReport => {
  if (/^pull_request_(?:review_)?(?:approved|rejected|comment)$/.test(event)) {
    const named = event.includes("approved") ? "approved" : event.includes("rejected") ? "rejected" : null
    return reviewReport(body, ({ type = "" }) => GITEA_REVIEWS[type] ?? named)
  }
  if (event === "pull_request" || event === "pull_request_sync") return pullReport(body)
  if (event === "push") return pushReport(body)
  if (event === "delete") return removedReport(body)
  return ignored(`events "${shortened(event)}" are not used`)
}

// GitLab.

const MergeRequest = Schema.Struct({
  user: Schema.Struct({ username: Text }),
  project: Schema.Struct({ path_with_namespace: Text }),
  object_attributes: Schema.Struct({
    iid: Schema.Int,
    title: Text,
    url: Schema.optionalKey(NullableText),
    state: Text,
    action: Schema.optionalKey(NullableText),
    source_branch: Text,
    target_branch: Text,
    source_project_id: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    target_project_id: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    merge_commit_sha: Schema.optionalKey(NullableText),
    updated_at: Schema.optionalKey(NullableText),
    last_commit: Schema.optionalKey(Schema.NullOr(Schema.Struct({ id: Text })))
  })
})
const GitLabPush = Schema.Struct({
  ref: Text,
  after: Text,
  project: Schema.Struct({ path_with_namespace: Text })
})
const isMergeRequest = Schema.decodeUnknownOption(MergeRequest)
const isGitLabPush = Schema.decodeUnknownOption(GitLabPush)

/** `approval` and `unapproval` are of one person where several are needed. */
const GITLAB_REVIEWS: Readonly<Record<string, Reviewed["decision"]>> = {
  approved: "approved",
  approval: "approved",
  unapproved: "withdrawn",
  unapproval: "withdrawn"
}

/** `2026-02-13 09:31:02 UTC`, which older releases send, as ISO 8601. */
const isoTime = (text: string): string => text.replace(/^(\S+) (\S+) UTC$/, "$1T$2Z")

const mergeRequestReport = (body: unknown): ForgeReport =>
  Option.match(isMergeRequest(body), {
    onNone: () => ignored("its body is not that of a merge request"),
    onSome: ({ object_attributes: one, project: { path_with_namespace: project }, user: { username } }) => {
      if ((one.source_project_id ?? null) !== (one.target_project_id ?? null)) return ignored(FORK)
      const decision = GITLAB_REVIEWS[one.action ?? ""]
      const common = {
        branch: one.source_branch,
        number: one.iid,
        by: shortened(username),
        commit: one.last_commit?.id ?? null,
        at: typeof one.updated_at === "string" ? isoTime(one.updated_at) : null
      }
      if (decision !== undefined) return { project, event: { _tag: "Reviewed", ...common, decision } }
      const state = one.state === "merged" ? "merged" : one.state === "closed" ? "closed" : "open"
      const { merge_commit_sha = null, target_branch: target, title, url } = one
      const mergedCommit = state === "merged" ? merge_commit_sha : null
      return {
        project,
        event: { _tag: "Requested", ...common, target, title: shortened(title), url: url ?? "", state, mergedCommit }
      }
    }
  })

const ofGitLab = (event: string, body: unknown): ForgeReport => {
  if (event === "Merge Request Hook") return mergeRequestReport(body)
  if (event !== "Push Hook") return ignored(`events "${shortened(event)}" are not used`)
  return Option.match(isGitLabPush(body), {
    onNone: () => ignored("its body is not that of a push"),
    onSome: ({ after, project: { path_with_namespace: project }, ref }) => {
      const branch = branchOf(ref)
      if (branch === null) return ignored("it is not about a branch")
      const removed = ZEROS.test(after)
      return { project, event: { _tag: "Pushed", branch, removed, commit: removed ? null : after } }
    }
  })
}

const READERS = { github: ofGitHub, gitlab: ofGitLab, gitea: ofGitea } as const satisfies Record<
  Forge,
  (event: string, body: unknown) => ForgeReport
>

/** The event in a body; `event` is the name of it in the headers of the request. */
export const reportOf = (forge: Forge, event: string, body: unknown): ForgeReport => READERS[forge](event, body)

/** The header with the name of the event. */
export const EVENT_HEADERS: Readonly<Record<Forge, string>> = {
  github: "x-github-event",
  gitlab: "x-gitlab-event",
  gitea: "x-gitea-event"
}
