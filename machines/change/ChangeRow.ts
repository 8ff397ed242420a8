/**
 * The row of one change on one device, its events and its tasks: the vocabulary of `ConfigChange.ts`. Everything is plain JSON, so
 * another process can resume the row of a killed one.
 */
import type { CheckOfChange, Checking, CheckResult } from "./ChangeChecks.ts"

/** Phases that are written to the row. Those marked "claim" are written before their step touches the switch. */
export const changePhases = [
  /** Nothing was sent yet. */
  "planned",
  /** Claim: a candidate is being built in our session. */
  "loading",
  /** Claim: the candidate is being discarded; no commit was sent for it. */
  "discarding",
  /** Claim: the commit command is about to be sent, or was sent and its answer is missing. */
  "committing",
  /** The switch answered the commit. It is not proved yet. */
  "committed",
  /** Read back over a new connection; the state of the device is compared with the one before the change until its checks hold. */
  "checking",
  /** Read back over a new connection; waits for the other devices (mode 2). */
  "proved",
  /** Claim: the timer is being stopped and the configuration saved. */
  "confirming",
  /** The confirmation was given, but the switch shows neither that the timer runs nor that it has ended: wait until it must have ended. */
  "outlasting",
  /** Claim: no timer is running; the configuration is being saved. */
  "saving",
  /** Claim: the old configuration runs again and is being saved, because the switch saves with every commit. */
  "restoring",
  /** It is unclear what the switch did: it is being observed. */
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

/** A change in one of these phases will not move any more. */
export type FinalPhase = "confirmed" | "reverted" | "unchanged" | "discarded" | "unknown"

/** Why a change was not confirmed, or a note about its end. */
export type ChangeReason =
  | "dryRun"
  | "unchanged"
  | "cancelled"
  | "unreachable"
  | "connectionLost"
  | "hashMismatch"
  | "otherRunning"
  | "otherDiff"
  | "locked"
  | "rejected"
  | "tooManyRestarts"
  | "commitRefused"
  | "commitNotApplied"
  | "notProved"
  | "othersFailed"
  | "confirmIgnored"
  | "rolledBack"
  | "candidateEnded"
  | "keptNew"
  | "notSaved"
  | "notRestored"
  | "timerStuck"
  | "outsideChange"
  | "loginRefused"
  | "leftConfiguration"
  | "checkRefused"
  | "checkFailed"
  | "checkUnread"

/** The device took a commit and did not show afterwards that it runs it: the same change would most likely fail again. */
export const failuresOfProof: ReadonlyArray<ChangeReason> = [
  "checkFailed",
  "checkUnread",
  "commitNotApplied",
  "confirmIgnored",
  "loginRefused",
  "notProved",
  "outsideChange",
  "rolledBack",
  "timerStuck"
]

/**
 * The proofs that a device runs the candidate: a second load showed no difference; the device runs the configuration that it has
 * stated before the commit; it runs the one that its own difference promised, and no line of the candidate is missing.
 */
export const proofs = ["loaded-again", "promised-text", "lines"] as const
export type Proof = (typeof proofs)[number]

/** Notes about the load of a candidate. Line numbers count from 1 in its text; secrets are masked. */
export interface ChangeNotes {
  /** The switch's remarks on accepted lines. */
  readonly said: ReadonlyArray<{ readonly line_number: number; readonly line: string; readonly answer: string }>
  /** Lines that are missing from the promised configuration; `is_new`: the previous candidate did not have them. */
  readonly not_shown: ReadonlyArray<{ readonly line_number: number; readonly line: string; readonly is_new: boolean }>
  /** Numbers of lines that the load has shown to be in force in another spelling, as a default, or replaced by a later line. */
  readonly passed?: ReadonlyArray<number>
}

/** The policy for lines that are not shown; by default, new ones fail the change. */
export const missingLinesPolicies = ["warn", "fail"] as const
export type MissingLinesPolicy = (typeof missingLinesPolicies)[number]

/** The configuration and the difference that a dry run has shown: nothing else may be pushed. Hashes are lower-case hexadecimal. */
export interface ShownChange {
  /** Hash of the running configuration at that time. */
  readonly running: string
  /** Hash of the difference. */
  readonly diff: string
}

/** The stored row of a change. Times are epoch milliseconds, timers seconds, hashes lower-case hexadecimal. */
export interface ChangeRow {
  readonly phase: ChangePhase
  /** Fencing token: every take-over raises it, and a claim with an older one finds no row. */
  readonly epoch: number
  /** The number of the candidate, from 1; a new start takes the next number and a new session name. */
  readonly round: number
  /** 0 commit without timer, 1 confirm when this device is proved, 2 confirm when all devices are. */
  readonly mode: 0 | 1 | 2
  readonly dryRun: boolean
  /** Push although the running configuration is not the one that was stored. */
  readonly force: boolean
  readonly sessionName: string
  /** Hash of the configuration of the last change on the device; null if none is known. */
  readonly expectedHash: string | null
  /** Hash of the running configuration before this change. */
  readonly oldHash: string | null
  /** Hash of our candidate as running configuration; known at the latest when the commit was answered. */
  readonly candidateHash: string | null
  readonly diff: string | null
  readonly committedAt: number | null
  /** Null when the change is committed without a timer (mode 0, or the platform has none). */
  readonly timerSeconds: number | null
  /** The switch has shown our running timer: only then can a list without it prove that it has ended. */
  readonly timerSeen: boolean
  /** Each commit saves, or the new configuration was saved, so after a rollback the old one must be saved again. */
  readonly savesAtCommit: boolean
  /** The configuration that this change tries to end with; `old` once it must not be confirmed any more. */
  readonly goal: "new" | "old"
  /** False in mode 2 until all devices are proved. */
  readonly confirmAllowed: boolean
  /** How often the device was observed since the change was started or taken over. */
  readonly looks: number
  readonly reason: ChangeReason | null
  /** `candidateHash` is the hash of the configuration that the switch promised before the commit. Absent in rows of earlier releases. */
  readonly promised?: boolean
  /** The switch has stated the promise as a whole; otherwise it follows from the switch's own difference. */
  readonly readBack?: boolean
  /** The hash of that promise without its salted secrets and without the lines that the device writes on its own. */
  readonly shape?: string | null
  /** Marks of lines whose secrets the load has set or shows differently. */
  readonly setSecrets?: ReadonlyArray<string>
  /** The proof that the device runs the candidate; absent before it. */
  readonly proof?: Proof
  /** Sentences about lines of the candidate that cannot be compared with the device's configuration. */
  readonly remarks?: ReadonlyArray<string>
  /** Confirmed by a device that only leaves the timer out: it is looked at again when the timer must have ended. */
  readonly lookAgain?: boolean
  readonly onMissingLines?: MissingLinesPolicy
  readonly shown?: ShownChange
  readonly notes?: ChangeNotes
  /** The checks of the device; absent without any. */
  readonly checks?: ReadonlyArray<CheckOfChange>
  /** Those that the difference of this round calls for, and how far they are. */
  readonly checking?: Checking
}

/** Whether the commit timer of our session runs; `unseen` if the switch shows neither that it runs nor that it has ended. */
export type TimerSight = "runs" | "gone" | "unseen"

/** The state of a device, read over a new connection. */
export interface Observation {
  /**
   * The running configuration is our candidate, the one before the change, or another one. `unproved`: it looks like our candidate,
   * but the required proof could not be made.
   */
  readonly running: "candidate" | "old" | "neither" | "unproved"
  /** The proof that it is our candidate, if there is one. */
  readonly proof?: Proof
  /** Its hash, if it is our candidate apart from lines that the device writes on its own. */
  readonly hash?: string
  readonly ourTimer: TimerSight
  /** The device leaves out our timer, but shows our session as while it ran: a timer that it hides would look the same. */
  readonly timerOmitted?: boolean
  /** Our session holds an uncommitted candidate. */
  readonly ourSession: boolean
  /** A candidate of this platform ends with its login, so none could have remained. */
  readonly endsWithLogin?: boolean
  /** The device refuses one of our logins that the change has replaced. */
  readonly loginRefused?: boolean
}

/** The error text for the record, ending in `Type: message` and a newline. */
interface StepFailure {
  readonly failure?: string | null
}

/** The fields of the row about what the switch promised before the commit. */
export type LoadPromise = Pick<ChangeRow, "promised" | "readBack" | "shape" | "setSecrets" | "remarks">

/** The verdicts that a job sends to its waiting changes. */
export const verdicts = ["ALL_DEVICES_OK", "OTHERS_FAILED", "REVERT_NOW"] as const
export type Verdict = (typeof verdicts)[number]

/** The end of a step, or a message of the job. Times are epoch milliseconds. */
export type ChangeEvent =
  | { readonly type: "CANCELLED" }
  /** The phase is written, so this process owns the change. */
  | { readonly type: "CLAIMED"; readonly at: number }
  | { readonly type: "OPENED" }
  | ({
      readonly type: "RUNNING_READ"
      readonly hash: string
      /** A commit of another user waits, as `failure` says. */
      readonly foreignTimer: boolean
      readonly savesAtCommit?: boolean
      /** It is the configuration that the row expects, apart from lines that the device writes on its own. */
      readonly isExpected?: boolean
      /** The same for the configuration of the dry run to which the change is pinned. */
      readonly isShown?: boolean
    } & StepFailure)
  | ({
      readonly type: "LOADED"
      readonly diff: string
      /** The difference is not the one of the dry run to which the change is pinned. */
      readonly isOther?: boolean
      readonly candidateHash: string | null
      readonly notes?: ChangeNotes
      readonly checking?: Checking
    } & LoadPromise)
  /** The state of the device before the commit; `isRefused`: a check that fails already forbids the change. */
  | ({ readonly type: "BEFORE_READ"; readonly checking: Checking; readonly isRefused: boolean } & StepFailure)
  | ({ readonly type: "REJECTED" } & StepFailure)
  | ({ readonly type: "LOCKED" } & StepFailure)
  /** A line of the candidate was no configuration: after it the switch was in another mode, or asked something. */
  | ({ readonly type: "LEFT" } & StepFailure)
  | ({ readonly type: "LOST" } & StepFailure)
  | { readonly type: "DISCARDED" }
  | { readonly type: "COMMITTED"; readonly at: number; readonly candidateHash: string | null }
  | ({ readonly type: "COMMIT_REFUSED" } & StepFailure)
  | ({ readonly type: "OBSERVED" } & Observation & StepFailure)
  | ({ readonly type: "UNREACHABLE" } & StepFailure)
  /** Checks were read after the commit. */
  | { readonly type: "CHECKED"; readonly at: number; readonly results: ReadonlyArray<CheckResult> }
  | { readonly type: Verdict }
  | { readonly type: "CONFIRMED" }
  /** The confirmation was given, but the switch shows neither that the timer runs nor that it has ended. Nothing was saved. */
  | { readonly type: "CONFIRM_UNSEEN" }
  | ({ readonly type: "CONFIRM_REFUSED" } & StepFailure)
  | { readonly type: "SAVED" }
  | ({ readonly type: "SAVE_FAILED" } & StepFailure)
  /** The switch was asked for its commit timer while we wait for it to take the change back; a timer that is not shown may still run. */
  | { readonly type: "TIMER_SEEN"; readonly runs: boolean }

/** The input of a step: the current row, and the error text to store with its claim. */
export interface StepTask {
  readonly row: ChangeRow
  readonly failure: string | null
}

/** The task of a step that first writes the phase of its row. Every step that changes the switch has such a task. */
export interface ClaimTask extends StepTask {
  readonly claim: true
}

/** The task of a step that reads checks after the commit; `since`: when this run began with them, in epoch milliseconds. */
export interface CheckTask extends StepTask {
  readonly since: number
}

/** The task of a step that only observes, in a phase that is already claimed or that has no row of its own. */
export interface LookTask extends StepTask {
  readonly claim: boolean
  /** Over a connection that is opened after the last command was answered or lost: only that proves anything. */
  readonly newConnection: boolean
}

const finalPhases: ReadonlySet<ChangePhase> = new Set(["confirmed", "reverted", "unchanged", "discarded", "unknown"])

/** Whether a change in this phase has ended. */
export const isFinal = (phase: ChangePhase): phase is FinalPhase => finalPhases.has(phase)
