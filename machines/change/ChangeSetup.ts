/**
 * What the statechart of a change is made of: what it remembers, its steps, its rules, its delays and what it notes down. The
 * chart itself is in `ConfigChange.ts`.
 */
import { assign, enqueueActions, setup } from "xstate"
import { unprovided } from "../StepLogic.ts"
import {
  type ChangeEvent,
  type ChangePhase,
  type ChangeReason,
  type ChangeRow,
  type ClaimTask,
  isFinal,
  type LoadPromise,
  type LookTask,
  type Observation,
  type StepTask,
  type Verdict
} from "./ChangeRow.ts"

/** How often a change is started from the beginning before it is given up. */
export const MAX_ROUNDS = 3

/** How often in a row a device is looked at before what it shows is taken as final. */
export const MAX_LOOKS = 5

/** How often a switch is told to take a change back before only its timer is waited for. */
export const MAX_TELLS = 3

/** Attempts to reach a device that has to be looked at, besides the first, and the pause before each in milliseconds. */
export const MORE_ATTEMPTS = 3
const ATTEMPT_PAUSE = 2_000

/** How often a load is tried again while somebody else's session is in the way, and the pause before each. */
export const MORE_LOADS = 5
const LOAD_PAUSE = 2_000

/** Milliseconds between two looks whether the commit timer still runs, while we wait for the switch to take a change back. */
const EXPIRY_PAUSE = 3_000

/** Seconds that a switch may be late in taking a commit back: Junos was seen 35 s late. */
export const EXPIRY_MARGIN_SECONDS = 45

/** What a run of a change is started with. */
export interface ChangeInput {
  /** As it stands in the database. */
  readonly row: ChangeRow
  /** The error text that is stored with the row. */
  readonly failure: string | null
  /** What the other devices came to, when that is known already. */
  readonly verdict: Verdict | null
  /** Seconds that a switch gets to settle between a commit in mode 2 and its proof. */
  readonly proofSeconds: number
}

/** What a run remembers. Only `row` and `failure` outlive it. */
export interface ChangeContext extends ChangeInput {
  /** Attempts of the step of this state that have failed. */
  readonly attempts: number
  /** How often the switch was told to take the change back, and whether it may be told again. */
  readonly tells: number
  readonly mayTell: boolean
  /** When the waiting for the commit timer began, in epoch milliseconds. */
  readonly waitsSince: number
  /** It was waited for until it must have run out, seen or not. */
  readonly outlasted: boolean
}

/** The session of the next round: `job412`, `job412-2`, `job412-3`. A late commit of an old round finds no session. */
const nextSessionName = (row: ChangeRow): string => {
  const base = row.round > 1 ? row.sessionName.slice(0, -`-${row.round}`.length) : row.sessionName
  return `${base}-${row.round + 1}`
}

const notesOf = (event: ChangeEvent): Pick<ChangeRow, "notes"> =>
  event.type === "LOADED" && event.notes !== undefined ? { notes: event.notes } : {}

/** Milliseconds until a switch must have taken its commit back, from when the waiting began. */
const untilExpiry = ({ row: { committedAt, timerSeconds }, waitsSince }: ChangeContext): number =>
  Math.max(0, (committedAt ?? waitsSince) + ((timerSeconds ?? 0) + EXPIRY_MARGIN_SECONDS) * 1_000 - waitsSince)

/** No commit timer of ours can run any more. */
const isGone = ({ outlasted }: ChangeContext, { ourTimer }: Observation): boolean =>
  ourTimer === "gone" || (ourTimer === "unseen" && outlasted)

/** A commit timer of ours runs, or may run. There is nothing that one could take back where the old configuration runs. */
const mayRun = (context: ChangeContext, seen: Observation): boolean =>
  seen.ourTimer === "runs" || (seen.running !== "old" && !isGone(context, seen))

/** What is kept of an answered load. */
const promiseOf = ({ promised, remarks, setSecrets, shape }: LoadPromise): LoadPromise => ({
  ...(promised === undefined ? {} : { promised }),
  ...(shape === undefined ? {} : { shape }),
  ...(setSecrets === undefined ? {} : { setSecrets }),
  ...(remarks === undefined ? {} : { remarks })
})

const claiming = (name: string) => unprovided<ChangeEvent, ClaimTask>(name)

export const change = setup({
  types: {
    context: {} as ChangeContext,
    input: {} as ChangeInput,
    events: {} as ChangeEvent,
    output: {} as Pick<ChangeContext, "row" | "failure">
  },
  actors: {
    /** Writes the phase, and does nothing else. */
    claim: claiming("claim"),
    open: unprovided<ChangeEvent, StepTask>("open"),
    /** Reads the running configuration and whether somebody else's commit timer runs. */
    verify: unprovided<ChangeEvent, StepTask>("verify"),
    load: claiming("load"),
    discard: claiming("discard"),
    commit: claiming("commit"),
    observe: unprovided<ChangeEvent, LookTask>("observe"),
    /** Says that the change waits; what the other devices came to is the job's to say. */
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
    proofDelay: ({ context }) => context.proofSeconds * 1_000
  },
  actions: {
    /** Every way into a state of the table. A state with a phase names it in the row; the first error text counts. */
    enter: assign(({ context, event }, params: { readonly phase: ChangePhase | null }) => ({
      row: {
        ...context.row,
        phase: params.phase ?? context.row.phase,
        timerSeen: context.row.timerSeen || (event.type === "OBSERVED" && event.ourTimer === "runs"),
        ...(event.type === "OBSERVED" && event.proof !== undefined ? { proof: event.proof } : {})
      },
      failure: context.failure ?? ("failure" in event ? (event.failure ?? null) : null),
      attempts: 0
    })),
    countAttempt: assign(({ context }) => ({ attempts: context.attempts + 1 })),
    /** From here on the old configuration is wanted; the first reason is the one that counts. */
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
      row: { ...row, reason: row.goal === "old" ? ("keptNew" as const) : null }
    })),
    /** What ran before this round already is the candidate: there is no other old configuration to compare with. */
    adoptRunning: assign(({ context: { row } }) => ({
      row: { ...row, candidateHash: row.oldHash, oldHash: null, proof: "loaded-again" as const }
    })),
    takeOver: assign(({ context: { row } }) => ({ row: { ...row, epoch: row.epoch + 1, looks: 0 } })),
    lookAgain: assign(({ context: { row } }) => ({ row: { ...row, looks: row.looks + 1 } })),
    startNextRound: assign(({ context: { row } }) => ({
      row: {
        ...row,
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
    /** The difference of an earlier round says more than the empty one of this round. */
    noteNoDifference: assign(({ context: { row }, event }) => ({
      row: { ...row, ...notesOf(event), diff: row.diff ?? "", candidateHash: row.oldHash }
    })),
    noteDifference: assign(({ context: { row }, event }) => ({
      row: event.type === "LOADED" ? { ...row, ...promiseOf(event), ...notesOf(event), diff: event.diff } : row
    })),
    noteCandidate: assign(({ context: { row }, event }) => ({
      row:
        event.type === "LOADED"
          ? { ...row, ...promiseOf(event), ...notesOf(event), diff: event.diff, candidateHash: event.candidateHash }
          : row
    })),
    noteCommit: assign(({ context: { row }, event }) => ({
      row:
        event.type === "COMMITTED"
          ? { ...row, committedAt: event.at, candidateHash: event.candidateHash ?? row.candidateHash }
          : row
    })),
    allowConfirming: assign(({ context: { row } }) => ({ row: { ...row, confirmAllowed: true } })),
    startWaiting: assign(({ context, event }) => ({
      waitsSince: event.type === "CLAIMED" ? event.at : context.waitsSince
    })),
    outlast: assign({ outlasted: true }),
    tell: assign(({ context }) => ({ tells: context.tells + 1, mayTell: false })),
    mayTellAgain: assign({ mayTell: true }),
    /** The verdict may have come while the change was on its way to where it waits for it. */
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
      // A late commit of an earlier round is our own change.
      row.candidateHash !== event.hash,
    changedSinceShown: ({ context: { row }, event }) =>
      event.type === "RUNNING_READ" &&
      row.shown !== undefined &&
      row.shown.running !== event.hash &&
      // As above.
      row.candidateHash !== event.hash,
    diffIsOther: ({ event }) => event.type === "LOADED" && event.isOther === true,
    loadsRemain: ({ context }) => context.attempts < MORE_LOADS,
    diffIsEmpty: ({ event }) => event.type === "LOADED" && event.diff === "",
    isDryRun: ({ context }) => context.row.dryRun,
    /** A round that got as far as the commit has left its diff; an empty one now means that its commit did arrive. */
    committedInEarlierRound: ({ context: { row } }) => row.reason === "unchanged" && (row.diff ?? "") !== "",
    leftConfiguration: ({ context }) => context.row.reason === "leftConfiguration",
    /** Our session is there, or was committed by the candidate itself with a timer. */
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

    waitsForOthers: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "candidate" && row.goal === "new" && !row.confirmAllowed,
    mayConfirm: ({ context, event }) =>
      event.type === "OBSERVED" &&
      event.running === "candidate" &&
      !isGone(context, event) &&
      context.row.goal === "new",
    /** The configuration is the new one, and the login that it brings does not work. */
    loginRefusedBesideTimer: ({ context, event }) =>
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
    timerRunsOn: ({ context, event }) =>
      event.type === "OBSERVED" && mayRun(context, event) && context.row.looks < MAX_LOOKS,
    /** Nothing says that the timer is gone, although it was confirmed. */
    isUnseen: ({ context, event }) =>
      event.type === "OBSERVED" &&
      event.running === "candidate" &&
      event.ourTimer === "unseen" &&
      !isGone(context, event),
    /** The commit has not run, but one that is still on its way would find the session: it has to go first. */
    sessionRemains: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "old" && event.ourSession && row.looks < MAX_LOOKS,
    takenBack: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "old" && row.goal === "new" && row.round < MAX_ROUNDS,
    isUnproved: ({ event }) => event.type === "OBSERVED" && event.running === "unproved",
    runsOldForGood: ({ event }) => event.type === "OBSERVED" && event.running === "old",
    /** The startup configuration may be the new one. */
    savedTooEarly: ({ context: { row }, event }) =>
      event.type === "OBSERVED" && event.running === "old" && row.savesAtCommit,
    takenBackButSaved: ({ context: { row }, event }) =>
      event.type === "OBSERVED" &&
      event.running === "old" &&
      row.savesAtCommit &&
      row.goal === "new" &&
      row.round < MAX_ROUNDS,
    isStillWanted: ({ context: { row } }) => row.goal === "new" && row.round < MAX_ROUNDS,

    /** Taking the change back now is quicker than waiting for the timer. */
    mayTell: ({ context }) => context.mayTell && context.tells < MAX_TELLS,
    /** The timer is gone, or the switch answers again and can be told. */
    waitIsOver: ({ context, event }) => event.type === "TIMER_SEEN" && (!event.runs || context.tells < MAX_TELLS)
  }
})
