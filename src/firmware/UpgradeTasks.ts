/**
 * The steps of an upgrade in order, with the names and texts that clients rely on (docs/jobs.md#device_upgrade), and the progress of each
 * device. Pure.
 */
import { type DeviceResult, deviceResult, type JobTask, subtaskFailed, taskFailed, taskOk } from "../domain/Job.ts"
import { Option, Schema } from "effect"
import { inNaturalOrder } from "../domain/Natural.ts"
import type { UpgradeDeviceRow, UpgradeJobRow } from "../store/UpgradeStore.ts"
import type { UpgradeCampaign, UpgradeOfDevice } from "../domain/Firmware.ts"
import { resultNames } from "../domain/platforms/Platforms.ts"
import { DeviceUpgrade } from "../domain/jobs/UpkeepJobs.ts"

const MAIN_TASK = "device_upgrade_task"

/** The steps in order; the name is also the argument that requests the step. */
export const stepNames = ["pre_flight", "download", "activate", "reboot", "post_flight"] as const
export type StepName = (typeof stepNames)[number]

interface StepTexts {
  readonly task: string
  readonly done: string
  readonly aborted: string
}

const STEPS: Readonly<Record<StepName, StepTexts>> = {
  pre_flight: { task: resultNames.preFlight, done: "Pre-flight check done.", aborted: "Pre-flight aborted" },
  download: {
    task: resultNames.download,
    done: "Firmware download done.",
    aborted: "Firmware download aborted"
  },
  activate: {
    task: resultNames.activate,
    done: "Firmware activate done.",
    aborted: "Firmware activate aborted"
  },
  reboot: { task: resultNames.reboot, done: "Device reboot done.", aborted: "Reboot aborted" },
  post_flight: { task: resultNames.postFlight, done: "Post-flight check done.", aborted: "Post-flight aborted" }
}

/** The name of a step's entry. */
export const taskName = (step: StepName): string => STEPS[step].task

/** The text of a failed entry: the error, then the sentence that clients show as the last line. */
const failureText = (sentence: string, met = ""): string => {
  const before = met.trimEnd()
  return `${before === "" ? "" : `${before}\n`}FirmwareError: ${sentence}\n`
}

/** An entry that failed. */
export const stepFailed = (step: StepName, sentence: string, met?: string): JobTask =>
  taskFailed(STEPS[step].task, failureText(sentence, met))

/** The entry of a step that was skipped because of an abort. */
export const stepAborted = (step: StepName): JobTask => taskOk(STEPS[step].task, STEPS[step].aborted)

/** The entry of a step that was skipped because a window of the device has closed; `why` is a sentence without a full stop. */
export const stepOutsideWindow = (step: StepName, why: string): JobTask =>
  taskFailed(STEPS[step].task, `The step was not begun.\nOutsideWindow: ${why}\n`)

/** The entry of a finished step; `text` replaces the usual sentence. */
export const stepDone = (step: StepName, text: string = STEPS[step].done): JobTask => taskOk(STEPS[step].task, text)

const isAborted = (step: StepName, { result }: JobTask): boolean => result === STEPS[step].aborted

/**
 * The result of an upgrade's reboot, if this entry of a step ends it; null if it does not, or if there was no reboot. The check after the
 * reboot ends it, or the failure of the reboot if no check follows. `before` are the earlier entries; `begun` is false for
 * the entry of a skipped step.
 */
export const rebootOver = (
  step: StepName,
  entry: JobTask,
  before: ReadonlyArray<JobTask>,
  begun: boolean
): { readonly failed: boolean } | null => {
  const failed = entry.failed || isAborted(step, entry)
  if (step === "reboot") return begun && failed ? { failed } : null
  if (step !== "post_flight") return null
  const reboot = before.find(({ task_name }) => task_name === taskName("reboot"))
  const rebooted = reboot !== undefined && !reboot.failed && !isAborted("reboot", reboot)
  return rebooted || begun ? { failed } : null
}

const isPostFlight = ({ task_name }: JobTask) => task_name === STEPS.post_flight.task

/** Why a switch was not reloaded: the check that refused it follows. */
export const CHECKED_BEFORE = "The checks before the reboot did not pass, so the device was not rebooted"

/** A check of the site has failed, or could not be read, on a switch that came back with its version. */
const isChecked = ({ checks }: JobTask): boolean => checks !== undefined

/**
 * The result of a device from its steps. A switch that did not come back with the version does not fail the main task, which clients
 * rely on; a failed check of the site does.
 */
export const upgradeResult = (
  tasks: ReadonlyArray<JobTask>
): { readonly result: DeviceResult; readonly reachedEnd: boolean } => {
  const stopped = tasks.find((task) => task.failed && (!isPostFlight(task) || isChecked(task)))
  const main = stopped === undefined ? taskOk(MAIN_TASK) : taskFailed(MAIN_TASK, subtaskFailed(stopped.task_name))
  return { result: deviceResult([main, ...tasks]), reachedEnd: stopped === undefined }
}

/** The result of a skipped device. */
export const notStarted = (why: string): DeviceResult => deviceResult([taskFailed(MAIN_TASK, `JobAborted: ${why}\n`)])

/** Success of the check after a reboot; `from` is null if the previous version was unknown. */
export const updatedText = (from: string | null, to: string): string =>
  `Post-flight, OS version updated from ${from ?? "None"} to ${to}.`

/** Failure of the check after a reboot. */
export const postFlightText = (reason: string): string => `Post-flight failed, could not update OS version: ${reason}`

// The progress of an upgrade on each of its devices, from the stored state of its job.

const argsOf = Schema.decodeUnknownOption(DeviceUpgrade.Args)
const memoOf = Schema.decodeUnknownOption(DeviceUpgrade.Memo)

/** The groups of an upgrade, first to last; empty before the order is decided. */
export const groupsOf = ({ memo }: UpgradeJobRow): ReadonlyArray<ReadonlyArray<string>> =>
  Option.match(memoOf(memo), { onNone: () => [], onSome: ({ groups }) => groups })

const stepNamed = (name: string | null | undefined): StepName | null => stepNames.find((step) => step === name) ?? null

const lastLine = (text: unknown): string | null => {
  const line = typeof text === "string" ? text.trimEnd().split("\n").at(-1) : undefined
  return line === undefined || line === "" ? null : line
}

const MOST_SAID = 1000

/** The text before the last line. */
const beforeLast = (text: unknown): string | null => {
  const said = typeof text === "string" ? text.trimEnd().split("\n").slice(0, -1).join("\n").trim() : ""
  return said === "" ? null : said.slice(-MOST_SAID)
}

/** The entries of `stepAborted`, for a record of which the step is known by its task. */
const wasAborted = (task: JobTask): boolean =>
  stepNames.some((step) => task.task_name === taskName(step) && isAborted(step, task))

const isSkipped = ({ result, task_name }: JobTask): boolean =>
  task_name === MAIN_TASK && typeof result === "string" && result.startsWith("JobAborted: ")

const stateOf = ({ failed, progress, tasks }: UpgradeDeviceRow): UpgradeOfDevice["state"] => {
  if (failed === true) return tasks.some(isSkipped) ? "not_begun" : "failed"
  if (failed === false) {
    if (!tasks.some(wasAborted)) return "done"
    return tasks.every((task) => task.task_name === MAIN_TASK || wasAborted(task)) ? "not_begun" : "stopped"
  }
  if (progress === null) return "waiting"
  return progress.waitingSince === null ? "working" : "returning"
}

const deviceOf =
  (groups: ReadonlyArray<ReadonlyArray<string>>) =>
  (row: UpgradeDeviceRow): UpgradeOfDevice => {
    const { hostname, os_version, progress, tasks } = row
    const entries = progress?.tasks ?? tasks
    // the texts of the job's record, in which secrets are hidden
    const bad =
      tasks.findLast(({ failed, task_name }) => failed && task_name !== MAIN_TASK) ?? tasks.find(({ failed }) => failed)
    return {
      hostname,
      group: groups.findIndex((names) => names.includes(hostname)) + 1,
      state: stateOf(row),
      step: stepNamed(progress?.begun),
      steps_done: stepNames.filter((step) =>
        entries.some((task) => task.task_name === taskName(step) && !task.failed && !isAborted(step, task))
      ),
      file: progress?.file ?? null,
      version_before: progress?.versionBefore ?? null,
      version: os_version,
      message: lastLine(bad?.result),
      said: beforeLast(bad?.result)
    }
  }

/** The campaign of a job. */
export const campaignOf = (
  id: number,
  job: UpgradeJobRow,
  rows: ReadonlyArray<UpgradeDeviceRow>,
  restart_seconds: number | null
): UpgradeCampaign => {
  const args = Option.getOrUndefined(argsOf(job.args))
  return {
    job_id: id,
    status: job.status,
    steps: stepNames.filter((step) => args?.[step] === true),
    devices: rows
      .map(deviceOf(groupsOf(job)))
      .toSorted((a, b) => a.group - b.group || inNaturalOrder(a.hostname, b.hostname)),
    restart_seconds
  }
}
