/** Handlers of configurations: given ones, earlier ones, undoing a job, and drift. Each change starts a job. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { answered, asCaller } from "../core/HandlerErrors.ts"
import { makeLearnedLines } from "./LearnedLines.ts"
import { makeStoredConfigs, toTime } from "./StoredConfigs.ts"
import { HttpServerRequest } from "effect/http"
import { toId, toInteger } from "../../domain/fields/Values.ts"
import type { ApplyRequest, DriftRequest, RestoreRequest, RevertRequest } from "../../domain/requests/ChangeRequests.ts"
import { skipArgument, targetOf, windowArguments } from "../../domain/requests/RequestFields.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { first } from "../listing/ListPage.ts"
import { permittedByRight } from "../../access/Permit.ts"
import { changingJob, finalStatuses } from "../../domain/Job.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeJobVisible } from "../core/Permits.ts"
import { passGate } from "../../drivers/LoadChecks.ts"
import { makeSelectDevices } from "../provisioning/DeviceTargets.ts"
import { ConfigStore, type HistoryChoice } from "../../store/ConfigStore.ts"
import { findMark } from "../../store/SecretStore.ts"
import { Caller } from "../../api/Requests.ts"
import {
  BadRequest,
  Conflict,
  enveloped,
  InternalError,
  jobStarted,
  jobStartedOnDevices,
  NotFound
} from "../../api/Answers.ts"
import { ApplyConfig, DeviceDrift, RevertJob } from "../../domain/jobs/ChangeJobs.ts"
import { makeSecretSight } from "../../access/SecretSight.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Refuses a text with a line that cannot be configuration; `what` names the text. The job reports an unknown device. */
const makeDoor = Effect.gen(function* () {
  const devices = yield* DeviceStore
  return Effect.fn("CandidateDoor.check")(function* (hostname: string, what: string, text: string) {
    const device = Option.getOrUndefined(
      yield* Effect.catchTag(Effect.asSome(devices.getByHostname(hostname)), "DeviceNotFound", () => Effect.succeedNone)
    )
    const platform = platformOf(device?.platform)
    if (platform === undefined) return
    yield* Effect.catchTag(
      passGate({ hostname, platform, text, mode: "replace" }),
      ["ReplaceConfigException", "MergeConfigException"],
      ({ message }) => Effect.fail(refuse(`${what}: ${message}`))
    )
  })
})

/** Starts `apply_config` for one device (docs/changes.md#apply_config). */
const makeApplyConfig = Effect.gen(function* () {
  const requests = yield* JobRequests
  const door = yield* makeDoor
  const { ALLOW_APPLY_CONFIG_LIVERUN } = yield* ServerConfig
  return Effect.fn("ApplyConfig.start")(function* (hostname: string, request: ApplyRequest, user: string) {
    const { dry_run, full_config: config } = request
    if (!dry_run) yield* permittedByRight({ free: ["full_config"], whole: true })
    const mark = findMark(config)
    if (mark !== undefined) {
      return yield* refuse(
        `full_config has ${mark} in the place of a secret: it was shown to somebody who may not see secrets`
      )
    }
    if (!dry_run && !ALLOW_APPLY_CONFIG_LIVERUN) return yield* refuse("Apply config live_run is not allowed")
    yield* door(hostname, "full_config", config)
    const job = yield* requests.start(
      ApplyConfig,
      { hostname, dry_run, config, ...skipArgument(request), ...windowArguments(request) },
      { user, comment: request.comment, ticketRef: request.ticket_ref }
    )
    return jobStarted(`Scheduled job to apply config ${hostname}`, job)
  })
})

/** Starts `revert_job` for a job that has ended. */
const makeRevert = Effect.gen(function* () {
  const requests = yield* JobRequests
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const visible = yield* makeJobVisible
  return Effect.fn("RevertJob.start")(function* (digits: string, request: RevertRequest, user: string) {
    const unknown = () => Effect.fail(new NotFound({ message: `No job with id ${digits} found` }))
    const id = yield* Effect.catchTag(Effect.fromOption(toId(digits)), "NoSuchElementError", unknown)
    yield* visible(id)
    const job = yield* Effect.catchTag(jobs.head(id), "JobNotFound", ({ message }) =>
      Effect.fail(new NotFound({ message }))
    )
    if (!finalStatuses.includes(job.status)) {
      return yield* new Conflict({ message: `Job ${id} is ${job.status}: only a job that has ended can be reverted` })
    }
    const job_id = changingJob(job)
    const count = (yield* changes.undoable(job_id, 0)).length
    if (count === 0) return yield* refuse(`Job ${id} has changed no device, so there is nothing to revert`)
    const started = yield* requests.start(
      RevertJob,
      { job_id, dry_run: request.dry_run, ...skipArgument(request), ...windowArguments(request) },
      { user, comment: request.comment, ticketRef: request.ticket_ref }
    )
    return jobStartedOnDevices(`Scheduled job to revert job ${job_id}`, started, count)
  })
})

/** Starts `device_drift` for the selected devices; all without a selector. */
const makeDrift = Effect.gen(function* () {
  const requests = yield* JobRequests
  const selectDevices = yield* makeSelectDevices
  return Effect.fn("DeviceDrift.start")(function* (request: DriftRequest, user: string) {
    const { args, count, what } = yield* selectDevices(targetOf(request))
    const { comment, ticket_ref: ticketRef } = request
    const job = yield* requests.start(DeviceDrift, args, { user, comment, ticketRef })
    return jobStartedOnDevices(`Scheduled job to look for drift on ${what}`, job, count)
  })
})

// Earlier configurations: reading them, and starting the job that restores one (docs/changes.md#earlier-configurations).

const newest: HistoryChoice = { _tag: "Previous", count: 0 }

/** The configuration that the query asks for; 0 means the latest. */
const choose = Effect.fnUntraced(function* (query: Readonly<Record<string, string | ReadonlyArray<string>>>) {
  const jobId = first(query, "job_id")
  if (jobId !== undefined) {
    const id = toInteger(jobId)
    if (Option.isNone(id)) return yield* refuse("job_id must be an integer")
    return id.value === 0 ? newest : ({ _tag: "Job", id: id.value } satisfies HistoryChoice)
  }
  const previous = first(query, "previous")
  if (previous !== undefined) {
    const count = toInteger(previous)
    if (Option.isNone(count) || count.value < 0) return yield* refuse("previous must be an integer")
    return { _tag: "Previous", count: count.value } satisfies HistoryChoice
  }
  const before = first(query, "before")
  if (before === undefined) return newest
  const time = toTime(before)
  if (Option.isNone(time)) return yield* refuse("before must be a valid ISO format date time string")
  return { _tag: "Before", time: time.value } satisfies HistoryChoice
})

const makePreviousConfig = Effect.gen(function* () {
  const { history } = yield* ConfigStore
  const requests = yield* JobRequests
  const sight = yield* makeSecretSight
  const door = yield* makeDoor

  const find = Effect.fnUntraced(function* (hostname: string, choice: HistoryChoice) {
    const found = yield* history.find(hostname, choice)
    return yield* Effect.mapError(Effect.fromOption(found), () => new NotFound({ message: "No matching job found" }))
  })

  const read = Effect.fn("PreviousConfig.read")(function* (hostname: string) {
    const { config, ...found } = yield* find(hostname, yield* choose(yield* HttpServerRequest.ParsedSearchParams))
    if (config === null) return enveloped(found)
    const { job_id: jobId } = found
    return enveloped({
      ...found,
      config: yield* sight.config(yield* Caller, { what: "previous_config", hostname, jobId }, config)
    })
  })

  const restore = Effect.fn("PreviousConfig.restore")(function* (
    hostname: string,
    request: RestoreRequest,
    user: string
  ) {
    const { dry_run, job_id } = request
    const { config, failed } = yield* find(hostname, { _tag: "Job", id: job_id })
    if (failed) return yield* refuse("The specified job_id has a failed status")
    if (config === null) return yield* new InternalError({ message: "No config found in this job" })
    yield* door(hostname, `The configuration of job ${job_id}`, config)
    const args = { hostname, dry_run, config, ...skipArgument(request), ...windowArguments(request) }
    const job = yield* requests.start(ApplyConfig, args, { user })
    return jobStarted(`Scheduled job to restore ${hostname}`, job)
  })

  return { read, restore }
})

/** Handlers of `ChangesGroup`. */
export const ChangesLive = HttpApiBuilder.group(Api, "changes", (handlers) =>
  Effect.gen(function* () {
    const previous = yield* makePreviousConfig
    const stored = yield* makeStoredConfigs
    const apply = yield* makeApplyConfig
    const revert = yield* makeRevert
    const drift = yield* makeDrift
    const lines = yield* makeLearnedLines
    return handlers
      .handle("previousConfig", ({ params }) => answered(previous.read(params.hostname)))
      .handle("restoreConfig", ({ params, payload }) =>
        asCaller((user) => previous.restore(params.hostname, payload, user))
      )
      .handle("listConfigs", ({ params }) => answered(stored.list(params.hostname)))
      .handle("searchConfigs", ({ query }) => answered(stored.search(query)))
      .handle("configDiff", ({ params, query }) => answered(stored.compare(params.hostname, query)))
      .handle("configBlame", ({ params }) => answered(stored.origins(params.hostname)))
      .handle("applyConfig", ({ params, payload }) => asCaller((user) => apply(params.hostname, payload, user)))
      .handle("revertJob", ({ params, payload }) => asCaller((user) => revert(params.id, payload, user)))
      .handle("drift", ({ payload }) => asCaller((user) => drift(payload, user)))
      .handle("learnedLines", ({ query }) => answered(lines.list(query)))
      .handle("withdrawLearnedLine", ({ params }) => answered(lines.withdraw(params.id)))
  })
)
