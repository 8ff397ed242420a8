/** Starts jobs that apply a given configuration, undo another job or look for drift. */
import { Effect } from "effect"
import { jobStarted, jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest, Conflict, NotFound } from "../../api/Failures.ts"
import { finalStatuses, functionOf } from "../../domain/Job.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, own, textAt, toId } from "../../domain/fields/Values.ts"
import { makeSelect } from "../provisioning/Synchronization.ts"
import { parseTarget } from "../provisioning/SyncRequest.ts"
import { checkHostname } from "./PreviousConfig.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Starts `apply_config` for one device (contract api-devices.md §6.6). */
export const makeApplyConfig = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { ALLOW_APPLY_CONFIG_LIVERUN } = yield* ServerConfig
  return Effect.fn("ApplyConfig.start")(function* (hostname: string, body: JsonObject, user: string) {
    yield* checkHostname(hostname)
    const config = own(body, "full_config")
    if (typeof config !== "string" || config === "") return yield* refuse("full_config must be specified")
    const dry_run = own(body, "dry_run") !== false
    if (!dry_run && !ALLOW_APPLY_CONFIG_LIVERUN) return yield* refuse("Apply config live_run is not allowed")
    const job = yield* engine.start({ function: "apply_config", args: { hostname, dry_run, config }, user })
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
  const engine = yield* JobEngine
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  return Effect.fn("RevertJob.start")(function* (digits: string, body: JsonObject, user: string) {
    const unknown = () => Effect.fail(new NotFound({ message: `No job with id ${digits} found` }))
    const id = yield* Effect.catchTag(Effect.fromOption(toId(digits)), "NoSuchElementError", unknown)
    const job = yield* Effect.catchTag(jobs.head(id), "JobNotFound", unknown)
    if (!finalStatuses.includes(job.status)) {
      return yield* new Conflict({ message: `Job ${id} is ${job.status}: only a job that has ended can be reverted` })
    }
    const job_id = changedBy(job)
    const count = (yield* changes.undoable(job_id, 0)).length
    if (count === 0) return yield* refuse(`Job ${id} has changed no device, so there is nothing to revert`)
    const started = yield* engine.start({
      function: "revert_job",
      args: { job_id, dry_run: own(body, "dry_run") === true },
      user,
      comment: textAt(body, "comment"),
      ticketRef: textAt(body, "ticket_ref")
    })
    return jobStartedOnDevices(`Scheduled job to revert job ${job_id}`, started, count)
  })
})

/** Starts `device_drift` for the selected devices, all when there is no selector. */
export const makeDrift = Effect.gen(function* () {
  const engine = yield* JobEngine
  const devices = yield* DeviceStore
  const select = yield* makeSelect
  return Effect.fn("DeviceDrift.start")(function* (body: JsonObject, user: string) {
    const named = ["hostname", "device_type", "group"].some((key) => has(body, key))
    const target = yield* Effect.mapError(Effect.fromResult(parseTarget(named ? body : { all: true })), refuse)
    const { args, selection, what } = yield* select(target, false)
    const count = yield* devices.countManaged(selection)
    if (target._tag === "Hostname" && count === 0) {
      return yield* refuse(`Hostname '${target.hostname}' not found or is not a managed device`)
    }
    const job = yield* engine.start({ function: "device_drift", args, user })
    return jobStartedOnDevices(`Scheduled job to look for drift on ${what}`, job, count)
  })
})
