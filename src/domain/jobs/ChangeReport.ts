/**
 * The report of a change (docs/reviewing.md#reports): from its proposal to its end, who did what, when, why, and what proves it, for
 * auditors. The number of a change is that of its preview, or of its rollout where it has none, as in the page. It holds no secrets. Pure.
 */
import { Schema } from "effect"
import { proofs } from "../../../machines/change/ChangeRow.ts"
import { JobChecks } from "../checks/JobChecks.ts"
import { CommitSignature } from "../CommitSignature.ts"
import { Risk } from "../DiffGroups.ts"
import { JobStatus, Outcome } from "../Job.ts"
import { ForgeApproval } from "../Proposal.ts"

const NullableText = Schema.NullOr(Schema.String)
const NullableInt = Schema.NullOr(Schema.Int)

/** A proposal whose commit came into force with the change. */
const ReportedProposal = Schema.Struct({
  id: Schema.Int,
  repository: Schema.String,
  branch: Schema.String,
  title: NullableText,
  commit: NullableText,
  merged_commit: NullableText,
  /** Who signed `commit`; null where signatures are not verified. */
  signature: Schema.NullOr(CommitSignature),
  opened_by: Schema.String,
  opened_at: Schema.String,
  ended_at: NullableText,
  ended_by: NullableText,
  url: NullableText,
  approvals: Schema.Array(ForgeApproval)
}).annotate({ identifier: "ReportedProposal" })

/** A job of the change. Times are ISO 8601 without a zone, UTC. */
const ReportedJob = Schema.Struct({
  id: Schema.Int,
  /** What it was: a preview, a rollout, the confirmation of a rollout, or an undo. */
  part: Schema.Literals(["preview", "rollout", "confirmation", "undo"]),
  function_name: Schema.String,
  status: JobStatus,
  outcome: Schema.NullOr(Outcome),
  by: NullableText,
  comment: NullableText,
  ticket_ref: NullableText,
  requested_at: NullableText,
  began_at: NullableText,
  ended_at: NullableText,
  settings_commit: NullableText,
  templates_commit: NullableText,
  /** Who signed them; null where signatures are not verified. */
  settings_signature: Schema.NullOr(CommitSignature),
  templates_signature: Schema.NullOr(CommitSignature),
  change_score: NullableInt,
  aborted_by: NullableText,
  abort_reason: NullableText,
  /** Why it worked outside of the windows; null if it did not. */
  emergency: NullableText,
  waited_for_window: Schema.Boolean,
  /** How many switches of the first stage had to succeed, or their names; null without a canary. */
  canary: Schema.NullOr(Schema.Union([Schema.Int, Schema.Array(Schema.String)])),
  batch_size: NullableInt
}).annotate({ identifier: "ReportedJob" })
export type ReportedJob = typeof ReportedJob.Type

/** An approval of a job. */
const ReportedApproval = Schema.Struct({
  job_id: Schema.Int,
  reason: Schema.String,
  asked_by: Schema.String,
  asked_at: Schema.String,
  decision: NullableText,
  decided_by: NullableText,
  decided_at: NullableText,
  comment: NullableText
}).annotate({ identifier: "ReportedApproval" })

/** A device in a job of the change, and what proves the result. */
const ReportedDevice = Schema.Struct({
  job_id: Schema.Int,
  hostname: Schema.String,
  /** The phase in which its change is or ended; null for a device without one. */
  phase: NullableText,
  reason: NullableText,
  failed: Schema.NullOr(Schema.Boolean),
  changed: Schema.Boolean,
  proof: Schema.NullOr(Schema.Literals(proofs)),
  began_at: NullableText,
  ended_at: NullableText,
  /** The message of its failure; null without one. */
  why: NullableText
}).annotate({ identifier: "ReportedDevice" })
export type ReportedDevice = typeof ReportedDevice.Type

/** Switches that changed in the same way. */
const ReportedGroup = Schema.Struct({
  hostnames: Schema.Array(Schema.String),
  added: Schema.Int,
  removed: Schema.Int,
  risk: Risk,
  diff: Schema.String
}).annotate({ identifier: "ReportedGroup" })

/** The checks of a job of the change: those that a preview has found, or how those of a rollout ended. */
const ReportedChecks = Schema.Struct({ job_id: Schema.Int, ...JobChecks.fields }).annotate({
  identifier: "ReportedChecks"
})

/** An entry of the audit about the change, in words. */
const ReportedEvent = Schema.Struct({
  at: Schema.String,
  id: Schema.Int,
  by: Schema.String,
  text: Schema.String
}).annotate({ identifier: "ReportedEvent" })

export const ChangeReport = Schema.Struct({
  /** The number of the change. */
  change: Schema.Int,
  /** Its address in the page; null if PAGE_URL is not set. */
  url: NullableText,
  title: Schema.String,
  ticket_ref: NullableText,
  /** `running`: no rollout has ended. `undone`: all that it did was taken back later. */
  state: Schema.Literals(["previewed", "waiting", "running", "done", "partly_done", "failed", "stopped", "undone"]),
  proposals: Schema.Array(ReportedProposal),
  jobs: Schema.Array(ReportedJob),
  approvals: Schema.Array(ReportedApproval),
  /** Everybody who approved it, here or at the forge, each person once. */
  approved_by: Schema.Array(Schema.String),
  groups: Schema.Array(ReportedGroup),
  devices: Schema.Array(ReportedDevice),
  /** Of the jobs that have checks, or leave them out. */
  checks: Schema.Array(ReportedChecks),
  /** The newest entries of the audit about its jobs, in their order. */
  events: Schema.Array(ReportedEvent),
  /** What is missing, in sentences: records that are not kept any more, or lists that are too long. */
  left_out: Schema.Array(Schema.String)
}).annotate({ identifier: "ChangeReport" })
export type ChangeReport = typeof ChangeReport.Type

/** What became of a change, by its newest rollout. */
export const stateOfChange = (
  jobs: ReadonlyArray<Pick<ReportedJob, "outcome" | "part" | "began_at">>
): ChangeReport["state"] => {
  const rollout = jobs.findLast(({ part }) => part === "rollout")
  if (rollout === undefined) return "previewed"
  if (rollout.outcome === null) return rollout.began_at === null ? "waiting" : "running"
  if (jobs.some(({ outcome, part }) => part === "undo" && outcome === "success")) return "undone"
  switch (rollout.outcome) {
    case "success":
      return "done"
    case "partial":
      return "partly_done"
    case "aborted":
      return "stopped"
    default:
      return "failed"
  }
}
