/** Handlers of what needs a person now (docs/api.md#attention). They read the database only. */
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { SqlError } from "effect/sql"
import { Permissions } from "../access/Permissions.ts"
import { judge } from "../access/Permit.ts"
import { enveloped } from "../api/Answers.ts"
import { Api } from "../api/Api.ts"
import { subjectOf } from "../domain/access/CallSubjects.ts"
import { Caller } from "../api/Requests.ts"
import { type AttentionFacts, attentionOf, type HeldCommit, type WaitingApproval } from "../domain/Attention.ts"
import { titleOf } from "../domain/events/alerts/AlertMessage.ts"
import { historyPoints } from "../domain/OverviewHistory.ts"
import { remark, Remark } from "../domain/Repository.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { makeJobApprovals } from "../store/ApprovalStore.ts"
import { makeAttentionRows } from "../store/AttentionRows.ts"
import { makeOverviewHistory } from "../store/FleetViews.ts"
import { makeRefreshes, type RepositoryName } from "../store/RepositoryStore.ts"
import { makeRequestDecisions } from "./auth/RequestDecisions.ts"
import { answered } from "./core/HandlerErrors.ts"
import { makeVisible } from "./core/Permits.ts"
import { VisibleUplinks } from "./core/Uplinks.ts"
import { makeMayDecide } from "./jobs/JobDecisions.ts"

/** Yields whether the present caller may read a list, whatever devices it is about. */
const makeMayRead = Effect.gen(function* () {
  const { heldBy } = yield* Permissions
  return Effect.gen(function* () {
    const held = yield* heldBy(yield* Caller)
    return (path: string): boolean => {
      const beyond = subjectOf("GET", path) === undefined ? { beyond: true as const } : {}
      return held === null || judge(held, { method: "GET", path, ...beyond }).allowed !== null
    }
  })
})

// Commits that are not in force: refused by the last refresh, or waiting for a confirmation.

const REFRESHES = 50

const RefusedRefresh = Schema.Struct({
  refused: Schema.Struct({
    message: Schema.String,
    problems: Schema.optionalKey(Schema.Array(Remark)),
    commit: Schema.optionalKey(Schema.String)
  })
})
const refusedIn = Schema.decodeUnknownOption(RefusedRefresh)

const makeHeldCommits = Effect.gen(function* () {
  const refreshes = yield* makeRefreshes

  /** The refusal counts since the first of the refreshes that refused the same commit without a break. */
  const refused = Effect.fnUntraced(function* (repository: RepositoryName) {
    const ended = (yield* refreshes.ended(repository, REFRESHES)).map(({ at, memo }) => ({
      at,
      refusal: Option.getOrUndefined(refusedIn(memo))?.refused
    }))
    const last = ended[0]?.refusal
    if (last === undefined) return []
    const change = ended.findIndex(({ refusal }) => refusal === undefined || refusal.commit !== last.commit)
    const since = ended.at((change < 0 ? ended.length : change) - 1)?.at ?? null
    const problem = last.problems?.[0] ?? remark(last.message)
    const commit = last.commit ?? ""
    return [{ repository, commit, state: "refused", since, message: last.message, problem } satisfies HeldCommit]
  })

  const waiting = Effect.fnUntraced(function* (repository: RepositoryName) {
    const found = Option.toArray(yield* refreshes.waiting(repository))
    return found.map(({ at, commit, message }): HeldCommit => ({
      repository,
      commit,
      state: "waiting",
      since: at,
      message,
      problem: null
    }))
  })

  return (repository: RepositoryName): Effect.Effect<ReadonlyArray<HeldCommit>, SqlError.SqlError> =>
    Effect.flatMap(waiting(repository), (found) => (found.length > 0 ? Effect.succeed(found) : refused(repository)))
})

/** The approvals that the present caller may give: of jobs, and of requests. */
const makeApprovals = Effect.gen(function* () {
  const jobs = yield* makeJobApprovals
  const mayDecide = yield* makeMayDecide
  const requests = yield* makeRequestDecisions

  return Effect.gen(function* () {
    const decided = yield* Effect.filter(yield* jobs.waiting, (approval) =>
      mayDecide(approval.job_id, approval).pipe(
        Effect.as(true),
        Effect.catchTag("NotPermitted", () => Effect.succeed(false))
      )
    )
    const ofJobs = decided.map(({ asked_by, comment, function_name, job_id, since, until }): WaitingApproval => ({
      about: `job ${job_id}`,
      title: comment === null || comment === "" ? `job ${job_id} (${function_name})` : `“${comment}”`,
      asked_by,
      since,
      until
    }))
    const ofRequests = (yield* requests.forCaller).map(
      ({ asked_at, asked_by, expires_at, id, method, path }): WaitingApproval => ({
        about: `request ${id}`,
        title: `request ${id} (${method} ${path})`,
        asked_by,
        since: asked_at.replace(/Z$/, ""),
        until: expires_at.replace(/Z$/, "")
      })
    )
    return [...ofJobs, ...ofRequests]
  })
})

const makeAttention = Effect.gen(function* () {
  const rows = yield* makeAttentionRows
  const visible = yield* makeVisible
  const mayRead = yield* makeMayRead
  const approvals = yield* makeApprovals
  const commits = yield* makeHeldCommits
  const uplinks = yield* VisibleUplinks
  const { CERTIFICATE_RENEW_DAYS } = yield* ServerConfig

  const alerts = Effect.map(rows.alerts, (found) =>
    found.map(({ events, title, ...alert }) => ({
      ...alert,
      title: titleOf(title, alert.rule, alert.count, events),
      devices: events.flatMap(({ hostname }) => hostname ?? [])
    }))
  )

  return Effect.gen(function* () {
    const { within } = yield* visible
    const may = yield* mayRead
    const when = <A, E, R>(allowed: boolean, read: Effect.Effect<ReadonlyArray<A>, E, R>) =>
      allowed ? read : Effect.succeed<ReadonlyArray<A>>([])
    const silent = yield* when(may("/devices"), rows.silent(within))
    const facts: AttentionFacts = {
      silent,
      uplinks: silent.length === 0 ? new Map() : yield* uplinks.within(within),
      rollouts: yield* when(may("/jobs"), rows.rollouts(within)),
      approvals: yield* approvals,
      commits: (yield* Effect.forEach(["settings", "templates"] as const, (name) =>
        when(may(`/repository/${name}/commits`), commits(name))
      )).flat(),
      changed: yield* when(may("/devices"), rows.changed(within)),
      alerts: yield* when(may("/alerts"), alerts),
      waiting: yield* when(may("/new_devices"), rows.waiting(within)),
      // half of the time for their renewal has passed
      certificates: yield* when(may("/certificates"), rows.certificates(Math.ceil(CERTIFICATE_RENEW_DAYS / 2)))
    }
    return enveloped({ items: attentionOf(facts) })
  })
})

/** Handlers of `AttentionGroup`. */
export const AttentionLive = HttpApiBuilder.group(Api, "attention", (handlers) =>
  Effect.gen(function* () {
    const attention = yield* makeAttention
    const history = yield* makeOverviewHistory
    const points = Effect.fnUntraced(function* (hours: number, step: number) {
      return enveloped({ hours, step, points: historyPoints(yield* history.last(hours), step) })
    })
    return handlers
      .handle("attention", () => answered(attention))
      .handle("history", ({ query: { hours = 168, step = 6 } }) => answered(points(hours, step)))
  })
)
