/**
 * The task list of one device in a sync job: what was rendered, what would change, and what became of it, in the order and with
 * the names that clients know (docs/changes.md#entries-of-the-result). Pure.
 */
import { type DeviceResult, deviceResult, type JobTask, subtaskFailed, taskFailed, taskOk } from "../../domain/Job.ts"
import type { DisputedRecord, RecordChanged, UnseenDevice } from "../../domain/DeviceIdentity.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import type { ChangeReason } from "../../../machines/change/ChangeRow.ts"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import type { Stop } from "../../domain/jobs/ChangeJobs.ts"
import { type UnmanageableDevice, unmanageableText } from "../../domain/platforms/Platforms.ts"

export const MAIN_TASK = "push_sync_device"
export const GENERATE_TASK = "Generate device config"
const SYNC_TASK = "Sync device config"
const REACHABLE_TASK = "Verify reachability"

/** Reasons that, when nothing was committed, may be known before the switch has been given anything. */
const early: ReadonlySet<string> = new Set<ChangeReason>(["unreachable", "cancelled", "connectionLost"])

/** There is no third entry then. */
const endedEarly = ({ reason, result }: ChangeReport): boolean =>
  result === "discarded" && reason !== null && early.has(reason)

/** The error name of an end that has no error of its own. */
const typeOf: Partial<Record<string, string>> = {
  hashMismatch: "ConfigHashMismatch",
  otherRunning: "Fenced",
  otherDiff: "Fenced",
  locked: "SessionLockedException",
  rejected: "ReplaceConfigException",
  leftConfiguration: "LeftConfiguration",
  cancelled: "JobAborted"
} satisfies Partial<Record<ChangeReason, string>>

const whereItIs: Readonly<Record<ChangeReport["runs"], string>> = {
  new: "The device runs the new configuration.",
  old: "The device runs the configuration that it had before.",
  unclear: "It is not certain which configuration the device runs."
}

const ALTERED =
  "Nothing was sent to it. A dry run with force shows the difference; a live run with force overwrites what was altered."

const ALTERED_BY_LINE =
  "The device does not run the configuration that it had before: the line has altered it, and nothing takes that back by itself."

const stateOf = ({ reason, result, runs }: ChangeReport): string => {
  if (reason === "hashMismatch") return ALTERED
  return reason === "leftConfiguration" && result === "unknown" ? ALTERED_BY_LINE : whereItIs[runs]
}

/** The whole text of a failed change: what the device said, where it stands now, and the sentence of the outcome. */
export const failureText = (report: ChangeReport): string => {
  const said = report.failure?.trimEnd() ?? ""
  const isSaid = endedEarly(report) || report.reason === "rejected" || report.reason === "locked"
  if (isSaid && said !== "") return `${said}\n`
  const type = (report.reason === null ? undefined : typeOf[report.reason]) ?? "CommitError"
  return `${said === "" ? "" : `${said}\n`}${stateOf(report)}\n${type}: ${report.message}\n`
}

/** The device could not be rendered: entries 0 and 1, nothing was sent. `text` ends in `Type: message` and a newline. */
export const renderFailed = (text: string): DeviceResult =>
  deviceResult([taskFailed(MAIN_TASK, subtaskFailed(GENERATE_TASK)), taskFailed(GENERATE_TASK, text)])

/** The configuration is another one than the dry run has shown: nothing was sent. */
export const fenced = (config: string, message: string): DeviceResult =>
  deviceResult([
    taskFailed(MAIN_TASK, subtaskFailed(SYNC_TASK)),
    taskOk(GENERATE_TASK, config),
    taskFailed(SYNC_TASK, `Nothing was sent to it.\nFenced: ${message}\n`)
  ])

/** A window of the device has closed before its turn came: nothing was rendered or sent. `why` is a sentence without its end. */
export const outsideWindow = (why: string, mainTask = MAIN_TASK): DeviceResult =>
  deviceResult([taskFailed(mainTask, `Nothing was sent to it.\nOutsideWindow: ${why}\n`)])

/** No driver can log in to the device: nothing was rendered or sent. */
export const unmanageable = (error: UnmanageableDevice): DeviceResult =>
  deviceResult([taskFailed(MAIN_TASK, unmanageableText(error))])

/** The device's record forbids a push, as it is or as it has become: nothing was sent. */
export const forbidden = (error: DisputedRecord | RecordChanged | UnseenDevice): DeviceResult =>
  deviceResult([taskFailed(MAIN_TASK, callErrorText(error))])

/** The first words of the text of a device that was left alone because the rollout was stopped. */
export const NOT_STARTED = "This device was not started and runs what it ran before."

/** The rollout was stopped before this device was begun. */
export const notStarted = (stop: Stop, mainTask = MAIN_TASK): DeviceResult =>
  deviceResult([
    taskFailed(mainTask, `${NOT_STARTED}\n${stop.aborted ? "JobAborted" : "RolloutStopped"}: ${stop.message}\n`)
  ])

/** The report of a device that was taken back although nothing was wrong with it, with the reason of the rollout. */
export const becauseOf = (stop: Stop, report: ChangeReport): ChangeReport =>
  report.reason === "othersFailed" ? { ...report, message: `${stop.message}, so the change was taken back` } : report

/** That the device answered after a mode-2 commit, as far as it said its name. */
const reachable = ({ fqdn }: ChangeReport): ReadonlyArray<JobTask> =>
  fqdn === undefined ? [] : [taskOk(REACHABLE_TASK, { facts: { fqdn } })]

/** How the device was proved, and what could not be compared. */
export const foundOut = ({
  notes,
  proof,
  remarks
}: ChangeReport): Pick<JobTask, "proof" | "remarks" | "said" | "not_shown"> => ({
  ...(proof === undefined ? {} : { proof }),
  ...(remarks === undefined ? {} : { remarks }),
  ...(notes === undefined || notes.said.length === 0 ? {} : { said: notes.said }),
  ...(notes === undefined || notes.not_shown.length === 0 ? {} : { not_shown: notes.not_shown })
})

/** The entries of a device that is proved to run what was rendered, confirmed or waiting for the others. */
export const doneResult = (config: string, report: ChangeReport): DeviceResult =>
  deviceResult([
    taskOk(MAIN_TASK),
    taskOk(GENERATE_TASK, config),
    { ...taskOk(SYNC_TASK, null, report.diff), ...foundOut(report) },
    ...reachable(report)
  ])

/** The entries of a device whose change has come to its end. `config` is the configuration that was rendered for it. */
export const syncResult = (config: string, report: ChangeReport): DeviceResult => {
  const generated = taskOk(GENERATE_TASK, config)
  if (report.ok) return doneResult(config, report)
  const text = failureText(report)
  if (endedEarly(report)) return deviceResult([taskFailed(MAIN_TASK, text), generated])
  const sync: JobTask = { ...taskFailed(SYNC_TASK, text, report.diff), ...foundOut(report) }
  return deviceResult([taskFailed(MAIN_TASK, subtaskFailed(SYNC_TASK)), generated, sync])
}
