/**
 * Whether a live sync has kept the promises 2 to 5: compares what its record and the device rows say with what the switches
 * run, have saved and have been sent.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { stableText } from "../../../src/drivers/eos/RunningConfig.ts"
import type { DeviceResult, Job } from "../../../src/domain/Job.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { configHashOf } from "../../../src/drivers/DriverDefinition.ts"

/** The change of every run, as a printed configuration and in the form of `Canonical.ts`. */
const FIRST_PORT = /(interface Ethernet1(?:\n {3}| \/ )description )[^\n]*/

/** The compared parts of a running or saved configuration. */
export type Reading = (text: string | undefined) => string

/** The actions of a switch since the run began. */
export interface Activity {
  /** `configure session job7`, `write memory` and so on. */
  readonly commands: ReadonlyArray<string>
  /** `commitTimer job7`. */
  readonly commits: ReadonlyArray<string>
}

/** A switch as it was when the run began. */
export interface Mark {
  readonly device: LabSwitch
  readonly read: Reading
  readonly running: string
  readonly commands: number
  readonly commits: number
}

export const markOf = (device: LabSwitch, read: Reading = (text) => text ?? ""): Mark => ({
  device,
  read,
  running: read(device.running()),
  commands: device.commands().length,
  commits: device.commits().length
})

export const activityOf = ({ commands, commits, device }: Mark): Activity => ({
  commands: device
    .commands()
    .slice(commands)
    .map(({ command }) => command),
  commits: device
    .commits()
    .slice(commits)
    .map(({ kind, session }) => `${kind} ${session}`)
})

/** The running configuration once its first port has this description. */
export const wantedBy = ({ running }: Mark, description: string): string =>
  running.replace(FIRST_PORT, `$1${description}`)

const saysOf = (result: DeviceResult): "new" | "old" | "unclear" => {
  const text = result.job_tasks.map((task) => (task.failed ? String(task.result) : "")).join("")
  return text.includes("runs the new") ? "new" : text.includes("not certain") ? "unclear" : "old"
}

/** The job whose session this is; 0 when it is of none. */
export const jobOf = (session: string): number => Number(/^job(\d+)/.exec(session)?.[1] ?? 0)

/** Commits that stayed: one that was rolled back before the next does not count. */
export const standingCommits = ({ commits }: Pick<Activity, "commits">, jobIds: ReadonlyArray<number>): number =>
  commits.reduce((standing, line) => {
    const [kind, session = ""] = line.split(" ")
    const isOurs = jobIds.includes(jobOf(session)) && !session.endsWith("-check")
    if (!isOurs) return standing
    if (kind === "commitTimer" || kind === "commit") return standing + 1
    return (kind === "expired" || kind === "abort") && standing > 0 ? standing - 1 : standing
  }, 0)

/** The mistakes of a switch and of its record. Several jobs are repetitions of one request. */
export const judge = (
  mark: Mark,
  wanted: string,
  jobIds: ReadonlyArray<number>,
  result: DeviceResult | undefined
): ReadonlyArray<string> => {
  const { device, read } = mark
  const running = read(device.running())
  const runs = running === wanted ? "new" : running === mark.running ? "old" : "unknown"
  const activity = activityOf(mark)
  const problems = [...ManagedCampus.debrisOn(device)]
  if (runs === "unknown") problems.push("runs neither the old nor the new configuration")
  if (result === undefined) return [...problems, "is not in the record"]
  const commits = standingCommits(activity, jobIds)
  if (commits > 1) problems.push(`double commit: ${activity.commits.join(", ")}`)
  if (result.failed) {
    const says = saysOf(result)
    return says === runs ? problems : [...problems, `runs ${runs} but the record says ${says}`]
  }
  if (commits !== 1) problems.push(`false success: ${commits} commits stand of ${activity.commits.join(", ")}`)
  if (runs !== "new") problems.push(`false success: runs ${runs}`)
  if (ManagedCampus.stripped(read(device.startup())) !== ManagedCampus.stripped(running))
    problems.push("false success: not saved")
  return problems
}

/** The mistakes in the rows of the job and of its devices. */
export const rowProblems = Effect.fnUntraced(function* (job: Job, marks: ReadonlyArray<Mark>) {
  const sql = yield* SqlClient.SqlClient
  const results = ManagedCampus.devicesOf(job)
  const rows = yield* (yield* DeviceStore).byHostnames(marks.map(({ device }) => device.name))
  const events = yield* sql<{ hostname: string }>`select distinct hostname from sync_event`
  const open = yield* sql<{ phase: string }>`select phase from config_change where job_id = ${job.id}
    and phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')`
  const locks = yield* (yield* JobScheduleStore).locks.all
  const problems = open.map(({ phase }) => `a change is still ${phase}`)
  if (locks.length > 0) problems.push("the lock was not given back")
  if (job.status !== "FINISHED") problems.push(`the job is ${job.status}: ${JSON.stringify(job.exception)}`)
  for (const row of rows) {
    const isDone = results[row.hostname]?.failed === false
    const device = marks.find((mark) => mark.device.name === row.hostname)?.device
    const hash = configHashOf(stableText)(device?.running() ?? "")
    if (row.synchronized !== isDone) problems.push(`${row.hostname}: synchronized is ${row.synchronized}`)
    if (isDone && row.confhash !== hash) problems.push(`${row.hostname}: another hash is stored`)
    if (isDone && events.some(({ hostname }) => hostname === row.hostname))
      problems.push(`${row.hostname}: events left`)
  }
  return problems
})
