/**
 * Background jobs (docs/jobs.md): the record that the API shows, the waits of a job, its results, its outcome, its lock and its
 * progress. The functions that a job may have are defined in `jobs/`.
 */
import { Predicate, Schema } from "effect"
import type { CheckResult as Result } from "../../machines/change/ChangeChecks.ts"
import {
  type ChangeNotes as Notes,
  changePhases,
  missingLinesPolicies,
  proofs
} from "../../machines/change/ChangeRow.ts"
import { endedStates, jobStates } from "../../machines/job/JobStatuses.ts"
import { CommitSignature } from "./CommitSignature.ts"
import { serviceClasses } from "./jobs/ServiceClasses.ts"

// Remarkable facts about how a device took a candidate, as the record of a job shows them
// (docs/changes.md#entries-of-the-result).

const line = { line_number: Schema.Int, line: Schema.String }

const fields = {
  said: Schema.Array(Schema.Struct({ ...line, answer: Schema.String }).annotate({ identifier: "SaidLine" })),
  not_shown: Schema.Array(Schema.Struct({ ...line, is_new: Schema.Boolean }).annotate({ identifier: "NotShownLine" }))
}

export const ChangeNotes = Schema.Struct(fields)
export type ChangeNotes = Notes

/** The same as a key of a task; left out when the list is empty. */
const noteKeys = { said: Schema.optionalKey(fields.said), not_shown: Schema.optionalKey(fields.not_shown) }

/** The result of a check of the change on a device (docs/checks.md#results). */
export const CheckResult = Schema.Struct({
  name: Schema.String,
  /** The neighbour that was read; absent for the changed device. */
  on: Schema.optionalKey(Schema.String),
  /** Null if the device could not be read. */
  held: Schema.NullOr(Schema.Boolean),
  before: Schema.NullOr(Schema.String),
  now: Schema.NullOr(Schema.String),
  sentence: Schema.String,
  /** Readings after the commit; 0 if there was none. */
  tried: Schema.Int,
  /** Seconds from the commit to the last reading. */
  seconds: Schema.Finite,
  /** Why the result did not decide the change. */
  ignored: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "CheckResult" })
export type CheckResult = Result

/** A check that a live run would make, in words. */
export const PlannedCheck = Schema.Struct({ name: Schema.String, sentence: Schema.String }).annotate({
  identifier: "PlannedCheck"
})
export type PlannedCheck = typeof PlannedCheck.Type

/** `failed_proof` of a synchronization: leave out devices that failed their proof with the same commits, or try them again. */
export const FailedProofPolicy = Schema.Literals(["leave", "retry"]).annotate({ identifier: "FailedProofPolicy" })

/** `on_missing_lines` of a synchronization. */
export const MissingLinesPolicy = Schema.Literals(missingLinesPolicies).annotate({ identifier: "MissingLinesPolicy" })
export type MissingLinesPolicy = typeof MissingLinesPolicy.Type

// The waits of a job, as its record shows them: an approval by another person, a window, another job's lock, a place, the
// commit timers of its own devices, or a pause by a user.

/**
 * Waits for a lock that another job has, or for a job with priority; `since` is when the other job got it, `waits_since` when
 * this one began to wait: ISO 8601 without a zone, UTC.
 */
export const LockWait = Schema.Struct({
  reason: Schema.Literal("lock"),
  lock: Schema.String,
  job_id: Schema.Int,
  function_name: Schema.String,
  since: Schema.String,
  waits_since: Schema.optionalKey(Schema.String),
  message: Schema.String
}).annotate({ identifier: "LockWait" })
export type LockWait = typeof LockWait.Type

/** Waits for one of so many places; `class` decides its turn. */
export const PlaceWait = Schema.Struct({
  reason: Schema.Literal("place"),
  class: Schema.Literals(serviceClasses),
  places: Schema.Int,
  message: Schema.String
}).annotate({ identifier: "PlaceWait" })
export type PlaceWait = typeof PlaceWait.Type

/** These devices have not answered since their commit; the job waits for them until their timers have ended, at most so many seconds. */
const TimerWait = Schema.Struct({
  reason: Schema.Literal("timer"),
  devices: Schema.Array(Schema.String),
  seconds: Schema.Int,
  message: Schema.String
}).annotate({ identifier: "TimerWait" })

/** Waits for the approval of another person; the wait is given up at `until`, ISO 8601 without a zone, UTC. */
const ApprovalWait = Schema.Struct({
  reason: Schema.Literal("approval"),
  why: Schema.String,
  dry_run_job: Schema.NullOr(Schema.Int),
  until: Schema.String,
  message: Schema.String
}).annotate({ identifier: "ApprovalWait" })

/** Waits until all of its devices may be changed, at `until`, ISO 8601 without a zone, UTC, according to the current windows. */
export const WindowWait = Schema.Struct({
  reason: Schema.Literal("window"),
  why: Schema.String,
  until: Schema.NullOr(Schema.String),
  message: Schema.String
}).annotate({ identifier: "WindowWait" })
export type WindowWait = typeof WindowWait.Type

/** Begins no further device until it is resumed. `since` is ISO 8601 without a zone, UTC. */
const PauseWait = Schema.Struct({
  reason: Schema.Literal("pause"),
  by: Schema.String,
  why: Schema.NullOr(Schema.String),
  since: Schema.String,
  message: Schema.String
}).annotate({ identifier: "PauseWait" })

export const JobWaiting = Schema.Union([LockWait, TimerWait, ApprovalWait, WindowWait, PlaceWait, PauseWait]).annotate({
  identifier: "JobWaiting"
})
export type JobWaiting = typeof JobWaiting.Type

// The outcome of a job in addition to its status: a job whose devices all failed is FINISHED as clients know it, but no
// success. Pure; the status, the devices and the function's own report decide (docs/jobs.md#outcome).

/** `partial`: some devices are done and others are not. `failed`: nothing of the request was done. */
export const jobOutcomes = ["success", "partial", "failed", "aborted"] as const
export const Outcome = Schema.Literals(jobOutcomes).annotate({ identifier: "JobOutcome" })
export type Outcome = typeof Outcome.Type

/**
 * Devices of a job. `changed`: succeeded with a difference, which a dry run only shows. `not_begun`: those among `failed` to which
 * nothing happened, because the job was stopped before their turn; absent without any.
 */
export const JobCounts = Schema.Struct({
  devices: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  changed: Schema.Int,
  not_begun: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "JobCounts" })
export type JobCounts = typeof JobCounts.Type

/** The counts of a job that has not begun. */
export const noDevices = { devices: 0, succeeded: 0, failed: 0, changed: 0 } satisfies JobCounts

/** Devices that failed in truth: without those whose turn never came. */
export const reallyFailed = ({ failed, not_begun = 0 }: Pick<JobCounts, "failed" | "not_begun">): number =>
  failed - not_begun

/** A job at its end. */
export interface EndedJob {
  readonly status: JobStatus
  readonly counts: JobCounts
  /** Why the work as a whole failed although nothing was thrown; null when it did not. */
  readonly failure: string | null
}

/** The outcome of a job; null while it has not ended. */
export const outcomeOf = ({ counts, failure, status }: EndedJob): Outcome | null => {
  switch (status) {
    case "ABORTED":
      return "aborted"
    case "EXCEPTION":
      return counts.succeeded > 0 ? "partial" : "failed"
    case "FINISHED":
      if (counts.failed === 0 && failure === null) return "success"
      return counts.succeeded > 0 ? "partial" : "failed"
    default:
      return null
  }
}

/** The first words of the text of a device that was skipped because the job or its rollout was stopped. */
export const NOT_STARTED = "This device was not started and runs what it ran before."

/** The place of a device's failure: the name of the task, and its last message. */
interface FailedStep {
  readonly step: string
  readonly reason: string
}

const SUBTASK = /^Subtask: .* \(failed\)$/
const TYPED = /^[A-Z]\w*: /

/** Texts of failed tasks end in `Type: message`, which further lines may explain. */
const reasonIn = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return lines.findLast((line) => TYPED.test(line)) ?? lines.at(-1)?.trim() ?? ""
}

/** The step that failed among the failed tasks of a device, in their order; a main task often only refers to its child. */
export const failedStep = (tasks: ReadonlyArray<Pick<JobTask, "task_name" | "result">>): FailedStep => {
  const texts = tasks.map(({ result, task_name }) => ({ step: task_name, text: String(result ?? "").trim() }))
  const found = texts.findLast(({ text }) => text !== "" && !SUBTASK.test(text)) ?? texts.at(-1)
  return { step: found?.step ?? "", reason: reasonIn(found?.text ?? "") }
}

/** The whole text of the last task of this name that has one. */
export const saidAt = (tasks: ReadonlyArray<Pick<JobTask, "task_name" | "result">>, step: string): string | null => {
  const text = tasks.findLast(({ result, task_name }) => task_name === step && typeof result === "string")?.result
  return typeof text === "string" ? text : null
}

const inOneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, "; ")

const failedDevices = ({ devices, failed }: JobCounts): string | null =>
  failed === 0 ? null : `${failed} of ${devices} ${devices === 1 ? "device" : "devices"} failed`

/** The log line of a job without success; `reason` is why it ended, if known. */
export const outcomeText = (
  jobFunction: string,
  { counts, failure, status }: EndedJob,
  reason: string | null
): string => {
  const why = [reason ?? failure, failedDevices(counts)].flatMap((part) => (part === null ? [] : [inOneLine(part)]))
  const rest = why.length === 0 ? "" : `: ${why.join(", ")}`
  if (status === "ABORTED") return `${jobFunction} was aborted${rest}`
  if (status === "EXCEPTION") return `${jobFunction} ended EXCEPTION${rest}`
  return `${jobFunction} ended ${status}, but ${counts.succeeded > 0 ? "only partly" : "failed"}${rest}`
}

/** The job that made the changes: a confirming job confirms those of the job before it. */
export const changingJob = ({
  function_name,
  id,
  start_arguments
}: {
  readonly id: number
  readonly function_name: string
  readonly start_arguments: Readonly<Record<string, unknown>> | null
}): number => {
  const before = start_arguments?.["prev_job_id"]
  return functionOf(function_name) === "confirm_devices" && typeof before === "number" ? before : id
}

/** Every status that a job can have; UNKNOWN is a value that is never assigned. */
export const jobStatuses = ["UNKNOWN", ...jobStates] as const
export const JobStatus = Schema.Literals(jobStatuses).annotate({ identifier: "JobStatus" })
export type JobStatus = typeof JobStatus.Type

/** The final statuses. */
export const finalStatuses: ReadonlyArray<JobStatus> = endedStates

/**
 * One entry of a device's task list; `diff` is never null, and `result` of a failed task is text. `proof` says how the device
 * was proved to run what was committed, `remarks` what could not be compared (docs/changes.md#proof), `said` the switch's
 * remarks about lines that it accepted, `not_shown` the lines that it does not show (docs/changes.md#remarks).
 */
export const JobTask = Schema.Struct({
  task_name: Schema.String,
  result: Schema.Unknown,
  diff: Schema.String,
  failed: Schema.Boolean,
  proof: Schema.optionalKey(Schema.Literals(proofs)),
  /** Notes for people about a success; absent without any. */
  remarks: Schema.optionalKey(Schema.Array(Schema.String)),
  ...noteKeys,
  /** The results of the checks of the change; absent without any. */
  checks: Schema.optionalKey(Schema.Array(CheckResult)),
  /** The checks that a live run would make; only of a dry run. */
  planned_checks: Schema.optionalKey(Schema.Array(PlannedCheck))
}).annotate({ identifier: "JobTask" })
export type JobTask = typeof JobTask.Type

/** The result of a job on one device. Entry 0 is the main task. */
export const DeviceResult = Schema.Struct({ failed: Schema.Boolean, job_tasks: Schema.Array(JobTask) }).annotate({
  identifier: "DeviceResult"
})
export type DeviceResult = typeof DeviceResult.Type

/** Why a job ended in EXCEPTION. `traceback` names steps, never source lines or secrets. */
export const JobException = Schema.Struct({
  message: Schema.String,
  type: Schema.String,
  args: Schema.Array(Schema.String),
  traceback: Schema.String
}).annotate({ identifier: "JobException" })
export type JobException = typeof JobException.Type

/** Arguments a job was created with, as its record shows them. */
export const StartArguments = Schema.Record(Schema.String, Schema.Unknown)
export type StartArguments = typeof StartArguments.Type

/** The record of the API. Timestamps are ISO 8601 without a zone, UTC. `result` is described in `jobs/JobResults.ts`. */
export const Job = Schema.Struct({
  id: Schema.Int,
  status: JobStatus,
  scheduled_time: Schema.NullOr(Schema.String),
  start_time: Schema.NullOr(Schema.String),
  finish_time: Schema.NullOr(Schema.String),
  function_name: Schema.String,
  scheduled_by: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  ticket_ref: Schema.NullOr(Schema.String),
  next_job_id: Schema.NullOr(Schema.Int),
  result: Schema.Unknown,
  exception: Schema.NullOr(JobException),
  traceback: Schema.NullOr(Schema.String),
  finished_devices: Schema.NullOr(Schema.Array(Schema.String)),
  change_score: Schema.NullOr(Schema.Int),
  /** Null while the job has not ended. */
  outcome: Schema.NullOr(Outcome),
  /** Null until the job is started, as `finished_devices` is. */
  failed_devices: Schema.NullOr(Schema.Array(Schema.String)),
  counts: Schema.NullOr(JobCounts),
  start_arguments: Schema.NullOr(StartArguments),
  waiting_for: Schema.NullOr(JobWaiting),
  /** Hashes of the commits that the job works on; null for a job without commits, or one that has not begun. */
  settings_commit: Schema.NullOr(Schema.String),
  templates_commit: Schema.NullOr(Schema.String),
  /** Who signed them; null where signatures are not verified. */
  settings_signature: Schema.NullOr(CommitSignature),
  templates_signature: Schema.NullOr(CommitSignature),
  /** Who aborted the job, with the reason; null without an abort or a reason. */
  abort_reason: Schema.NullOr(Schema.String),
  aborted_by: Schema.NullOr(Schema.String)
})
export type Job = typeof Job.Type

/** No job has this id. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", {
  id: Schema.Int,
  /** The number was assigned: the job was removed, or its creation failed. */
  was_given: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    const why = this.was_given === true ? "; jobs are removed JOB_DAYS days after their end" : ""
    return `No job with id ${this.id} found${why}`
  }
}

/** The job has ended, so it cannot be aborted. */
export class JobNotAbortable extends Schema.TaggedError<JobNotAbortable>()("JobNotAbortable", {
  id: Schema.Int,
  status: JobStatus
}) {
  override get message() {
    return `Job id ${this.id} is in state JobStatus.${this.status}, must be SCHEDULED or RUNNING to abort`
  }
}

/**
 * The failure of a job's function outside the per-device part: `type` is the name that clients know (`JoblockError`,
 * `DeviceStateError`, …), `message` the sentence that they show.
 */
export class JobFailure extends Schema.TaggedError<JobFailure>()("JobFailure", {
  type: Schema.String,
  message: Schema.String
}) {}

/** The owner of jobs that the server starts on a schedule. */
export const SCHEDULER = "scheduler"

/** The name in the record for a function called with these arguments. */
export const functionName = (name: string, args: unknown): string =>
  Predicate.hasProperty(args, "dry_run") && args.dry_run === true ? `${name} (dry_run)` : name

/** The function behind the name in a record. */
export const functionOf = (recordName: string): string => recordName.replace(/ \(dry_run\)$/, "")

/** The exception record of a failure. */
export const toException = (failure: JobFailure, jobFunction: string): JobException => ({
  message: failure.message,
  type: failure.type,
  args: [failure.message],
  traceback: `In job function ${jobFunction}:\n${failure.type}: ${failure.message}\n`
})

/** A successful task entry. */
export const taskOk = (task_name: string, result: unknown = null, diff = ""): JobTask => ({
  task_name,
  result,
  diff,
  failed: false
})

/** A failed task entry. `text` ends in the line `Type: message` and a newline, as clients read it. */
export const taskFailed = (task_name: string, text: string, diff = ""): JobTask => ({
  task_name,
  result: text,
  diff,
  failed: true
})

/** The text of a main task when one of its children failed. */
export const subtaskFailed = (child: string): string => `Subtask: ${child} (failed)\n`

/** The device's result from its list of tasks. */
export const deviceResult = (tasks: ReadonlyArray<JobTask>): DeviceResult => ({
  failed: tasks.some((task) => task.failed),
  job_tasks: tasks
})

// Locks that keep conflicting jobs apart, one row per feature (docs/changes.md#locks-and-waiting).

/** The lock for everything that configures devices. It is the only name. */
export const DEVICES_LOCK = "devices"

/** A lock row as the API shows it; `start_time` is `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
export const JobLock = Schema.Struct({
  job_id: Schema.Int,
  name: Schema.String,
  start_time: Schema.String,
  abort: Schema.Boolean
}).annotate({ identifier: "JobLock" })
export type JobLock = typeof JobLock.Type

/** The job that has the lock, or that waits for it with priority. `since` is ISO 8601, UTC. */
export const LockHolder = Schema.Struct({
  job_id: Schema.Int,
  function_name: Schema.String,
  since: Schema.String,
  isWaiting: Schema.Boolean
})
export type LockHolder = typeof LockHolder.Type

/** `job 12 (sync_devices) has had it since 2026-03-02T09:12:07`. */
export const describeHolder = ({ function_name, isWaiting, job_id, since }: LockHolder): string =>
  `job ${job_id} (${function_name}) ${isWaiting ? "has waited for it" : "has had it"} since ${since}`

/** Another job has the lock; a later retry can help. */
export class JobLockBusy extends Schema.TaggedError<JobLockBusy>()("JobLockBusy", {
  name: Schema.String,
  holder: LockHolder,
  /** True when no other waiting job has priority. */
  isNext: Schema.Boolean
}) {
  override get message() {
    return `Unable to acquire lock for configuring devices: ${describeHolder(this.holder)}`
  }
}

// The progress of a job on each of its devices, as `GET /job/<id>/progress` answers.

const nullableText = Schema.NullOr(Schema.String)

export const DeviceProgress = Schema.Struct({
  hostname: Schema.String,
  /** The phase of its change; null for a job that changes no configuration, and before the change was planned. */
  phase: Schema.NullOr(Schema.Literals(changePhases)),
  /** Why the change ended otherwise than confirmed, in one word. */
  reason: nullableText,
  /** Null until the job has a result for it. */
  failed: Schema.NullOr(Schema.Boolean),
  changed: Schema.Boolean,
  score: Schema.NullOr(Schema.Finite),
  /** The moment at which the switch rolls its commit back automatically, UTC; null when no timer is known to run. */
  timer_until: nullableText,
  /** Since when the switch has not answered after its commit; null while it answers. */
  silent_since: nullableText,
  /** The moment at which it is certain that such a switch has rolled back: its timer, and the time for late ones. */
  certain_until: nullableText,
  /** The number of its stage in a rollout of several; the canary is 0. Null without stages. */
  stage: Schema.NullOr(Schema.Int),
  /** The job was stopped, or ended, before the turn of the device: nothing happened to it, although `failed` may be true. */
  not_begun: Schema.Boolean,
  /** The failed step, the reason in one line, and the whole message: the switch's own words where it refused something. */
  step: nullableText,
  why: nullableText,
  said: nullableText
}).annotate({ identifier: "DeviceProgress" })
