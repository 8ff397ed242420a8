/**
 * One run of a stored change: its claims in the database, its steps on the switch and their texts. The statechart decides the next
 * step. A step that may change the switch claims the phase of its row first, and does nothing if another process has continued the
 * change (promise 1).
 */
import { Clock, Context, Duration, Effect, Option, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type {
  ChangeEvent,
  ChangeRow,
  CheckTask,
  ClaimTask,
  LookTask,
  StepTask
} from "../../machines/change/ChangeRow.ts"
import { configChange } from "../../machines/change/ConfigChange.ts"
import type { ChangeStore, ClaimTexts } from "../store/ChangeStore.ts"
import { annotate, spanned } from "../runtime/Spans.ts"
import type { ChangeSteps, SeenTexts } from "./ChangeSteps.ts"
import * as LiveActor from "./LiveActor.ts"
import { isClaimFresh, TAKEN_OVER, UNASKED, type WorkClaim } from "../drivers/Driver.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import { SILENT_REPLICA } from "../domain/TakeOver.ts"

/** Another process works on this change: nothing more was sent from here. */
export class ChangeTakenOver extends Schema.TaggedError<ChangeTakenOver>()("ChangeTakenOver", { id: Schema.Int }) {
  override get message() {
    return `Change ${this.id} was taken over by another process`
  }
}

/** The errors that end a run but not its change. */
export type RunError = ChangeTakenOver | SqlError.SqlError

/** The claims, steps and surroundings of one run. */
export interface ChangeRun {
  /** Writes the row if the database still holds the one that was written last. */
  readonly claim: (task: StepTask) => Effect.Effect<void, RunError>
  readonly steps: ChangeSteps
  /** Gives work the context of the caller that runs the change, for its log lines and spans. */
  readonly within: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Called when the change waits for its verdict. */
  readonly waits: (task: StepTask) => Effect.Effect<void>
}

const isProved = ({ candidateHash, phase }: ChangeRow) =>
  candidateHash !== null && (phase === "confirmed" || phase === "unchanged")

/** The claims of a run, in order: each succeeds only if the database still has the previous one's row. */
export const claims = (
  changes: Pick<ChangeStore["Service"], "claim">,
  id: number,
  known: LastKnown,
  seen: SeenTexts
): ChangeRun["claim"] =>
  Effect.fnUntraced(function* ({ failure, row }) {
    const { written } = known
    const texts: ClaimTexts = {
      before: seen.before,
      ...(row.diff === written.diff ? {} : { diff: row.diff }),
      ...(isProved(row) && seen.running !== null && row.candidateHash !== null
        ? {
            proved: {
              hash: row.candidateHash,
              config: seen.running,
              secrets: seen.secretsOf?.(seen.running) ?? null
            }
          }
        : {})
    }
    const claim = { from: { phase: written.phase, epoch: written.epoch }, row }
    const at = Date.now()
    if (!(yield* changes.claim(id, claim, failure, texts))) return yield* new ChangeTakenOver({ id })
    known.written = row
    known.at = at
    seen.before = null
  })

/** The current run of a device's actor, for a step that begins; there is at most one. */
export class CurrentRun extends Context.Service<CurrentRun, { readonly begin: () => ChangeRun }>()(
  "switchyard/devices/CurrentRun"
) {}

/** The steps of all live changes. */
export const steps = LiveActor.makeSteps<RunError, CurrentRun>()

/** The work of a step in the current run. */
type Work<Task extends StepTask> = (run: ChangeRun, task: Task) => Effect.Effect<ChangeEvent, RunError>

const step = <Task extends StepTask>(name: string, work: Work<Task>) =>
  steps.fromEffect((task: Task) =>
    Effect.flatMap(CurrentRun, (current) => {
      const run = current.begin()
      return run.within(
        work(run, task).pipe(
          Effect.tap(({ type }) => annotate("change.event", type)),
          spanned(`step ${name}`, { attributes: { "change.phase": task.row.phase } })
        )
      )
    })
  )

/** A step that claims the phase of its row before it does anything. */
const claimed = (name: string, work: Work<ClaimTask>) =>
  step<ClaimTask>(name, (run, task) =>
    Effect.andThen(
      run.claim(task),
      Effect.suspend(() => work(run, task))
    )
  )

/** The statechart of a change with its steps. Made once: providing actors takes longer than a step. */
export const liveChange = configChange.provide({
  actors: {
    claim: claimed("claim", () => Effect.map(Clock.currentTimeMillis, (at) => ({ type: "CLAIMED", at }) as const)),
    open: step("open", ({ steps }) => steps.open),
    verify: step("verify", ({ steps }, { row }) => steps.verify(row)),
    load: claimed("load", ({ steps }, { row }) => steps.load(row)),
    discard: claimed("discard", ({ steps }, { row }) => steps.discard(row)),
    readBefore: step("readBefore", ({ steps }, { row }) => steps.readBefore(row)),
    check: step<CheckTask>("check", ({ steps }, { row, since }) => steps.check(row, since)),
    commit: claimed("commit", ({ steps }, { row }) => steps.commit(row)),
    observe: step<LookTask>("observe", (run, task) => {
      const look = Effect.suspend(() => run.steps.observe(task.row, task.newConnection))
      return task.claim ? Effect.andThen(run.claim(task), look) : look
    }),
    awaitVerdict: step("awaitVerdict", (run, task) => Effect.andThen(run.waits(task), Effect.never)),
    confirm: claimed("confirm", ({ steps }, { row }) => steps.confirm(row)),
    save: claimed("save", ({ steps }) => steps.save),
    askTimer: step("askTimer", ({ steps }, { row }) => steps.askTimer(row))
  }
})

// Whether this process still owns a change, for its sessions, which check that before they send (`drivers/Driver.ts`).

/** The row that this process has last read or written, and when it sent that statement, in epoch milliseconds. */
export interface LastKnown {
  written: ChangeRow
  at: number
}

const PAUSE = Schedule.spaced("200 millis")

/**
 * Valid while the database has the row that was written last. The database may be unavailable to this process only, so among
 * replicas it is asked until the others may have taken over. A process `alone` continues, because there is no other.
 */
export const claimOf = (
  changes: Pick<ChangeStore["Service"]["live"], "place">,
  id: number,
  known: { readonly written: Pick<ChangeRow, "phase" | "epoch">; at: number },
  alone: boolean
): WorkClaim => {
  const ask = Effect.suspend(() => {
    const at = Date.now()
    return Effect.map(changes.place(id), (found) => {
      const { epoch, phase } = known.written
      const isOurs = Option.exists(found, (now) => now.phase === phase && now.epoch === epoch)
      if (!isOurs) return TAKEN_OVER
      known.at = at
      return null
    })
  })
  const answer = alone
    ? ask.pipe(
        Effect.retry({ times: 2, schedule: PAUSE }),
        Effect.orElseSucceed(() => null)
      )
    : ask.pipe(
        Effect.retry(PAUSE),
        Effect.timeoutOrElse({ duration: Duration.seconds(SILENT_REPLICA), orElse: () => Effect.succeed(UNASKED) }),
        Effect.orElseSucceed(() => UNASKED)
      )
  return { isFresh: () => isClaimFresh(known.at), ask: failingWithoutDatabase(answer) }
}
