/**
 * Decisions about a change outside its statechart: the row of a new change, the outcome of an ended one, and the claims that cancel
 * or stop a change on which no process works.
 */
import { type SnapshotFrom, transition } from "xstate"
import { decisive, resultSentence } from "./ChangeChecks.ts"
import {
  type ChangePhase,
  type ChangeReason,
  type ChangeRow,
  type FinalPhase,
  isFinal,
  type Verdict
} from "./ChangeRow.ts"
import { configChange } from "./ConfigChange.ts"
import type { ChangeInput } from "./ChangeSetup.ts"

// A change in memory and its row in the database: the former is the snapshot of the statechart of `ConfigChange.ts`, the latter is
// enough for another process to resume it. Everything except the row and the error text ends with the process.

export type ChangeSnapshot = SnapshotFrom<typeof configChange>

/** The stored part of a change's protocol. */
interface StoredProtocol {
  readonly protocol: ChangeRow
  readonly failure: string | null
}

/**
 * The input of a run of a stored change: the statechart decides by the row whether it begins, resumes or has ended. `verdict` is
 * the verdict over all devices, `proofSeconds` the time that a switch gets to settle before its proof in mode 2.
 */
export const inputOf = (
  { failure, protocol }: StoredProtocol,
  verdict: Verdict | null = null,
  proofSeconds = 0
): ChangeInput => ({ row: protocol, failure, verdict, proofSeconds })

/** The row to store when the change is in this state. */
export const rowOf = ({ context }: ChangeSnapshot): ChangeRow => context.row

/** A snapshot of a change for which nothing was sent yet, for decisions without an actor. */
export const snapshotOf = (row: ChangeRow): ChangeSnapshot =>
  configChange.resolveState({
    value: { planned: "opening" },
    context: {
      ...inputOf({ protocol: row, failure: null }),
      attempts: 0,
      withdrawals: 0,
      mayWithdraw: true,
      waitsSince: 0,
      outlasted: false,
      checksSince: 0,
      checkedAt: 0
    }
  })

export { EXPIRY_MARGIN_SECONDS } from "./ChangeSetup.ts"

/**
 * A conditional write: `update … set <row> where <key> and phase = from.phase and epoch = from.epoch`. If it finds no row, another
 * process has continued the change: nothing more may be sent to the switch.
 */
export interface Claim {
  readonly from: { readonly phase: ChangePhase; readonly epoch: number }
  readonly row: ChangeRow
}

/** The outcome of a change. `runs` is the configuration that the device runs. */
export interface ChangeOutcome {
  readonly result: FinalPhase
  readonly runs: "new" | "old" | "unclear"
  /** True when this change may count as done: confirmed, unchanged, or a complete dry run. */
  readonly ok: boolean
  readonly reason: ChangeReason | null
  /** A sentence about the reason; may be empty. */
  readonly message: string
}

/** The fields that a caller must give for a new change; the rest of its row follows from them. */
export type NewChange = Pick<
  ChangeRow,
  "mode" | "dryRun" | "force" | "sessionName" | "expectedHash" | "timerSeconds" | "onMissingLines" | "shown" | "checks"
>

/** A sentence for every reason. */
export const reasonSentences: Readonly<Record<ChangeReason, string>> = {
  dryRun: "",
  unchanged: "",
  cancelled: "The change was cancelled before anything was sent",
  unreachable: "The device could not be looked at",
  connectionLost: "The connection was lost before anything was committed",
  hashMismatch: "The configuration was altered outside of Switchyard",
  otherRunning: "The device runs another configuration than the dry run saw",
  otherDiff: "The difference is another one than the dry run has shown",
  locked: "Another configuration session or commit timer is in the way",
  rejected: "The device rejected the configuration",
  tooManyRestarts: "The change was interrupted too often before it was committed",
  commitRefused: "The device refused to commit",
  commitNotApplied: "The device answered the commit but goes on running the old configuration",
  notProved: "The device could not be proved to run the new configuration, so it was not confirmed",
  othersFailed: "Another device of the job failed, so the change was not confirmed",
  confirmIgnored: "The commit timer went on running although the device answered the confirmation",
  rolledBack: "The device has gone back to the old configuration",
  candidateEnded:
    "The connection broke before the device had answered the commit, and the candidate ended with it; the device runs the old configuration",
  keptNew: "The device kept the new configuration although it was not to be confirmed",
  notSaved: "The new configuration runs but could not be saved",
  notRestored: "The old configuration runs again, but it could not be proved that the device also starts with it",
  timerStuck: "The commit timer still runs long after it should have expired",
  outsideChange: "The device runs neither the old nor the new configuration",
  loginRefused: "The device runs the new configuration but refuses the login that it brings, so it was not confirmed",
  leftConfiguration: "A line of the configuration is a command, so its load was stopped",
  checkRefused: "A check failed before the change already, so nothing was committed",
  checkFailed: "A check failed after the commit",
  checkUnread: "A check could not be read after the commit"
}

const runsAfter: Readonly<Record<FinalPhase, ChangeOutcome["runs"]>> = {
  confirmed: "new",
  unchanged: "new",
  reverted: "old",
  discarded: "old",
  unknown: "unclear"
}

/** What a device runs if the reason of the end says it better than the result. */
const runsBecause: Partial<Record<ChangeReason, ChangeOutcome["runs"]>> = {
  hashMismatch: "unclear",
  notSaved: "new"
}

/** The row to insert for a new change. */
export const newChange = (options: NewChange): ChangeRow => ({
  ...options,
  phase: "planned",
  epoch: 1,
  round: 1,
  oldHash: null,
  candidateHash: null,
  diff: null,
  committedAt: null,
  timerSeen: false,
  savesAtCommit: false,
  goal: "new",
  // Without a timer the commit cannot be taken back, so there is nothing to wait for.
  confirmAllowed: options.mode !== 2 || options.timerSeconds === null,
  looks: 0,
  reason: null
})

/** A change without a timer stays although a check has failed; that is no success. */
const isOk = (result: FinalPhase, reason: ChangeReason | null): boolean => {
  if (reason === "checkFailed" || reason === "checkUnread") return false
  return result === "confirmed" || result === "unchanged" || (result === "discarded" && reason === "dryRun")
}

const ofChecks: ReadonlySet<ChangeReason> = new Set(["checkRefused", "checkFailed", "checkUnread"])

/** The check that decided, with what was before and what is now. */
const checkSentence = ({ checking, reason, timerSeconds }: ChangeRow): string => {
  const found = checking === undefined || reason === null || !ofChecks.has(reason) ? undefined : decisive(checking)
  if (found === undefined) return ""
  const stays =
    timerSeconds === null && reason !== "checkRefused" ? "; without a commit timer nothing takes it back" : ""
  return `: ${resultSentence(found)}${stays}`
}

const outcome = (row: ChangeRow, result: FinalPhase, reason: ChangeReason | null): ChangeOutcome => ({
  result,
  runs: (reason === null ? undefined : runsBecause[reason]) ?? runsAfter[result],
  ok: isOk(result, reason),
  reason,
  message: reason === null ? "" : `${reasonSentences[reason]}${checkSentence(row)}`
})

/** The outcome of an ended change; null before its end. */
export const outcomeOf = (row: ChangeRow): ChangeOutcome | null =>
  isFinal(row.phase) ? outcome(row, row.phase, row.reason) : null

/** Phases in which the new configuration is already permanent, or is being taken back. */
const settled: ReadonlySet<ChangePhase> = new Set(["confirming", "outlasting", "saving", "restoring", "expiring"])

/**
 * The claim that stops a change whose job has ended from committing its new configuration: the process that resumes it begins
 * nothing again and takes back an unconfirmed commit. Null if there is nothing to stop.
 */
export const abandon = (row: ChangeRow): Claim | null => {
  const isDecided = isFinal(row.phase) || settled.has(row.phase) || row.goal === "old"
  if (isDecided || (row.phase === "discarding" && row.reason !== null)) return null
  const abandoned: ChangeRow = {
    ...row,
    epoch: row.epoch + 1,
    goal: "old",
    reason: row.reason ?? "othersFailed"
  }
  return { from: { phase: row.phase, epoch: row.epoch }, row: abandoned }
}

/**
 * The claim that ends a change for which nothing was sent yet; null if something may have been sent. A process that works on the
 * change then loses its own claim.
 */
export const cancel = (row: ChangeRow): Claim | null => {
  if (row.phase !== "planned") return null
  const [{ context }] = transition(configChange, snapshotOf(row), { type: "CANCELLED" })
  return { from: { phase: row.phase, epoch: row.epoch }, row: context.row }
}
