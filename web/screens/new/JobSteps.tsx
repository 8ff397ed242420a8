/** An initialisation step by step: each job of the chain, and the step that failed. */
import { textOf } from "../../../src/domain/words/Word.ts"
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Tone } from "../../parts/Tone.tsx"

export const JobSteps = ({ id }: { readonly id: number }) => {
  const asked = useAsk("GET /job/:id", { params: { id } }, { kinds: ["job"] })
  const progress = useAsk("GET /job/:id/progress", { params: { id } }, { kinds: ["job", "change"] })
  const devices = progress.data?.answer.data.devices ?? []
  return (
    <Asked of={asked} what={`job ${id}`}>
      {({ data: { jobs } }) =>
        jobs.map((job) => (
          <div key={job.id}>
            <PlainLink to={`/job/${id}`}>{jobTitle(job.function_name)}</PlainLink> <JobStatus job={job} />
            {devices.map(({ hostname, phase, why }) => (
              <div key={hostname}>
                {hostname}: {phase === null ? "" : textOf(phaseWords, phase)}{" "}
                {why !== null && <Tone tone="bad">{why}</Tone>}
              </div>
            ))}
            {job.exception !== null && <Tone tone="bad">{job.exception.message}</Tone>}
            {job.next_job_id !== null && <JobSteps id={job.next_job_id} />}
          </div>
        ))
      }
    </Asked>
  )
}
