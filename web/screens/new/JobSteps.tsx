/** How far a switch is: the steps in words, what happens now, and the cause of a failure with what can be done about it. */
import type { ReactNode } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { FailureGroup } from "../../parts/FailureGroup.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { ToneIcon } from "../../parts/StatusWord.tsx"
import { hasFailed, initSteps, nowSaid } from "./initSteps.ts"

type Job = Data<"GET /job/:id">["jobs"][number]

/** Milliseconds: the sentences of a step are written without an event. */
const EVERY = 2000

const Cause = ({ again, job }: { readonly job: Job; readonly again?: ReactNode }) => {
  const progress = useAsk("GET /job/:id/progress", { params: { id: job.id } }, { kinds: ["job"] })
  const failures = progress.data?.answer.data.failures ?? []
  return (
    <div role="alert" className="init-failure">
      {job.exception !== null && (
        <p>
          <b>It was not set up.</b> {job.exception.message}
        </p>
      )}
      {job.outcome === "aborted" && (
        <p>
          <b>{job.aborted_by ?? "The server"} stopped it.</b> {job.abort_reason ?? ""}
        </p>
      )}
      {failures.map((group) => (
        <FailureGroup key={`${group.class} ${group.step}`} group={group} />
      ))}
      {again}
    </div>
  )
}

const Steps = ({ again, job }: { readonly job: Job; readonly again?: ReactNode }) => {
  const progress = useAsk(
    "GET /job/:id/progress",
    { params: { id: job.id } },
    { kinds: ["job"], enabled: hasFailed(job) }
  )
  const steps = initSteps(job, progress.data?.answer.data.failures[0]?.step)
  const now = nowSaid(job)
  return (
    <div className="init-progress">
      <ol className="init-steps" aria-label="Steps">
        {steps.map(({ name, said, state, text, tone }) => (
          <li key={name} data-tone={tone} data-state={state} aria-current={state === "working" ? "step" : undefined}>
            <ToneIcon tone={tone} size={14} /> {text} <span className="init-step-said">{said}</span>
          </li>
        ))}
      </ol>
      <p className="init-now" role="status">
        {now === undefined ? "" : `${now}. `}
        {job.waiting_for === null ? "" : `${job.waiting_for.message} `}
        <PlainLink to={`/job/${job.id}`}>Job {job.id}</PlainLink>
      </p>
      {hasFailed(job) && <Cause job={job} again={again} />}
    </div>
  )
}

interface Props {
  readonly id: number
  /** What can be done after a failure. */
  readonly again?: ReactNode
}

/** The newest job of the chain that begins with this one. */
export const JobSteps = ({ again, id }: Props) => {
  const asked = useAsk("GET /job/:id", { params: { id } }, { kinds: ["job"], every: EVERY })
  return (
    <Asked of={asked} what={`job ${id}`}>
      {({ data: { jobs } }) =>
        jobs.map((job) =>
          job.next_job_id === null ? (
            <Steps key={job.id} job={job} again={again} />
          ) : (
            <JobSteps key={job.id} id={job.next_job_id} again={again} />
          )
        )
      }
    </Asked>
  )
}
