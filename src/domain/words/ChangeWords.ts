/** Words about one change on one switch: its phases, its end, its safety timer, its risk, and what became of an approval. */
import type { ChangePhase, ChangeRow } from "../../../machines/change/ChangeRow.ts"
import type { RiskLevel } from "../ChangeRisk.ts"
import type { JobApproval } from "../JobScope.ts"
import type { ProposalCheck, ProposalState } from "../Proposal.ts"
import { type Word, wordOf, type Words } from "./Word.ts"

/** The phase of a change; the last five are its ends. */
export const phaseWords = {
  planned: { text: "Starting", tone: "info" },
  loading: { text: "Loading", tone: "info" },
  discarding: { text: "Dropping the draft", tone: "info" },
  committing: { text: "Activating", tone: "info" },
  committed: { text: "Being checked", tone: "info" },
  checking: { text: "Comparing with before", tone: "info" },
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

/** The safety timers of a rollout. */
export const modeWords = {
  0: { text: "No safety timer", tone: "warn" },
  1: { text: "Safety timer per switch", tone: "quiet" },
  2: { text: "All or none", tone: "quiet" }
} as const satisfies Readonly<Record<ChangeRow["mode"], Word>>

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

/** What became of a proposal. */
export const proposalWords = {
  open: { text: "Open", tone: "info" },
  merged: { text: "Merged", tone: "good" },
  closed: { text: "Closed", tone: "quiet" },
  superseded: { text: "Replaced by another", tone: "quiet" }
} as const satisfies Words<ProposalState>

/** The check of a proposal. */
export const proposalCheckWords = {
  waiting: { text: "Waiting for its check", tone: "info" },
  checking: { text: "Being checked", tone: "info" },
  accepted: { text: "Valid", tone: "good" },
  refused: { text: "Would be refused", tone: "bad" },
  failed: { text: "Could not be checked", tone: "warn" }
} as const satisfies Words<ProposalCheck>

/** What became of an approval. */
export const decisionWords = {
  approved: { text: "Approved", tone: "good" },
  rejected: { text: "Rejected", tone: "bad" },
  expired: { text: "Expired", tone: "quiet" },
  unneeded: { text: "No longer needed", tone: "quiet" },
  withdrawn: { text: "Taken back", tone: "quiet" }
} as const satisfies Words<NonNullable<JobApproval["decision"]>>
