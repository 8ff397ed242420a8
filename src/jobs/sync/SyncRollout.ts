/**
 * The devices of a sync job, stage by stage. When the rollout is stopped nothing new is begun, devices in flight are brought to
 * a known end, and those that wait are taken back at once instead of waiting for their timers (docs/changes.md#confirm-modes
 * and docs/concepts.md#the-promises).
 */
import { Context, Effect, Fiber, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { JobWaitStore } from "../../store/JobScheduling.ts"
import { SyncDevice } from "./SyncDevice.ts"
import { SyncVerdict } from "./SyncVerdict.ts"
import { type SyncWork, takesBackNow, takeWaiting } from "./SyncWork.ts"

/** How often the changes are looked at for one that has failed but still waits for its switch. */
const WATCH_EVERY = "1 second"

/** How often a stage that is held looks whether it may begin. */
const LOOK_EVERY = "500 millis"

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const changes = yield* ChangeStore
  const waits = yield* JobWaitStore
  const syncDevice = yield* SyncDevice
  const verdicts = yield* SyncVerdict

  /** A device that died after its commit reports late; its row tells at once that it will not be confirmed. */
  const watch = (work: SyncWork, devices: ReadonlyMap<number, Device>, isCanary: boolean) =>
    Effect.gen(function* () {
      if (yield* work.job.aborting) yield* work.guard.aborted
      for (const id of yield* changes.lostOfJob(work.job.id)) {
        const device = devices.get(id)
        if (device !== undefined) yield* work.guard.failed(device.hostname, isCanary)
      }
    }).pipe(
      Effect.tapCause((cause) => Effect.logWarning("The progress of the changes could not be read", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(WATCH_EVERY))
    )

  const takeBackWhenStopped = (work: SyncWork) =>
    Effect.flatMap(work.guard.stopped, (stop) =>
      takesBackNow(work, stop) ? verdicts.takeBack(work, takeWaiting(work), stop) : Effect.void
    )

  /** Devices that are confirmed together are held together, before the first of them is begun. */
  const whenResumed = Effect.fnUntraced(function* (work: SyncWork, devices: ReadonlyArray<Device>) {
    const { begun, guard, job, plan } = work
    if (plan.scope !== "stage" || devices.some(({ id }) => begun.has(id))) return
    while (guard.stop() === null && (yield* waits.isPaused(job.id))) yield* Effect.sleep(LOOK_EVERY)
  })

  const runStage = Effect.fn("SyncRollout.stage")(function* (
    work: SyncWork,
    devices: ReadonlyArray<Device>,
    isCanary: boolean
  ) {
    yield* whenResumed(work, devices)
    const { guard, job, plan } = work
    const byId = new Map(devices.map((device) => [device.id, device]))
    const watching = yield* Effect.forkChild(job.args.dry_run ? Effect.never : watch(work, byId, isCanary))
    const takingBack = yield* Effect.forkChild(takeBackWhenStopped(work))
    yield* Effect.forEach(devices, (device) => syncDevice.sync(work, device, isCanary), {
      concurrency: config.SYNC_CONCURRENCY,
      discard: true
    })
    yield* Fiber.interrupt(watching)
    if (plan.scope === "stage") yield* verdicts.confirmStage(work)
    yield* guard.stop() === null ? Fiber.interrupt(takingBack) : Fiber.join(takingBack)
  })

  return SyncRollout.of({ runStage })
})

/** Rollouts over many devices. */
export class SyncRollout extends Context.Service<
  SyncRollout,
  {
    /** Works on the devices of one stage until each has ended or waits for a verdict. */
    readonly runStage: (
      work: SyncWork,
      devices: ReadonlyArray<Device>,
      isCanary: boolean
    ) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncRollout") {
  static readonly layer = Layer.effect(SyncRollout, make)
}
