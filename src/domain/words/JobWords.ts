/** Words about jobs: what they are, how they stand, what they wait for, and the steps of an upgrade. */
import type * as ChangeJobs from "../jobs/ChangeJobs.ts"
import type * as InitJobs from "../jobs/InitJobs.ts"
import type * as OnboardingJobs from "../jobs/OnboardingJobs.ts"
import type * as UpkeepJobs from "../jobs/UpkeepJobs.ts"
import type { JobStatus, JobWaiting, Outcome } from "../Job.ts"
import type { UpgradeOfDevice } from "../Firmware.ts"
import { textOf, type Tone, type Word, wordOf, type Words } from "./Word.ts"

type NamesOf<Module> = {
  [Key in keyof Module]: Module[Key] extends { readonly name: infer Name extends string; readonly pinsCommits: boolean }
    ? Name
    : never
}[keyof Module]

/** The functions of jobs that are defined. */
export type JobName =
  | NamesOf<typeof ChangeJobs>
  | NamesOf<typeof InitJobs>
  | NamesOf<typeof OnboardingJobs>
  | NamesOf<typeof UpkeepJobs>

const quiet = (text: string) => ({ text, tone: "quiet" }) as const

/** What a job is; of a dry run see `jobTitle`. */
export const jobWords = {
  sync_devices: quiet("Rollout"),
  confirm_devices: quiet("Confirm all"),
  revert_job: quiet("Undo"),
  apply_config: quiet("Push a text"),
  device_drift: quiet("Look for hand-made changes"),
  discover_device: quiet("Find a new switch"),
  init_access_device_step1: quiet("Set up, part 1"),
  init_fabric_device_step1: quiet("Set up, part 1"),
  init_device_step2: quiet("Set up, part 2"),
  update_interfacedb: quiet("Read ports"),
  update_facts: quiet("Read facts"),
  read_tables: quiet("Read addresses"),
  onboard_devices: quiet("Read existing switches"),
  manage_onboarded: quiet("Manage without a push"),
  renew_cert: quiet("Renew certificates"),
  device_erase: quiet("Erase"),
  device_upgrade: quiet("Upgrade"),
  get_firmware: quiet("Download image"),
  get_firmware_chksum: quiet("Verify image"),
  remove_file: quiet("Delete image"),
  refresh_repo: quiet("Fetch repository")
} as const satisfies Words<JobName>

const DRY_RUN = " (dry_run)"

/** `Rollout`, `Preview`, `Push a text (preview)`, from the function in the record of a job. */
export const jobTitle = (functionName: string): string => {
  const isDryRun = functionName.endsWith(DRY_RUN)
  const name = isDryRun ? functionName.slice(0, -DRY_RUN.length) : functionName
  if (isDryRun && name === "sync_devices") return "Preview"
  return `${textOf(jobWords, name)}${isDryRun ? " (preview)" : ""}`
}

export const statusWords = {
  UNKNOWN: { text: "Unknown", tone: "warn" },
  SCHEDULED: { text: "Waiting", tone: "quiet" },
  RUNNING: { text: "Running", tone: "info" },
  ABORTING: { text: "Stopping", tone: "info" },
  FINISHED: { text: "Done", tone: "good" },
  EXCEPTION: { text: "Could not run", tone: "bad" },
  ABORTED: { text: "Stopped", tone: "quiet" }
} as const satisfies Words<JobStatus>

export const outcomeWords = {
  success: { text: "Done", tone: "good" },
  partial: { text: "Partly failed", tone: "warn" },
  failed: { text: "Failed", tone: "bad" },
  aborted: { text: "Stopped", tone: "quiet" }
} as const satisfies Words<Outcome>

/** What an unfinished job waits for. */
export const waitWords = {
  approval: { text: "Waiting for approval", tone: "wait" },
  window: { text: "Waiting for the window", tone: "quiet" },
  lock: { text: "Waiting for another job", tone: "quiet" },
  place: { text: "Waiting for its turn", tone: "quiet" },
  timer: { text: "Waiting for safety timers to end", tone: "info" },
  pause: { text: "Paused", tone: "wait" }
} as const satisfies Words<JobWaiting["reason"]>

interface Wait {
  readonly reason: string
  readonly job_id?: number
  readonly by?: string
}

/** `Waiting for job 14 to end`, `Paused by otto`. */
const waitWord = ({ by, job_id, reason }: Wait): Word => {
  const word = wordOf(waitWords, reason)
  if (reason === "lock" && job_id !== undefined) return { ...word, text: `Waiting for job ${job_id} to end` }
  return reason === "pause" && by !== undefined ? { ...word, text: `Paused by ${by}` } : word
}

/** The standing of a job in a word: its end, or what it waits for, or its status. */
export const jobWord = ({
  outcome,
  status,
  waiting_for
}: {
  readonly status: string
  readonly outcome: string | null
  readonly waiting_for: Wait | null
}): Word => {
  if (outcome !== null)
    return status === "EXCEPTION" && outcome === "failed" ? statusWords.EXCEPTION : wordOf(outcomeWords, outcome)
  return waiting_for === null || status === "ABORTING" ? wordOf(statusWords, status) : waitWord(waiting_for)
}

/** The steps of an upgrade, in their order. */
export const upgradeStepWords = {
  pre_flight: quiet("Check"),
  download: quiet("Download"),
  activate: quiet("Activate"),
  reboot: quiet("Restart"),
  post_flight: quiet("Check again")
} as const satisfies Words<NonNullable<UpgradeOfDevice["step"]>>

/** The standing of a switch in an upgrade. */
export const upgradeWords = {
  waiting: { text: "Waiting", tone: "quiet" },
  working: { text: "Working", tone: "info" },
  returning: { text: "Restarting", tone: "info" },
  done: { text: "Done", tone: "good" },
  failed: { text: "Failed", tone: "bad" },
  stopped: { text: "Stopped", tone: "warn" },
  not_begun: { text: "Not begun", tone: "quiet" }
} as const satisfies Words<UpgradeOfDevice["state"]>

/** The stages of a rollout as a person follows it; `ChangeWords.ts` has the phases that they stand for. */
export const stageWords = {
  failed: { text: "Failed", tone: "bad" },
  back: { text: "Went back", tone: "warn" },
  unknown: { text: "Unclear, look at it", tone: "bad" },
  silent: { text: "Not answering", tone: "bad" },
  waiting: { text: "Waiting", tone: "quiet" },
  not_begun: { text: "Not begun", tone: "quiet" },
  loaded: { text: "Loading", tone: "info" },
  committed: { text: "Being checked", tone: "info" },
  proved: { text: "Checked", tone: "info" },
  reverting: { text: "Going back", tone: "warn" },
  confirmed: { text: "Confirmed", tone: "good" },
  done: { text: "Done", tone: "good" }
} as const satisfies Readonly<Record<string, { readonly text: string; readonly tone: Tone }>>
