/**
 * Drives a change with the transition function of `ConfigChange.ts`: from a row and how its last step ended to the claim to
 * write and the step to do. The caller loops: write the claim (stop when it finds no row), do the step, come back with how
 * it ended. A row found after a restart goes in through `resume`, which raises the epoch, so that a process that only seemed
 * dead claims nothing any more.
 */
import { type ActorScope, createActor, type EventFromLogic, type SnapshotFrom } from "xstate"
import type {
  ChangeEvent,
  ChangePhase,
  ChangeReason,
  ChangeRow,
  ChangeState,
  ChangeStep,
  FinalPhase
} from "./ChangeRow.ts"
import { configChange } from "./ConfigChange.ts"
import { type Refused, refusedRule } from "../Refusal.ts"

/** A change in progress: where it is, and its row as it was last written. */
export interface Change {
  readonly state: ChangeState
  readonly row: ChangeRow
}

/**
 * A conditional write: `update … set <row> where <key> and phase = from.phase and epoch = from.epoch`. When it finds no row,
 * somebody else has moved the change on: nothing more may be sent to the switch.
 */
export interface Claim {
  readonly from: { readonly phase: ChangePhase; readonly epoch: number }
  readonly row: ChangeRow
}

/** Write the claim if there is one, then do the step. */
export interface NextStep {
  readonly _tag: "NextStep"
  readonly change: Change
  readonly claim: Claim | null
  readonly step: ChangeStep
}

/** Write the claim if there is one; the change is over. */
export interface Ended {
  readonly _tag: "Ended"
  readonly change: Change
  readonly claim: Claim | null
  readonly outcome: ChangeOutcome
}

export type ChangeDecision = NextStep | Ended | Refused

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
export type NewChange = Pick<ChangeRow, "mode" | "dryRun" | "force" | "sessionName" | "expectedHash" | "timerSeconds">

/** Seconds that a switch may be late in taking a commit back: Junos was seen 35 s late. */
export const EXPIRY_MARGIN_SECONDS = 45

/** A sentence for every reason. */
export const reasonSentences: Readonly<Record<ChangeReason, string>> = {
  dryRun: "",
  unchanged: "",
  cancelled: "The change was cancelled before anything was sent",
  unreachable: "The device could not be looked at",
  connectionLost: "The connection was lost before anything was committed",
  hashMismatch: "The configuration was altered outside of Switchyard",
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
  timerStuck: "The commit timer still runs long after it should have expired",
  outsideChange: "The device runs neither the old nor the new configuration"
}

const finalPhases: ReadonlySet<ChangeState> = new Set(["confirmed", "reverted", "unchanged", "discarded", "unknown"])

const runsAfter: Readonly<Record<FinalPhase, ChangeOutcome["runs"]>> = {
  confirmed: "new",
  unchanged: "new",
  reverted: "old",
  discarded: "old",
  unknown: "unclear"
}

const isFinal = (state: ChangeState): state is FinalPhase => finalPhases.has(state)

type Working = Exclude<ChangeState, FinalPhase>

const observe =
  (newConnection: boolean) =>
  (row: ChangeRow): ChangeStep => ({
    type: "observe",
    sessionName: row.sessionName,
    newConnection
  })

const discard = (row: ChangeRow): ChangeStep => ({ type: "discard", sessionName: row.sessionName })

const steps: Readonly<Record<Working, (row: ChangeRow) => ChangeStep>> = {
  planned: () => ({ type: "open" }),
  opened: () => ({ type: "verify" }),
  loading: ({ sessionName }) => ({ type: "load", sessionName }),
  discarding: discard,
  committing: ({ sessionName, timerSeconds }) => ({ type: "commit", sessionName, timerSeconds }),
  committed: observe(true),
  proved: () => ({ type: "awaitVerdict" }),
  confirming: ({ sessionName }) => ({ type: "confirm", sessionName }),
  saving: () => ({ type: "save" }),
  settling: observe(false),
  looking: observe(true),
  withdrawing: discard,
  withdrawn: observe(true),
  expiring: ({ committedAt, timerSeconds }) => ({
    type: "waitForExpiry",
    since: committedAt,
    seconds: (timerSeconds ?? 0) + EXPIRY_MARGIN_SECONDS
  }),
  expired: observe(true)
}

const isPersisted = (state: ChangeState): state is ChangePhase =>
  state !== "opened" && state !== "settling" && state !== "withdrawn" && state !== "expired"

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

const decide = (change: Change, claim: Claim | null): NextStep | Ended =>
  isFinal(change.state)
    ? { _tag: "Ended", change, claim, outcome: outcome(change.state, change.row.reason) }
    : { _tag: "NextStep", change, claim, step: steps[change.state](change.row) }

/** The first step of a change whose row was just inserted. */
export const begin = (row: ChangeRow): NextStep | Ended => decide({ state: row.phase, row }, null)

/** The next step of a change that another process left behind, or how it ended. */
export const resume = (row: ChangeRow): ChangeDecision =>
  isFinal(row.phase) ? begin(row) : nextStep({ state: row.phase, row }, { type: "RESUMED" })

/** Phases in which the new configuration is for good already, or is being taken back. */
const settled: ReadonlySet<ChangePhase> = new Set(["confirming", "saving", "expiring"])

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

type Scope = ActorScope<SnapshotFrom<typeof configChange>, EventFromLogic<typeof configChange>>

const nothing = () => undefined

/**
 * Surrounds every step; xstate's own `transition` makes an actor for each, which takes more than the step. Nothing can leak
 * from one step to the next: the machine has assignments only, and neither children nor delays.
 */
const scope: Scope = (() => {
  const input = newChange({
    mode: 0,
    dryRun: true,
    force: false,
    sessionName: "",
    expectedHash: null,
    timerSeconds: null
  })
  const self = createActor(configChange, { input })
  return {
    self,
    id: "",
    sessionId: "",
    system: self.system,
    logger: nothing,
    defer: nothing,
    emit: nothing,
    stopChild: nothing,
    actionExecutor: nothing
  }
})()

/**
 * What follows from how a step ended. `change` is that of the last decision, whose claim was written; for a verdict that
 * reaches a waiting change it is `{ state: row.phase, row }`. Refused when the event does not belong to the state.
 */
export const nextStep = (change: Change, event: ChangeEvent): ChangeDecision => {
  const snapshot = configChange.resolveState({ value: change.state, context: change.row })
  const rule = refusedRule(snapshot, event)
  if (rule !== null)
    return { _tag: "Refused", rule, message: `A change that is ${change.state} takes no ${event.type}` }
  const next = configChange.transition(snapshot, event, scope)
  const state: ChangeState = next.value
  if (!isPersisted(state)) return decide({ state, row: next.context }, null)
  const row = { ...next.context, phase: state }
  return decide({ state, row }, { from: { phase: change.row.phase, epoch: change.row.epoch }, row })
}
