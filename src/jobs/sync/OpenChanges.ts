/**
 * Resumes the changes that a fault has left of jobs that have ended, at the start and every few seconds: one for which
 * nothing was sent is cancelled; any other is given to its device's actor, which looks at the switch and takes back what can
 * be taken back. What it came to is then recorded, also when only that was missing (promises 3 and 5). Which replica does it
 * does not matter: the actor does one thing at a time.
 */
import { Effect, FiberMap, Layer, Option, Schedule } from "effect"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { type LeftChange, LeftChangeStore } from "../../store/UnfinishedChanges.ts"
import { AbandonedChangeRecord } from "./AbandonedChangeRecord.ts"
import { BROKEN, ChangeCalls } from "./ChangeCalls.ts"
import { becauseOf } from "./SyncTasks.ts"

const INTERVAL = "15 seconds"

const JOB_OVER = { aborted: false, message: "The job was over before the change was" } as const

/** A later way to have a change carried out may end it in a way that a broken call does not know. */
const isBroken = ({ phase, reason }: ChangeReport) => phase === "unknown" && reason === null

const make = Effect.gen(function* () {
  const changes = yield* ChangeStore
  const leftChanges = yield* LeftChangeStore
  const calls = yield* ChangeCalls
  const record = yield* AbandonedChangeRecord
  const inHand = yield* FiberMap.make<number>()

  /** Brings the change to its end; nothing when somebody else moves it, or its device's actor cannot say. */
  const settle = Effect.fnUntraced(function* ({ device_id, id, phase }: LeftChange) {
    const isOurs = yield* phase === "planned" ? calls.cancel(id) : calls.giveUp(id)
    if (!isOurs) return Option.none()
    const report = yield* calls.settle(device_id, id, "OTHERS_FAILED")
    return isBroken(report) || report.waiting ? Option.none() : Option.some(becauseOf(JOB_OVER, report))
  })

  const resume = Effect.fn("OpenChanges.resume")(function* (left: LeftChange) {
    const change = yield* changes.get(left.id)
    const report = yield* settle(left)
    if (Option.isNone(change) || Option.isNone(report)) return
    const isRecorded = yield* record.write(left, change.value, report.value)
    yield* Effect.logWarning("A change that its job has left behind is settled", {
      job: left.job_id,
      device: left.device_id,
      was: left.phase,
      is: report.value.phase,
      ...(isRecorded ? { recorded: true } : {})
    })
  })

  const withoutFailure = (left: LeftChange) =>
    Effect.catchCause(resume(left), (cause) =>
      Effect.logWarning("A change that its job has left behind could not be settled; it will be tried again", cause)
    )

  const sweep = Effect.flatMap(leftChanges.find(BROKEN), (found) =>
    Effect.forEach(found, (left) => FiberMap.run(inHand, left.id, withoutFailure(left), { onlyIfMissing: true }), {
      discard: true
    })
  )

  yield* sweep.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Changes that were left behind could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
})

/** Looks for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
