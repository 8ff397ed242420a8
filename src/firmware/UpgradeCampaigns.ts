/** How far an upgrade is with each of its devices, from what its job remembers. Pure. */
import { Option, Schema } from "effect"
import type { UpgradeCampaign, UpgradeOfDevice } from "../domain/Firmware.ts"
import { DeviceUpgrade } from "../domain/jobs/FirmwareJobs.ts"
import type { UpgradeDeviceRow, UpgradeJobRow } from "../store/FirmwareViewStore.ts"
import { MAIN_TASK, type StepName, stepNames, taskName } from "./UpgradeTasks.ts"

const argsOf = Schema.decodeUnknownOption(DeviceUpgrade.Args)
const memoOf = Schema.decodeUnknownOption(DeviceUpgrade.Memo)

/** The groups of an upgrade, first to last; none before it has decided. */
export const groupsOf = ({ memo }: UpgradeJobRow): ReadonlyArray<ReadonlyArray<string>> =>
  Option.match(memoOf(memo), { onNone: () => [], onSome: ({ groups }) => groups })

const stepNamed = (name: string | null | undefined): StepName | null => stepNames.find((step) => step === name) ?? null

const lastLine = (text: unknown): string | null => {
  const line = typeof text === "string" ? text.trimEnd().split("\n").at(-1) : undefined
  return line === undefined || line === "" ? null : line
}

const MOST_SAID = 1000

/** What stands before the last line. */
const beforeLast = (text: unknown): string | null => {
  const said = typeof text === "string" ? text.trimEnd().split("\n").slice(0, -1).join("\n").trim() : ""
  return said === "" ? null : said.slice(-MOST_SAID)
}

const stateOf = ({ failed, progress }: UpgradeDeviceRow): UpgradeOfDevice["state"] => {
  if (failed !== null) return failed ? "failed" : "done"
  if (progress === null) return "waiting"
  return progress.waitingSince === null ? "working" : "returning"
}

const deviceOf =
  (groups: ReadonlyArray<ReadonlyArray<string>>) =>
  (row: UpgradeDeviceRow): UpgradeOfDevice => {
    const { hostname, os_version, progress, tasks } = row
    const entries = progress?.tasks ?? tasks
    // those of the job's record, in which secrets are hidden
    const bad =
      tasks.findLast(({ failed, task_name }) => failed && task_name !== MAIN_TASK) ?? tasks.find(({ failed }) => failed)
    return {
      hostname,
      group: groups.findIndex((names) => names.includes(hostname)) + 1,
      state: stateOf(row),
      step: stepNamed(progress?.begun),
      steps_done: stepNames.filter((step) =>
        entries.some(({ failed, task_name }) => task_name === taskName(step) && !failed)
      ),
      file: progress?.file ?? null,
      version_before: progress?.versionBefore ?? null,
      version: os_version,
      message: lastLine(bad?.result),
      said: beforeLast(bad?.result)
    }
  }

/** The campaign of a job. */
export const campaignOf = (id: number, job: UpgradeJobRow, rows: ReadonlyArray<UpgradeDeviceRow>): UpgradeCampaign => {
  const args = Option.getOrUndefined(argsOf(job.args))
  return {
    job_id: id,
    status: job.status,
    steps: stepNames.filter((step) => args?.[step] === true),
    devices: rows
      .map(deviceOf(groupsOf(job)))
      .toSorted((a, b) => a.group - b.group || (a.hostname < b.hostname ? -1 : 1))
  }
}
