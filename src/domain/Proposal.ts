/**
 * A proposal (docs/reviewing.md): a branch of a repository that is checked before it is merged, and again whenever it moves. Its
 * record; what is said of it is in `words/ProposalSentences.ts`. Pure.
 */
import { Schema } from "effect"
import { BranchCheck, CheckedBranch, DiffGroup } from "./CommitEffects.ts"
import { CommitSignature } from "./CommitSignature.ts"
import { Risk } from "./DiffGroups.ts"
import { riskLevels } from "./ChangeRisk.ts"

/** `superseded`: another proposal of the same branch took its place. */
export const proposalStates = ["open", "merged", "closed", "superseded"] as const
const ProposalState = Schema.Literals(proposalStates)
export type ProposalState = typeof ProposalState.Type

/** `accepted` and `refused`: what a refresh would do. `failed`: it could not be checked. */
export const proposalChecks = ["waiting", "checking", "accepted", "refused", "failed"] as const
const ProposalCheck = Schema.Literals(proposalChecks)
export type ProposalCheck = typeof ProposalCheck.Type

/** The most proposals that are open at once. */
export const MOST_OPEN = 50
/** The largest stored result of a check, in characters of JSON. */
export const MOST_CHARACTERS = 2_000_000
/** The most earlier commits of a branch that are listed. */
export const MOST_EARLIER = 20

const NullableText = Schema.NullOr(Schema.String)

const ProposalRisk = Schema.Struct({ ...Risk.fields, devices: Schema.Int }).annotate({ identifier: "ProposalRisk" })
export type ProposalRisk = typeof ProposalRisk.Type

/** A person's word at the forge. Times are ISO 8601 without a zone, UTC. */
export const ForgeApproval = Schema.Struct({
  /** Their name at the forge. */
  login: Schema.String,
  /** Who that is here; null if FORGE_PEOPLE does not name them. */
  person: NullableText,
  decision: Schema.Literals(["approved", "rejected"]),
  /** The commit that they looked at; null if the forge does not say so. */
  commit: NullableText,
  at: Schema.String,
  /** Whether it counts as the approval of another person. */
  counts: Schema.Boolean,
  /** Why it does not count. */
  why_not: NullableText
}).annotate({ identifier: "ForgeApproval" })
export type ForgeApproval = typeof ForgeApproval.Type

/** Where the proposal was made, and what was said there. */
const AtForge = Schema.Struct({
  /** The number of the pull or merge request; null for a branch without one. */
  number: Schema.NullOr(Schema.Int),
  url: NullableText,
  /** What was said there last: the commit and the state of its check; null if nothing was. */
  told: NullableText,
  /** Why the last attempt failed; null if it did not. */
  error: NullableText,
  /** No further attempt is made until the proposal changes. */
  given_up: Schema.Boolean
}).annotate({ identifier: "ProposalAtForge" })

/** A proposal in a list. Times are ISO 8601 without a zone, UTC. */
export const Proposal = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Literals(["settings", "templates"]),
  branch: Schema.String,
  title: NullableText,
  state: ProposalState,
  /** A name at the forge if `opened_there`. */
  opened_by: Schema.String,
  opened_there: Schema.Boolean,
  opened_at: Schema.String,
  /** When and why it ended, and by whom; null while it is open. */
  ended_at: NullableText,
  ended_by: NullableText,
  why: NullableText,
  /** The commit with which it came into force, where the forge has made another one. */
  merged_commit: NullableText,
  superseded_by: Schema.NullOr(Schema.Int),
  /** The newest commit of the branch; null before it was looked up. */
  commit: NullableText,
  committer: NullableText,
  committed_at: NullableText,
  /** Who signed it; null where signatures are not verified, and before the first check. */
  signature: Schema.NullOr(CommitSignature),
  /** Earlier commits of the branch, the newest first: their checks do not count any more. */
  earlier: Schema.Array(
    Schema.Struct({ commit: Schema.String, until: Schema.String }).annotate({ identifier: "EarlierCommit" })
  ),
  check: ProposalCheck,
  /** Why it could not be checked. */
  error: NullableText,
  checked_at: NullableText,
  /** The commit in force with which it was compared; null before the first check. */
  in_force: NullableText,
  devices: Schema.NullOr(CheckedBranch.fields.devices),
  /** In how many ways devices would change. */
  ways: Schema.Int,
  /** The highest risk, and how many devices have it; null if nothing would change. */
  risk: Schema.NullOr(ProposalRisk),
  /** Whether a person would have to confirm it, because it removes much. */
  needs_confirmation: Schema.Boolean,
  forge: Schema.NullOr(AtForge)
}).annotate({ identifier: "Proposal" })
export type Proposal = typeof Proposal.Type

const ProposedGroup = Schema.Struct({ ...DiffGroup.fields, viewed: Schema.Boolean }).annotate({
  identifier: "ProposedDiffGroup"
})

/** A proposal with the result of its newest check. */
export const WholeProposal = Schema.Struct({
  ...Proposal.fields,
  problems: CheckedBranch.fields.problems,
  warnings: CheckedBranch.fields.warnings,
  effects: CheckedBranch.fields.effects,
  /** The effects in words, the most important first. */
  sentences: Schema.Array(Schema.String),
  groups: Schema.Array(ProposedGroup),
  /** The checks that a rollout of it would make. */
  checks: Schema.Array(BranchCheck),
  failures: CheckedBranch.fields.failures,
  truncated: Schema.Boolean,
  approvals: Schema.Array(ForgeApproval),
  /** How many other persons have approved its newest commit, each once. */
  approved_by: Schema.Int
}).annotate({ identifier: "WholeProposal" })
export type WholeProposal = typeof WholeProposal.Type

/** The highest risk of these groups, and how many devices have it; null without groups. */
export const highestRiskOf = (groups: ReadonlyArray<Pick<DiffGroup, "count" | "risk">>): ProposalRisk | null => {
  const level = riskLevels.findLast((one) => groups.some(({ risk }) => risk.level === one))
  if (level === undefined) return null
  const worst = groups.filter(({ risk }) => risk.level === level)
  return { level, reason: worst[0]?.risk.reason ?? null, devices: worst.reduce((sum, { count }) => sum + count, 0) }
}

/** The result without the texts of differences that are too much to store; the largest texts go first. */
export const bounded = (checked: CheckedBranch): CheckedBranch => {
  let left = JSON.stringify(checked).length - MOST_CHARACTERS
  if (left <= 0) return checked
  const cut = new Set<DiffGroup>()
  for (const group of checked.groups.toSorted((one, other) => other.diff.length - one.diff.length)) {
    if (left <= 0) break
    cut.add(group)
    left -= group.diff.length
  }
  const groups = checked.groups.map((group) => (cut.has(group) ? { ...group, diff: "" } : group))
  return { ...checked, groups, truncated: true }
}
