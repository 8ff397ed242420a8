/** The actions on a job: pause, resume, stop, approve, retry, undo. Each says before what will happen to the switches. */
import { Text, TextInput } from "@mantine/core"
import { IconArrowBackUp, IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { switches } from "../../../src/domain/words/Units.ts"
import { ask, request } from "../../api/call.ts"
import { useHasRight, useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Countdown } from "../../parts/Countdown.tsx"
import { Decide } from "../../parts/Decide.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { RetryButton } from "./Failures.tsx"
import type { JobRecord } from "./Job.tsx"
import { isChanging, isPreview, isSync } from "./jobKind.ts"
import { stageOf } from "./stages.ts"
import type { ShownProgress } from "./useProgress.ts"

interface Props {
  readonly job: JobRecord
  readonly progress: ShownProgress
}

const ICON = { size: 16, stroke: 1.75 } as const

/** A field of a question. */
const useReason = (label: string) => {
  const [reason, setReason] = useState("")
  const field = (
    <TextInput
      label={label}
      maxLength={255}
      value={reason}
      onChange={(event) => setReason(event.currentTarget.value)}
    />
  )
  return { reason, field }
}

/** A sentence about some switches; nothing about none. */
const About = ({ children, count }: { readonly count: number; readonly children: ReactNode }) =>
  count === 0 ? null : (
    <li>
      <b>{switches(count)}</b> {children}
    </li>
  )

/** What stopping does to the switches. */
const StopEffects = ({ job, progress: { armed, devices, timer } }: Props) => {
  const counts = Map.groupBy(devices, stageOf)
  const of = (...stages: ReadonlyArray<ReturnType<typeof stageOf>>) =>
    stages.reduce((sum, stage) => sum + (counts.get(stage)?.length ?? 0), 0)
  if (job.status === "SCHEDULED") return <Text>It has not begun: nothing happens to any switch.</Text>
  if (devices.length === 0 || !isChanging(job) || isPreview(job))
    return <Text>What is under way is brought to its end; nothing new is begun. No switch is changed by it.</Text>
  return (
    <ul className="effects">
      <About count={of("waiting")}>are not begun and stay as they are.</About>
      <About count={of("loaded", "committed", "proved", "reverting")}>
        under way are brought to their end: what is activated is confirmed or goes back.
      </About>
      <About count={armed.length}>
        run a safety timer: without a confirmation they put their old configuration back by themselves
        {timer === undefined ? "" : ", the last one in "}
        {timer !== undefined && <Countdown until={timer} over="a moment" />}.
      </About>
      <About count={of("silent")}>do not answer: their own timers take the change back.</About>
      <About count={of("confirmed")}>are confirmed and keep the new configuration. Undo takes it back later.</About>
    </ul>
  )
}

const Stop = ({ job, progress }: Props) => {
  const { field, reason } = useReason("Reason")
  const what = isSync(job) ? (isPreview(job) ? "preview" : "rollout") : "job"
  const act = () => request("PUT /job/:id", { params: { id: job.id }, body: { action: "ABORT", abort_reason: reason } })
  return (
    <Confirm
      label="Stop…"
      question={`Stop this ${what}?`}
      verb={`Stop ${what}`}
      keep="Keep going"
      danger
      icon={<IconPlayerStop {...ICON} />}
      act={act}
    >
      <StopEffects job={job} progress={progress} />
      {field}
    </Confirm>
  )
}

/** Pauses a rollout; only for jobs that the server can pause. */
const Pause = ({ job: { id } }: Props) => {
  const { field, reason } = useReason("Reason")
  const act = () => request("PUT /job/:id", { params: { id }, body: { action: "PAUSE", pause_reason: reason } })
  return (
    <Confirm label="Pause" question="Pause this rollout?" verb="Pause" icon={<IconPlayerPause {...ICON} />} act={act}>
      Switches that are under way come to their end; no further one begins until somebody resumes it.
      {field}
    </Confirm>
  )
}

const Resume = ({ job: { id }, progress: { totals } }: Props) => (
  <Confirm
    label="Resume"
    question="Resume this rollout?"
    verb="Resume"
    icon={<IconPlayerPlay {...ICON} />}
    act={() => request("PUT /job/:id", { params: { id }, body: { action: "RESUME" } })}
  >
    It goes on with the {totals.waiting === 0 ? "switches" : switches(totals.waiting)} that it has not begun.
  </Confirm>
)

/** Above so many switches their number must be typed. */
const MANY = 50

const Undo = ({ job: { id }, progress: { undoable } }: Props) => {
  const router = useRouter()
  const hasRight = useHasRight()
  const { field, reason: comment } = useReason("Comment")
  const { field: skipField, reason: skip } = useReason("Undo without checks (reason)")
  const act = async () => {
    const skip_checks = skip.trim() === "" ? {} : { skip_checks: { reason: skip } }
    const { answer } = await ask("POST /job/:id/revert", { params: { id }, body: { comment, ...skip_checks } })
    router.history.push(`/ui/job/${answer.job_id}`)
  }
  return (
    <Confirm
      label={undoable === 1 ? "Undo…" : `Undo all ${undoable}…`}
      question={`Undo this on ${switches(undoable)}?`}
      verb={`Undo ${switches(undoable)}`}
      typed={undoable > MANY ? String(undoable) : undefined}
      danger
      icon={<IconArrowBackUp {...ICON} />}
      act={act}
    >
      Each of them gets the configuration back that it ran before. Switches that were changed since are left alone. The
      settings do not change: until they are corrected, these switches are out of sync.
      {field}
      {hasRight("skip_checks", "POST", `/job/${id}/revert`) && skipField}
    </Confirm>
  )
}

/** The actions that the job has now, and that the caller may do. */
export const Actions = (props: Props) => {
  const { job, progress } = props
  const may = useMay()
  const hasEnded = job.finish_time !== null
  const mayAct = may("PUT", `/job/${job.id}`)
  const canHold = job.status === "RUNNING" && isSync(job) && mayAct
  const isPaused = job.waiting_for?.reason === "pause"
  const failed = progress.failures.flatMap(({ devices }) => devices)
  const rest = progress.devices.filter(({ not_begun }) => not_begun).map(({ hostname }) => hostname)
  const mayRetry = hasEnded && isSync(job) && may("POST", "/device_syncto")
  const canUndo =
    progress.undoable > 0 &&
    progress.undone_by.length === 0 &&
    isChanging(job) &&
    job.function_name !== "revert_job" &&
    may("POST", `/job/${job.id}/revert`)
  return (
    <>
      {canHold && isPaused && <Resume {...props} />}
      {canHold && !isPaused && progress.isKnown && progress.unpausable === null && <Pause {...props} />}
      {!hasEnded && job.status !== "ABORTING" && mayAct && <Stop {...props} />}
      {mayRetry && rest.length > 0 && (
        <RetryButton size="sm" devices={rest} label={`Go on with the ${rest.length} not begun`} />
      )}
      {canUndo && <Undo {...props} />}
      {mayRetry && failed.length > 0 && <RetryButton size="sm" devices={failed} label={`Retry ${failed.length}`} />}
    </>
  )
}

/** A job that waits for approval: the decision, and where its differences are. */
export const Approval = ({ job }: { readonly job: JobRecord }) =>
  job.waiting_for?.reason !== "approval" ? null : (
    <>
      <Decide job={job} />
      {job.waiting_for.dry_run_job !== null && (
        <PlainLink to={`/change/${job.waiting_for.dry_run_job}`}>See what is to be approved</PlainLink>
      )}
    </>
  )
