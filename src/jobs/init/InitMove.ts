/**
 * The second half of step 1, the same for access and fabric devices: renders the base configuration, pushes it, and decides
 * by where the switch answers whether it moved (contract engine.md §5.12 steps 13–18, DESIGN §7 row 13). A switch that did
 * not move is as it was before, and so is every row.
 */
import { Effect, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type BasePushed, DeviceEntity } from "../../devices/DeviceCalls.ts"
import { isAway, patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, JobFailure } from "../../domain/Job.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { CandidateConfigs } from "../sync/CandidateConfigs.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import * as InitCertificate from "./InitCertificate.ts"
import type { InitDecision } from "./InitDecision.ts"
import * as InitProgress from "./InitProgress.ts"
import * as InitRows from "./InitRows.ts"
import * as InitTasks from "./InitTasks.ts"
import { refusedAsFailure, type RunningJob } from "../engine/JobHandler.ts"

/** A switch that may have been told to move is looked for this long before it is told again, in seconds. */
const FIRST_LOOK = 3

/** What else belongs to the move. */
export interface Moving {
  readonly step2DelaySeconds: number
  /** Starts other jobs, in the transaction in which the device becomes INIT. */
  readonly afterwards: Effect.Effect<void, JobFailure | SqlError.SqlError>
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const states = yield* DeviceStates
  const configs = yield* CandidateConfigs
  const rows = yield* InitRows.make
  const progress = yield* InitProgress.make
  const certify = yield* InitCertificate.make
  const actorOf = yield* DeviceEntity.client

  const end = Effect.fnUntraced(function* (
    job: RunningJob,
    hostname: string,
    result: DeviceResult,
    { lost }: InitDecision
  ) {
    const replacement = lost.interfaces.length + lost.links.length === 0 ? {} : { replacement: { lost } }
    yield* (yield* job.aborting) ? progress.keep(job) : progress.finish(job, replacement)
    const done = !result.failed
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: done, changed: done, score: null })
  })

  /** Everything as it was before, in one transaction with the record of it. */
  const takeBack = Effect.fnUntraced(function* (job: RunningJob, decided: InitDecision, result: DeviceResult) {
    yield* rows.restore(job, decided)
    yield* jobs.remember(job.id, { ...decided, stage: "done" })
    yield* end(job, decided.previousHostname, result, decided)
  }, sql.withTransaction)

  const moveOn = Effect.fnUntraced(function* (
    job: RunningJob,
    decided: InitDecision,
    { newAddressAnswers, oldAddressAnswers }: BasePushed,
    result: DeviceResult,
    moving: Moving
  ) {
    const { device_type, infraIp, primary, secondary } = decided
    const event = {
      type: "INIT_STEP1_PUSHED",
      newAddressAnswers,
      oldAddressAnswers,
      previousHostname: decided.previousHostname,
      device_type,
      management_ip: primary.ip,
      secondary_management_ip: secondary?.ip ?? null,
      infra_ip: infraIp,
      ipv4_network: primary.network,
      step2DelaySeconds: moving.step2DelaySeconds
    } as const
    yield* states.apply(decided.deviceId, event, { by: job.user, jobId: job.id })
    if (yield* job.aborting) {
      const message = `The job was aborted when ${decided.newHostname} had moved: step 2 follows, and nothing else is begun`
      yield* progress.say(job, "aborted", message)
    } else yield* moving.afterwards
    yield* jobs.remember(job.id, { ...decided, stage: "done" })
    yield* end(job, decided.newHostname, result, decided)
  }, sql.withTransaction)

  const push = Effect.fnUntraced(function* (job: RunningJob, device: Device, decided: InitDecision, text: string) {
    const send = (seconds: number, lookOnly: boolean) =>
      actorOf(String(device.id)).PushBase({
        sessionName: Candidate.ofJob(job.id),
        jobId: job.id,
        config: text,
        newHostname: decided.newHostname,
        oldAddress: decided.oldAddress,
        newAddress: decided.primary.ip,
        seconds,
        lookOnly
      })
    const look = (seconds: number) => patiently(send(seconds, true))
    if (decided.stage === "pushing") {
      yield* progress.say(job, "look", `Looking where ${decided.newHostname} answers after the restart of the server`)
      const seen = yield* look(FIRST_LOOK)
      if (seen.newAddressAnswers) return seen
      if (!seen.oldAddressAnswers) return yield* look(config.INIT_MGMT_TIMEOUT)
    }
    const { newHostname, oldAddress, primary } = decided
    yield* progress.begin(job, "push", `Moving ${newHostname} from ${oldAddress} to ${primary.ip}`)
    yield* jobs.remember(job.id, { ...decided, stage: "pushing" })
    // an actor that was lost on the way may have pushed: then only a look tells
    return yield* Effect.catchIf(send(config.INIT_MGMT_TIMEOUT, false), isAway, () => look(config.INIT_MGMT_TIMEOUT))
  })

  const carryOut = Effect.fnUntraced(function* (job: RunningJob, decided: InitDecision, moving: Moving) {
    const device = yield* devices.get(decided.deviceId)
    if (decided.stage === "prepared") yield* progress.goOn(job, `Installing the certificate of ${decided.newHostname}`)
    const certificate = yield* certify(job.id, device, decided)
    if (certificate.failed) return yield* takeBack(job, decided, InitTasks.notCertified(certificate))
    // a switch that may have been told to move already is looked for first, whatever was asked meanwhile
    const step = decided.stage === "prepared" ? progress.begin : progress.say
    yield* step(job, "render", `Rendering the base configuration of ${decided.newHostname}`)
    const rendered = yield* configs.renderInit(device, {
      hostname: decided.newHostname,
      device_type: decided.device_type,
      addresses: decided.variables
    })
    if (Result.isFailure(rendered)) {
      const { message, type } = rendered.failure
      return yield* takeBack(job, decided, InitTasks.notRendered(certificate, `${type}: ${message}\n`))
    }
    const { text } = rendered.success
    const pushed = yield* push(job, device, decided, text)
    if (pushed.aborted) yield* progress.goOn(job, `Committing the base configuration on ${decided.newHostname}`)
    if (pushed.oldAddressAnswers && !pushed.newAddressAnswers) {
      return yield* takeBack(job, decided, InitTasks.notMoved(certificate, text, decided.newHostname, pushed))
    }
    yield* moveOn(job, decided, pushed, InitTasks.moved(certificate, text), moving)
  })

  /**
   * Brings a prepared initialisation to its end: the device is INIT or everything is as before. After an abort no step
   * begins any more; a switch that was told to move goes on to step 2.
   */
  return Effect.fn("InitMove")(function* (job: RunningJob, decided: InitDecision, moving: Moving) {
    yield* carryOut(job, decided, moving).pipe(
      Effect.catchIf(InitProgress.isAbort, ({ message }) => takeBack(job, decided, InitTasks.aborted(message, true)))
    )
  }, refusedAsFailure)
})
