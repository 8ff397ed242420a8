/** One job: what it is, how far, how long still, what failed and why, every switch, and what can be done. */
import { useState } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { jobTitle, jobWord } from "../../../src/domain/words/JobWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { usePart } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Countdown } from "../../parts/Countdown.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { When } from "../../parts/When.tsx"
import { Actions, Approval } from "./Actions.tsx"
import { Checks } from "./Checks.tsx"
import { Failures, NotAnswering } from "./Failures.tsx"
import { isPreview, isSync } from "./jobKind.ts"
import { About, SafetyNet } from "./Side.tsx"
import { Progress } from "./ProgressCard.tsx"
import { Switches } from "./Switches.tsx"
import { JobTimeline } from "./JobTimeline.tsx"
import { type ShownProgress, useProgress } from "./useProgress.ts"
import "./job.css"

/** Milliseconds between two readings of a job that runs. */
const EVERY = 10_000

export type JobRecord = Data<"GET /job/:id">["jobs"][number]

interface Props {
  readonly job: JobRecord
  readonly progress: ShownProgress
}

/** What it waits for, who stopped it, and which job undid it. */
const Notes = ({ job, progress: { silent, undone_by, unpausable } }: Props) => {
  const { abort_reason, aborted_by, waiting_for: waiting } = job
  return (
    <div className="notes">
      {waiting !== null && !(waiting.reason === "timer" && silent.length > 0) && (
        <p role="status">
          {waiting.message}
          {"until" in waiting && waiting.until !== null && (
            <>
              {" "}
              Until <When at={waiting.until} />, in <Countdown until={waiting.until} over="a moment" />.
            </>
          )}
          {"job_id" in waiting && (
            <>
              {" "}
              See <PlainLink to={`/job/${waiting.job_id}`}>job {waiting.job_id}</PlainLink>.
            </>
          )}
        </p>
      )}
      {abort_reason !== null && (
        <p>
          Stopped by {aborted_by ?? "the server"}: {abort_reason}
        </p>
      )}
      {undone_by.length > 0 && (
        <p role="status">
          Undone by{" "}
          {undone_by.map((id, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <PlainLink to={`/job/${id}`}>job {id}</PlainLink>
            </span>
          ))}
          .
        </p>
      )}
      {job.status === "RUNNING" && isSync(job) && unpausable !== null && <p>It cannot be paused: {unpausable}.</p>}
    </div>
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Sentences in the result of a job, such as closed windows in that of a preview. */
const remarksIn = (result: unknown): ReadonlyArray<string> => {
  const remarks = isRecord(result) ? result["remarks"] : undefined
  return Array.isArray(remarks) ? remarks.filter((remark) => typeof remark === "string") : []
}

const sentenceIn = (result: unknown): string | undefined => {
  if (typeof result === "string") return result
  const said = isRecord(result) ? (result["message"] ?? result["error"]) : undefined
  return typeof said === "string" ? said : undefined
}

/** The result of a job without devices: its sentence first. */
const Result = ({ result }: { readonly result: unknown }) => {
  if (result === null || result === undefined || (isRecord(result) && "devices" in result)) return null
  const sentence = sentenceIn(result)
  return (
    <section className="card" aria-label="Result">
      <div className="card-body">
        {sentence !== undefined && <p>{sentence}</p>}
        {typeof result !== "string" && (
          <details>
            <summary>Show data</summary>
            <pre tabIndex={0} aria-label="Data of the result">
              {JSON.stringify(result, null, 2)}
            </pre>
          </details>
        )}
      </div>
    </section>
  )
}

const Facts = ({ job, progress: { totals } }: Props) => (
  <>
    <span title={job.function_name}>{jobTitle(job.function_name)}</span> {job.id}
    {totals.devices > 0 && ` on ${switches(totals.devices)}`}, asked for by {job.scheduled_by ?? "the server"}
    {job.start_time === null ? (
      ", not started"
    ) : (
      <>
        , started <When at={job.start_time} />
      </>
    )}
    {job.finish_time !== null && (
      <>
        , ended <When at={job.finish_time} />
      </>
    )}
  </>
)

const isEmpty = ({ devices, isKnown }: ShownProgress) => isKnown && devices.length === 0

const Shown = ({ job, progress }: Props) => {
  const title = jobTitle(job.function_name)
  const word = jobWord(job)
  const named = job.comment !== null && job.comment !== ""
  return (
    <>
      <PageHead
        title={named ? (job.comment ?? "") : `${title} ${job.id}`}
        crumbs={[{ label: "Jobs", to: "/jobs" }]}
        badges={<StatusBadge tone={word.tone}>{word.text}</StatusBadge>}
        facts={<Facts job={job} progress={progress} />}
        actions={<Actions job={job} progress={progress} />}
      />
      <Notes job={job} progress={progress} />
      <Approval job={job} />
      {job.exception !== null && <Problem error={job.exception.message} title="The job could not run" />}
      {remarksIn(job.result).map((remark) => (
        <p key={remark} className="remark" role="note">
          {remark}
        </p>
      ))}
      <div className="job">
        <Progress job={job} progress={progress} />
        <div className="job-main">
          <NotAnswering silent={progress.silent} />
          <Failures job={job} progress={progress} />
          <Checks job={job} progress={progress} />
          {isSync(job) && isPreview(job) && job.finish_time !== null && (
            <p>
              <PlainLink to={`/change/${job.id}`}>See the differences</PlainLink>
            </p>
          )}
          {job.function_name === "device_upgrade" && (
            <p>
              <PlainLink to={`/firmware?tab=campaigns&job=${job.id}`}>Each switch, step by step</PlainLink>
            </p>
          )}
          {progress.devices.length > 0 && <Switches devices={progress.devices} />}
          {isEmpty(progress) && job.finish_time === null && <Empty>Its switches are chosen when it starts.</Empty>}
          <Result result={job.result} />
        </div>
        <aside className="job-side" aria-label="Beside">
          <SafetyNet progress={progress} />
          <About job={job} />
          <JobTimeline job={job} />
        </aside>
      </div>
    </>
  )
}

export default function Job() {
  const id = usePart("id")
  const [isRunning, setRunning] = useState(false)
  const asked = useAsk(
    "GET /job/:id",
    { params: { id }, query: { filter_jobresult: "config,diff" } },
    // what it waits for can change without an event: a switch falls silent
    { kinds: ["job", "lock"], ...(isRunning ? { every: EVERY } : {}) }
  )
  const [known] = asked.data?.answer.data.jobs ?? []
  const runs = known?.finish_time === null
  if (runs !== isRunning) setRunning(runs)
  const progress = useProgress(id, runs)
  return (
    <Asked of={asked} what="the job">
      {({ data: { jobs } }) => jobs.map((job) => <Shown key={job.id} job={job} progress={progress} />)}
    </Asked>
  )
}
