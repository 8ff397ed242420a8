/**
 * One configuration change on one device: opened → verified → loaded → diffed → committed → proved → confirmed, reverted or
 * unknown (DESIGN §2, contract `engine.md` §7.6, `device-cli.md` §2.4). It carries promises 1 to 4: every phase that touches
 * the switch is named before its command is sent, only a look over a new connection proves anything, and a change that a
 * killed process left behind is looked at before anything else is done with it.
 */
import { assign, setup } from "xstate"
import type { ChangeEvent, ChangeReason, ChangeRow } from "./ChangeRow.ts"

/** How often a change is started from the beginning before it is given up. */
export const MAX_ROUNDS = 3

/** How often in a row a device is looked at before what it shows is taken as final. */
export const MAX_LOOKS = 5

/** The session of the next round: `job412`, `job412-2`, `job412-3`. A late commit of an old round finds no session. */
const nextSessionName = (row: ChangeRow): string => {
  const base = row.round > 1 ? row.sessionName.slice(0, -`-${row.round}`.length) : row.sessionName
  return `${base}-${row.round + 1}`
}

const change = setup({
  types: { context: {} as ChangeRow, input: {} as ChangeRow, events: {} as ChangeEvent },
  actions: {
    /** From here on the old configuration is wanted; the first reason is the one that counts. */
    giveUp: assign(({ context }, params: { readonly reason: ChangeReason }) => ({
      goal: "old" as const,
      reason: context.reason === "keptNew" ? params.reason : (context.reason ?? params.reason)
    })),
    because: assign((_info, params: { readonly reason: ChangeReason }) => ({ reason: params.reason })),
    /** The new configuration stays, wanted or not. */
    keep: assign(({ context }) => ({ reason: context.goal === "old" ? ("keptNew" as const) : null })),
    /** What ran before this round already is the candidate: there is no other old configuration to compare with. */
    adoptRunning: assign(({ context }) => ({ candidateHash: context.oldHash, oldHash: null })),
    takeOver: assign(({ context }) => ({ epoch: context.epoch + 1, looks: 0 })),
    lookAgain: assign(({ context }) => ({ looks: context.looks + 1 })),
    startNextRound: assign(({ context }) => ({
      round: context.round + 1,
      sessionName: nextSessionName(context),
      oldHash: null,
      committedAt: null
    }))
  },
  guards: {
    foreignTimerRuns: ({ event }) => event.type === "RUNNING_READ" && event.foreignTimer,
    changedByOthers: ({ context, event }) =>
      event.type === "RUNNING_READ" &&
      !context.force &&
      context.expectedHash !== null &&
      context.expectedHash !== event.hash &&
      // A late commit of an earlier round is our own change.
      context.candidateHash !== event.hash,
    diffIsEmpty: ({ event }) => event.type === "LOADED" && event.diff === "",
    isDryRun: ({ context }) => context.dryRun,
    /** A round that got as far as the commit has left its diff; an empty one now means that its commit did arrive. */
    committedInEarlierRound: ({ context }) => context.reason === "unchanged" && (context.diff ?? "") !== "",
    isUnchanged: ({ context }) => context.reason === "unchanged",
    startsOver: ({ context }) => context.reason === null && context.round < MAX_ROUNDS,
    isTooOften: ({ context }) => context.reason === null,
    looksRemain: ({ context }) => context.looks < MAX_LOOKS,
    hasTimer: ({ context }) => context.timerSeconds !== null,

    waitsForOthers: ({ context, event }) =>
      event.type === "OBSERVED" && event.running === "candidate" && context.goal === "new" && !context.confirmAllowed,
    mayConfirm: ({ context, event }) =>
      event.type === "OBSERVED" && event.running === "candidate" && event.ourTimer && context.goal === "new",
    runsNewForGood: ({ event }) => event.type === "OBSERVED" && event.running === "candidate" && !event.ourTimer,
    timerRuns: ({ event }) => event.type === "OBSERVED" && event.ourTimer,
    timerRunsOn: ({ context, event }) => event.type === "OBSERVED" && event.ourTimer && context.looks < MAX_LOOKS,
    /** The commit has not run, but one that is still on its way would find the session: it has to go first. */
    sessionRemains: ({ context, event }) =>
      event.type === "OBSERVED" && event.running === "old" && event.ourSession && context.looks < MAX_LOOKS,
    takenBack: ({ context, event }) =>
      event.type === "OBSERVED" && event.running === "old" && context.goal === "new" && context.round < MAX_ROUNDS,
    runsOldForGood: ({ event }) => event.type === "OBSERVED" && event.running === "old"
  }
})

const give = <R extends ChangeReason>(reason: R) => ({ type: "giveUp", params: { reason } }) as const
const because = <R extends ChangeReason>(reason: R) => ({ type: "because", params: { reason } }) as const

const resumeByLooking = { target: "looking", actions: "takeOver" } as const

const confirmUnclear = [
  { guard: "looksRemain", target: "looking", actions: "lookAgain" },
  { target: "expiring", actions: give("notProved") }
] as const

const saveUnclear = [
  { guard: "looksRemain", target: "looking", actions: "lookAgain" },
  { target: "unknown", actions: because("notSaved") }
] as const

const afterDiscard = [
  { guard: "committedInEarlierRound", target: "saving", actions: ["keep", "adoptRunning"] },
  { guard: "isUnchanged", target: "unchanged" },
  { guard: "startsOver", target: "planned", actions: "startNextRound" },
  { guard: "isTooOften", target: "discarded", actions: because("tooManyRestarts") },
  { target: "discarded" }
] as const

const runsNew = [
  { guard: "waitsForOthers", target: "proved" },
  { guard: "mayConfirm", target: "confirming" },
  { guard: "runsNewForGood", target: "saving", actions: "keep" },
  { guard: "timerRuns", target: "expiring", actions: give("notProved") }
] as const

const runsOldOrElse = [
  { guard: "sessionRemains", target: "withdrawing", actions: "lookAgain" },
  { guard: "runsOldForGood", target: "reverted", actions: give("rolledBack") },
  { target: "unknown", actions: because("outsideChange") }
] as const

const outOfSight = [
  { guard: "hasTimer", target: "expiring", actions: give("unreachable") },
  { target: "unknown", actions: because("unreachable") }
] as const

export const configChange = change.createMachine({
  id: "change",
  context: ({ input }) => input,
  initial: "planned",
  states: {
    planned: {
      on: {
        RESUMED: { target: "planned", actions: "takeOver" },
        OPENED: "opened",
        CANCELLED: { target: "discarded", actions: because("cancelled") },
        LOST: { target: "discarded", actions: because("unreachable") }
      }
    },
    opened: {
      on: {
        RUNNING_READ: [
          { guard: "foreignTimerRuns", target: "discarded", actions: because("locked") },
          {
            guard: "changedByOthers",
            target: "discarded",
            actions: [assign(({ event }) => ({ oldHash: event.hash })), because("hashMismatch")]
          },
          { target: "loading", actions: assign(({ event }) => ({ oldHash: event.hash })) }
        ],
        CANCELLED: { target: "discarded", actions: because("cancelled") },
        LOST: { target: "discarded", actions: because("connectionLost") }
      }
    },
    loading: {
      on: {
        RESUMED: { target: "discarding", actions: "takeOver" },
        LOADED: [
          {
            guard: "diffIsEmpty",
            target: "discarding",
            actions: [
              assign(({ context }) => ({ diff: context.diff ?? "", candidateHash: context.oldHash })),
              because("unchanged")
            ]
          },
          {
            guard: "isDryRun",
            target: "discarding",
            actions: [assign(({ event }) => ({ diff: event.diff })), because("dryRun")]
          },
          {
            target: "committing",
            actions: assign(({ event }) => ({ diff: event.diff, candidateHash: event.candidateHash }))
          }
        ],
        REJECTED: { target: "discarded", actions: because("rejected") },
        LOCKED: { target: "discarded", actions: because("locked") },
        LOST: { target: "discarding", actions: because("connectionLost") }
      }
    },
    discarding: {
      on: {
        RESUMED: { target: "discarding", actions: "takeOver" },
        DISCARDED: afterDiscard,
        // An orphan that stays behind holds no place for long: the next load removes it.
        LOST: afterDiscard
      }
    },
    committing: {
      on: {
        RESUMED: resumeByLooking,
        COMMITTED: {
          target: "committed",
          actions: assign(({ context, event }) => ({
            committedAt: event.at,
            candidateHash: event.candidateHash ?? context.candidateHash
          }))
        },
        COMMIT_REFUSED: { target: "withdrawing", actions: give("commitRefused") },
        LOST: { target: "looking", actions: "lookAgain" }
      }
    },
    committed: {
      on: {
        RESUMED: resumeByLooking,
        OBSERVED: [
          ...runsNew,
          { guard: "sessionRemains", target: "withdrawing", actions: give("commitNotApplied") },
          ...runsOldOrElse
        ],
        UNREACHABLE: outOfSight
      }
    },
    proved: {
      on: {
        RESUMED: resumeByLooking,
        ALL_DEVICES_OK: { target: "confirming", actions: assign({ confirmAllowed: true }) },
        OTHERS_FAILED: { target: "expiring", actions: give("othersFailed") },
        REVERT_NOW: { target: "withdrawing", actions: give("othersFailed") }
      }
    },
    confirming: {
      on: {
        RESUMED: resumeByLooking,
        CONFIRMED: "settling",
        CONFIRM_REFUSED: confirmUnclear,
        SAVE_FAILED: confirmUnclear,
        LOST: confirmUnclear
      }
    },
    saving: {
      on: { RESUMED: resumeByLooking, SAVED: "settling", SAVE_FAILED: saveUnclear, LOST: saveUnclear }
    },
    settling: {
      on: {
        OBSERVED: [
          { guard: "runsNewForGood", target: "confirmed" },
          { guard: "timerRuns", target: "expiring", actions: give("confirmIgnored") },
          ...runsOldOrElse
        ],
        UNREACHABLE: saveUnclear
      }
    },
    looking: {
      on: {
        RESUMED: resumeByLooking,
        OBSERVED: [...runsNew, ...runsOldOrElse],
        UNREACHABLE: outOfSight
      }
    },
    withdrawing: {
      on: { RESUMED: { target: "withdrawing", actions: "takeOver" }, DISCARDED: "withdrawn", LOST: "withdrawn" }
    },
    withdrawn: {
      on: {
        OBSERVED: [
          ...runsNew,
          { guard: "sessionRemains", target: "withdrawing", actions: "lookAgain" },
          { guard: "takenBack", target: "planned", actions: "startNextRound" },
          ...runsOldOrElse
        ],
        UNREACHABLE: outOfSight
      }
    },
    expiring: {
      on: { RESUMED: resumeByLooking, REVERT_NOW: "withdrawing", EXPIRY_PASSED: "expired" }
    },
    expired: {
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
    confirmed: { type: "final" },
    reverted: { type: "final" },
    unchanged: { type: "final" },
    discarded: { type: "final" },
    unknown: { type: "final" }
  }
})
