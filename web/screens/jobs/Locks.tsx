/** A lock whose job has ended: nothing else can change switches until it is released. The lock of a job that runs is normal and not shown. */
import { Alert, Group } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { momentOf } from "../../../src/domain/words/Units.ts"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"

type Lock = Data<"GET /joblocks">["locks"][number]

/** A job gives its lock back a moment after its end; milliseconds until that is late. */
const LATE = 15_000
const EVERY = 15_000

const LeftBehind = ({ lock: { job_id, name } }: { readonly lock: Lock }) => {
  const may = useMay()
  const { data, dataUpdatedAt } = useAsk(
    "GET /job/:id",
    { params: { id: job_id }, query: { filter_jobresult: "config,diff" } },
    { kinds: ["job"], every: EVERY }
  )
  const [holder] = data?.answer.data.jobs ?? []
  const ended = momentOf(holder?.finish_time)
  if (ended === undefined || dataUpdatedAt - ended.getTime() < LATE) return null
  return (
    <Alert variant="outline" color="orange" mb="sm" title={`A lock was left behind by job ${job_id}`} className="lock">
      <Group>
        <span>
          <PlainLink to={`/job/${job_id}`}>The job</PlainLink> ended <When at={holder?.finish_time ?? null} />, but the
          lock still keeps other rollouts waiting.
        </span>
        {may("DELETE", "/joblocks") && (
          <Confirm
            size="xs"
            label="Release the lock…"
            question={`Release the lock of job ${job_id}?`}
            verb="Release the lock"
            danger
            act={() => request("DELETE /joblocks", { body: { name } })}
          >
            Waiting rollouts begin then, one after the other. No switch is changed by the release itself. While any job
            runs, or a safety timer of this one does, the server refuses it.
          </Confirm>
        )}
      </Group>
    </Alert>
  )
}

export const Locks = () => {
  const may = useMay()
  const { data } = useAsk("GET /joblocks", {}, { kinds: ["lock", "job"], enabled: may("GET", "/joblocks") })
  return (data?.answer.data.locks ?? []).map((lock) => <LeftBehind key={lock.name} lock={lock} />)
}
