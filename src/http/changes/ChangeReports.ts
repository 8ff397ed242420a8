/**
 * Reports of changes (docs/reviewing.md#reports): everything about a change as one file to keep. The audit gets an entry with the digest of
 * each file that was given, once, so that the chain of the audit seals it: whoever has the file can have it verified.
 */
import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { AuditChain } from "../../access/AuditChain.ts"
import { enveloped, NotFound } from "../../api/Answers.ts"
import { Api } from "../../api/Api.ts"
import { distinctPersons } from "../../domain/access/ForgePeople.ts"
import { type ChangeReport, type ReportedJob, stateOfChange } from "../../domain/jobs/ChangeReport.ts"
import { checksOfJob } from "../../domain/checks/JobChecks.ts"
import { groupDiffs, riskOf } from "../../domain/DiffGroups.ts"
import { riskRulesOf } from "../../domain/platforms/Platforms.ts"
import { toId } from "../../domain/fields/Values.ts"
import { functionOf } from "../../domain/Job.ts"
import { namesInOrder } from "../../domain/Natural.ts"
import type { Proposal } from "../../domain/Proposal.ts"
import { plainSentence, sentencesOf } from "../../domain/words/AuditSentences.ts"
import { jobTitle } from "../../domain/words/JobWords.ts"
import { reportPage } from "../../domain/words/ReportPage.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { RepositoryCopies } from "../../jobs/repositories/CheckedCommit.ts"
import { Proposals } from "../../jobs/repositories/Proposals.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeJobApprovals } from "../../store/ApprovalStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { makeJobDiffs } from "../../store/JobResults.ts"
import { makeJobChecks } from "../../store/JobChecks.ts"
import { makeReportRows, MOST_DEVICES, MOST_EVENTS } from "../../store/ReportRows.ts"
import { answered } from "../core/HandlerErrors.ts"
import { makeJobVisible } from "../core/Permits.ts"

/** The most characters of differences in a report. */
const MOST_DIFFERENCES = 2_000_000
/** The most proposals that are compared with the commits of a change. */
const MOST_PROPOSALS = 50

const Options = Schema.Struct({
  emergency: Schema.optionalKey(Schema.String),
  wait_for_window: Schema.optionalKey(Schema.Boolean),
  canary: Schema.optionalKey(Schema.Union([Schema.Int, Schema.Array(Schema.String)])),
  batch_size: Schema.optionalKey(Schema.Int)
})
const readOptions = Schema.decodeUnknownOption(Options)

const Before = Schema.Struct({ dry_run_job: Schema.Int })
const readBefore = Schema.decodeUnknownOption(Before)

type Row = Effect.Success<ReturnType<Effect.Success<typeof makeReportRows>["jobs"]>>[number]

const partOf = ({ function_name }: Row): ReportedJob["part"] => {
  const name = functionOf(function_name)
  if (name !== function_name) return "preview"
  if (name === "confirm_devices") return "confirmation"
  return name === "revert_job" ? "undo" : "rollout"
}

const jobOf = ({ next_job_id: _next, start_arguments, ...row }: Row, part: ReportedJob["part"]): ReportedJob => {
  const options = Option.getOrElse(readOptions(start_arguments ?? {}), (): typeof Options.Type => ({}))
  return {
    ...row,
    part,
    emergency: options.emergency ?? null,
    waited_for_window: options.wait_for_window === true,
    canary: options.canary ?? null,
    batch_size: options.batch_size ?? null
  }
}

/** The groups as far as their texts fit, and how many do not. */
const fitting = (groups: ChangeReport["groups"]) => {
  let left = MOST_DIFFERENCES
  let cut = 0
  const kept = groups.map((group) => {
    left -= group.diff.length
    if (left >= 0) return group
    cut += 1
    return { ...group, diff: "" }
  })
  return { kept, cut }
}

/** Finds the proposals that came into force with a change: their commit is in its commits, and not in those before. */
const makeMerged = Effect.gen(function* () {
  const proposals = yield* Proposals
  const copies = yield* RepositoryCopies
  const rows = yield* makeReportRows

  return Effect.fnUntraced(function* (rollout: ReportedJob | undefined) {
    if (rollout === undefined) return { found: [], isUnknown: false }
    const before = yield* rows.commitsBefore(rollout.id)
    const found: Array<Proposal> = []
    let isUnknown = false
    for (const proposal of (yield* proposals.merged).slice(0, MOST_PROPOSALS)) {
      const { repository } = proposal
      const commit = proposal.merged_commit ?? proposal.commit
      const now = repository === "settings" ? rollout.settings_commit : rollout.templates_commit
      const then = before === null ? null : repository === "settings" ? before.settings_commit : before.templates_commit
      if (commit === null || now === null) continue
      const isIn = yield* Effect.option(
        Effect.gen(function* () {
          const copy = yield* copies.of(repository)
          if (!(yield* copy.contains(now, commit))) return false
          return then === null || !(yield* copy.contains(then, commit))
        })
      )
      if (Option.isNone(isIn)) isUnknown = true
      else if (isIn.value) found.push(proposal)
    }
    return { found, isUnknown }
  })
})

const makeReport = Effect.gen(function* () {
  const rows = yield* makeReportRows
  const diffsOf = yield* makeJobDiffs
  const checksOf = yield* makeJobChecks
  const approvals = yield* makeJobApprovals
  const proposals = yield* Proposals
  const mergedWith = yield* makeMerged
  const { PAGE_URL } = yield* ServerConfig

  const differences = Effect.fnUntraced(function* (job: number) {
    const { diffs, left_out } = yield* diffsOf.of(job)
    const groups = groupDiffs(diffs, riskRulesOf).map((group) => ({
      hostnames: namesInOrder(group.hostnames),
      added: group.added,
      removed: group.removed,
      risk: riskOf(group),
      diff: group.diff
    }))
    return { ...fitting(groups), left_out }
  })

  const checked = Effect.fnUntraced(function* ({ by, id, start_arguments }: Row) {
    const { checks, skipped } = checksOfJob({ scheduled_by: by, start_arguments }, yield* checksOf.of(id))
    return checks.length === 0 && skipped === null ? [] : [{ job_id: id, checks, skipped }]
  })

  const proposed = Effect.fnUntraced(function* (proposal: Proposal) {
    const { branch, commit, id, merged_commit, repository, signature, title } = proposal
    const { ended_at, ended_by, forge, opened_at, opened_by } = proposal
    return {
      id,
      repository,
      branch,
      title,
      commit,
      merged_commit,
      signature,
      opened_by,
      opened_at,
      ended_at,
      ended_by,
      url: forge?.url ?? null,
      approvals: yield* proposals.approvals(proposal)
    }
  })

  return Effect.fn("ChangeReports.of")(function* (id: number) {
    const found = yield* rows.jobs(id)
    const [first] = found
    if (first === undefined) return yield* new NotFound({ message: `No change with id ${id} found` })
    const jobs = found.map((row) => jobOf(row, partOf(row)))
    const ids = jobs.map((job) => job.id)
    const rollouts = jobs.filter(({ part }) => part === "rollout")
    const listed = yield* approvals.listed(ids)
    const { cut, kept, left_out: tooMuch } = yield* differences(id)
    const changing = jobs.filter(({ part }) => part !== "preview").map((job) => job.id)
    const devices = yield* rows.devices(changing)
    const checks = (yield* Effect.forEach(found, checked)).flat()
    const events = yield* rows.events(ids)
    const merged = yield* mergedWith(rollouts.at(-1))
    const reported = yield* Effect.forEach(merged.found, proposed)
    const asked = jobs.flatMap(({ by }) => (by === null ? [] : [by]))
    const approvers = [
      ...reported.flatMap((one) =>
        one.approvals.flatMap(({ counts, person }) => (counts && person !== null ? [person] : []))
      ),
      ...listed.flatMap(({ decided_by, decision }) =>
        decision === "approved" && decided_by !== null ? [decided_by] : []
      )
    ]
    const left = [
      cut > 0 ? `the texts of ${cut} differences, which are too long` : null,
      tooMuch > 0 ? `the differences of ${tooMuch} switches, which are too long` : null,
      devices.length === MOST_DEVICES ? "more switches than fit" : null,
      events.length === MOST_EVENTS ? "older entries of the audit: its export has all" : null,
      merged.isUnknown ? "proposals that could not be compared with its commits" : null,
      rollouts.length > 0 && devices.length === 0 ? "the switches, whose records are not kept any more" : null
    ].filter((sentence) => sentence !== null)
    const last = rollouts.at(-1)
    return {
      change: id,
      url: Option.getOrNull(Option.map(PAGE_URL, (url) => `${url.replace(/\/+$/, "")}/ui/change/${id}`)),
      title: last?.comment || first.comment || jobTitle(first.function_name),
      ticket_ref: last?.ticket_ref ?? first.ticket_ref,
      state: stateOfChange(jobs),
      proposals: reported,
      jobs,
      approvals: listed
        .map(({ asked_by, comment, decided_at, decided_by, decision, job_id, reason, since }) => ({
          job_id,
          reason,
          asked_by,
          asked_at: since,
          decision,
          decided_by,
          decided_at,
          comment
        }))
        .toSorted((one, other) => one.job_id - other.job_id),
      approved_by: distinctPersons(approvers, asked),
      groups: kept,
      devices: devices.map((device) => ({ ...device, why: device.why === null ? null : maskSecrets(device.why) })),
      checks,
      events: events.toReversed().map((event) => ({
        at: event.at,
        id: event.id,
        by: event.actor,
        text: sentencesOf([event]).map(plainSentence).join("; ")
      })),
      left_out: left
    } satisfies ChangeReport
  })
})

const makeReports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* makeReportRows
  const reportOf = yield* makeReport
  const visible = yield* makeJobVisible
  const events = yield* EventStore
  const { verify } = yield* AuditChain

  /** The number of the change: that of the preview of a rollout. */
  const changeOf = Effect.fnUntraced(function* (digits: string) {
    const unknown = new NotFound({ message: `No change with id ${digits} found` })
    const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => unknown)
    yield* visible(id)
    const own = (yield* rows.jobs(id)).find((job) => job.id === id)
    if (own === undefined) return yield* unknown
    return Option.match(readBefore(own.start_arguments ?? {}), {
      onNone: () => id,
      onSome: ({ dry_run_job }) => dry_run_job
    })
  })

  /** Adds the entry of the audit about a report, once. */
  const note = Effect.fnUntraced(function* (change: number, format: string, sha256: string) {
    if (yield* rows.isKept(sha256)) return
    yield* events.append({
      kind: "report",
      action: "made",
      isAudit: true,
      jobId: change,
      data: { change, format, sha256 }
    })
  }, sql.withTransaction)

  return {
    report: Effect.fn("ChangeReports.report")(function* (digits: string, format: "json" | "html") {
      const change = yield* changeOf(digits)
      yield* visible(change)
      const report = yield* reportOf(change)
      const text = format === "html" ? reportPage(report) : JSON.stringify(enveloped({ report }))
      const sha256 = createHash("sha256").update(text).digest("hex")
      yield* note(change, format, sha256)
      return HttpServerResponse.text(text, {
        contentType: format === "html" ? "text/html; charset=utf-8" : "application/json",
        headers: {
          "content-disposition": `attachment; filename=change-${change}.${format}`,
          "x-report-sha256": sha256
        }
      })
    }),
    verify: Effect.fn("ChangeReports.verify")(function* (sha256: string) {
      const kept = yield* rows.kept(sha256)
      if (kept === undefined) {
        return yield* new NotFound({
          message: "No report with this digest was given here: it is not of this server, or the file was altered"
        })
      }
      const { is_sealed, ...entry } = kept
      const { problem } = yield* verify
      return enveloped({ verified_report: { ...entry, sealed: is_sealed, problem } })
    })
  }
})

/** Handlers of `ReportsGroup`. */
export const ReportsLive = HttpApiBuilder.group(Api, "reports", (handlers) =>
  Effect.gen(function* () {
    const reports = yield* makeReports
    return handlers
      .handleRaw("report", ({ params, query }) => answered(reports.report(params.id, query.format ?? "json")))
      .handle("verify", ({ params }) => answered(reports.verify(params.sha256)))
  })
)
