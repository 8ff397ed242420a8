/** Handlers of jobs and locks: list, read, abort, pause, clear (docs/jobs.md and docs/api.md#locks). */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { permitted } from "../../access/Permit.ts"
import { SecretSight } from "../../access/SecretSight.ts"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, Conflict, NotFound } from "../../api/Failures.ts"
import { toId } from "../../domain/fields/Values.ts"
import { functionOf, type Job } from "../../domain/Job.ts"
import type { DecisionRequest, JobActionRequest } from "../../domain/requests/ActionRequests.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { SyncPause } from "../../jobs/sync/SyncPlan.ts"
import { makeHolders } from "../../store/Holders.ts"
import { JobLockStore } from "../../store/JobLockStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeJobVisible } from "../core/Visible.ts"
import { answered, transaction } from "../core/Unavailable.ts"
import { first } from "../listing/ListRequest.ts"
import { makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { makeDecisions } from "./Decisions.ts"
import { makeJobDetails } from "./JobDetails.ts"
import { makeJobAnswer } from "./JobAnswer.ts"

const unknownJob = (id: string | number) => new NotFound({ message: `No job with id ${id} found` })

const idOf = (digits: string) => Effect.mapError(Effect.fromOption(toId(digits)), () => unknownJob(digits))

const makeJobs = Effect.gen(function* () {
  const store = yield* JobStore
  const engine = yield* JobEngine
  const pauses = yield* SyncPause
  const decisions = yield* makeDecisions
  const visible = yield* makeJobVisible
  const { make: answer, reveal } = yield* makeJobAnswer
  const sight = yield* SecretSight
  const page = yield* makeListPage<Job>(Lists.jobs(store.ownColumns), {
    perPage: 50,
    totalCount: "matching",
    limitCounts: true
  })
  const get = Effect.fnUntraced(function* (digits: string) {
    const id = yield* idOf(digits)
    yield* visible(id)
    return yield* Effect.catchTag(store.own(id), "JobNotFound", ({ message }) => Effect.fail(new NotFound({ message })))
  })
  const only = (digits: string) => Effect.map(get(digits), (job) => ({ rows: [job], headers: {} }))
  /** Whoever looks at a job again and again is shown no secrets: they have to be asked for each time. */
  const wantsSecrets = Effect.map(
    HttpServerRequest.ParsedSearchParams,
    (query) => first(query, "show_secrets") === "true"
  )
  const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, digits: string) {
    if (!(yield* wantsSecrets)) return yield* answer(request, only(digits))
    const caller = yield* Caller
    yield* sight.mayAsk(caller)
    const job = yield* get(digits)
    return yield* reveal(job, (hostnames) => sight.seen(caller, hostnames), sight.shown({ what: "job", jobId: job.id }))
  })
  const actOn = Effect.fnUntraced(function* (
    id: number,
    { abort_reason, action, pause_reason }: JobActionRequest,
    name: string
  ) {
    switch (action) {
      case "ABORT":
        return yield* engine.abort(id, name, abort_reason)
      case "PAUSE":
        return yield* pauses.pause(id, name, pause_reason ?? null)
      case "RESUME":
        return yield* pauses.resume(id, name)
      default:
        return yield* new BadRequest({ message: `Unknown action: ${action}` })
    }
  })
  const act = Effect.fnUntraced(function* (digits: string, asked: JobActionRequest) {
    const { name } = yield* Caller
    const { function_name, id } = yield* get(digits)
    yield* permitted({ job: { name: functionOf(function_name), live: false } })
    const refused = ({ message }: { readonly message: string }) => Effect.fail(new BadRequest({ message }))
    yield* actOn(id, asked, name).pipe(
      Effect.catchTags({
        JobNotFound: ({ message }) => Effect.fail(new NotFound({ message })),
        JobNotAbortable: refused,
        PauseRefused: refused
      })
    )
  })
  const decide = Effect.fnUntraced(function* (
    decision: "approve" | "reject",
    request: HttpServerRequest.HttpServerRequest,
    digits: string,
    payload: DecisionRequest
  ) {
    // whoever may start the job may see it: the decision asks for more than the list of jobs does
    const id = yield* idOf(digits)
    yield* decisions[decision](id, payload).pipe(
      Effect.catchTag("JobNotFound", ({ message }) => Effect.fail(new NotFound({ message })))
    )
    const decided = Effect.catchTag(store.own(id), "JobNotFound", ({ message }) =>
      Effect.fail(new NotFound({ message }))
    )
    return yield* answer(
      request,
      Effect.map(decided, (job) => ({ rows: [job], headers: {} }))
    )
  })
  return {
    decide,
    list: (request: HttpServerRequest.HttpServerRequest) => answer(request, page(request)),
    get: read,
    act: Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      digits: string,
      payload: JobActionRequest
    ) {
      yield* act(digits, payload)
      return yield* answer(request, only(digits))
    })
  }
})

const makeLocks = Effect.gen(function* () {
  const locks = yield* JobLockStore
  const jobs = yield* JobStore
  const inTransaction = yield* transaction
  const holders = yield* makeHolders
  const clear = Effect.fnUntraced(function* (name: string) {
    if (!(yield* holders.clearLock(name))) return yield* new NotFound({ message: "No such lock found in database" })
    const running = yield* jobs.running
    if (running.length > 0) {
      const named = running
        .slice(0, 10)
        .map(({ function_name, id, since }) => `${id} (${function_name} since ${since})`)
      return yield* new Conflict({ message: `Cannot delete lock while jobs are running: job ${named.join(", ")}` })
    }
    return enveloped({ name, status: "deleted" as const })
  })
  return {
    all: Effect.map(locks.all, (all) => enveloped({ locks: all })),
    clear: (name: string) => inTransaction(clear(name))
  }
})

/** Handlers of `JobsGroup`. */
export const JobsLive = HttpApiBuilder.group(Api, "jobs", (handlers) =>
  Effect.gen(function* () {
    const jobs = yield* makeJobs
    const locks = yield* makeLocks
    const details = yield* makeJobDetails
    return handlers
      .handle("progress", ({ params }) => answered(details.progress(params.id)))
      .handle("diffs", ({ params, query }) => answered(details.diffs(params.id, query)))
      .handle("list", ({ request }) => answered(jobs.list(request)))
      .handle("get", ({ params, request }) => answered(jobs.get(request, params.id)))
      .handle("abort", ({ params, payload, request }) => answered(jobs.act(request, params.id, payload)))
      .handle("approve", ({ params, payload, request }) =>
        answered(jobs.decide("approve", request, params.id, payload))
      )
      .handle("reject", ({ params, payload, request }) => answered(jobs.decide("reject", request, params.id, payload)))
      .handle("locks", () => answered(locks.all))
      .handle("clearLock", ({ payload }) => answered(locks.clear(payload.name)))
  })
)
