/** How far a job is: a figure, a bar, and the stages of a rollout. */
import { IconAlertTriangle, IconCheck, IconClock, IconRefresh } from "@tabler/icons-react"
import { duration, switches } from "../../../src/domain/words/Units.ts"
import { StackedBar } from "../../parts/StackedBar.tsx"
import type { ToneName } from "../../parts/tones.ts"
import type { JobRecord } from "./Job.tsx"
import { isPreview } from "./jobKind.ts"
import { resultSentence, partsOf, stageOf } from "./stages.ts"
import type { ShownDevice, ShownProgress } from "./useProgress.ts"

/** The stages of a rollout with their devices; none for a job without stages. The canary has the number 0. */
export const stagesOf = (devices: ReadonlyArray<ShownDevice>) =>
  [...Map.groupBy(devices, ({ stage }) => stage)]
    .flatMap(([number, here]) => (number === null ? [] : [{ number, devices: here }]))
    .toSorted((one, other) => one.number - other.number)

/** `First 2`, `Stage 1`. */
export const stageName = (number: number, size: number): string =>
  number === 0 ? `First ${size === 1 ? "switch" : size}` : `Stage ${number}`

type StageState = "waiting" | "working" | "failed" | "done" | "stopped"

const SHOWN = {
  waiting: { tone: "quiet", shape: IconClock },
  working: { tone: "info", shape: IconRefresh },
  failed: { tone: "warn", shape: IconAlertTriangle },
  done: { tone: "good", shape: IconCheck },
  stopped: { tone: "quiet", shape: IconClock }
} as const satisfies Readonly<Record<StageState, { readonly tone: ToneName; readonly shape: typeof IconClock }>>

const stateOf = (devices: ReadonlyArray<ShownDevice>) => {
  const stages = devices.map(stageOf)
  const begun = stages.filter((stage) => stage !== "waiting" && stage !== "not_begun").length
  const ended = devices.filter(({ failed, not_begun }) => failed !== null && !not_begun).length
  const failed = devices.filter((device) => device.failed === true && !device.not_begun).length
  const idle = stages.filter((stage) => stage === "not_begun").length
  const state: StageState =
    idle === devices.length
      ? "stopped"
      : begun === 0
        ? "waiting"
        : ended + idle < devices.length
          ? "working"
          : failed > 0
            ? "failed"
            : "done"
  return { state, ended, failed, idle }
}

const Stage = ({ devices, number }: { readonly number: number; readonly devices: ReadonlyArray<ShownDevice> }) => {
  const { ended, failed, state } = stateOf(devices)
  const { shape: Shape, tone } = SHOWN[state]
  const [only] = devices
  return (
    <li data-tone={tone}>
      <span className="stage-mark">
        <Shape size={14} stroke={2} aria-hidden />
      </span>
      <b>{stageName(number, devices.length)}</b>
      <span className="stage-count">
        {state === "waiting" ? "waits" : state === "stopped" ? "not begun" : `${ended} of ${devices.length}`}
      </span>
      <span className="stage-note">
        {devices.length === 1 ? only?.hostname : switches(devices.length)}
        {failed > 0 ? `, ${failed} failed` : ""}
      </span>
    </li>
  )
}

const timeLeft = (job: JobRecord, seconds: number | null): string => {
  if (job.finish_time !== null || job.status === "SCHEDULED" || job.waiting_for?.reason === "pause") return ""
  if (seconds === null) return "estimating the time left"
  return seconds < 60 ? "under a minute left" : `about ${duration(Math.round(seconds / 60) * 60)} left`
}

interface Props {
  readonly job: JobRecord
  readonly progress: ShownProgress
}

export const Progress = ({ job, progress: { devices, seconds_left, totals } }: Props) => {
  if (devices.length === 0) return null
  const isOver = job.finish_time !== null
  const stages = stagesOf(devices)
  const ended = totals.done + totals.failed
  return (
    <section className="card" aria-label="Progress">
      <div className="card-body">
        <div className="progress-line" role="status">
          {isOver ? (
            <span className="progress-result">{resultSentence(devices, isPreview(job))}</span>
          ) : (
            <span>
              <b className="figure">{ended}</b> of {switches(devices.length)} {isPreview(job) ? "compared" : "done"}
              {totals.failed > 0 ? `, ${totals.failed} failed` : ""}
            </span>
          )}
          <span>{isOver ? `of ${switches(devices.length)}` : timeLeft(job, seconds_left)}</span>
        </div>
        <StackedBar label="Switches" parts={partsOf(devices)} />
      </div>
      {stages.length > 1 && (
        <ol className="stages" aria-label="Stages">
          {stages.map((stage) => (
            <Stage key={stage.number} {...stage} />
          ))}
        </ol>
      )}
    </section>
  )
}
