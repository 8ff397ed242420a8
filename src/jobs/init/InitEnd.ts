/**
 * The two ends of step 1, each in one transaction with its record (docs/provisioning.md#moving-to-the-new-address): the switch
 * has moved and becomes INIT, or everything is as it was before.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BasePushed } from "../../devices/DeviceCalls.ts"
import type { DeviceResult, JobFailure } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress } from "./InitProgress.ts"
import { InitRestore } from "./InitRestore.ts"
import { HostKeyStore } from "../../store/IdentityStore.ts"

/** What follows the move. */
export interface AfterMove {
  readonly step2DelaySeconds: number
  /** Starts other jobs, in the transaction in which the device becomes INIT. */
  readonly afterwards: Effect.Effect<void, JobFailure | SqlError.SqlError>
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const states = yield* DeviceStates
  const hostKeys = yield* HostKeyStore
  const certificates = yield* CertificateStore
  const rows = yield* InitRestore
  const progress = yield* InitProgress

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

  const takeBack = Effect.fn("InitEnd.takeBack")(function* (job: InitJob, decided: InitDecision, result: DeviceResult) {
    yield* rows.restore(job, decided)
    yield* job.memo.write({ ...decided, stage: "done" })
    yield* end(job, decided.previousHostname, result, decided)
  }, sql.withTransaction)

  const moveOn = Effect.fn("InitEnd.moveOn")(function* (
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
    yield* hostKeys.provisioned(decided.deviceId)
    // the switch that was replaced still has their keys
    if (decided.before.replaced !== null) yield* certificates.revokeOfDevice(decided.deviceId, "superseded", job.id)
    if (yield* job.aborting) {
      const message = `The job was aborted when ${decided.newHostname} had moved: step 2 follows, and nothing else is begun`
      yield* progress.say(job, "aborted", message)
    } else yield* after.afterwards
    yield* job.memo.write({ ...decided, stage: "done" })
    yield* end(job, decided.newHostname, result, decided)
  }, sql.withTransaction)

  return {
    /** Everything is as it was before. */
    takeBack,
    /** The device is INIT, and step 2 follows. */
    moveOn
  }
})

/** Ends of step 1. */
export class InitEnd extends Context.Service<InitEnd>()("switchyard/jobs/InitEnd", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
