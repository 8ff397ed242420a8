/** Who holds the locks that keep two jobs from the same switches. Only a lock that was left behind may be released. */
import type { Data } from "../../../src/api/Calls.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { inSentence } from "../../../src/domain/words/Word.ts"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Entry } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { toast } from "../../parts/Toast.tsx"
import { When } from "../../parts/When.tsx"

type Lock = Data<"GET /joblocks">["locks"][number]

const release = async (name: string) => {
  await request("DELETE /joblocks", { body: { name } })
  toast({ title: `The lock “${name}” is released` })
}

/** One lock: an ordinary one while its job runs. */
export const LockEntry = ({ lock: { job_id, name, start_time } }: { readonly lock: Lock }) => {
  const may = useMay()
  const asked = useAsk("GET /job/:id", { params: { id: job_id } }, { kinds: ["job"], enabled: may("GET", "/jobs") })
  const job = asked.data?.answer.data.jobs[0]
  const isLeft = job !== undefined && job.finish_time !== null
  const what = job === undefined ? "job" : inSentence(jobTitle(job.function_name))
  return (
    <Entry
      tone={isLeft ? "bad" : "info"}
      title={
        isLeft ? (
          <>
            A lock was left behind by <PlainLink to={`/job/${job_id}`}>{`${what} ${job_id}`}</PlainLink>
          </>
        ) : (
          <>
            <PlainLink to={`/job/${job_id}`}>{`${what.charAt(0).toUpperCase()}${what.slice(1)} ${job_id}`}</PlainLink>{" "}
            is running; other changes wait for it
          </>
        )
      }
      time={<When at={start_time} />}
      actions={
        isLeft &&
        may("DELETE", "/joblocks") && (
          <Confirm
            size="xs"
            label="Release…"
            question={`Release the lock “${name}”?`}
            verb="Release"
            act={() => release(name)}
          >
            Its job has ended, and others wait for the lock. Then the next job begins.
          </Confirm>
        )
      }
    >
      The lock “{name}” keeps two jobs from changing the same switches.
    </Entry>
  )
}
