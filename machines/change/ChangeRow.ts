/**
 * The row of one change on one device, what can happen to it and what is to be done next: the vocabulary of
 * `ConfigChange.ts`. Everything is plain JSON, so that a row that a killed process left behind can be picked up by another.
 */

/** Phases that are written to the row. Those marked "claim" are written before their step touches the switch. */
export const changePhases = [
  /** Nothing was sent yet. */
  "planned",
  /** Claim: a candidate is being built in a session of ours. */
  "loading",
  /** Claim: the candidate is being thrown away; no commit was ever sent for it. */
  "discarding",
  /** Claim: the commit command is about to be sent, or was sent and its answer is missing. */
  "committing",
  /** The switch answered the commit. It is not proved yet. */
  "committed",
  /** Read back over a new connection; waits for the other devices (mode 2). */
  "proved",
  /** Claim: the timer is being stopped and the configuration saved. */
  "confirming",
  /** Claim: no timer is running; the configuration is being saved. */
  "saving",
  /** What the switch did is unclear: it is being looked at. */
  "looking",
  /** Claim: our session is being aborted although its commit may have been sent. */
  "withdrawing",
  /** Will not be confirmed: the switch's own timer takes it back. */
  "expiring",
  "confirmed",
  "reverted",
  "unchanged",
  "discarded",
  "unknown"
] as const
export type ChangePhase = (typeof changePhases)[number]

/** Steps between two phases that live in memory only; a killed process repeats them from the phase before. */
export type ChangeState = ChangePhase | "opened" | "settling" | "withdrawn" | "expired"

/** A change in one of these phases will not move any more. */
export type FinalPhase = "confirmed" | "reverted" | "unchanged" | "discarded" | "unknown"

/** Why a change ended otherwise than confirmed, or what was remarkable about it. */
export type ChangeReason =
  | "dryRun"
  | "unchanged"
  | "cancelled"
  | "unreachable"
  | "connectionLost"
  | "hashMismatch"
  | "locked"
  | "rejected"
  | "tooManyRestarts"
  | "commitRefused"
  | "commitNotApplied"
  | "notProved"
  | "othersFailed"
  | "confirmIgnored"
  | "rolledBack"
  | "keptNew"
  | "notSaved"
  | "timerStuck"
  | "outsideChange"

/** What is persisted of a change. Times are epoch milliseconds, timers seconds, hashes lower-case hexadecimal. */
export interface ChangeRow {
  readonly phase: ChangePhase
  /** Fencing token: every take-over raises it, and a claim with an older one finds no row. */
  readonly epoch: number
  /** Which candidate this is, from 1; a start from the beginning takes the next one and a new session name. */
  readonly round: number
  /** 0 commit without timer, 1 confirm when this device is proved, 2 confirm when all devices are. */
  readonly mode: 0 | 1 | 2
  readonly dryRun: boolean
  /** Push although the running configuration is not the one that was stored. */
  readonly force: boolean
  readonly sessionName: string
  /** Hash of the configuration that we left on the device last time; null when none is known. */
  readonly expectedHash: string | null
  /** Hash of the running configuration before this change. */
  readonly oldHash: string | null
  /** Hash that the running configuration has when it is ours; known at the latest when the commit was answered. */
  readonly candidateHash: string | null
  readonly diff: string | null
  readonly committedAt: number | null
  /** Null when the change is committed without a timer (mode 0, or the platform has none). */
  readonly timerSeconds: number | null
  /** Which configuration this change tries to end on; `old` once it must not be confirmed any more. */
  readonly goal: "new" | "old"
  /** False in mode 2 until all devices are proved. */
  readonly confirmAllowed: boolean
  /** How often the device was looked at since the change was started or taken over. */
  readonly looks: number
  readonly reason: ChangeReason | null
}

/** What a device shows over a connection made for looking. */
export interface Observation {
  /** The running configuration is our candidate, the one before the change, or somebody else's. */
  readonly running: "candidate" | "old" | "neither"
  /** A commit timer of our session runs. */
  readonly ourTimer: boolean
  /** Our session holds a candidate that was not committed. */
  readonly ourSession: boolean
}

/** How a step ended. */
export type ChangeEvent =
  | { readonly type: "RESUMED" }
  | { readonly type: "CANCELLED" }
  | { readonly type: "OPENED" }
  | { readonly type: "RUNNING_READ"; readonly hash: string; readonly foreignTimer: boolean }
  | { readonly type: "LOADED"; readonly diff: string; readonly candidateHash: string | null }
  | { readonly type: "REJECTED" }
  | { readonly type: "LOCKED" }
  | { readonly type: "LOST" }
  | { readonly type: "DISCARDED" }
  | { readonly type: "COMMITTED"; readonly at: number; readonly candidateHash: string | null }
  | { readonly type: "COMMIT_REFUSED" }
  | ({ readonly type: "OBSERVED" } & Observation)
  | { readonly type: "UNREACHABLE" }
  | { readonly type: "ALL_DEVICES_OK" }
  | { readonly type: "OTHERS_FAILED" }
  | { readonly type: "REVERT_NOW" }
  | { readonly type: "CONFIRMED" }
  | { readonly type: "CONFIRM_REFUSED" }
  | { readonly type: "SAVED" }
  | { readonly type: "SAVE_FAILED" }
  | { readonly type: "EXPIRY_PASSED" }

/** What to do next. Only `load`, `discard`, `commit`, `confirm` and `save` change the switch. */
export type ChangeStep =
  | { readonly type: "open" }
  /** Read the running configuration and whether somebody else's commit timer runs. */
  | { readonly type: "verify" }
  | { readonly type: "load"; readonly sessionName: string }
  | { readonly type: "discard"; readonly sessionName: string }
  | { readonly type: "commit"; readonly sessionName: string; readonly timerSeconds: number | null }
  /** Look at the device; with `newConnection` over one that is opened after the last command was answered or lost. */
  | { readonly type: "observe"; readonly sessionName: string; readonly newConnection: boolean }
  | { readonly type: "awaitVerdict" }
  /** Stop the timer, then save. */
  | { readonly type: "confirm"; readonly sessionName: string }
  | { readonly type: "save" }
  /** Until `seconds` after `since`, or from now on when `since` (epoch milliseconds) is not known. */
  | { readonly type: "waitForExpiry"; readonly since: number | null; readonly seconds: number }
