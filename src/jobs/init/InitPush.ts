/**
 * Tells a switch to move to its new address, and finds out where it answers (docs/provisioning.md#moving-to-the-new-address).
 * One that may have been told before a restart is looked for first.
 */
import { Context, Effect, Layer } from "effect"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { isAway, patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress } from "./InitProgress.ts"

/** A switch that may have been told to move is looked for this long before it is told again, in seconds. */
const FIRST_LOOK = 3

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const progress = yield* InitProgress
  const actorOf = yield* DeviceEntity.client

  const push = Effect.fn("InitPush.push")(function* (
    job: InitJob,
    device: Device,
    decided: InitDecision,
    text: string
  ) {
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
    yield* job.memo.write({ ...decided, stage: "pushing" })
    // an actor that was lost on the way may have pushed: then only a look tells
    return yield* Effect.catchIf(send(config.INIT_MGMT_TIMEOUT, false), isAway, () => look(config.INIT_MGMT_TIMEOUT))
  })

  return {
    /** Pushes this base configuration. Yields where the switch answers afterwards. */
    push
  }
})

/** The push of base configurations. */
export class InitPush extends Context.Service<InitPush>()("switchyard/jobs/InitPush", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
