/**
 * The report of a change as one page to keep (docs/reviewing.md#reports): without scripts and without anything from elsewhere, so that it
 * reads the same in ten years. Pure.
 */
import type { ChangeReason, Proof } from "../../../machines/change/ChangeRow.ts"
import type { CommitSignature } from "../CommitSignature.ts"
import type { ChangeReport, ReportedDevice, ReportedJob } from "../jobs/ChangeReport.ts"
import { heldWord } from "./CheckWords.ts"
import { decisionWords, phaseWords, riskWord } from "./ChangeWords.ts"
import { jobTitle } from "./JobWords.ts"
import { signedText } from "./ServerWords.ts"
import { switches } from "./Units.ts"
import { textOf, type Words } from "./Word.ts"

const STATES = {
  previewed: { text: "Previewed, not rolled out", tone: "quiet" },
  waiting: { text: "Has not begun", tone: "wait" },
  running: { text: "Running", tone: "info" },
  done: { text: "Done", tone: "good" },
  partly_done: { text: "Partly failed", tone: "warn" },
  failed: { text: "Failed", tone: "bad" },
  stopped: { text: "Stopped", tone: "quiet" },
  undone: { text: "Undone", tone: "quiet" }
} as const satisfies Words<ChangeReport["state"]>

/** How it was checked that a switch runs what was pushed. */
const PROOFS = {
  "loaded-again": { text: "Loaded again: nothing differs", tone: "good" },
  "promised-text": { text: "Runs the text that it promised", tone: "good" },
  lines: { text: "Has every line that was pushed", tone: "good" }
} as const satisfies Words<Proof>

/** Why a change was not confirmed, or a note about its end. */
const REASONS = {
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
  candidateEnded: { text: "Lost the candidate with its connection", tone: "warn" },
  keptNew: { text: "Kept the new one", tone: "warn" },
  confirmIgnored: { text: "Did not stop its timer", tone: "bad" },
  timerStuck: { text: "Its timer did not end", tone: "bad" },
  notSaved: { text: "Runs it, not saved for a restart", tone: "bad" },
  notRestored: { text: "Runs the old one, not saved for a restart", tone: "bad" },
  tooManyRestarts: { text: "Given up after restarts", tone: "bad" },
  loginRefused: { text: "Sign-in refused", tone: "bad" },
  checkRefused: { text: "A check failed before the change", tone: "bad" },
  checkFailed: { text: "A check failed after the change", tone: "bad" },
  checkUnread: { text: "A check could not be read", tone: "bad" },
  leftConfiguration: { text: "A command stood among its configuration", tone: "bad" }
} as const satisfies Partial<Words<ChangeReason>>

const PARTS = {
  preview: "Preview",
  rollout: "Rollout",
  confirmation: "Confirmation",
  undo: "Undo"
} as const satisfies Record<ReportedJob["part"], string>

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign)
const shown = (value: string | number | null): string => (value === null || value === "" ? "–" : escaped(String(value)))
const time = (at: string | null): string => (at === null ? "–" : escaped(`${at.replace("T", " ").slice(0, 19)} UTC`))

type Cell = string

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  rows.length === 0
    ? "<p>None.</p>"
    : `<table><thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join("")}</tr></thead><tbody>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n")}
</tbody></table>`

const section = (title: string, body: string): string => `<section><h2>${escaped(title)}</h2>\n${body}</section>`

/** A commit with its signer. */
const commitCell = (commit: string | null, signature: CommitSignature | null): Cell => {
  const said = commit === null ? "" : signedText(signature)
  return `${shown(commit)}${said === "" ? "" : `, ${escaped(said)}`}`
}

const jobRow = (job: ReportedJob): ReadonlyArray<Cell> => {
  const { canary } = job
  const notes = [
    job.emergency === null ? null : `outside of windows, as an emergency: ${job.emergency}`,
    job.waited_for_window ? "waited for the window" : null,
    canary === null ? null : `first switches: ${Array.isArray(canary) ? canary.join(", ") : String(canary)}`,
    job.batch_size === null ? null : `stages of ${job.batch_size}`,
    job.abort_reason === null ? null : `stopped by ${job.aborted_by ?? "somebody"}: ${job.abort_reason}`
  ].filter((note) => note !== null)
  return [
    `${PARTS[job.part]} ${job.id}<br><small>${escaped(jobTitle(job.function_name))}</small>`,
    shown(job.by),
    `${time(job.requested_at)}<br>${time(job.began_at)}<br>${time(job.ended_at)}`,
    shown(job.outcome ?? job.status.toLowerCase()),
    `${commitCell(job.settings_commit, job.settings_signature)}<br>${commitCell(job.templates_commit, job.templates_signature)}`,
    `${shown(job.comment)}${notes.map((note) => `<br>${escaped(note)}`).join("")}`
  ]
}

const deviceRow = (device: ReportedDevice): ReadonlyArray<Cell> => [
  shown(device.hostname),
  String(device.job_id),
  device.phase === null ? (device.failed === true ? "Failed" : "–") : escaped(textOf(phaseWords, device.phase)),
  device.proof === null ? "–" : escaped(textOf(PROOFS, device.proof)),
  `${device.reason === null ? "" : escaped(textOf(REASONS, device.reason))}${device.why === null ? "" : `<pre>${escaped(device.why)}</pre>`}`,
  `${time(device.began_at)}<br>${time(device.ended_at)}`
]

const proposals = (report: ChangeReport): string =>
  report.proposals
    .map(
      (one) => `<h3>${escaped(one.title ?? one.branch)}</h3>
<p>Branch <code>${escaped(one.branch)}</code> of the ${escaped(one.repository)}, proposed by ${escaped(one.opened_by)}, ${time(one.opened_at)}; merged ${time(one.ended_at)}.
Commit <code>${shown(one.commit)}</code>${one.signature === null ? "" : `, ${escaped(signedText(one.signature))}`}${one.merged_commit === null ? "" : `, in force as <code>${escaped(one.merged_commit)}</code>`}.</p>
${table(
  ["At the forge", "Person here", "Said", "Commit", "When", "Counts"],
  one.approvals.map(({ at, commit, counts, decision, login, person, why_not }) => [
    shown(login),
    shown(person),
    escaped(textOf(decisionWords, decision)),
    shown(commit),
    time(at),
    counts ? "yes" : `no: ${shown(why_not)}`
  ])
)}`
    )
    .join("\n")

type Checks = ChangeReport["checks"][number]

const checkOf = ({ left_out, name, planned, results, rule, sentence }: Checks["checks"][number]): string =>
  `<p><b>${escaped(name)}</b> ${escaped(sentence)}${rule === null ? "" : `: it ${escaped(rule)}`}${planned.length === 0 ? "" : ` (${escaped(planned.join(", "))})`}.</p>
${
  results.length === 0
    ? ""
    : table(
        ["Switch", "Result", "Before", "Now", "In a sentence"],
        results.map((result) => [
          escaped(`${result.hostname}${result.on === undefined ? "" : ` (on ${result.on})`}`),
          escaped(heldWord(result).text),
          shown(result.before),
          shown(result.now),
          shown(result.ignored ?? result.sentence)
        ])
      )
}${left_out === 0 ? "" : `<p>${left_out} more in the record of the job.</p>`}`

const checksIn = ({ checks, job_id, skipped }: Checks, jobs: ChangeReport["jobs"]): string => {
  const job = jobs.find(({ id }) => id === job_id)
  return `<h3>${job === undefined ? "Job" : PARTS[job.part]} ${job_id}</h3>
${skipped === null ? "" : `<p><b>Without checks</b>, as ${escaped(skipped.by ?? "the server")} wanted: ${escaped(skipped.reason)}</p>`}
${checks.map(checkOf).join("\n")}`
}

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;color:#15181e;max-width:1100px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}th,td{border:1px solid #c6ccd5;padding:4px 8px;text-align:left;vertical-align:top}
th{background:#f1f3f6}pre{white-space:pre-wrap;font:12px/1.5 ui-monospace,monospace;margin:.25rem 0}code{font:12px ui-monospace,monospace}
section{margin-top:1.5rem}small{color:#4a5361}`

/** The whole page. */
export const reportPage = (report: ChangeReport): string => {
  const {
    approvals,
    approved_by,
    change,
    checks,
    devices,
    events,
    groups,
    jobs,
    left_out,
    state,
    ticket_ref,
    title,
    url
  } = report
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Change ${change}: ${escaped(title)}</title><style>${STYLE}</style></head><body>
<h1>Change ${change}: ${escaped(title)}</h1>
<p><b>${escaped(textOf(STATES, state))}</b>${ticket_ref === null ? "" : ` · ${escaped(ticket_ref)}`}${url === null ? "" : ` · ${escaped(url)}`}</p>
${left_out.map((sentence) => `<p><b>Not in this report:</b> ${escaped(sentence)}.</p>`).join("\n")}
${section("Who did what", table(["Part", "By", "Asked for, began, ended", "Result", "Settings, templates", "Why"], jobs.map(jobRow)))}
${section(
  "Approvals",
  `<p>${approved_by.length === 0 ? "Nobody else has approved it." : `Approved by ${escaped(approved_by.join(", "))}, each counted once.`}</p>
${table(
  ["Job", "Why it was needed", "Asked by", "Decision", "By", "Comment"],
  approvals.map((one) => [
    String(one.job_id),
    shown(one.reason),
    `${shown(one.asked_by)}<br>${time(one.asked_at)}`,
    one.decision === null ? "Waiting" : escaped(textOf(decisionWords, one.decision)),
    `${shown(one.decided_by)}<br>${time(one.decided_at)}`,
    shown(one.comment)
  ])
)}`
)}
${section("Proposals", report.proposals.length === 0 ? "<p>None.</p>" : proposals(report))}
${section(
  "Differences",
  groups.length === 0
    ? "<p>None.</p>"
    : groups
        .map(
          ({ added, diff, hostnames, removed, risk }) =>
            `<h3>${escaped(switches(hostnames.length))}: +${added} −${removed}, ${escaped(riskWord(risk).text)}</h3>
<p>${escaped(hostnames.join(", "))}</p><pre>${escaped(diff)}</pre>`
        )
        .join("\n")
)}
${section("Switches and proof", table(["Switch", "Job", "Result", "Proof", "Why", "Began, ended"], devices.map(deviceRow)))}
${section("Checks", checks.length === 0 ? "<p>None.</p>" : checks.map((one) => checksIn(one, jobs)).join("\n"))}
${section(
  "Audit",
  table(
    ["When", "Entry", "By", "What"],
    events.map(({ at, by, id, text }) => [time(at), String(id), shown(by), escaped(text)])
  )
)}
</body></html>
`
}
