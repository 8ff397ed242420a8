/**
 * Devices that cannot be reached after their commit take it back by their own timers, which may run for minutes. A job waits
 * for one until its timer has ended, and a few seconds; what is tried meanwhile to reach it, and its own time limits, add nothing
 * to that. A job that is aborted does not wait at all. It says so of the device and goes on, or ends; the end of the change is
 * found and recorded later (`OpenChanges.ts`). A device that can be reached is told to take the change back, as without an abort. A
 * change of which nothing was sent yet, as when the machine of the server opens no connection, is cancelled by an abort.
 */
import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import { EXPIRY_MARGIN_SECONDS } from "../../../machines/change/ChangeDecision.ts"
import type { ChangeReport } from "../../devices/DeviceCalls.ts"
import { ChangeStore, type TimedChange } from "../../store/ChangeStore.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import { ChangeCalls } from "./ChangeCalls.ts"

const LOOK_EVERY = "1 second"

/** Why a job waits no longer for a device. */
type Left = "aborted" | "silent"

const messageOf = (left: Left, { hostname, timer_end }: TimedChange, now: number): string =>
  left === "aborted"
    ? `The job was aborted while the device could not be reached. Its commit timer takes the change back within ${Math.max(0, Math.ceil(timer_end + EXPIRY_MARGIN_SECONDS - now / 1000))} s; what came of it is recorded then`
    : `The device could not be looked at since the commit. The timer of ${hostname} has ended, by which it takes the change back by itself; what came of it is recorded when it is known`

const leftReport = (left: Left, change: TimedChange, now: number): ChangeReport => ({
  waiting: false,
  result: "unknown",
  runs: "unclear",
  ok: false,
  phase: "expiring",
  reason: "unreachable",
  message: messageOf(left, change, now),
  failure: change.failure,
  diff: change.diff ?? "",
  hash: null
})

/** Of a change that was cancelled because the job was aborted before anything was sent. */
const cancelledReport: ChangeReport = {
  waiting: false,
  result: "discarded",
  runs: "old",
  ok: false,
  phase: "discarded",
  reason: "cancelled",
  message: "The job was aborted before anything was sent",
  failure: null,
  diff: "",
  hash: null
}

/** Gives up calls to devices' actors when only the device's timer is left, and the job is aborted or the timer has ended. */
export interface TimerWatch {
  /** What the call yields, or a report that says what is known of the timer. */
  readonly orLeave: (changeId: number, call: Effect.Effect<ChangeReport>) => Effect.Effect<ChangeReport>
}

const make = Effect.gen(function* () {
  const changes = yield* ChangeStore
  const { cancel } = yield* ChangeCalls

  const watch = Effect.fn("TimerWaits.watch")(function* (job: RunningJob) {
    const waiting = new Map<number, Deferred.Deferred<ChangeReport>>()

    /** Something was sent for them when the abort was seen; that stays so. */
    const seen = new Set<number>()

    const leave = Effect.gen(function* () {
      if (waiting.size === 0) return
      const now = yield* Clock.currentTimeMillis
      const leaving = Effect.fnUntraced(function* (why: Left, found: ReadonlyArray<TimedChange>) {
        for (const change of found) {
          const left = waiting.get(change.id)
          if (left !== undefined) yield* Deferred.succeed(left, leftReport(why, change, now))
        }
      })
      yield* leaving("silent", yield* changes.overdue([...waiting.keys()]))
      if (!(yield* job.aborting)) return
      yield* leaving("aborted", yield* changes.expiring([...waiting.keys()]))
      for (const [id, left] of waiting) {
        if (seen.has(id)) continue
        if (yield* cancel(id)) yield* Deferred.succeed(left, cancelledReport)
        seen.add(id)
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
