/**
 * Background jobs: the record that the API shows, and the shapes of results and exceptions. What functions there are is in
 * `jobs/`. See docs/jobs.md.
 */
import { Predicate, Schema } from "effect"
import { noteKeys } from "./ChangeNotes.ts"
import { proofs } from "../../machines/change/ChangeRow.ts"
import { endedStates, jobStates } from "../../machines/job/JobStatuses.ts"
import { JobCounts, Outcome } from "./JobOutcome.ts"
import { JobWaiting } from "./JobWaiting.ts"

/** Every status that a job can have; UNKNOWN is a value that is never assigned. */
export const jobStatuses = ["UNKNOWN", ...jobStates] as const
export const JobStatus = Schema.Literals(jobStatuses)
export type JobStatus = typeof JobStatus.Type

/** A job in one of these will not change any more. */
export const finalStatuses: ReadonlyArray<JobStatus> = endedStates

/**
 * One entry of a device's task list; `diff` is never null, and `result` of a failed task is text. `proof` says how the device
 * was proved to run what was committed, `remarks` what could not be compared (docs/changes.md#proof), `said` what it said to lines without refusing them, `not_shown`
 * which lines it does not show (docs/changes.md#remarks).
 */
export const JobTask = Schema.Struct({
  task_name: Schema.String,
  result: Schema.Unknown,
  diff: Schema.String,
  failed: Schema.Boolean,
  proof: Schema.optionalKey(Schema.Literals(proofs)),
  /** What people should know although nothing is wrong; absent when there is nothing. */
  remarks: Schema.optionalKey(Schema.Array(Schema.String)),
  ...noteKeys
}).annotate({ identifier: "JobTask" })
export type JobTask = typeof JobTask.Type

/** What a job did on one device. Entry 0 is the main task. */
export const DeviceResult = Schema.Struct({ failed: Schema.Boolean, job_tasks: Schema.Array(JobTask) })
export type DeviceResult = typeof DeviceResult.Type

/** Why a job ended in EXCEPTION. `traceback` names steps, never source lines or secrets. */
export const JobException = Schema.Struct({
  message: Schema.String,
  type: Schema.String,
  args: Schema.Array(Schema.String),
  traceback: Schema.String
})
export type JobException = typeof JobException.Type

/** Arguments a job was created with, as its record shows them. */
export const StartArguments = Schema.Record(Schema.String, Schema.Unknown)
export type StartArguments = typeof StartArguments.Type

/** The record of the API. Timestamps are ISO 8601 without a zone, UTC. */
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
  result: Schema.Unknown.annotate({
    description: `What the job came to. Of a job on devices an object with the results by hostname in \`devices\`, each with \`failed\` and the list \`job_tasks\`; the task \`Sync device config\` of a live run says in \`proof\` how the device was proved to run what was committed (${proofs.join(", ")}), and in \`remarks\` what could not be compared. \`remarks\` beside \`devices\` are of the job as a whole, such as that the commits in force came with a restored backup`
  }),
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
  /** Hashes of the commits that the job works on; null for one that works on none, or that has not begun. */
  settings_commit: Schema.NullOr(Schema.String),
  templates_commit: Schema.NullOr(Schema.String),
  /** What was said when the job was aborted, and by whom; null for one that was not, or without a reason. */
  abort_reason: Schema.NullOr(Schema.String),
  aborted_by: Schema.NullOr(Schema.String)
})
export type Job = typeof Job.Type

/** No job has this id. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", {
  id: Schema.Int,
  /** The number was given out: the job was removed, or never came to be. */
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
 * What a job's function failed with outside the per-device part: `type` is the name that clients know
 * (`JoblockError`, `DeviceStateError`, …), `message` the sentence that they show.
 */
export class JobFailure extends Schema.TaggedError<JobFailure>()("JobFailure", {
  type: Schema.String,
  message: Schema.String
}) {}

/** The record's name of a function called with these arguments. */
export const functionName = (name: string, args: unknown): string =>
  Predicate.hasProperty(args, "dry_run") && args.dry_run === true ? `${name} (dry_run)` : name

/** The function behind a record's name. */
export const functionOf = (recordName: string): string => recordName.replace(/ \(dry_run\)$/, "")

/** The exception record of a failure. */
export const toException = (failure: JobFailure, jobFunction: string): JobException => ({
  message: failure.message,
  type: failure.type,
  args: [failure.message],
  traceback: `In job function ${jobFunction}:\n${failure.type}: ${failure.message}\n`
})

/** A task entry that went well. */
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

/** A main task's text when one of its children failed. */
export const subtaskFailed = (child: string): string => `Subtask: ${child} (failed)\n`

/** The device's result from its list of tasks. */
export const deviceResult = (tasks: ReadonlyArray<JobTask>): DeviceResult => ({
  failed: tasks.some((task) => task.failed),
  job_tasks: tasks
})
