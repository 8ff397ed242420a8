/**
 * What is decided about a change beside its statechart: the row of a new one, what an ended one came to, and the claims by which
 * one that nobody works on is cancelled or kept from going on.
 */
import { type SnapshotFrom, transition } from "xstate"
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

// A change in memory and its row in the database: the one is the snapshot of the statechart of `ConfigChange.ts`, the other is
// what another process needs to resume it. Everything but the row and the error text is forgotten with the process.

export type ChangeSnapshot = SnapshotFrom<typeof configChange>

/** What is stored of a change, as far as its protocol goes. */
interface StoredProtocol {
  readonly protocol: ChangeRow
  readonly failure: string | null
}

/**
 * What a run of a stored change starts with: the statechart decides by the row whether it begins, resumes or is over. `verdict`
 * is what the other devices came to, `proofSeconds` what a switch gets to settle before its proof in mode 2.
 */
export const inputOf = (
  { failure, protocol }: StoredProtocol,
  verdict: Verdict | null = null,
  proofSeconds = 0
): ChangeInput => ({ row: protocol, failure, verdict, proofSeconds })

/** The row as it has to be stored when the change is in this state. */
export const rowOf = ({ context }: ChangeSnapshot): ChangeRow => context.row

/** A snapshot of a change for which nothing was sent yet, for decisions without an actor. */
export const snapshotOf = (row: ChangeRow): ChangeSnapshot =>
  configChange.resolveState({
    value: { planned: "opening" },
    context: {
      ...inputOf({ protocol: row, failure: null }),
      attempts: 0,
      tells: 0,
      mayTell: true,
      waitsSince: 0,
      outlasted: false
    }
  })

export { EXPIRY_MARGIN_SECONDS } from "./ChangeSetup.ts"

/**
 * A conditional write: `update … set <row> where <key> and phase = from.phase and epoch = from.epoch`. When it finds no row,
 * somebody else has moved the change on: nothing more may be sent to the switch.
 */
export interface Claim {
  readonly from: { readonly phase: ChangePhase; readonly epoch: number }
  readonly row: ChangeRow
}

/** What a change came to. `runs` is the configuration that the device is on. */
export interface ChangeOutcome {
  readonly result: FinalPhase
  readonly runs: "new" | "old" | "unclear"
  /** True when this change may count as done: confirmed, unchanged, or a dry run that came to its end. */
  readonly ok: boolean
  readonly reason: ChangeReason | null
  /** A sentence about the reason; empty when there is nothing to say. */
  readonly message: string
}

/** What a caller must say about a new change; the rest of its row follows. */
export type NewChange = Pick<
  ChangeRow,
  "mode" | "dryRun" | "force" | "sessionName" | "expectedHash" | "timerSeconds" | "onMissingLines" | "shown"
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
  keptNew: "The device kept the new configuration although it was not to be confirmed",
  notSaved: "The new configuration runs but could not be saved",
  notRestored: "The old configuration runs again, but it could not be proved that the device also starts with it",
  timerStuck: "The commit timer still runs long after it should have expired",
  outsideChange: "The device runs neither the old nor the new configuration",
  loginRefused: "The device runs the new configuration but refuses the login that it brings, so it was not confirmed",
  leftConfiguration: "A line of the configuration is a command, so its load was stopped"
}

const runsAfter: Readonly<Record<FinalPhase, ChangeOutcome["runs"]>> = {
  confirmed: "new",
  unchanged: "new",
  reverted: "old",
  discarded: "old",
  unknown: "unclear"
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
  // Without a timer there is nothing to wait for: the commit cannot be taken back any more.
  confirmAllowed: options.mode !== 2 || options.timerSeconds === null,
  looks: 0,
  reason: null
})

const outcome = (result: FinalPhase, reason: ChangeReason | null): ChangeOutcome => ({
  result,
  runs: reason === "hashMismatch" ? "unclear" : runsAfter[result],
  ok: result === "confirmed" || result === "unchanged" || (result === "discarded" && reason === "dryRun"),
  reason,
  message: reason === null ? "" : reasonSentences[reason]
})

/** What a change that is over came to; null while it is not. */
export const outcomeOf = ({ phase, reason }: ChangeRow): ChangeOutcome | null =>
  isFinal(phase) ? outcome(phase, reason) : null

/** Phases in which the new configuration is for good already, or is being taken back. */
const settled: ReadonlySet<ChangePhase> = new Set(["confirming", "outlasting", "saving", "restoring", "expiring"])

/**
 * The claim with which a change whose job is over is kept from going on to its new configuration: whoever resumes it then
 * begins nothing again and takes back what can be taken back. Null when there is nothing to keep it from.
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
 * The claim that ends a change for which nothing was sent yet; null when something may have been. Whoever works on the change
 * then loses its own claim.
 */
export const cancel = (row: ChangeRow): Claim | null => {
  if (row.phase !== "planned") return null
  const [{ context }] = transition(configChange, snapshotOf(row), { type: "CANCELLED" })
  return { from: { phase: row.phase, epoch: row.epoch }, row: context.row }
}
