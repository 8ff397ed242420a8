/** An initialisation step by step: each job of the chain, and the step that failed. */
import { textOf } from "../../../src/domain/words/Word.ts"
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"

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
                {why !== null && <StatusWord tone="bad">{why}</StatusWord>}
              </div>
            ))}
            {job.exception !== null && <StatusWord tone="bad">{job.exception.message}</StatusWord>}
            {job.next_job_id !== null && <JobSteps id={job.next_job_id} />}
          </div>
        ))
      }
    </Asked>
  )
}
