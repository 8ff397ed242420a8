/** Handlers of jobs and locks: list, read, abort, pause, clear (docs/jobs.md and docs/api.md#locks). */
import { Clock, Effect, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { permitted } from "../../access/Permit.ts"
import { Api } from "../../api/Api.ts"
import { toId } from "../../domain/fields/Values.ts"
import { changingJob, failedStep, finalStatuses, functionOf, type Job, saidAt } from "../../domain/Job.ts"
import { failureGroups, isNotBegun, type JobFacts, secondsLeft, totalsOf } from "../../domain/JobFailures.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { VisibleUplinks } from "../core/Uplinks.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { JobScheduleStore, makeHolders } from "../../store/JobScheduling.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { first, makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { makeJobAnswer } from "./JobAnswer.ts"
import { makeJobVisible, makeVisible } from "../core/Permits.ts"
import { answered, transaction } from "../core/HandlerErrors.ts"
import { createHash } from "node:crypto"
import { type DiffGroup, groupDiffs, riskOf } from "../../domain/DiffGroups.ts"
import { riskRulesOf } from "../../domain/platforms/Platforms.ts"
import { checksOfJob } from "../../domain/checks/JobChecks.ts"
import { type DeviceProgress, makeJobDiffs, makeJobProgress } from "../../store/JobResults.ts"
import { makeJobChecks } from "../../store/JobChecks.ts"
import { Caller } from "../../api/Requests.ts"
import { BadRequest, Conflict, enveloped, NotFound } from "../../api/Answers.ts"
import type { DecisionRequest, JobActionRequest, ViewedRequest } from "../../domain/requests/OperationRequests.ts"
import { makePauses, stagesOf } from "../../jobs/sync/SyncPlan.ts"
import { makeDecisions } from "./JobDecisions.ts"
import { makeSecretSight } from "../../access/SecretSight.ts"
import { makeJobReview } from "./JobReview.ts"
import { makeReviewRows } from "../../store/ReviewRows.ts"

// A job's devices in brief: the progress of each, and their differences in groups (docs/jobs.md#in-brief).

/** A device with the step and reason of its failure. */
const withReason = (
  { failures, seconds: _seconds, ...progress }: DeviceProgress,
  standing: { readonly not_begun: boolean; readonly stage: number | null }
) => {
  if (failures.length === 0) return { ...progress, ...standing, step: null, why: null, said: null }
  const { reason, step } = failedStep(failures)
  return { ...progress, ...standing, step, why: reason, said: saidAt(failures, step) }
}

const BatchSize = Schema.Struct({ batch_size: Schema.Int })
const batchSizeIn = Schema.decodeUnknownOption(BatchSize)

/** The facts about a job that decide what its devices wait for; `atOnce` is SYNC_CONCURRENCY. */
const factsOf = (
  { function_name, start_arguments, start_time, status, waiting_for }: Job,
  now: number,
  atOnce: number
): JobFacts => ({
  function_name,
  hasEnded: finalStatuses.includes(status),
  isRunning: status === "RUNNING" && waiting_for?.reason !== "pause",
  seconds: start_time === null ? null : Math.max(0, now - Date.parse(`${start_time}Z`)) / 1000,
  parallel: Option.match(batchSizeIn(start_arguments), {
    onNone: () => atOnce,
    onSome: ({ batch_size }) => Math.max(1, Math.min(atOnce, batch_size))
  })
})

const Canary = Schema.Union([Schema.Int, Schema.Array(Schema.String)])
const RolloutOptions = Schema.Struct({
  batch_size: Schema.optionalKey(Schema.Int),
  canary: Schema.optionalKey(Canary)
})
const optionsIn = Schema.decodeUnknownOption(RolloutOptions)
const memoIn = Schema.decodeUnknownOption(SyncDevices.Memo)

/** The number of the stage of each device of a rollout with several stages; the canary is 0. */
const stageNumbers = ({ function_name, start_arguments }: Job, memo: unknown): ReadonlyMap<string, number> => {
  const chosen = Option.getOrUndefined(memoIn(memo))
  if (functionOf(function_name) !== SyncDevices.name || chosen === undefined) return new Map()
  const options = Option.getOrElse(optionsIn(start_arguments ?? {}), () => ({}))
  const { canaries, hostnames } = chosen
  const stages = stagesOf(hostnames, canaries === undefined ? options : { ...options, canary: canaries })
  if (stages.length < 2) return new Map()
  const first = stages[0]?.isCanary === true ? 0 : 1
  return new Map(stages.flatMap((stage, index) => stage.hostnames.map((name) => [name, index + first] as const)))
}

const NAMES = 100

const keyOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 16)

interface Asked {
  readonly search?: string
  readonly group?: string
}

/** Each word must be in the difference or in a hostname. */
const matches = ({ diff, hostnames }: DiffGroup, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => diff.toLowerCase().includes(word) || hostnames.some((name) => name.toLowerCase().includes(word)))

const makeJobDetails = Effect.gen(function* () {
  const progressOf = yield* makeJobProgress
  const diffsOf = yield* makeJobDiffs
  const checksOf = yield* makeJobChecks
  const review = yield* makeReviewRows
  const jobs = yield* JobStore
  const pauses = yield* makePauses
  const visible = yield* makeJobVisible
  const devicesInSight = yield* makeVisible
  const uplinks = yield* VisibleUplinks
  const changes = yield* ChangeStore
  const { SYNC_CONCURRENCY } = yield* ServerConfig

  /** What an undo of an ended job would restore, and the jobs that undo it. */
  const undoOf = Effect.fnUntraced(function* (job: Job) {
    const none = { undoable: 0, undone_by: [] }
    if (!finalStatuses.includes(job.status) || functionOf(job.function_name) !== job.function_name) return none
    const changing = changingJob(job)
    const changed = yield* changes.undoable(changing, 0)
    if (changed.length === 0) return none
    const undoable = changed.filter(({ later_job }) => later_job === null).length
    return { undoable, undone_by: yield* progressOf.undoneBy(changing) }
  })

  /** A job that the caller may see. */
  const found = Effect.fnUntraced(function* (digits: string) {
    const unknown = () => new NotFound({ message: `No job with id ${digits} found` })
    const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), unknown)
    yield* visible(id)
    return yield* Effect.catchTag(jobs.own(id), "JobNotFound", ({ message }) => Effect.fail(new NotFound({ message })))
  })

  return {
    progress: Effect.fnUntraced(function* (digits: string, brief: boolean) {
      const job = yield* found(digits)
      const devices = yield* progressOf.of(job.id)
      const unpausable = yield* Effect.catchTag(pauses.unfit(job.id), "JobNotFound", () => Effect.succeed(null))
      const facts = factsOf(job, yield* Clock.currentTimeMillis, SYNC_CONCURRENCY)
      const { within } = yield* devicesInSight
      // one failed device has nothing in common with others
      const hasSeveral = devices.filter(({ failed }) => failed === true).length > 1
      const stages = brief ? new Map<string, number>() : stageNumbers(job, yield* progressOf.memoOf(job.id))
      const shown = devices.map((device) =>
        withReason(device, { not_begun: isNotBegun(device, facts), stage: stages.get(device.hostname) ?? null })
      )
      return enveloped({
        devices: brief ? [] : shown,
        unpausable,
        failures: failureGroups(devices, facts, hasSeveral ? yield* uplinks.within(within) : new Map()),
        totals: totalsOf(devices, facts),
        seconds_left: secondsLeft(devices, facts),
        ...(yield* undoOf(job))
      })
    }),
    diffs: Effect.fnUntraced(function* (digits: string, { group: wanted, search = "" }: Asked) {
      const { id } = yield* found(digits)
      const viewed = yield* review.viewed(id, (yield* Caller).person)
      const { diffs, ...counts } = yield* diffsOf.of(id)
      const groups = groupDiffs(diffs, riskRulesOf)
        .filter((group) => matches(group, search))
        .map(({ hostnames, key, ...group }) => ({
          ...group,
          key: keyOf(key),
          count: hostnames.length,
          hostnames,
          risk: riskOf(group)
        }))
        .filter(({ key }) => wanted === undefined || key === wanted)
        .map((group) => ({ ...group, viewed: viewed.has(group.key) }))
        .map((group) => (wanted === undefined ? { ...group, hostnames: group.hostnames.slice(0, NAMES) } : group))
      const changed = groups.reduce((sum, { count }) => sum + count, 0)
      return enveloped({ groups, changed, ...counts })
    }),
    checks: Effect.fnUntraced(function* (digits: string) {
      const job = yield* found(digits)
      return enveloped(checksOfJob(job, yield* checksOf.of(job.id)))
    }),
    mark: Effect.fnUntraced(function* (digits: string, { groups, viewed }: ViewedRequest) {
      const { id } = yield* found(digits)
      const { person } = yield* Caller
      yield* review.mark(id, person, groups, viewed)
      return enveloped({ groups: [...(yield* review.viewed(id, person))].toSorted() })
    })
  }
})

const unknownJob = (id: string | number) => new NotFound({ message: `No job with id ${id} found` })

const idOf = (digits: string) => Effect.mapError(Effect.fromOption(toId(digits)), () => unknownJob(digits))

const makeJobs = Effect.gen(function* () {
  const store = yield* JobStore
  const engine = yield* JobEngine
  const pauses = yield* makePauses
  const decisions = yield* makeDecisions
  const visible = yield* makeJobVisible
  const { make: answer, reveal } = yield* makeJobAnswer
  const sight = yield* makeSecretSight
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
  /** Secrets must be asked for each time, so that polling a job does not show them. */
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
    // a caller who may start the job may see it: a decision requires more rights than the list of jobs
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
  const { locks } = yield* JobScheduleStore
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
    const review = yield* makeJobReview
    return handlers
      .handle("progress", ({ params, query }) => answered(details.progress(params.id, query.brief ?? false)))
      .handle("diffs", ({ params, query }) => answered(details.diffs(params.id, query)))
      .handle("checks", ({ params }) => answered(details.checks(params.id)))
      .handle("viewed", ({ params, payload }) => answered(details.mark(params.id, payload)))
      .handle("scope", ({ params }) => answered(Effect.map(Effect.flatMap(idOf(params.id), review.scope), enveloped)))
      .handle("approvals", () => answered(Effect.map(review.approvals, enveloped)))
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
