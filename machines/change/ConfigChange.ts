/**
 * One configuration change on one device: opened → verified → loaded → diffed → committed → proved → confirmed, reverted or unknown
 * (docs/concepts.md#the-promises, docs/changes.md#confirm-modes and docs/changes.md#what-a-broken-connection-means). It keeps
 * promises 1 to 4: every phase that touches the switch is claimed before its command is sent, only an observation over a new
 * connection proves anything, and the change of a killed process is observed before any other step.
 *
 * Each run starts in `arriving` with the current row. A state with a phase of the row sets it on entry; the step that it invokes
 * writes the row before it does anything. The end of the step is raised as an event, and an event that the state does not take ends
 * the run with a defect, because it would otherwise wait for ever.
 */
import { change, type ChangeContext } from "./ChangeSetup.ts"
import { raise } from "xstate"
import { endOfStep } from "../StepLogic.ts"
import type { ChangePhase, ChangeReason, CheckTask, ClaimTask, LookTask, StepTask } from "./ChangeRow.ts"

// The shared parts of the states: the entry of a state, the invocation of a step, and the transitions after an observation or an
// unclear end.

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
/** Observes the device; a failed attempt is repeated before the device counts as unreachable. */
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
  { guard: "loginRefusedWithTimer", target: "expiring", actions: give("loginRefused") },
  { guard: "loginRefusedForGood", target: "unknown", actions: because("loginRefused") },
  { guard: "checksFirst", target: "checking" },
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

export const lostWithLogin = [
  { guard: "candidateEndedButSaved", target: "restoring" },
  { guard: "candidateEnded", target: "planned", actions: "startNextRound" },
  { guard: "candidateEndedForGood", target: "reverted", actions: give("candidateEnded") }
] as const

export const outOfSight = [
  { guard: "hasTimer", target: "expiring", actions: give("unreachable") },
  { target: "unknown", actions: because("unreachable") }
] as const

/** A final phase: it is written, and then the run ends. */
export const ended = <P extends ChangePhase>(phase: P) =>
  ({ entry: enter(phase), invoke: invoke("claim", claim), on: { CLAIMED: "over" } }) as const

export const configChange = change.createMachine({
  id: "change",
  context: ({ input }) => ({
    ...input,
    attempts: 0,
    withdrawals: 0,
    mayWithdraw: true,
    waitsSince: 0,
    outlasted: false,
    checksSince: 0,
    checkedAt: 0
  }),
  output: ({ context: { failure, row } }) => ({ failure, row }),
  initial: "arriving",
  states: {
    arriving: {
      always: [
        { guard: "isOver", target: "over" },
        { guard: "isNew", target: "#change.planned.opening" },
        { guard: "wasPlanned", target: "planned", actions: "takeOver" },
        { guard: "wasLoading", target: "discarding", actions: "takeOver" },
        { guard: "wasProvedAndHasVerdict", target: "#change.proved.waiting" },
        { guard: "wasWithdrawing", target: "withdrawing", actions: "takeOver" },
        { target: "looking", actions: "takeOver" }
      ]
    },
    planned: {
      entry: enter("planned"),
      initial: "claiming",
      states: {
        claiming: { invoke: invoke("claim", claim), on: { CLAIMED: "opening" } },
        opening: { invoke: invoke("open", task) }
      },
      on: {
        OPENED: "opened",
        CANCELLED: { target: "discarded", actions: because("cancelled") },
        LOST: { target: "discarded", actions: because("unreachable") }
      }
    },
    opened: {
      entry: enter(null),
      invoke: invoke("verify", task),
      on: {
        RUNNING_READ: [
          { guard: "foreignTimerRuns", target: "discarded", actions: because("locked") },
          { guard: "changedByOthers", target: "discarded", actions: ["noteRunning", because("hashMismatch")] },
          { guard: "changedSinceShown", target: "discarded", actions: ["noteRunning", because("otherRunning")] },
          { target: "loading", actions: "noteRunning" }
        ],
        CANCELLED: { target: "discarded", actions: because("cancelled") },
        LOST: { target: "discarded", actions: because("connectionLost") }
      }
    },
    loading: {
      entry: enter("loading"),
      initial: "sending",
      states: {
        sending: {
          invoke: invoke("load", claim),
          on: { LOCKED: { guard: "loadsRemain", target: "resting", actions: "countAttempt" } }
        },
        resting: { after: { loadPause: "sending" } }
      },
      on: {
        LOADED: [
          { guard: "diffIsEmpty", target: "discarding", actions: ["noteNoDifference", because("unchanged")] },
          { guard: "diffIsOther", target: "discarding", actions: ["noteDifference", because("otherDiff")] },
          { guard: "isDryRun", target: "discarding", actions: ["noteDifference", because("dryRun")] },
          { guard: "checksApply", target: "reading", actions: "noteCandidate" },
          { target: "committing", actions: "noteCandidate" }
        ],
        REJECTED: { target: "discarded", actions: because("rejected") },
        LOCKED: { target: "discarded", actions: because("locked") },
        LEFT: { target: "discarding", actions: give("leftConfiguration") },
        LOST: { target: "discarding", actions: because("connectionLost") }
      }
    },
    /** The candidate is loaded, and nothing was committed: what the checks compare is read. */
    reading: {
      entry: enter(null),
      invoke: invoke("readBefore", task),
      on: {
        BEFORE_READ: [
          { guard: "checkRefuses", target: "discarding", actions: ["noteBefore", because("checkRefused")] },
          { target: "committing", actions: "noteBefore" }
        ],
        LOST: { target: "discarding", actions: because("connectionLost") }
      }
    },
    discarding: {
      entry: enter("discarding"),
      invoke: invoke("discard", claim),
      on: {
        DISCARDED: afterDiscard,
        // an orphaned session does not hold its place for long: the next load removes it
        LOST: afterDiscard
      }
    },
    /** A command was among the lines: its effect on the switch is observed. */
    strayed: {
      entry: enter(null),
      initial: "observing",
      states: looking({ claim: false, newConnection: true }),
      on: {
        OBSERVED: [
          { guard: "isLeftOpen", target: "discarding", actions: "lookAgain" },
          { guard: "runsOld", target: "discarded" },
          { target: "unknown" }
        ],
        UNREACHABLE: { target: "unknown", actions: because("unreachable") }
      }
    },
    committing: {
      entry: enter("committing"),
      invoke: invoke("commit", claim),
      on: {
        COMMITTED: { target: "committed", actions: "noteCommit" },
        COMMIT_REFUSED: { target: "withdrawing", actions: give("commitRefused") },
        LOST: { target: "looking", actions: "lookAgain" }
      }
    },
    committed: {
      entry: enter("committed"),
      initial: "answered",
      states: {
        answered: { always: [{ guard: "settlesFirst", target: "waiting" }, { target: "observing" }] },
        waiting: { after: { proofDelay: "observing" } },
        ...looking({ claim: true, newConnection: true })
      },
      on: {
        OBSERVED: [
          ...runsNew,
          { guard: "sessionRemains", target: "withdrawing", actions: give("commitNotApplied") },
          ...runsOldOrElse
        ],
        UNREACHABLE: outOfSight
      }
    },
    checking: {
      entry: enter("checking"),
      initial: "claiming",
      states: {
        claiming: {
          invoke: invoke("claim", claim),
          on: { CLAIMED: { target: "waiting", actions: "startChecking" } }
        },
        waiting: { after: { checkPause: "asking" } },
        asking: {
          invoke: invoke("check", (info): CheckTask => ({ ...task(info), since: info.context.checksSince })),
          on: {
            CHECKED: [
              { guard: "checksRemain", target: "waiting", actions: "noteChecks" },
              { guard: "checksHoldForOthers", target: "#change.proved", actions: "endChecks" },
              { guard: "checksHoldWithTimer", target: "#change.confirming", actions: "endChecks" },
              { guard: "checksHold", target: "#change.saving", actions: ["endChecks", "keep"] },
              {
                guard: "checkFailedWithTimer",
                target: "#change.withdrawing",
                actions: ["endChecks", give("checkFailed")]
              },
              {
                guard: "checkUnreadWithTimer",
                target: "#change.withdrawing",
                actions: ["endChecks", give("checkUnread")]
              },
              // nothing can take the change back
              { target: "#change.saving", actions: ["endChecks", "keep"] }
            ]
          }
        }
      }
    },
    proved: {
      entry: enter("proved"),
      initial: "claiming",
      states: {
        claiming: { invoke: invoke("claim", claim), on: { CLAIMED: "waiting" } },
        waiting: {
          entry: "passVerdict",
          invoke: invoke("awaitVerdict", task),
          on: {
            ALL_DEVICES_OK: { target: "#change.confirming", actions: "allowConfirming" },
            OTHERS_FAILED: { target: "#change.expiring", actions: give("othersFailed") },
            REVERT_NOW: { target: "#change.withdrawing", actions: give("othersFailed") }
          }
        }
      }
    },
    confirming: {
      entry: enter("confirming"),
      invoke: invoke("confirm", claim),
      on: {
        CONFIRMED: { target: "settling", actions: "noteSaved" },
        CONFIRM_UNSEEN: "outlasting",
        CONFIRM_REFUSED: confirmUnclear,
        SAVE_FAILED: confirmUnclear,
        LOST: confirmUnclear
      }
    },
    outlasting: {
      entry: enter("outlasting"),
      initial: "claiming",
      states: {
        claiming: {
          invoke: invoke("claim", claim),
          on: { CLAIMED: { target: "waiting", actions: "startWaiting" } }
        },
        waiting: { after: { expiry: { target: "observing", actions: "outlast" } } },
        ...looking({ claim: false, newConnection: true })
      },
      on: {
        OBSERVED: [
          { guard: "timerRuns", target: "expiring", actions: give("confirmIgnored") },
          { guard: "runsNewForGood", target: "saving", actions: "keep" },
          ...runsOldOrElse
        ],
        UNREACHABLE: { target: "unknown", actions: because("unreachable") }
      }
    },
    saving: {
      entry: enter("saving"),
      invoke: invoke("save", claim),
      on: { SAVED: { target: "settling", actions: "noteSaved" }, SAVE_FAILED: saveUnclear, LOST: saveUnclear }
    },
    restoring: {
      entry: enter("restoring"),
      invoke: invoke("save", claim),
      on: {
        SAVED: [{ guard: "isStillWanted", target: "planned", actions: "startNextRound" }, { target: "reverted" }],
        SAVE_FAILED: restoreUnclear,
        LOST: restoreUnclear
      }
    },
    settling: {
      entry: enter(null),
      initial: "observing",
      states: looking({ claim: false, newConnection: false }),
      on: {
        OBSERVED: [
          { guard: "runsNewForGood", target: "confirmed" },
          { guard: "isUnseen", target: "outlasting" },
          { guard: "timerRuns", target: "expiring", actions: give("confirmIgnored") },
          ...runsOldOrElse
        ],
        UNREACHABLE: saveUnclear
      }
    },
    looking: {
      entry: enter("looking"),
      initial: "observing",
      states: looking({ claim: true, newConnection: true }),
      on: { OBSERVED: [...runsNew, ...lostWithLogin, ...runsOldOrElse], UNREACHABLE: outOfSight }
    },
    withdrawing: {
      entry: enter("withdrawing"),
      invoke: invoke("discard", claim),
      on: { DISCARDED: "withdrawn", LOST: "withdrawn" }
    },
    withdrawn: {
      entry: enter(null),
      initial: "observing",
      states: looking({ claim: false, newConnection: true }),
      on: {
        OBSERVED: [
          ...runsNew,
          { guard: "sessionRemains", target: "withdrawing", actions: "lookAgain" },
          { guard: "takenBackButSaved", target: "restoring" },
          { guard: "takenBack", target: "planned", actions: "startNextRound" },
          ...runsOldOrElse
        ],
        UNREACHABLE: outOfSight
      }
    },
    expiring: {
      entry: enter("expiring"),
      initial: "claiming",
      states: {
        claiming: {
          invoke: invoke("claim", claim),
          on: {
            CLAIMED: [
              { guard: "mayWithdraw", target: "#change.withdrawing", actions: "withdraw" },
              { target: "waiting", actions: "startWaiting" }
            ]
          }
        },
        waiting: {
          initial: "resting",
          after: { expiry: { target: "#change.expired", actions: "outlast" } },
          exit: "mayWithdrawAgain",
          states: {
            resting: { after: { expiryPause: "asking" } },
            asking: {
              invoke: invoke("askTimer", task),
              on: {
                TIMER_SEEN: [{ guard: "waitIsOver", target: "#change.expired" }, { target: "resting" }],
                UNREACHABLE: "resting"
              }
            }
          }
        }
      }
    },
    expired: {
      entry: enter(null),
      initial: "observing",
      states: looking({ claim: false, newConnection: true }),
      on: {
        OBSERVED: [
          { guard: "timerRunsOn", target: "expiring", actions: "lookAgain" },
          { guard: "timerRuns", target: "unknown", actions: because("timerStuck") },
          { guard: "runsNewForGood", target: "saving", actions: "keep" },
          ...runsOldOrElse
        ],
        UNREACHABLE: { target: "unknown", actions: because("unreachable") }
      }
    },
    confirmed: ended("confirmed"),
    reverted: ended("reverted"),
    unchanged: ended("unchanged"),
    discarded: ended("discarded"),
    unknown: ended("unknown"),
    over: { type: "final" }
  }
})
