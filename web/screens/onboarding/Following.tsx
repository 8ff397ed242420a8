/** The job that an action has started: what it does, how it stands, and a link to it. */
import { useAsk } from "../../api/useAsk.ts"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"

/** Milliseconds. */
const EVERY = 2000

export interface Started {
  readonly id: number
  /** `Reading 2 switches`. */
  readonly what: string
}

export const Following = ({ started: { id, what } }: { readonly started: Started }) => {
  const asked = useAsk("GET /job/:id", { params: { id } }, { kinds: ["job"], every: EVERY })
  const job = asked.data?.answer.data.jobs[0]
  return (
    <p role="status">
      {what}: <PlainLink to={`/job/${id}`}>job {id}</PlainLink> {job !== undefined && <JobStatus job={job} />}
    </p>
  )
}
