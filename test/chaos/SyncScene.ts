/**
 * A campus that is synchronized by a server in a process of its own, which can be killed at any instant. One `run` wants a
 * change on every switch, starts the sync, kills the server, starts another one and, when the job has ended, compares the
 * record with what the switches run (promises 2 to 5).
 */
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { configHash } from "../../src/devices/eos/EosReading.ts"
import type { DeviceResult, Job } from "../../src/domain/Job.ts"
import * as Engine from "../../src/Engine.ts"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Database from "../../src/store/Database.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { JobLockStore } from "../../src/store/JobLockStore.ts"
import * as Campus from "../support/Campus.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { databaseUrl } from "../support/TestDatabase.ts"
import * as ManagedCampus from "./ManagedCampus.ts"

const DEVICES = 10
const COMMIT_MS = 60
const HISTORY = 100_000
/** What every run changes. */
const FIRST_PORT = /(interface Ethernet1\n {3}description )[^\n]*/
/** A job that has not ended by then is lost. */
const PATIENCE = "2 minutes"

/** What a switch has done since the run began. */
export interface Activity {
  /** `configure session job7`, `write memory` and so on. */
  readonly commands: ReadonlyArray<string>
  /** `commitTimer job7`. */
  readonly commits: ReadonlyArray<string>
}

/** When to kill: as soon as a switch has got so far, or so many milliseconds after the start of the job. */
export type Kill =
  | { readonly name: string; readonly reached: (activity: Activity) => boolean }
  | { readonly name: string; readonly afterMs: number }

/** What came of one run. `violations` are broken promises; `failed` devices say honestly that they have not changed. */
export interface RunOutcome {
  readonly kill: string
  readonly killed: boolean
  readonly violations: ReadonlyArray<string>
  readonly failed: number
  /** From the kill to the end of the job. */
  readonly recoveryMs: number
}

interface Mark {
  readonly device: LabSwitch
  readonly running: string
  readonly commands: number
  readonly commits: number
}

const markOf = (device: LabSwitch): Mark => ({
  device,
  running: device.running(),
  commands: device.commands().length,
  commits: device.commits().length
})

const activityOf = ({ commands, commits, device }: Mark): Activity => ({
  commands: device
    .commands()
    .slice(commands)
    .map(({ command }) => command),
  commits: device
    .commits()
    .slice(commits)
    .map(({ kind, session }) => `${kind} ${session}`)
})

const dueAt = (kill: Kill, marks: ReadonlyArray<Mark>) => {
  if ("reached" in kill) return () => marks.some((mark) => kill.reached(activityOf(mark)))
  const at = Date.now() + kill.afterMs
  return () => Date.now() >= at
}

const saysOf = (result: DeviceResult): "new" | "old" | "unclear" => {
  const text = result.job_tasks.map((task) => (task.failed ? String(task.result) : "")).join("")
  return text.includes("runs the new") ? "new" : text.includes("not certain") ? "unclear" : "old"
}

/** Commits that stayed: one that was rolled back before the next does not count. */
const standingCommits = ({ commits }: Activity, jobId: number): number =>
  commits.reduce((standing, line) => {
    const [kind, session = ""] = line.split(" ")
    const isOurs = session.startsWith(`job${jobId}`) && !session.endsWith("-check")
    if (!isOurs) return standing
    if (kind === "commitTimer" || kind === "commit") return standing + 1
    return (kind === "expired" || kind === "abort") && standing > 0 ? standing - 1 : standing
  }, 0)

const judge = (mark: Mark, wanted: string, jobId: number, result: DeviceResult | undefined): ReadonlyArray<string> => {
  const { device } = mark
  const running = device.running()
  const runs = running === wanted ? "new" : running === mark.running ? "old" : "unknown"
  const activity = activityOf(mark)
  const problems = [...ManagedCampus.debrisOn(device)]
  if (runs === "unknown") problems.push("runs neither the old nor the new configuration")
  if (result === undefined) return [...problems, "is not in the record"]
  const commits = standingCommits(activity, jobId)
  if (commits > 1) problems.push(`double commit: ${activity.commits.join(", ")}`)
  if (result.failed) {
    const says = saysOf(result)
    return says === runs ? problems : [...problems, `runs ${runs} but the record says ${says}`]
  }
  if (commits !== 1) problems.push(`false success: ${commits} commits stand of ${activity.commits.join(", ")}`)
  if (runs !== "new") problems.push(`false success: runs ${runs}`)
  if (ManagedCampus.stripped(device.startup()) !== ManagedCampus.stripped(running))
    problems.push("false success: not saved")
  return problems
}

const rowProblems = Effect.fnUntraced(function* (job: Job, marks: ReadonlyArray<Mark>) {
  const sql = yield* SqlClient.SqlClient
  const results = ManagedCampus.devicesOf(job)
  const rows = yield* (yield* DeviceStore).byHostnames(marks.map(({ device }) => device.name))
  const events = yield* sql<{ hostname: string }>`select distinct hostname from sync_event`
  const open = yield* sql<{ phase: string }>`select phase from config_change where job_id = ${job.id}
    and phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')`
  const locks = yield* (yield* JobLockStore).all
  const problems = open.map(({ phase }) => `a change is still ${phase}`)
  if (locks.length > 0) problems.push("the lock was not given back")
  if (job.status !== "FINISHED") problems.push(`the job is ${job.status}: ${JSON.stringify(job.exception)}`)
  for (const row of rows) {
    const isDone = results[row.hostname]?.failed === false
    const device = marks.find((mark) => mark.device.name === row.hostname)?.device
    const hash = configHash(device?.running() ?? "")
    if (row.synchronized !== isDone) problems.push(`${row.hostname}: synchronized is ${row.synchronized}`)
    if (isDone && row.confhash !== hash) problems.push(`${row.hostname}: another hash is stored`)
    if (isDone && events.some(({ hostname }) => hostname === row.hostname))
      problems.push(`${row.hostname}: events left`)
  }
  return problems
})

/** The campus with its first server, all switches synchronized. `mode` is how changes are confirmed. */
export const make = Effect.fnUntraced(function* (mode: 0 | 1 | 2) {
  const names = ManagedCampus.accessNames(DEVICES)
  const folders = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names, COMMIT_MS, HISTORY)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const url = yield* databaseUrl
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_TIMEOUT: "10",
    DATABASE_URL: url
  }
  const stores = yield* Layer.build(Engine.stores.pipe(Layer.provideMerge(Database.layerUrl(Redacted.make(url)))))
  let server = yield* ServerProcess.launch(env)
  yield* server.refresh("templates")
  yield* server.refresh("settings")
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(names), stores)
  const args = { hostnames: names, dry_run: false, confirm_mode_override: mode }
  yield* Effect.provide(Effect.flatMap(server.start("sync_devices", args), ServerProcess.untilEnded), stores)
  let count = 0

  const relaunch = Effect.gen(function* () {
    yield* server.ended
    server = yield* ServerProcess.launch(env)
  })

  const run = Effect.fnUntraced(function* (kill: Kill, again?: number) {
    count += 1
    const description = `run ${count}`
    yield* ManagedCampus.wantChange(devices, description)
    const marks = switches.map(markOf)
    const wanted = marks.map(({ running }) => running.replace(FIRST_PORT, `$1${description}`))
    const id = yield* server.start("sync_devices", args)
    const killed = yield* Effect.raceFirst(
      Effect.as(ServerProcess.killWhen(server, dueAt(kill, marks)), true),
      Effect.as(ServerProcess.untilEnded(id), false)
    )
    const since = Date.now()
    if (killed) yield* relaunch
    if (killed && again !== undefined) {
      yield* Effect.sleep(again)
      server.killNow()
      yield* relaunch
    }
    const job = yield* ServerProcess.untilEnded(id).pipe(
      Effect.timeout(PATIENCE),
      Effect.orElseSucceed(() => undefined)
    )
    if (job === undefined) return { kill: kill.name, killed, violations: ["lost job"], failed: 0, recoveryMs: -1 }
    const results = ManagedCampus.devicesOf(job)
    const violations = [
      ...marks.flatMap((mark, index) =>
        judge(mark, wanted[index] ?? "", id, results[mark.device.name]).map((text) => `${mark.device.name} ${text}`)
      ),
      ...(yield* rowProblems(job, marks))
    ]
    const failed = Object.values(results).filter((result) => result.failed).length
    return { kill: kill.name, killed, violations, failed, recoveryMs: Date.now() - since } satisfies RunOutcome
  })

  /** Stops the server politely. */
  const stop = Effect.suspend(() => {
    server.terminate()
    return server.ended
  })

  return {
    run: (kill: Kill, again?: number) =>
      run(kill, again).pipe(Effect.provide(stores), Effect.tapCause(Effect.logError)),
    stop
  }
})
