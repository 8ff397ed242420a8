/**
 * The row of one change on one device, what can happen to it and what is to be done next: the vocabulary of
 * `ConfigChange.ts`. Everything is plain JSON, so that a row that a killed process left behind can be resumed by another.
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
  /** The confirmation was given, and the timer is seen neither to run nor to be gone: it is waited for until it must have ended. */
  "outlasting",
  /** Claim: no timer is running; the configuration is being saved. */
  "saving",
  /** Claim: the old configuration runs again and is being saved, because the switch saves with every commit. */
  "restoring",
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
  | "keptNew"
  | "notSaved"
  | "notRestored"
  | "timerStuck"
  | "outsideChange"
  | "loginRefused"
  | "leftConfiguration"

/**
 * How a device was proved to run the candidate, the strongest first: the switch was given it again and found no difference; it
 * runs what its own difference promised, and shows that as what was committed; the same promise, and every line of the
 * candidate is there.
 */
export const proofs = ["loaded-again", "promised-text", "lines"] as const
export type Proof = (typeof proofs)[number]

/** What is remarkable about how a candidate was loaded. Line numbers count from 1 in its text; secrets are masked. */
export interface ChangeNotes {
  /** What the switch said to lines without refusing them. */
  readonly said: ReadonlyArray<{ readonly line_number: number; readonly line: string; readonly answer: string }>
  /** Lines that do not stand in what the switch promises to run; `is_new`: the candidate before did not have them. */
  readonly not_shown: ReadonlyArray<{ readonly line_number: number; readonly line: string; readonly is_new: boolean }>
}

/** What lines that are not shown mean; without it those that are new in this change fail it. */
export const missingLinesPolicies = ["warn", "fail"] as const
export type MissingLinesPolicy = (typeof missingLinesPolicies)[number]

/** What a dry run has shown of the device: nothing else may be pushed. Hashes are lower-case hexadecimal. */
export interface ShownChange {
  /** Hash of the configuration that ran then. */
  readonly running: string
  /** Hash of the difference. */
  readonly diff: string
}

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
  /** The switch has shown that our timer runs: only then does a list without it say that it is gone. */
  readonly timerSeen: boolean
  /** Each commit saves, so that after a rollback the old configuration has to be saved again. */
  readonly savesAtCommit: boolean
  /** Which configuration this change tries to end on; `old` once it must not be confirmed any more. */
  readonly goal: "new" | "old"
  /** False in mode 2 until all devices are proved. */
  readonly confirmAllowed: boolean
  /** How often the device was looked at since the change was started or taken over. */
  readonly looks: number
  readonly reason: ChangeReason | null
  /** `candidateHash` is what the switch's own difference promised before the commit. Rows of earlier releases do not say it. */
  readonly promised?: boolean
  /** The hash of that promise without its salted secrets; only where the change sets such, whose lines may be shown otherwise. */
  readonly shape?: string | null
  /** Marks of lines whose secrets the load has set or shows otherwise. */
  readonly setSecrets?: ReadonlyArray<string>
  /** How the device was proved to run the candidate; absent as long as it was not. */
  readonly proof?: Proof
  /** Sentences about lines of the candidate that nobody can compare with what the device shows. */
  readonly remarks?: ReadonlyArray<string>
  readonly onMissingLines?: MissingLinesPolicy
  readonly shown?: ShownChange
  readonly notes?: ChangeNotes
}

/** Whether the commit timer of our session runs; `unseen` when the switch shows neither that nor that it is gone. */
export type TimerSight = "runs" | "gone" | "unseen"

/** What a device shows over a connection made for looking. */
export interface Observation {
  /**
   * The running configuration is our candidate, the one before the change, or somebody else's. `unproved`: it looks like our
   * candidate, and the proof that is wanted could not be made.
   */
  readonly running: "candidate" | "old" | "neither" | "unproved"
  /** How it was proved to be our candidate, when it was. */
  readonly proof?: Proof
  readonly ourTimer: TimerSight
  /** Our session holds a candidate that was not committed. */
  readonly ourSession: boolean
  /** The device refuses a login of ours that the change has given anew. */
  readonly loginRefused?: boolean
}

/** The error text of what went wrong, for the record, ending in `Type: message` and a newline. */
interface StepFailure {
  readonly failure?: string | null
}

/** What the switch's own difference said before the commit, as the row keeps it. */
export type LoadPromise = Pick<ChangeRow, "promised" | "shape" | "setSecrets" | "remarks">

/** What the job tells a change that waits for the other devices. */
export const verdicts = ["ALL_DEVICES_OK", "OTHERS_FAILED", "REVERT_NOW"] as const
export type Verdict = (typeof verdicts)[number]

/** How a step ended, or what the job says. Times are epoch milliseconds. */
export type ChangeEvent =
  | { readonly type: "CANCELLED" }
  /** The phase is written, so that the change is ours. */
  | { readonly type: "CLAIMED"; readonly at: number }
  | { readonly type: "OPENED" }
  | {
      readonly type: "RUNNING_READ"
      readonly hash: string
      readonly foreignTimer: boolean
      readonly savesAtCommit?: boolean
      /** It is what the row expects but for lines that the device writes by itself. */
      readonly isExpected?: boolean
    }
  | ({
      readonly type: "LOADED"
      readonly diff: string
      /** Another difference than the dry run has shown to which the change is pinned. */
      readonly isOther?: boolean
      readonly candidateHash: string | null
      readonly notes?: ChangeNotes
    } & LoadPromise)
  | ({ readonly type: "REJECTED" } & StepFailure)
  | ({ readonly type: "LOCKED" } & StepFailure)
  /** A line of the candidate was no configuration: the switch was in another mode behind it, or asked something. */
  | ({ readonly type: "LEFT" } & StepFailure)
  | ({ readonly type: "LOST" } & StepFailure)
  | { readonly type: "DISCARDED" }
  | { readonly type: "COMMITTED"; readonly at: number; readonly candidateHash: string | null }
  | ({ readonly type: "COMMIT_REFUSED" } & StepFailure)
  | ({ readonly type: "OBSERVED" } & Observation & StepFailure)
  | ({ readonly type: "UNREACHABLE" } & StepFailure)
  | { readonly type: Verdict }
  | { readonly type: "CONFIRMED" }
  /** The confirmation was given to a timer that is seen neither to run nor to be gone. Nothing was saved. */
  | { readonly type: "CONFIRM_UNSEEN" }
  | ({ readonly type: "CONFIRM_REFUSED" } & StepFailure)
  | { readonly type: "SAVED" }
  | ({ readonly type: "SAVE_FAILED" } & StepFailure)
  /** The switch was asked for its commit timer while we wait for it to take the change back; one that is not seen may run. */
  | { readonly type: "TIMER_SEEN"; readonly runs: boolean }

/** What a step is given: the row as it stands, and the error text to store with its claim. */
export interface StepTask {
  readonly row: ChangeRow
  readonly failure: string | null
}

/** The task of a step that first writes the phase of its row. Whatever changes the switch has such a task. */
export interface ClaimTask extends StepTask {
  readonly claim: true
}

/** The task of a step that only looks, in a phase that is claimed already or that has no row of its own. */
export interface LookTask extends StepTask {
  readonly claim: boolean
  /** Over a connection that is opened after the last command was answered or lost: only that proves anything. */
  readonly newConnection: boolean
}

const finalPhases: ReadonlySet<ChangePhase> = new Set(["confirmed", "reverted", "unchanged", "discarded", "unknown"])

/** Whether a change in this phase is over. */
export const isFinal = (phase: ChangePhase): phase is FinalPhase => finalPhases.has(phase)
