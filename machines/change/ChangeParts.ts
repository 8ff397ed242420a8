/**
 * The parts of which the statechart of a change (`ConfigChange.ts`) is put together: how a state is entered, how a step is invoked,
 * and what follows from an observation or an unclear end, which is the same in several states.
 */
import { raise } from "xstate"
import { endOfStep } from "../StepLogic.ts"
import type { ChangePhase, ChangeReason, ClaimTask, LookTask, StepTask } from "./ChangeRow.ts"
import type { ChangeContext } from "./ChangeSetup.ts"

export const enter = (phase: ChangePhase | null) => ({ type: "enter", params: { phase } }) as const
export const give = <R extends ChangeReason>(reason: R) => ({ type: "giveUp", params: { reason } }) as const
export const because = <R extends ChangeReason>(reason: R) => ({ type: "because", params: { reason } }) as const

interface Info {
  readonly context: ChangeContext
}

export const invoke = <S extends string, Task>(src: S, input: (info: Info) => Task) =>
  ({ id: "step", src, input, onDone: { actions: raise(endOfStep) } }) as const

export const task = ({ context: { failure, row } }: Info): StepTask => ({ row, failure })
export const claim = (info: Info): ClaimTask => ({ ...task(info), claim: true })
/** Looks at the device; one that cannot be reached is tried again before it counts as unreachable. */
export const looking = (how: Pick<LookTask, "claim" | "newConnection">) =>
  ({
    observing: {
      invoke: invoke("observe", (info): LookTask => ({ ...task(info), ...how })),
      on: { UNREACHABLE: { guard: "attemptsRemain", target: "resting", actions: "countAttempt" } }
    },
    resting: { after: { attemptPause: "observing" } }
  }) as const

export const confirmUnclear = [
  { guard: "looksRemain", target: "looking", actions: "lookAgain" },
  { target: "expiring", actions: give("notProved") }
] as const

export const saveUnclear = [
  { guard: "looksRemain", target: "looking", actions: "lookAgain" },
  { target: "unknown", actions: because("notSaved") }
] as const

export const restoreUnclear = [
  { guard: "looksRemain", target: "looking", actions: "lookAgain" },
  { target: "unknown", actions: because("notRestored") }
] as const

export const afterDiscard = [
  { guard: "leftConfiguration", target: "strayed" },
  { guard: "committedInEarlierRound", target: "saving", actions: ["keep", "adoptRunning"] },
  { guard: "isUnchanged", target: "unchanged" },
  { guard: "startsOver", target: "planned", actions: "startNextRound" },
  { guard: "isTooOften", target: "discarded", actions: because("tooManyRestarts") },
  { target: "discarded" }
] as const

export const runsNew = [
  { guard: "loginRefusedBesideTimer", target: "expiring", actions: give("loginRefused") },
  { guard: "loginRefusedForGood", target: "unknown", actions: because("loginRefused") },
  { guard: "waitsForOthers", target: "proved" },
  { guard: "mayConfirm", target: "confirming" },
  { guard: "runsNewForGood", target: "saving", actions: "keep" },
  { guard: "timerRuns", target: "expiring", actions: give("notProved") }
] as const

export const runsOldOrElse = [
  { guard: "sessionRemains", target: "withdrawing", actions: "lookAgain" },
  { guard: "savedTooEarly", target: "restoring", actions: give("rolledBack") },
  { guard: "runsOldForGood", target: "reverted", actions: give("rolledBack") },
  { guard: "isUnproved", target: "unknown", actions: because("notProved") },
  { target: "unknown", actions: because("outsideChange") }
] as const

export const outOfSight = [
  { guard: "hasTimer", target: "expiring", actions: give("unreachable") },
  { target: "unknown", actions: because("unreachable") }
] as const

/** An end: it is written, and then the run is over. */
export const ended = <P extends ChangePhase>(phase: P) =>
  ({ entry: enter(phase), invoke: invoke("claim", claim), on: { CLAIMED: "over" } }) as const
