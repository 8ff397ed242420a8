/** Handlers of jobs and locks: list, read, abort, clear (contract api-rest.md §5 and §6). */
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, Conflict, NotFound } from "../../api/Failures.ts"
import type { Job } from "../../domain/Job.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { JobLockStore } from "../../store/JobLockStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { readBody } from "../core/JsonBody.ts"
import { answered, transaction } from "../core/Unavailable.ts"
import { has, own, shown, toId } from "../../domain/fields/Values.ts"
import { makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { makeJobAnswer } from "./JobAnswer.ts"

const MAX_REASON = 255

const unknownJob = (id: string | number) => new NotFound({ message: `No job with id ${id} found` })

const idOf = (digits: string) => Effect.mapError(Effect.fromOption(toId(digits)), () => unknownJob(digits))

const makeJobs = Effect.gen(function* () {
  const store = yield* JobStore
  const engine = yield* JobEngine
  const answer = yield* makeJobAnswer
  const page = yield* makeListPage<Job>(Lists.jobs(store.ownColumns), {
    perPage: 50,
    totalCount: "matching",
    limitCounts: true
  })
  const get = Effect.fnUntraced(function* (digits: string) {
    const id = yield* idOf(digits)
    return yield* Effect.catchTag(store.own(id), "JobNotFound", () => Effect.fail(unknownJob(digits)))
  })
  const only = (digits: string) => Effect.map(get(digits), (job) => ({ rows: [job], headers: {} }))
  const abort = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, digits: string) {
    const { name } = yield* Caller
    const body = yield* readBody(request)
    if (!has(body, "action")) return yield* new BadRequest({ message: "Action must be specified" })
    const { id } = yield* get(digits)
    const action = shown(body["action"]).toUpperCase()
    if (action !== "ABORT") return yield* new BadRequest({ message: `Unknown action: ${action}` })
    const reason = own(body, "abort_reason")
    yield* engine.abort(id, name, typeof reason === "string" ? reason.slice(0, MAX_REASON) : undefined).pipe(
      Effect.catchTags({
        JobNotFound: () => Effect.fail(unknownJob(digits)),
        JobNotAbortable: ({ message }) => Effect.fail(new BadRequest({ message }))
      })
    )
  })
  return {
    list: (request: HttpServerRequest.HttpServerRequest) => answer(request, page(request)),
    get: (request: HttpServerRequest.HttpServerRequest, digits: string) => answer(request, only(digits)),
    abort: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, digits: string) {
      yield* abort(request, digits)
      return yield* answer(request, only(digits))
    })
  }
})

const makeLocks = Effect.gen(function* () {
  const locks = yield* JobLockStore
  const jobs = yield* JobStore
  const inTransaction = yield* transaction
  const clear = Effect.fnUntraced(function* (name: string) {
    const lock = yield* locks.find(name)
    if (Option.isNone(lock)) return yield* new NotFound({ message: "No such lock found in database" })
    const running = yield* jobs.running
    if (running.length > 0) {
      const named = running
        .slice(0, 10)
        .map(({ function_name, id, since }) => `${id} (${function_name} since ${since})`)
      return yield* new Conflict({ message: `Cannot delete lock while jobs are running: job ${named.join(", ")}` })
    }
    yield* locks.clear(name)
    return enveloped({ name, status: "deleted" as const })
  })
  return {
    all: Effect.map(locks.all, (all) => enveloped({ locks: all })),
    clear: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const name = own(yield* readBody(request), "name")
      if (name === undefined || name === null || name === "") {
        return yield* new BadRequest({ message: "No lock name specified" })
      }
      return yield* inTransaction(clear(shown(name)))
    })
  }
})

/** Handlers of `JobsGroup`. */
export const JobsLive = HttpApiBuilder.group(Api, "jobs", (handlers) =>
  Effect.gen(function* () {
    const jobs = yield* makeJobs
    const locks = yield* makeLocks
    return handlers
      .handle("list", ({ request }) => answered(jobs.list(request)))
      .handle("get", ({ params, request }) => answered(jobs.get(request, params.id)))
      .handleRaw("abort", ({ params, request }) => answered(jobs.abort(request, params.id)))
      .handle("locks", () => answered(locks.all))
      .handleRaw("clearLock", ({ request }) => answered(locks.clear(request)))
  })
)
