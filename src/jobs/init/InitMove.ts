/**
 * The second half of step 1, the same for access and fabric devices: renders the base configuration, pushes it, and decides
 * by where the switch answers whether it moved (contract engine.md §5.12 steps 13–18, DESIGN §7 row 13). A switch that did
 * not move is as it was before, and so is every row.
 */
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BasePushed } from "../../devices/DeviceCalls.ts"
import type { DeviceResult, JobFailure } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitDecision.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { CandidateConfigs } from "../sync/CandidateConfigs.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import { InitCertificate } from "./InitCertificate.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress, isAbort } from "./InitProgress.ts"
import { InitPush } from "./InitPush.ts"
import { InitRestore } from "./InitRestore.ts"
import * as InitTasks from "./InitTasks.ts"
import { refusedAsFailure } from "../engine/JobHandler.ts"

/** What follows the move. */
export interface AfterMove {
  readonly step2DelaySeconds: number
  /** Starts other jobs, in the transaction in which the device becomes INIT. */
  readonly afterwards: Effect.Effect<void, JobFailure | SqlError.SqlError>
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const states = yield* DeviceStates
  const configs = yield* CandidateConfigs
  const rows = yield* InitRestore
  const progress = yield* InitProgress
  const certificates = yield* InitCertificate
  const pushing = yield* InitPush

  const end = Effect.fnUntraced(function* (
    job: InitJob,
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
  const takeBack = Effect.fnUntraced(function* (job: InitJob, decided: InitDecision, result: DeviceResult) {
    yield* rows.restore(job, decided)
    yield* job.memo.write({ ...decided, stage: "done" })
    yield* end(job, decided.previousHostname, result, decided)
  }, sql.withTransaction)

  const moveOn = Effect.fnUntraced(function* (
    job: InitJob,
    decided: InitDecision,
    { newAddressAnswers, oldAddressAnswers }: BasePushed,
    result: DeviceResult,
    after: AfterMove
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
      step2DelaySeconds: after.step2DelaySeconds
    } as const
    yield* states.apply(decided.deviceId, event, { by: job.user, jobId: job.id })
    if (yield* job.aborting) {
      const message = `The job was aborted when ${decided.newHostname} had moved: step 2 follows, and nothing else is begun`
      yield* progress.say(job, "aborted", message)
    } else yield* after.afterwards
    yield* job.memo.write({ ...decided, stage: "done" })
    yield* end(job, decided.newHostname, result, decided)
  }, sql.withTransaction)

  const carryOut = Effect.fnUntraced(function* (job: InitJob, decided: InitDecision, after: AfterMove) {
    const device = yield* devices.get(decided.deviceId)
    if (decided.stage === "prepared")
      yield* progress.checkpoint(job, `Installing the certificate of ${decided.newHostname}`)
    const certificate = yield* certificates.install(job.id, device, decided)
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
    const pushed = yield* pushing.push(job, device, decided, text)
    if (pushed.aborted) yield* progress.checkpoint(job, `Committing the base configuration on ${decided.newHostname}`)
    if (pushed.oldAddressAnswers && !pushed.newAddressAnswers) {
      return yield* takeBack(job, decided, InitTasks.notMoved(certificate, text, decided.newHostname, pushed))
    }
    yield* moveOn(job, decided, pushed, InitTasks.moved(certificate, text), after)
  })

  const run = Effect.fn("InitMove.run")(function* (job: InitJob, decided: InitDecision, after: AfterMove) {
    yield* carryOut(job, decided, after).pipe(
      Effect.catchIf(isAbort, ({ message }) => takeBack(job, decided, InitTasks.aborted(message, true)))
    )
  }, refusedAsFailure)

  return InitMove.of({ run })
})

/** The move of new switches to their addresses. */
export class InitMove extends Context.Service<
  InitMove,
  {
    /**
     * Brings a prepared initialisation to its end: the device is INIT or everything is as before. After an abort no step
     * begins any more; a switch that was told to move goes on to step 2.
     */
    readonly run: (
      job: InitJob,
      decided: InitDecision,
      after: AfterMove
    ) => Effect.Effect<void, JobFailure | SqlError.SqlError>
  }
>()("switchyard/jobs/InitMove") {
  static readonly layer = Layer.effect(InitMove, make)
}
