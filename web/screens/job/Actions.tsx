/** The actions on a job: abort or pause it with a reason, approve or reject it, retry failed devices, undo its changes. */
import { Group, Text, TextInput } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { useState } from "react"
import { ask, request } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Decide } from "../../parts/Decide.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import type { JobRecord } from "./Job.tsx"
import type { ShownDevice } from "./useProgress.ts"

interface Props {
  readonly job: JobRecord
  readonly devices: ReadonlyArray<ShownDevice>
  /** Why it can never be paused. */
  readonly unpausable: string | null
}

const isDryRun = (job: JobRecord): boolean => job.function_name.endsWith("(dry_run)")
const isSync = (job: JobRecord): boolean => job.function_name.startsWith("sync_devices")

const Abort = ({ job: { id } }: { readonly job: JobRecord }) => {
  const [reason, setReason] = useState("")
  const act = () => request("PUT /job/:id", { params: { id }, body: { action: "ABORT", abort_reason: reason } })
  return (
    <AskFirst label="Abort" danger act={act}>
      What is under way on a switch is brought to its end; nothing new is begun.
      <TextInput
        label="Reason"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
    </AskFirst>
  )
}

/** Pauses or resumes a rollout; only for jobs that the server can pause. */
const Hold = ({ job: { id } }: { readonly job: JobRecord }) => {
  const [reason, setReason] = useState("")
  const act = () => request("PUT /job/:id", { params: { id }, body: { action: "PAUSE", pause_reason: reason } })
  return (
    <AskFirst label="Pause" act={act}>
      Switches that are under way come to their end; no further one begins until the job is resumed.
      <TextInput
        label="Reason"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
    </AskFirst>
  )
}

const Resume = ({ job: { id } }: { readonly job: JobRecord }) => (
  <AskFirst label="Resume" act={() => request("PUT /job/:id", { params: { id }, body: { action: "RESUME" } })}>
    The job continues with the switches that it has not begun.
  </AskFirst>
)

const Undo = ({ job: { id } }: { readonly job: JobRecord }) => {
  const router = useRouter()
  const [comment, setComment] = useState("")
  const act = async () => {
    const { answer } = await ask("POST /job/:id/revert", { params: { id }, body: { comment } })
    router.history.push(`/ui/job/${answer.job_id}`)
  }
  return (
    <AskFirst label="Undo" danger act={act}>
      Every switch that this job has changed gets its previous configuration back. Switches that were changed since are
      skipped. The settings do not change: until they are corrected, the switches are not synchronized.
      <TextInput
        label="Comment"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        data-autofocus
      />
    </AskFirst>
  )
}

export const Actions = ({ devices, job, unpausable }: Props) => {
  const may = useMay()
  const failed = devices.filter((device) => device.failed === true).map(({ hostname }) => hostname)
  const hasEnded = job.finish_time !== null
  const awaitsApproval = job.waiting_for?.reason === "approval"
  const wasChanged = devices.some(({ phase }) => phase === "confirmed")
  return (
    <Group my="sm" gap="xs">
      {!hasEnded && job.status !== "ABORTING" && may("PUT", `/job/${job.id}`) && <Abort job={job} />}
      {job.status === "RUNNING" &&
        isSync(job) &&
        may("PUT", `/job/${job.id}`) &&
        (job.waiting_for?.reason === "pause" ? (
          <Resume job={job} />
        ) : unpausable === null ? (
          <Hold job={job} />
        ) : (
          <Text size="sm">It cannot be paused: {unpausable}.</Text>
        ))}
      {awaitsApproval && <Decide job={job} />}
      {hasEnded && wasChanged && !isDryRun(job) && may("POST", `/job/${job.id}/revert`) && <Undo job={job} />}
      {hasEnded && isSync(job) && failed.length > 0 && may("POST", "/device_syncto") && (
        <PlainLink to={`/change?hostnames=${encodeURIComponent(failed.join(","))}`}>Retry the failed ones</PlainLink>
      )}
      {job.waiting_for?.reason === "approval" && job.waiting_for.dry_run_job !== null && (
        <PlainLink to={`/change/${job.waiting_for.dry_run_job}`}>See what is to be approved</PlainLink>
      )}
      {hasEnded && isSync(job) && isDryRun(job) && <PlainLink to={`/change/${job.id}`}>See the differences</PlainLink>}
    </Group>
  )
}
