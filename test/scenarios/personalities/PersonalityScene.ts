/**
 * Work on switches of every personality: a dry run of all, parallel live syncs in each mode, the result of a second dry run, the undo of a
 * sync, and the initialisation of blank ones. Returns the record and the lab's state for each personality and operation.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DeviceResult, Job } from "../../../src/domain/Job.ts"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { personalities, type PersonalityName } from "../../../src/lab/eos/Quirks.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { timer } from "../../support/Patience.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import type { Operation } from "./Operations.ts"
import * as Site from "./PersonalitySite.ts"
import { type Snapshot, snapshotOf } from "./Truth.ts"

/** The remains of one cell after its job. */
export interface Left {
  readonly operation: Operation
  readonly personality: PersonalityName
  /** Whether the record says that it went well. */
  readonly done: boolean
  /** The texts of the failed tasks, and of the job's exception. */
  readonly says: string
  readonly before: Snapshot
  readonly after: Snapshot
  readonly state: string
  readonly synchronized: boolean
  /** The result of the next dry run, after a successful live sync: a diff or an error. */
  readonly again: string
}

/** A switch whose timer expires was abandoned by us: longer than all work on it, shorter than the test's patience. */
const TIMER_SECONDS = 60
/** Each plans in a transaction of its own, and the connections of a test's database are few. */
const INITS_AT_ONCE = 4
const USER = "tester"

const run = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>>) {
  const engine = yield* JobEngine
  return yield* engine.ended(yield* engine.start(jobNamed(name), args, { user: USER }))
})

const namesOf = (members: ReadonlyArray<Site.Member>) => members.map(({ hostname }) => hostname)

/** The device is in no result of the job: nothing was begun on it. */
const NOT_RECORDED = "is not in the record"

/** The texts of the failed tasks. */
export const textsOf = (result: DeviceResult | undefined): string =>
  result === undefined
    ? NOT_RECORDED
    : result.job_tasks.map(({ failed, result: text }) => (failed ? String(text) : "")).join("")

const diffOf = (result: DeviceResult | undefined): string => (result?.job_tasks ?? []).map(({ diff }) => diff).join("")

type Looked = ReadonlyMap<string, Snapshot>

const lookAt = (members: ReadonlyArray<Site.Member>): Looked =>
  new Map(members.map(({ device, hostname }) => [hostname, snapshotOf(device, hostname)]))

const NOTHING: Snapshot = { running: "", startup: "", debris: [] }

/** The cells of an operation, as the records of its jobs (of which the last counts) and the switches have them now. */
const cellsOf = Effect.fnUntraced(function* (
  operation: Operation,
  members: ReadonlyArray<Site.Member>,
  jobs: ReadonlyArray<Job>,
  before: Looked
) {
  const rows = yield* (yield* DeviceStore).byHostnames(namesOf(members))
  return members.map(({ device, hostname, personality }): Left => {
    // a new switch that was refused keeps its first name
    const resultsOf = (job: Job) => {
      const found = ManagedCampus.devicesOf(job)
      return operation === "init" ? Object.values(found) : [found[hostname] ?? []].flat()
    }
    const results = jobs.flatMap(resultsOf)
    const result = results.at(-1)
    const row = rows.find((one) => one.hostname === hostname)
    const exceptions = jobs.map(({ exception }) => exception?.message ?? "").join("")
    return {
      operation,
      personality,
      done: result?.failed === false && exceptions === "",
      says: `${results.length === 0 ? NOT_RECORDED : results.map(textsOf).join("")}${exceptions}`,
      before: before.get(hostname) ?? NOTHING,
      after: snapshotOf(device, hostname),
      state: row?.state ?? "",
      synchronized: row?.synchronized ?? false,
      again: ""
    }
  })
})

const dryRun = (members: ReadonlyArray<Site.Member>) =>
  run("sync_devices", { hostnames: namesOf(members), dry_run: true })

/** The cells with what a dry run finds afterwards on the switches that are said to be done. */
const withNextDryRun = Effect.fnUntraced(function* (members: ReadonlyArray<Site.Member>, cells: ReadonlyArray<Left>) {
  const done = members.filter((_, index) => cells[index]?.done === true)
  if (done.length === 0) return cells
  const found = ManagedCampus.devicesOf(yield* dryRun(done))
  const rows = yield* (yield* DeviceStore).byHostnames(namesOf(done))
  return cells.map((cell, index): Left => {
    const hostname = members[index]?.hostname ?? ""
    const result = found[hostname]
    if (!cell.done) return cell
    const isStill = rows.find((row) => row.hostname === hostname)?.synchronized ?? false
    return { ...cell, synchronized: cell.synchronized && isStill, again: `${textsOf(result)}${diffOf(result)}` }
  })
})

const live = (members: ReadonlyArray<Site.Member>, confirm_mode_override: number) =>
  run("sync_devices", { hostnames: namesOf(members), dry_run: false, urgent: true, confirm_mode_override })

/** In modes 0 and 1 each device is for itself. */
const inOneJob = Effect.fnUntraced(function* (operation: Site.Mode, mode: 0 | 1, members: ReadonlyArray<Site.Member>) {
  const before = lookAt(members)
  const job = yield* live(members, mode)
  return { job, cells: yield* withNextDryRun(members, yield* cellsOf(operation, members, [job], before)) }
})

/** In mode 2 one failure takes all back: the usual ones are changed together, each of the others alone. */
const inModeTwo = Effect.fnUntraced(function* (members: ReadonlyArray<Site.Member>) {
  const isUsual = ({ personality }: Site.Member) => personalities[personality].usual
  const groups = [members.filter(isUsual), ...members.filter((member) => !isUsual(member)).map((member) => [member])]
  const engine = yield* JobEngine
  const parts = yield* Effect.forEach(
    groups.filter((group) => group.length > 0),
    Effect.fnUntraced(function* (group) {
      const before = lookAt(group)
      const job = yield* live(group, 2)
      const jobs = job.next_job_id === null ? [job] : [job, yield* engine.ended(job.next_job_id)]
      return yield* withNextDryRun(group, yield* cellsOf("mode2", group, jobs, before))
    }),
    { concurrency: "unbounded" }
  )
  return parts.flat()
})

const undo = Effect.fnUntraced(function* (members: ReadonlyArray<Site.Member>, job: Job, first: Looked) {
  const undone = yield* run("revert_job", { job_id: job.id })
  return yield* cellsOf("undo", members, [undone], first)
})

/** Boots, discovers and initialises a blank switch. */
const initialise = Effect.fnUntraced(function* (member: Site.Member) {
  const { discovery, row } = yield* booted(member.device)
  yield* run("discover_device", discovery)
  const before = new Map([[member.hostname, snapshotOf(member.device, member.hostname)]])
  const args = { device_id: row.id, new_hostname: member.hostname }
  const jobs = [yield* run("init_access_device_step1", args)]
  const engine = yield* JobEngine
  for (let next = jobs[0]?.next_job_id ?? null; next !== null; next = jobs.at(-1)?.next_job_id ?? null) {
    jobs.push(yield* engine.ended(next))
  }
  const [cell] = yield* cellsOf("init", [member], jobs, before)
  return cell === undefined ? [] : [cell]
})

const playAll = Effect.fnUntraced(function* (site: Effect.Success<ReturnType<typeof Site.make>>) {
  const sql = yield* SqlClient.SqlClient
  yield* refresh("templates", USER)
  yield* refresh("settings", USER)
  yield* ManagedCampus.seedManaged(site.hostnames)
  yield* sql`update device set synchronized = true where hostname in ('lhv-dist1', 'lhv-dist2')`
  const { mode0, mode1, mode2 } = site.managed
  const first = lookAt([...mode0, ...mode1, ...mode2])
  const shown = yield* dryRun([...mode0, ...mode1, ...mode2])
  const dry = yield* cellsOf("dryRun", mode1, [shown], first)
  const rest = yield* Effect.all(
    [
      Effect.gen(function* () {
        const { cells, job } = yield* inOneJob("mode0", 0, mode0)
        return [...cells, ...(yield* undo(mode0, job, first))]
      }),
      Effect.map(inOneJob("mode1", 1, mode1), ({ cells }) => cells),
      inModeTwo(mode2),
      Effect.map(Effect.forEach(site.blank, initialise, { concurrency: INITS_AT_ONCE }), (cells) => cells.flat())
    ],
    { concurrency: "unbounded" }
  )
  return [...dry, ...rest.flat()]
})

/** Plays every operation on switches of these personalities, the first of which is `plain`. */
export const play = Effect.fnUntraced(function* (names: ReadonlyArray<PersonalityName>) {
  const site = yield* Site.make(names)
  const env = {
    ...Campus.environment(site.lab, site.folders, site.folders.folder),
    COMMIT_CONFIRMED_TIMEOUT: timer(TIMER_SECONDS),
    JOB_CONCURRENCY: "20"
  }
  const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)), Layer.provideMerge(TestDatabase))
  return yield* Effect.provide(playAll(site), server)
}, Effect.scoped)
