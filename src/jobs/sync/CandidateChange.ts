/** Renders what a device should run and stores the change that brings it there; what prevents it is recorded of the device. */
import { Context, Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { DeviceResult } from "../../domain/Job.ts"
import { isManageable, UnmanageableDevice } from "../../domain/platforms/Platforms.ts"
import type { ChangeToRun } from "../../store/ChangeStore.ts"
import { DerivedSecretStore, findMark } from "../../store/SecretStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { type CandidateRefused, ChangeCalls, refusedCandidate } from "./ChangeCalls.ts"
import { Fence } from "./Fence.ts"
import { fenced, forbidden, outsideWindow, renderFailed, syncResult, unmanageable } from "./SyncTasks.ts"
import type { SyncWork } from "./SyncWork.ts"
import { originOf } from "../../templates/Provenance.ts"

/** Such as of the data of a port that was sealed under a key which is lost. */
const withMark = (mark: string) =>
  `The configuration has ${mark} in the place of a secret, so it is not sent: enter the text of the port or of the template again\n`

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const calls = yield* ChangeCalls
  const fence = yield* Fence
  const derivedSecrets = yield* DerivedSecretStore
  const windows = yield* JobWindows

  /** Ends the device's part of the job before anything was sent. */
  const refuse = Effect.fnUntraced(function* ({ guard, job }: SyncWork, { hostname }: Device, result: DeviceResult) {
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
    yield* guard.failed(hostname, false)
    return null
  })

  const store = Effect.fn("CandidateChange.store")(function* (work: SyncWork, device: Device) {
    const { job, plan, render } = work
    const closed = job.args.dry_run ? null : yield* windows.closed(job.args, device)
    if (closed !== null) return yield* refuse(work, device, outsideWindow(closed))
    if (!isManageable(device)) return yield* refuse(work, device, unmanageable(new UnmanageableDevice(device)))
    const rendered = yield* render(device)
    if (Result.isFailure(rendered)) {
      const { message, type } = rendered.failure
      return yield* refuse(work, device, renderFailed(`${type}: ${message}\n`))
    }
    const candidate = rendered.success.text
    const mark = findMark(candidate)
    if (mark !== undefined) return yield* refuse(work, device, renderFailed(withMark(mark)))
    yield* derivedSecrets.note(device.id, yield* rendered.success.secrets)
    const { dry_run: dryRun, dry_run_job, force, on_missing_lines: onMissingLines } = job.args
    const shown = dry_run_job === undefined ? null : yield* fence.device(dry_run_job, device, candidate)
    if (shown !== null && Result.isFailure(shown)) return yield* refuse(work, device, fenced(candidate, shown.failure))
    const policy = onMissingLines === undefined ? {} : { onMissingLines }
    const wanted = {
      jobId: job.id,
      candidate,
      mode: plan.mode,
      dryRun,
      force,
      expectedHash: device.confhash,
      originOf: (line: string) => originOf(rendered.success, device.platform ?? "", line),
      ...policy,
      ...(shown === null ? {} : { shown: shown.success })
    }
    const notConfiguration = (error: CandidateRefused) =>
      refuse(work, device, syncResult(candidate, refusedCandidate(error)))
    return yield* Effect.catchTags(calls.store(device, wanted), {
      ReplaceConfigException: notConfiguration,
      MergeConfigException: notConfiguration,
      UnmanageableDevice: (error) => refuse(work, device, unmanageable(error)),
      UnseenDevice: (error) => refuse(work, device, forbidden(error)),
      DisputedRecord: (error) => refuse(work, device, forbidden(error)),
      RecordChanged: (error) => refuse(work, device, forbidden(error))
    })
  })

  return CandidateChange.of({ store })
})

/** Changes of a sync job, from what is rendered. */
export class CandidateChange extends Context.Service<
  CandidateChange,
  {
    /** The device's change; null when there can be none, with a row that says why. */
    readonly store: (work: SyncWork, device: Device) => Effect.Effect<ChangeToRun | null, SqlError.SqlError>
  }
>()("switchyard/jobs/CandidateChange") {
  static readonly layer = Layer.effect(CandidateChange, make)
}
