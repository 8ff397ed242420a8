/**
 * The second half of step 1, the same for access and fabric devices: renders the base configuration, pushes it, and decides by
 * where the switch answers whether it moved (docs/provisioning.md#moving-to-the-new-address). A switch that did not move is as
 * it was before, and so is every row.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql"
import { ManagementAccess } from "../../devices/ManagementAccess.ts"
import type { JobFailure } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { renderError } from "../../drivers/DriverErrors.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { CandidateConfigs } from "../sync/CandidateConfigs.ts"
import { InitCertificate } from "./InitCertificate.ts"
import { type AfterMove, InitEnd } from "./InitEnd.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress, isAbort } from "./InitProgress.ts"
import { InitPush } from "./InitPush.ts"
import * as InitTasks from "./InitTasks.ts"
import { refusedAsFailure } from "../engine/JobHandler.ts"
import { passGate } from "../../drivers/LoadChecks.ts"
import { originOf } from "../../templates/Provenance.ts"
import { DerivedSecretStore, SecretTexts } from "../../store/SecretStore.ts"

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const configs = yield* CandidateConfigs
  const ends = yield* InitEnd
  const progress = yield* InitProgress
  const certificates = yield* InitCertificate
  const pushing = yield* InitPush
  const access = yield* ManagementAccess
  const derivedSecrets = yield* DerivedSecretStore
  const texts = yield* SecretTexts
  const plugins = yield* PluginActions

  const carryOut = Effect.fnUntraced(function* (job: InitJob, decided: InitDecision, after: AfterMove) {
    const device = yield* devices.get(decided.deviceId)
    if (decided.stage === "prepared") {
      // behind the push the switch could be reached there only, with a login that must not go there
      const allowed = yield* Effect.result(access.check(decided.newHostname, decided.primary.ip, "INIT"))
      if (Result.isFailure(allowed)) {
        if (allowed.failure._tag === "SqlError") return yield* allowed.failure
        return yield* ends.takeBack(job, decided, InitTasks.notAllowed(allowed.failure.message))
      }
      yield* progress.checkpoint(job, `Installing the certificate of ${decided.newHostname}`)
    }
    const certificate = yield* certificates.install(job.id, device, decided)
    if (certificate.failed) return yield* ends.takeBack(job, decided, InitTasks.notCertified(certificate))
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
      return yield* ends.takeBack(job, decided, InitTasks.notRendered(certificate, `${type}: ${message}\n`))
    }
    const { text } = rendered.success
    const derived = yield* rendered.success.secrets
    yield* derivedSecrets.note(device.id, derived)
    // the device may have another name when its record is written
    const shown = texts.hide(text, derived)
    const platform = platformOf(device.platform)
    if (decided.stage === "prepared" && platform !== undefined) {
      const from = (line: string) => originOf(rendered.success, platform.name, line)
      const candidate = { hostname: decided.newHostname, platform, text, mode: "replace", originOf: from } as const
      const passed = yield* Effect.result(passGate(candidate))
      if (Result.isFailure(passed)) {
        return yield* ends.takeBack(job, decided, InitTasks.notPushed(certificate, shown, renderError(passed.failure)))
      }
    }
    const pushed = yield* pushing.push(job, device, decided, text)
    if (pushed.aborted) yield* progress.checkpoint(job, `Committing the base configuration on ${decided.newHostname}`)
    if (pushed.oldAddressAnswers && !pushed.newAddressAnswers) {
      return yield* ends.takeBack(job, decided, InitTasks.notMoved(certificate, shown, decided.newHostname, pushed))
    }
    yield* ends.moveOn(job, decided, pushed, InitTasks.moved(certificate, shown), after)
    yield* plugins.runPatiently
  })

  const run = Effect.fn("InitMove.run")(function* (job: InitJob, decided: InitDecision, after: AfterMove) {
    yield* carryOut(job, decided, after).pipe(
      Effect.catchIf(isAbort, ({ message }) => ends.takeBack(job, decided, InitTasks.aborted(message, true)))
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
