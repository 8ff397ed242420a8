/** Words about one change on one switch: its phases, its end, why it ended so, how it was checked, and its safety timer. */
import type {
  ChangePhase,
  ChangeReason,
  ChangeRow,
  MissingLinesPolicy,
  Proof
} from "../../../machines/change/ChangeRow.ts"
import type { RiskLevel } from "../ChangeRisk.ts"
import type { JobApproval } from "../JobScope.ts"
import { type Word, wordOf, type Words } from "./Word.ts"

/** The phase of a change; the last five are its ends. */
export const phaseWords = {
  planned: { text: "Starting", tone: "info" },
  loading: { text: "Loading", tone: "info" },
  discarding: { text: "Dropping the draft", tone: "info" },
  committing: { text: "Activating", tone: "info" },
  committed: { text: "Being checked", tone: "info" },
  proved: { text: "Checked, waits for the others", tone: "info" },
  confirming: { text: "Confirming", tone: "info" },
  outlasting: { text: "Waiting out the timer", tone: "info" },
  saving: { text: "Saving", tone: "info" },
  restoring: { text: "Saving the old one", tone: "warn" },
  looking: { text: "Looking what happened", tone: "info" },
  withdrawing: { text: "Taking back", tone: "warn" },
  expiring: { text: "Waiting to go back", tone: "warn" },
  confirmed: { text: "Confirmed", tone: "good" },
  reverted: { text: "Went back", tone: "warn" },
  unchanged: { text: "Already so", tone: "good" },
  discarded: { text: "Not changed", tone: "quiet" },
  unknown: { text: "Unclear, look at it", tone: "bad" }
} as const satisfies Words<ChangePhase>

/** Why a change was not confirmed, or a note about its end. */
export const reasonWords = {
  dryRun: { text: "Preview only", tone: "quiet" },
  unchanged: { text: "Already so", tone: "good" },
  cancelled: { text: "Stopped", tone: "quiet" },
  unreachable: { text: "Did not answer", tone: "bad" },
  connectionLost: { text: "Connection broke", tone: "bad" },
  hashMismatch: { text: "Somebody changed it by hand", tone: "wait" },
  outsideChange: { text: "Somebody changed it by hand meanwhile", tone: "wait" },
  otherRunning: { text: "Changed since the preview", tone: "wait" },
  otherDiff: { text: "Differs from the preview", tone: "wait" },
  locked: { text: "Busy: somebody else's session or timer", tone: "warn" },
  rejected: { text: "Refused a line", tone: "bad" },
  commitRefused: { text: "Refused the commit", tone: "bad" },
  commitNotApplied: { text: "Did not take effect", tone: "bad" },
  notProved: { text: "Could not be checked", tone: "bad" },
  othersFailed: { text: "Others failed", tone: "warn" },
  rolledBack: { text: "Went back by itself", tone: "warn" },
  keptNew: { text: "Kept the new one", tone: "warn" },
  confirmIgnored: { text: "Did not stop its timer", tone: "bad" },
  timerStuck: { text: "Its timer did not end", tone: "bad" },
  notSaved: { text: "Runs it, not saved for a restart", tone: "bad" },
  notRestored: { text: "Runs the old one, not saved for a restart", tone: "bad" },
  tooManyRestarts: { text: "Given up after restarts", tone: "bad" },
  loginRefused: { text: "Sign-in refused", tone: "bad" },
  leftConfiguration: { text: "A command stood among its configuration", tone: "bad" }
} as const satisfies Words<ChangeReason>

/** How it was checked that a switch runs what was pushed. */
export const proofWords = {
  "loaded-again": { text: "Checked: loaded again", tone: "good" },
  "promised-text": { text: "Checked: text compared", tone: "good" },
  lines: { text: "Checked: lines compared", tone: "good" }
} as const satisfies Words<Proof>

/** The safety timers of a rollout. */
export const modeWords = {
  0: { text: "No safety timer", tone: "warn" },
  1: { text: "Safety timer per switch", tone: "quiet" },
  2: { text: "All or none", tone: "quiet" }
} as const satisfies Readonly<Record<ChangeRow["mode"], Word>>

/** What happens when a switch does not show lines that were pushed. */
export const missingLinesWords = {
  warn: { text: "Go on and say so", tone: "quiet" },
  fail: { text: "Fail", tone: "quiet" }
} as const satisfies Words<MissingLinesPolicy>

/** The risk of a difference, without its reason. */
export const riskWords = {
  low: { text: "Low risk", tone: "good" },
  medium: { text: "Some risk", tone: "warn" },
  high: { text: "High risk", tone: "bad" }
} as const satisfies Words<RiskLevel>

/** `High risk: spanning-tree mode mstp`, `Low risk`. */
export const riskWord = ({ level, reason }: { readonly level: string; readonly reason: string | null }): Word => {
  const word = wordOf(riskWords, level)
  return reason === null ? word : { ...word, text: `${word.text}: ${reason.replace(/^[+-]\s*/, "")}` }
}

/** What became of an approval. */
export const decisionWords = {
  approved: { text: "Approved", tone: "good" },
  rejected: { text: "Rejected", tone: "bad" },
  expired: { text: "Expired", tone: "quiet" },
  unneeded: { text: "No longer needed", tone: "quiet" },
  withdrawn: { text: "Taken back", tone: "quiet" }
} as const satisfies Words<NonNullable<JobApproval["decision"]>>
