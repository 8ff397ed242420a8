/**
 * The parts of a change's statechart: its context, its steps, its rules, its delays and its assignments. The chart itself is in
 * `ConfigChange.ts`.
 */
import { assign, enqueueActions, setup } from "xstate"
import { unprovided } from "../StepLogic.ts"
import { areOpen, type ChecksEnd, endAt, untilReading, withResults } from "./ChangeChecks.ts"
import {
  type ChangeEvent,
  type ChangePhase,
  type ChangeReason,
  type ChangeRow,
  type CheckTask,
  type ClaimTask,
  isFinal,
  type LoadPromise,
  type LookTask,
  type Observation,
  type StepTask,
  type Verdict
} from "./ChangeRow.ts"

/** How often a change is started again before it is given up. */
export const MAX_ROUNDS = 3

/** How often in a row a device is observed before the result counts as final. */
export const MAX_LOOKS = 5

/** How often a switch is ordered to take a change back; afterwards the change only waits for its timer. */
export const MAX_WITHDRAWALS = 3

/** Further attempts to reach a device that must be observed, and the pause before each in milliseconds. */
export const MORE_ATTEMPTS = 3
const ATTEMPT_PAUSE = 2_000

/** How often a load is tried again while another person's session is in the way, and the pause before each. */
export const MORE_LOADS = 5
const LOAD_PAUSE = 2_000

/** Milliseconds between two questions for the commit timer, while we wait for the switch to take a change back. */
const EXPIRY_PAUSE = 3_000

/** Seconds by which a switch may be late in taking a commit back: Junos was seen 35 s late. */
export const EXPIRY_MARGIN_SECONDS = 45

/** The input of a run of a change. */
export interface ChangeInput {
  /** The row in the database. */
  readonly row: ChangeRow
  /** The error text that is stored with the row. */
  readonly failure: string | null
  /** The verdict over all devices, if it is known already. */
  readonly verdict: Verdict | null
  /** Seconds that a switch gets to settle between a commit in mode 2 and its proof. */
  readonly proofSeconds: number
}

/** The memory of a run. Only `row` and `failure` outlive it. */
export interface ChangeContext extends ChangeInput {
  /** Attempts of the step of this state that have failed. */
  readonly attempts: number
  /** How often the switch was ordered to take the change back, and whether it may be ordered again. */
  readonly withdrawals: number
  readonly mayWithdraw: boolean
  /** When the wait for the commit timer began, in epoch milliseconds. */
  readonly waitsSince: number
  /** The wait lasted until the timer must have ended, shown or not. */
  readonly outlasted: boolean
  /** When this run began with the checks, and when it has read them last, in epoch milliseconds. */
  readonly checksSince: number
  readonly checkedAt: number
}

/** The session of the next round: `job412`, `job412-2`, `job412-3`. A late commit of an old round finds no session. */
const nextSessionName = (row: ChangeRow): string => {
  const base = row.round > 1 ? row.sessionName.slice(0, -`-${row.round}`.length) : row.sessionName
  return `${base}-${row.round + 1}`
}

const notesOf = (event: ChangeEvent): Pick<ChangeRow, "notes"> =>
  event.type === "LOADED" && event.notes !== undefined ? { notes: event.notes } : {}

const checkingOf = (event: ChangeEvent): Pick<ChangeRow, "checking"> =>
  event.type === "LOADED" && event.checking !== undefined ? { checking: event.checking } : {}

/** The row with the results of an event. */
const withChecked = (row: ChangeRow, event: ChangeEvent): ChangeRow =>
  event.type === "CHECKED" && row.checking !== undefined
    ? { ...row, checking: { ...row.checking, results: withResults(row.checking.results ?? [], event.results) } }
    : row

/** The end of the checks with the results of an event. */
const checksEnd = ({ checksSince, row }: ChangeContext, event: ChangeEvent): ChecksEnd | null =>
  event.type === "CHECKED" ? endAt(withChecked(row, event), checksSince, event.at) : null

/** The note about a change that stays although its checks have ended badly, because no timer can take it back. */
const reasonOfChecks = ({ checking }: ChangeRow): ChangeReason | null => {
  if (checking?.end === "failed") return "checkFailed"
  return checking?.end === "unread" ? "checkUnread" : null
}

/** Milliseconds from the beginning of the wait until a switch must have taken its commit back. */
const untilExpiry = ({ row: { committedAt, timerSeconds }, waitsSince }: ChangeContext): number =>
  Math.max(0, (committedAt ?? waitsSince) + ((timerSeconds ?? 0) + EXPIRY_MARGIN_SECONDS) * 1_000 - waitsSince)

/** Our commit timer cannot run any more. */
const isGone = ({ outlasted }: ChangeContext, { ourTimer }: Observation): boolean =>
  ourTimer === "gone" || (ourTimer === "unseen" && outlasted)

/** Nothing but a missing timer says that it has ended, and it was not waited out. */
const isOnlyOmitted = ({ outlasted }: ChangeContext, event: ChangeEvent): boolean =>
  event.type === "OBSERVED" && event.timerOmitted === true && !outlasted

/** Our commit timer runs, or may run. A timer has nothing to take back if the old configuration runs. */
const mayRun = (context: ChangeContext, seen: Observation): boolean =>
  seen.ourTimer === "runs" || (seen.running !== "old" && !isGone(context, seen))

/** The old configuration runs, no answer came to the commit, and the candidate has ended with its login. */
const hasLostCandidate = (context: ChangeContext, event: ChangeEvent): boolean =>
  event.type === "OBSERVED" &&
  event.endsWithLogin === true &&
  event.running === "old" &&
  isGone(context, event) &&
  context.row.committedAt === null &&
  !context.row.timerSeen

const mayBeginAnew = ({ row }: ChangeContext): boolean => row.goal === "new" && row.round < MAX_ROUNDS

/** The stored fields of an answered load. */
const promiseOf = ({ promised, readBack, remarks, setSecrets, shape }: LoadPromise): LoadPromise => ({
  ...(promised === undefined ? {} : { promised }),
  ...(readBack === undefined ? {} : { readBack }),
  ...(shape === undefined ? {} : { shape }),
  ...(setSecrets === undefined ? {} : { setSecrets }),
  ...(remarks === undefined ? {} : { remarks })
})

const claiming = (name: string) => unprovided<ChangeEvent, ClaimTask>(name)

/** A proof holds for the commit of its round only, and so do its checks. */
const withoutProof = (row: ChangeRow): ChangeRow => {
  const { checking, proof, ...rest } = row
  return proof === undefined && checking === undefined ? row : rest
}

export const change = setup({
  types: {
    context: {} as ChangeContext,
    input: {} as ChangeInput,
    events: {} as ChangeEvent,
    output: {} as Pick<ChangeContext, "row" | "failure">
  },
  actors: {
    /** Only writes the phase. */
    claim: claiming("claim"),
    open: unprovided<ChangeEvent, StepTask>("open"),
    /** Reads the running configuration and whether another person's commit timer runs. */
    verify: unprovided<ChangeEvent, StepTask>("verify"),
    load: claiming("load"),
    discard: claiming("discard"),
    /** Reads what the checks compare, before the commit. */
    readBefore: unprovided<ChangeEvent, StepTask>("readBefore"),
    commit: claiming("commit"),
    observe: unprovided<ChangeEvent, LookTask>("observe"),
    /** Reads the checks that are due, after the commit. */
    check: unprovided<ChangeEvent, CheckTask>("check"),
    /** Reports that the change waits; the job sends the verdict. */
    awaitVerdict: unprovided<ChangeEvent, StepTask>("awaitVerdict"),
    /** Stops the timer, then saves. */
    confirm: claiming("confirm"),
    save: claiming("save"),
    /** Asks once whether the commit timer still runs. */
    askTimer: unprovided<ChangeEvent, StepTask>("askTimer")
  },
  delays: {
    attemptPause: ATTEMPT_PAUSE,
    loadPause: LOAD_PAUSE,
    expiryPause: EXPIRY_PAUSE,
    expiry: ({ context }) => untilExpiry(context),
    proofDelay: ({ context }) => context.proofSeconds * 1_000,
    checkPause: ({ context: { checkedAt, checksSince, row } }) => untilReading(row, checksSince, checkedAt)
  },
  actions: {
    /** Done on every entry into a state of the table. A state with a phase writes it into the row; the first error text counts. */
    enter: assign(({ context, event }, params: { readonly phase: ChangePhase | null }) => ({
      row: {
        ...context.row,
        phase: params.phase ?? context.row.phase,
        timerSeen: context.row.timerSeen || (event.type === "OBSERVED" && event.ourTimer === "runs"),
        ...(event.type === "OBSERVED" && event.proof !== undefined ? { proof: event.proof } : {}),
        ...(event.type === "OBSERVED" && event.hash !== undefined ? { candidateHash: event.hash } : {}),
        ...(params.phase === "confirmed" && isOnlyOmitted(context, event) ? { lookAgain: true } : {})
      },
      failure: context.failure ?? ("failure" in event ? (event.failure ?? null) : null),
      attempts: 0
    })),
    countAttempt: assign(({ context }) => ({ attempts: context.attempts + 1 })),
    /** From here on the old configuration is wanted; the first reason counts. */
    giveUp: assign(({ context: { row } }, params: { readonly reason: ChangeReason }) => ({
      row: {
        ...row,
        goal: "old" as const,
        reason: row.reason === "keptNew" ? params.reason : (row.reason ?? params.reason)
      }
    })),
    because: assign(({ context: { row } }, params: { readonly reason: ChangeReason }) => ({
      row: { ...row, reason: params.reason }
    })),
    /** The new configuration stays, wanted or not. */
    keep: assign(({ context: { row } }) => ({
      row: { ...row, reason: row.goal === "old" ? ("keptNew" as const) : reasonOfChecks(row) }
    })),
    /** The configuration before this round already is the candidate: there is no other old configuration to compare with. */
    adoptRunning: assign(({ context: { row } }) => ({
      row: { ...row, candidateHash: row.oldHash, oldHash: null, proof: "loaded-again" as const }
    })),
    takeOver: assign(({ context: { row } }) => ({ row: { ...row, epoch: row.epoch + 1, looks: 0 } })),
    lookAgain: assign(({ context: { row } }) => ({ row: { ...row, looks: row.looks + 1 } })),
    startNextRound: assign(({ context: { row } }) => ({
      row: {
        ...withoutProof(row),
        round: row.round + 1,
        sessionName: nextSessionName(row),
        oldHash: null,
        committedAt: null,
        timerSeen: false
      },
      outlasted: false
    })),
    noteRunning: assign(({ context: { row }, event }) => ({
      row:
        event.type === "RUNNING_READ"
          ? { ...row, oldHash: event.hash, savesAtCommit: row.savesAtCommit || event.savesAtCommit === true }
          : row
    })),
    /** The difference of an earlier round is better than the empty one of this round. */
    noteNoDifference: assign(({ context: { row }, event }) => ({
      row: { ...row, ...notesOf(event), diff: row.diff ?? "", candidateHash: row.oldHash }
    })),
    noteDifference: assign(({ context: { row }, event }) => ({
      row:
        event.type === "LOADED"
          ? { ...row, ...promiseOf(event), ...notesOf(event), ...checkingOf(event), diff: event.diff }
          : row
    })),
    noteCandidate: assign(({ context: { row }, event }) => ({
      row:
        event.type === "LOADED"
          ? {
              ...row,
              ...promiseOf(event),
              ...notesOf(event),
              ...checkingOf(event),
              diff: event.diff,
              candidateHash: event.candidateHash
            }
          : row
    })),
    noteBefore: assign(({ context: { row }, event }) => ({
      row: event.type === "BEFORE_READ" ? { ...row, checking: event.checking } : row
    })),
    startChecking: assign(({ context, event }) => {
      const now = event.type === "CLAIMED" ? event.at : context.checksSince
      return { checksSince: now, checkedAt: now }
    }),
    noteChecks: assign(({ context, event }) => ({
      row: withChecked(context.row, event),
      checkedAt: event.type === "CHECKED" ? event.at : context.checkedAt
    })),
    endChecks: assign(({ context, event }) => {
      const end = checksEnd(context, event)
      const row = withChecked(context.row, event)
      return row.checking === undefined || end === null ? {} : { row: { ...row, checking: { ...row.checking, end } } }
    }),
    noteCommit: assign(({ context: { row }, event }) => ({
      row:
        event.type === "COMMITTED"
          ? { ...row, committedAt: event.at, candidateHash: event.candidateHash ?? row.candidateHash }
          : row
    })),
    /** Should the switch still go back, its startup configuration is the new one. */
    noteSaved: assign(({ context: { row } }) => ({ row: { ...row, savesAtCommit: true } })),
    allowConfirming: assign(({ context: { row } }) => ({ row: { ...row, confirmAllowed: true } })),
    startWaiting: assign(({ context, event }) => ({
      waitsSince: event.type === "CLAIMED" ? event.at : context.waitsSince
    })),
    outlast: assign({ outlasted: true }),
    withdraw: assign(({ context }) => ({ withdrawals: context.withdrawals + 1, mayWithdraw: false })),
    mayWithdrawAgain: assign({ mayWithdraw: true }),
    /** The verdict may have come before the change waited for it. */
    passVerdict: enqueueActions(({ context: { verdict }, enqueue }) => {
      if (verdict !== null) enqueue.raise({ type: verdict })
    })
  },
  guards: {
    isOver: ({ context }) => isFinal(context.row.phase),
    isNew: ({ context: { row } }) => row.phase === "planned" && row.epoch === 1,
    wasPlanned: ({ context }) => context.row.phase === "planned",
    /** No commit was sent for its candidate. */
    wasLoading: ({ context: { row } }) => row.phase === "loading" || row.phase === "discarding",
    wasProvedAndHasVerdict: ({ context }) => context.row.phase === "proved" && context.verdict !== null,
    wasWithdrawing: ({ context }) => context.row.phase === "withdrawing",

    foreignTimerRuns: ({ event }) => event.type === "RUNNING_READ" && event.foreignTimer,
    changedByOthers: ({ context: { row }, event }) =>
      event.type === "RUNNING_READ" &&
      !row.force &&
      row.expectedHash !== null &&
      row.expectedHash !== event.hash &&
      event.isExpected !== true &&
      // a late commit of an earlier round is our own change
      row.candidateHash !== event.hash,
    changedSinceShown: ({ context: { row }, event }) =>
      event.type === "RUNNING_READ" &&
      row.shown !== undefined &&
      row.shown.running !== event.hash &&
      event.isShown !== true &&
      // As above.
      row.candidateHash !== event.hash,
    checksApply: ({ event }) =>
      event.type === "LOADED" && event.checking !== undefined && event.checking.names.length > 0,
    checkRefuses: ({ event }) => event.type === "BEFORE_READ" && event.isRefused,
    diffIsOther: ({ event }) => event.type === "LOADED" && event.isOther === true,
    loadsRemain: ({ context }) => context.attempts < MORE_LOADS,
    diffIsEmpty: ({ event }) => event.type === "LOADED" && event.diff === "",
    isDryRun: ({ context }) => context.row.dryRun,
    /** A round that reached the commit has stored its diff; an empty one now means that its commit arrived. */
    committedInEarlierRound: ({ context: { row } }) => row.reason === "unchanged" && (row.diff ?? "") !== "",
    leftConfiguration: ({ context }) => context.row.reason === "leftConfiguration",
    /** Our session exists, or was committed by the candidate itself with a timer. */
    isLeftOpen: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && (event.ourSession || event.ourTimer === "runs") && row.looks < MAX_LOOKS,
    runsOld: ({ event }) => event.type === "OBSERVED" && event.running === "old",
    isUnchanged: ({ context }) => context.row.reason === "unchanged",
    startsOver: ({ context: { row } }) => row.reason === null && row.round < MAX_ROUNDS,
    isTooOften: ({ context }) => context.row.reason === null,

    settlesFirst: ({ context }) => context.row.mode === 2 && context.proofSeconds > 0,
    attemptsRemain: ({ context }) => context.attempts < MORE_ATTEMPTS,
    looksRemain: ({ context }) => context.row.looks < MAX_LOOKS,
    hasTimer: ({ context }) => context.row.timerSeconds !== null,

    checksFirst: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "candidate" && row.goal === "new" && areOpen(row),
    checksRemain: ({ context, event }) => checksEnd(context, event) === null,
    checksHoldForOthers: ({ context, event }) => checksEnd(context, event) === "held" && !context.row.confirmAllowed,
    checksHoldWithTimer: ({ context, event }) =>
      checksEnd(context, event) === "held" && context.row.timerSeconds !== null,
    checksHold: ({ context, event }) => checksEnd(context, event) === "held",
    checkFailedWithTimer: ({ context, event }) =>
      checksEnd(context, event) === "failed" && context.row.timerSeconds !== null,
    checkUnreadWithTimer: ({ context, event }) =>
      checksEnd(context, event) === "unread" && context.row.timerSeconds !== null,
    waitsForOthers: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "candidate" && row.goal === "new" && !row.confirmAllowed,
    mayConfirm: ({ context, event }) =>
      event.type === "OBSERVED" &&
      event.running === "candidate" &&
      !isGone(context, event) &&
      context.row.goal === "new",
    /** The new configuration runs, but its login does not work. */
    loginRefusedWithTimer: ({ context, event }) =>
      event.type === "OBSERVED" &&
      event.loginRefused === true &&
      event.running === "candidate" &&
      !isGone(context, event),
    loginRefusedForGood: ({ context, event }) =>
      event.type === "OBSERVED" &&
      event.loginRefused === true &&
      event.running === "candidate" &&
      isGone(context, event),
    runsNewForGood: ({ context, event }) =>
      event.type === "OBSERVED" && event.running === "candidate" && isGone(context, event),
    timerRuns: ({ context, event }) => event.type === "OBSERVED" && mayRun(context, event),
    /** Before the end of its time a timer that runs is not stuck, however often the switch was looked at. */
    timerRunsOn: ({ context, event }) =>
      event.type === "OBSERVED" && mayRun(context, event) && (!context.outlasted || context.row.looks < MAX_LOOKS),
    /** The timer was confirmed, but the switch does not show that it has ended. */
    isUnseen: ({ context, event }) =>
      event.type === "OBSERVED" &&
      event.running === "candidate" &&
      event.ourTimer === "unseen" &&
      !isGone(context, event),
    /** The commit has not run, but a late one would find the session, so the session must be removed first. */
    sessionRemains: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "old" && event.ourSession && row.looks < MAX_LOOKS,
    takenBack: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "old" && row.goal === "new" && row.round < MAX_ROUNDS,
    isUnproved: ({ event }) => event.type === "OBSERVED" && event.running === "unproved",
    runsOldForGood: ({ event }) => event.type === "OBSERVED" && event.running === "old",
    /**
     * A commit of which no answer came has most likely never arrived, and its candidate has ended with its login: there is nothing to
     * remove, and the change may begin anew.
     */
    candidateEnded: ({ context, event }) => hasLostCandidate(context, event) && mayBeginAnew(context),
    candidateEndedButSaved: ({ context, event }) =>
      hasLostCandidate(context, event) && mayBeginAnew(context) && context.row.savesAtCommit,
    candidateEndedForGood: ({ context, event }) => hasLostCandidate(context, event) && !context.row.savesAtCommit,
    /** The startup configuration may be the new one. */
    savedTooEarly: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "old" && row.savesAtCommit,
    takenBackButSaved: ({ context: { row }, event }) =>
      event.type === "OBSERVED" &&
      event.running === "old" &&
      row.savesAtCommit &&
      row.goal === "new" &&
      row.round < MAX_ROUNDS,
    isStillWanted: ({ context }) => mayBeginAnew(context),

    /** Taking the change back now is quicker than waiting for the timer. */
    mayWithdraw: ({ context }) => context.mayWithdraw && context.withdrawals < MAX_WITHDRAWALS,
    /** The timer has ended, or the switch answers again and can be ordered to take the change back. */
    waitIsOver: ({ context, event }) =>
      event.type === "TIMER_SEEN" && (!event.runs || context.withdrawals < MAX_WITHDRAWALS)
  }
})
