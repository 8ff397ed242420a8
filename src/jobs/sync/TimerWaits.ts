/**
 * Devices that cannot be reached after their commit take it back by their own timers, which may run for minutes. A job that
 * is aborted does not wait for that: it says so of the device and ends. The end of the change is found and recorded later
 * (`OpenChanges.ts`). A device that can be reached is told to take the change back, as without an abort.
 */
import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import { EXPIRY_MARGIN_SECONDS } from "../../../machines/change/ChangeDecision.ts"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import { ChangeStore, type TimedChange } from "../../store/ChangeStore.ts"
import type { RunningJob } from "../engine/JobHandler.ts"

const LOOK_EVERY = "1 second"

const leftReport = ({ committed_at, diff, timer_seconds }: TimedChange, now: number): ChangeReport => {
  const end = (committed_at ?? now) + ((timer_seconds ?? 0) + EXPIRY_MARGIN_SECONDS) * 1000
  const seconds = Math.max(0, Math.ceil((end - now) / 1000))
  return {
    waiting: false,
    result: "unknown",
    runs: "unclear",
    ok: false,
    phase: "expiring",
    reason: "unreachable",
    message: `The job was aborted while the device could not be reached. Its commit timer takes the change back within ${seconds} s; what came of it is recorded then`,
    failure: null,
    diff: diff ?? "",
    hash: null
  }
}

/** Gives up calls to devices' actors when the job is aborted and only the device's timer is left. */
export interface TimerWatch {
  /** What the call yields, or a report that says for how long the timer runs. */
  readonly orLeave: (changeId: number, call: Effect.Effect<ChangeReport>) => Effect.Effect<ChangeReport>
}

const make = Effect.gen(function* () {
  const changes = yield* ChangeStore

  const watch = Effect.fn("TimerWaits.watch")(function* (job: RunningJob) {
    const waiting = new Map<number, Deferred.Deferred<ChangeReport>>()

    const leave = Effect.gen(function* () {
      if (waiting.size === 0 || !(yield* job.aborting)) return
      const now = yield* Clock.currentTimeMillis
      for (const change of yield* changes.expiring([...waiting.keys()])) {
        const left = waiting.get(change.id)
        if (left !== undefined) yield* Deferred.succeed(left, leftReport(change, now))
      }
    })

    yield* leave.pipe(
      Effect.tapCause((cause) => Effect.logWarning("The timers of the job's devices could not be looked at", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(LOOK_EVERY)),
      Effect.forkChild
    )

    return {
      orLeave: (changeId, call) =>
        Effect.suspend(() => {
          const left = Deferred.makeUnsafe<ChangeReport>()
          waiting.set(changeId, left)
          return Effect.raceFirst(call, Deferred.await(left)).pipe(
            Effect.ensuring(Effect.sync(() => waiting.delete(changeId)))
          )
        })
    } satisfies TimerWatch
  })

  return TimerWaits.of({ watch })
})

/** Waits of jobs for the timers of their devices. */
export class TimerWaits extends Context.Service<
  TimerWaits,
  {
    /** Looks for as long as the calling fiber lives. */
    readonly watch: (job: RunningJob) => Effect.Effect<TimerWatch>
  }
>()("switchyard/jobs/TimerWaits") {
  static readonly layer = Layer.effect(TimerWaits, make)
}
