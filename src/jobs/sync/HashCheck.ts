/**
 * The check that ends a whole job before anything is pushed: every selected device whose configuration we know must still run
 * it (`abort_on_failure`, docs/changes.md#the-way-of-a-change and docs/changes.md#hash-check).
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ProvedConfigStore } from "../../store/ConfigStore.ts"
import { SyncEventStore } from "../../store/DeviceStore.ts"
import { isWrongDevice } from "../engine/CallErrorText.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import { askedTogether, untilAborted } from "../engine/UntilAborted.ts"

/** At most so many devices are explained in the message. */
const EXPLAINED = 20

interface Mismatch {
  readonly device: Device
  readonly why: string
}

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const events = yield* SyncEventStore
  const proved = yield* ProvedConfigStore
  const actorOf = yield* DeviceEntity.client

  const mismatch = Effect.fnUntraced(function* (
    job: RunningJob,
    device: Device
  ): Effect.fn.Return<Mismatch | null, SqlError.SqlError> {
    const call = patiently(actorOf(String(device.id)).ReadRunningConfig({ login: {} }))
    const asked = yield* untilAborted(job, Effect.result(call))
    // nothing is begun after an abort, so nothing needs to be known
    if (Option.isNone(asked)) return null
    const read = asked.value
    if (Result.isFailure(read)) {
      const { failure } = read
      return { device, why: isWrongDevice(failure) ? `WrongDevice: ${failure.message}` : failure.message }
    }
    const isRun = yield* proved.isRun(device, device.confhash, read.success)
    return isRun ? null : { device, why: "its configuration was altered outside of Switchyard" }
  })

  const check = Effect.fn("HashCheck.check")(function* (job: RunningJob, selected: ReadonlyArray<Device>) {
    // a device that nobody can log in to fails by itself, without the others
    const known = selected.filter((device) => device.confhash !== null && isManageable(device))
    const together = yield* askedTogether(job)
    const checked = yield* Effect.forEach(known, (device) => mismatch(together, device), {
      concurrency: config.SYNC_CONCURRENCY
    })
    const failed = checked.filter((result) => result !== null)
    if (failed.length === 0) return
    const names = failed.map(({ device }) => device.hostname)
    yield* events.unsynchronize(
      failed.map(({ device }) => device),
      { cause: "confighash", by: job.user, job_id: job.id }
    )
    const reasons = failed.slice(0, EXPLAINED).map(({ device, why }) => `\n${device.hostname}: ${why}`)
    return yield* new JobFailure({
      type: "Exception",
      message: `Configuration hash check failed for ${names.join(" ")}${reasons.join("")}`
    })
  })

  return HashCheck.of({ check })
})

/** Checks of what devices run before anything is pushed. */
export class HashCheck extends Context.Service<
  HashCheck,
  {
    /** Fails with JobFailure when a device does not pass, after marking those devices unsynchronized. */
    readonly check: (
      job: RunningJob,
      selected: ReadonlyArray<Device>
    ) => Effect.Effect<void, JobFailure | SqlError.SqlError>
  }
>()("switchyard/jobs/HashCheck") {
  static readonly layer = Layer.effect(HashCheck, make)
}
