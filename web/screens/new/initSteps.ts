/** The steps of bringing a switch in, as people follow them, from the jobs that do them. Pure. */
import type { Data } from "../../../src/api/Calls.ts"
import type { ToneName } from "../../parts/tones.ts"

/** What the steps are read from. */
type Job = Pick<Data<"GET /job/:id">["jobs"][number], "function_name" | "result" | "finish_time" | "outcome">

const STEPS = ["found", "checked", "base", "moved", "confirmed"] as const
type StepName = (typeof STEPS)[number]

const WORDS: Readonly<Record<StepName, string>> = {
  found: "Found",
  checked: "Neighbours checked",
  base: "Base configuration",
  moved: "Moved to its address",
  confirmed: "Confirmed"
}

type State = "done" | "working" | "waiting" | "failed" | "stopped"

const TONES: Readonly<Record<State, ToneName>> = {
  done: "good",
  working: "info",
  waiting: "quiet",
  failed: "bad",
  stopped: "warn"
}

const SAID: Readonly<Record<State, string>> = {
  done: "done",
  working: "now",
  waiting: "waits",
  failed: "failed",
  stopped: "stopped"
}

export interface ShownStep {
  readonly name: StepName
  readonly text: string
  readonly said: string
  readonly tone: ToneName
  readonly state: State
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** What the job has said about its steps so far, in order. */
export const sentencesOf = ({ result }: Pick<Job, "result">): ReadonlyArray<{ step: string; message: string }> => {
  const progress = isObject(result) ? result["progress"] : undefined
  if (!Array.isArray(progress)) return []
  return progress.flatMap((entry: unknown) => {
    if (!isObject(entry)) return []
    const { message, step } = entry
    return typeof message === "string" && typeof step === "string" ? [{ step, message }] : []
  })
}

/** The step that an entry of the job's progress belongs to. */
const AT: Readonly<Record<string, StepName>> = {
  survey: "checked",
  neighbours: "checked",
  planned: "base",
  lost: "base",
  render: "base",
  look: "moved",
  push: "moved",
  aborted: "confirmed",
  login: "confirmed"
}

/** The tasks of a job that failed, by the step to which they belong. */
const FAILED_AT: Readonly<Record<string, StepName>> = {
  ztp_device_cert: "base",
  "Generate initial device config": "base",
  "Push base management config": "moved"
}

const FIRST: Readonly<Record<string, StepName>> = {
  discover_device: "found",
  init_access_device_step1: "checked",
  init_fabric_device_step1: "checked",
  init_device_step2: "confirmed"
}

/** The step at which the job works, or at which it ended. `failedTask` is the innermost task that failed. */
const stepAt = (job: Job, failedTask: string | undefined): StepName => {
  const last = sentencesOf(job).at(-1)
  return (
    (failedTask === undefined ? undefined : FAILED_AT[failedTask]) ??
    (last === undefined ? undefined : AT[last.step]) ??
    FIRST[job.function_name] ??
    "checked"
  )
}

/** Whether the job ended without bringing the switch further. */
export const hasFailed = ({ finish_time, outcome }: Pick<Job, "finish_time" | "outcome">): boolean =>
  finish_time !== null && outcome !== "success"

const stateOf = (index: number, at: number, job: Job): State => {
  if (index < at) return "done"
  if (index > at) return "waiting"
  if (job.finish_time === null) return "working"
  if (hasFailed(job)) return job.outcome === "aborted" ? "stopped" : "failed"
  return "done"
}

/** All steps with how they stand. `job` is the newest of its chain. A step 1 that succeeded waits for its step 2. */
export const initSteps = (job: Job, failedTask: string | undefined): ReadonlyArray<ShownStep> => {
  const isOver = job.finish_time !== null && !hasFailed(job)
  const reached = isOver && job.function_name.endsWith("_step1") ? "moved" : stepAt(job, failedTask)
  const at = STEPS.indexOf(reached)
  return STEPS.map((name, index) => {
    const state = stateOf(index, at, job)
    return { name, text: WORDS[name], said: SAID[state], tone: TONES[state], state }
  })
}

/** The sentence about what happens now. */
export const nowSaid = (job: Job): string | undefined =>
  job.finish_time === null ? sentencesOf(job).at(-1)?.message : undefined
