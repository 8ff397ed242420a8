/** Starts jobs that apply a given configuration, undo another job or look for drift. */
import { Effect, Option } from "effect"
import { permittedByRight } from "../../access/Permit.ts"
import { jobStarted, jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest, Conflict, NotFound } from "../../api/Failures.ts"
import { toId } from "../../domain/fields/Values.ts"
import { finalStatuses, functionOf } from "../../domain/Job.ts"
import { ApplyConfig } from "../../domain/jobs/ApplyConfig.ts"
import { DeviceDrift } from "../../domain/jobs/DeviceDrift.ts"
import { RevertJob } from "../../domain/jobs/RevertJob.ts"
import type { ApplyRequest, DriftRequest, RevertRequest } from "../../domain/requests/ChangeRequests.ts"
import { targetOf } from "../../domain/requests/DeviceSelector.ts"
import { windowArguments } from "../../domain/requests/RequestFields.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { passGate } from "../../drivers/GatedSession.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { makeJobVisible } from "../core/Visible.ts"
import { findMark } from "../../store/SecretTexts.ts"
import { DeviceTargets } from "../provisioning/DeviceTargets.ts"

const refuse = (message: string) => new BadRequest({ message })

/**
 * Refuses a text for a device with a line that is no configuration; `what` says what was sent. Of a device that nobody knows the job
 * says it.
 */
export const makeDoor = Effect.gen(function* () {
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
export const makeApplyConfig = Effect.gen(function* () {
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
    const job = yield* requests.start(ApplyConfig, { hostname, dry_run, config, ...windowArguments(request) }, { user })
    return jobStarted(`Scheduled job to apply config ${hostname}`, job)
  })
})

/** The job whose changes are meant: a confirming job has confirmed those of the job before it. */
const changedBy = ({ function_name, id, start_arguments }: JobHead): number => {
  const before = start_arguments?.["prev_job_id"]
  return functionOf(function_name) === "confirm_devices" && typeof before === "number" ? before : id
}

/** Starts `revert_job` for a job that has ended. */
export const makeRevert = Effect.gen(function* () {
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
    const job_id = changedBy(job)
    const count = (yield* changes.undoable(job_id, 0)).length
    if (count === 0) return yield* refuse(`Job ${id} has changed no device, so there is nothing to revert`)
    const started = yield* requests.start(
      RevertJob,
      { job_id, dry_run: request.dry_run, ...windowArguments(request) },
      { user, comment: request.comment, ticketRef: request.ticket_ref }
    )
    return jobStartedOnDevices(`Scheduled job to revert job ${job_id}`, started, count)
  })
})

/** Starts `device_drift` for the selected devices, all when there is no selector. */
export const makeDrift = Effect.gen(function* () {
  const requests = yield* JobRequests
  const targets = yield* DeviceTargets
  return Effect.fn("DeviceDrift.start")(function* (request: DriftRequest, user: string) {
    const { args, count, what } = yield* targets.select(targetOf(request))
    const job = yield* requests.start(DeviceDrift, args, { user })
    return jobStartedOnDevices(`Scheduled job to look for drift on ${what}`, job, count)
  })
})
