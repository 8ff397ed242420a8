/**
 * What the log says when a job has ended otherwise than well: a line for each device that failed and one for the job. Each
 * begins with `job #<id>`, by which clients find the lines of their job (docs/jobs.md#outcome).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type EndedJob, failedStep, type JobTask, type Outcome, outcomeText } from "../../domain/Job.ts"

/** A job that has ended, as the report needs it. */
export interface ReportedJob extends EndedJob {
  readonly id: number
  readonly outcome: Outcome
  readonly functionName: string
  /** Why it ended, as the event said that ended it. */
  readonly reason: string | null
}

interface FailedDevice {
  readonly hostname: string
  readonly tasks: ReadonlyArray<Pick<JobTask, "task_name" | "result">>
}

/** Of each text so many characters at its end are read: the rest is what a switch has said on the way. */
const TEXT_END = 4_000
/** Longest sentence in a line of the log, in characters. */
const MAX_SENTENCE = 1_000

/** Makes the function that reports the end of a job. It never fails, because the job has ended whatever the log says. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const failedDevices = (id: number) => sql<FailedDevice>`select hostname,
    (select jsonb_agg(jsonb_build_object('task_name', task ->> 'task_name', 'result', right(task ->> 'result', ${TEXT_END}))
        order by place)
      from jsonb_array_elements(job_tasks) with ordinality listed (task, place) where (task ->> 'failed')::boolean) as tasks
    from job_device where job_id = ${id} and failed order by hostname`

  return Effect.fn("JobReport")(
    function* (job: ReportedJob) {
      if (job.outcome === "success") return
      const devices = job.counts.failed === 0 ? [] : yield* failedDevices(job.id)
      for (const { hostname, tasks } of devices) {
        const { reason, step } = failedStep(tasks ?? [])
        const sentence = `job #${job.id}: ${hostname} failed at ${step}: ${reason}`.slice(0, MAX_SENTENCE)
        yield* Effect.logWarning(sentence, { hostname, step, reason: reason.slice(0, MAX_SENTENCE) })
      }
      const text = outcomeText(job.functionName, job, job.reason).slice(0, MAX_SENTENCE)
      const { functionName, outcome, status } = job
      const { failed } = job.counts
      yield* Effect.logWarning(`job #${job.id}: ${text}`, { function: functionName, status, outcome, failed })
    },
    (report, { id }) =>
      report.pipe(
        Effect.catch((error) =>
          Effect.logWarning(`job #${id}: its failed devices could not be read: ${error.message}`)
        ),
        Effect.annotateLogs({ job: id })
      )
  )
})
