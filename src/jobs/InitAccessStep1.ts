/**
 * Job `init_access_device_step1`: gives a discovered access switch its place in the network and moves it to its management
 * address (contract engine.md §5.12, DESIGN §7 row 13). Whether it moved is decided by where it answers. A restart finds
 * out first how far the switch has come.
 */
import { Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type BasePushed, DeviceEntity } from "../devices/DeviceCalls.ts"
import type { Device } from "../domain/Device.ts"
import { type DeviceResult, JobFailure } from "../domain/Job.ts"
import { step2Delay } from "../provisioning/InitStart.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { AccessInit, AccessInitPlan } from "./AccessInitPlan.ts"
import { CandidateConfigs } from "./CandidateConfigs.ts"
import { DeviceStates } from "./DeviceStates.ts"
import * as InitTasks from "./InitTasks.ts"
import { decodeArguments, deviceRows, type JobHandler, refusedAsFailure, type RunningJob } from "./JobHandler.ts"

const Arguments = Schema.Struct({ device_id: Schema.Int, new_hostname: Schema.String })

/** A switch that may have been told to move is looked for this long before it is told again, in seconds. */
const FIRST_LOOK = 3

const stateError = (message: string) => new JobFailure({ type: "DeviceStateError", message })

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const states = yield* DeviceStates
  const plan = yield* AccessInitPlan
  const configs = yield* CandidateConfigs
  const actorOf = yield* DeviceEntity.client

  const find = Effect.fnUntraced(function* (id: number) {
    return yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(new JobFailure({ type: "ValueError", message: `No device with id ${id} found` }))
    )
  })

  const memoOf = (id: number) =>
    Effect.map(jobs.memo(id), (memo) => Option.flatMap(memo, Schema.decodeUnknownOption(AccessInit)))

  const prepare = Effect.fnUntraced(function* (job: RunningJob, device: Device, hostname: string) {
    if (device.state !== "DISCOVERED") return yield* stateError("Device must be in state DISCOVERED to begin init")
    const [taken] = yield* devices.byHostnames([hostname])
    if (taken !== undefined && taken.id !== device.id) {
      return yield* stateError(`There is already a device with hostname ${hostname}`)
    }
    return yield* plan.prepare(job, device, hostname)
  })

  const end = (job: RunningJob, hostname: string, result: DeviceResult) =>
    jobs.addDevice(job.id, { hostname, result, reachedEnd: !result.failed, changed: !result.failed, score: null })

  const causeOf = (job: RunningJob) => ({ by: job.user, jobId: job.id })

  /** Everything as it was before, in one transaction with the record of it. */
  const takeBack = Effect.fnUntraced(function* (
    job: RunningJob,
    device: Device,
    decided: AccessInit,
    result: DeviceResult
  ) {
    const { previousHostname } = decided
    yield* states.apply(device.id, { type: "INIT_STEP1_FAILED", previousHostname }, causeOf(job))
    yield* plan.restore(job, device, decided)
    yield* jobs.remember(job.id, { ...decided, stage: "done" })
    yield* end(job, previousHostname, result)
  }, sql.withTransaction)

  const moveOn = Effect.fnUntraced(function* (
    job: RunningJob,
    device: Device,
    decided: AccessInit,
    pushed: BasePushed,
    result: DeviceResult
  ) {
    const event = {
      type: "INIT_STEP1_PUSHED",
      newAddressAnswers: pushed.newAddressAnswers,
      oldAddressAnswers: pushed.oldAddressAnswers,
      previousHostname: decided.previousHostname,
      device_type: "ACCESS",
      management_ip: decided.primary.ip,
      secondary_management_ip: decided.secondary?.ip ?? null,
      infra_ip: null,
      ipv4_network: decided.primary.network,
      step2DelaySeconds: step2Delay(config.INIT_STEP2_DELAY, config.INIT_MGMT_TIMEOUT, false)
    } as const
    yield* states.apply(device.id, event, causeOf(job))
    yield* jobs.remember(job.id, { ...decided, stage: "done" })
    yield* end(job, decided.newHostname, result)
  }, sql.withTransaction)

  const push = Effect.fnUntraced(function* (job: RunningJob, device: Device, decided: AccessInit, text: string) {
    const call = (seconds: number, lookOnly: boolean) =>
      actorOf(String(device.id)).PushBase({
        sessionName: `job${job.id}`,
        config: text,
        newHostname: decided.newHostname,
        oldAddress: decided.oldAddress,
        newAddress: decided.primary.ip,
        seconds,
        lookOnly
      })
    if (decided.stage === "pushing") {
      const seen = yield* call(FIRST_LOOK, true)
      if (seen.newAddressAnswers) return seen
      if (!seen.oldAddressAnswers) return yield* call(config.INIT_MGMT_TIMEOUT, true)
    }
    yield* jobs.remember(job.id, { ...decided, stage: "pushing" })
    return yield* call(config.INIT_MGMT_TIMEOUT, false)
  })

  const carryOut = Effect.fnUntraced(function* (job: RunningJob, device: Device, decided: AccessInit) {
    const certificate = InitTasks.noCertificate(decided.newHostname)
    const rendered = yield* configs.renderInit(device, {
      hostname: decided.newHostname,
      device_type: "ACCESS",
      addresses: decided.variables
    })
    if (Result.isFailure(rendered)) {
      const { message, type } = rendered.failure
      return yield* takeBack(job, device, decided, InitTasks.notRendered(certificate, `${type}: ${message}\n`))
    }
    const pushed = yield* push(job, device, decided, rendered.success.text)
    if (pushed.oldAddressAnswers && !pushed.newAddressAnswers) {
      const result = InitTasks.notMoved(certificate, rendered.success.text, decided.newHostname, pushed)
      return yield* takeBack(job, device, decided, result)
    }
    yield* moveOn(job, device, decided, pushed, InitTasks.moved(certificate, rendered.success.text))
  })

  const handler: JobHandler = Effect.fn("InitAccessStep1")(function* (job: RunningJob) {
    const args = yield* decodeArguments(Arguments)(job)
    const device = yield* find(args.device_id)
    const before = yield* memoOf(job.id)
    const decided = Option.isSome(before) ? before.value : yield* prepare(job, device, args.new_hostname)
    if (decided.stage !== "done") yield* carryOut(job, yield* find(args.device_id), decided)
    return deviceRows
  }, refusedAsFailure)
  return handler
})
