/**
 * The verdict over devices that are proved and wait: they are confirmed together, or taken back at once instead of waiting for
 * their timers (docs/changes.md#confirm-modes).
 */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { Stop } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { ChangeCalls } from "./ChangeCalls.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import { becauseOf } from "./SyncTasks.ts"
import { type SyncWork, takesBackNow, takeWaiting, type VerdictContext, type WaitingDevice } from "./SyncWork.ts"

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const changes = yield* ChangeStore
  const calls = yield* ChangeCalls
  const outcomes = yield* SyncOutcome

  const concurrently = { concurrency: config.SYNC_CONCURRENCY, discard: true } as const

  const settle = Effect.fn("SyncVerdict.settle")(function* (
    { guard, run, timers }: VerdictContext,
    { changeId, device }: WaitingDevice,
    stop: Stop | null
  ) {
    const verdict = stop === null ? "ALL_DEVICES_OK" : "OTHERS_FAILED"
    const report = yield* timers.orLeave(changeId, calls.settle(device.id, changeId, verdict))
    const change = yield* changes.get(changeId)
    const candidate = Option.match(change, { onNone: () => "", onSome: (stored) => stored.candidate })
    yield* outcomes.recordVerdict(device, run, candidate, stop === null ? report : becauseOf(stop, report))
    if (!report.ok && stop === null) yield* guard.failed(device.hostname, false)
  })

  const takeBack = (context: VerdictContext, waiting: ReadonlyArray<WaitingDevice>, stop: Stop) =>
    Effect.forEach(waiting, (device) => settle(context, device, stop), concurrently)

  const confirmStage = (work: SyncWork) =>
    Effect.suspend(() =>
      Effect.forEach(
        takeWaiting(work),
        (device) => {
          const stop = work.guard.stop()
          return settle(work, device, takesBackNow(work, stop) ? stop : null)
        },
        concurrently
      )
    )

  const hold = (work: SyncWork, device: WaitingDevice) =>
    Effect.suspend(() => {
      // from here to the end nothing else runs in between: either the device is in the list when it is emptied, or not
      const stop = work.guard.stop()
      if (takesBackNow(work, stop)) return settle(work, device, stop)
      work.waiting.set(device.device.id, device)
      return Effect.void
    })

  return SyncVerdict.of({ takeBack, confirmStage, hold })
})

type Settlement = Effect.Effect<void, SqlError.SqlError>

/** Verdicts over waiting devices. */
export class SyncVerdict extends Context.Service<
  SyncVerdict,
  {
    /** Puts a proved device among those that wait, or takes it back when the rollout was stopped meanwhile. */
    readonly hold: (work: SyncWork, device: WaitingDevice) => Settlement
    /** Confirms all that wait, or takes them back from where the rollout is stopped. */
    readonly confirmStage: (work: SyncWork) => Settlement
    /** Takes devices back, such as after the confirming job was aborted. */
    readonly takeBack: (context: VerdictContext, waiting: ReadonlyArray<WaitingDevice>, stop: Stop) => Settlement
  }
>()("switchyard/jobs/SyncVerdict") {
  static readonly layer = Layer.effect(SyncVerdict, make)
}
