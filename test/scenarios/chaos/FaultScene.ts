/**
 * One live sync of a campus with a different fault on every switch. In every case a switch ends on the old or the new configuration, its
 * record names which, and nothing of ours remains (promises 2, 3, 5 and 7).
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { DeviceResult, Job } from "../../../src/domain/Job.ts"
import type { DriverTimeouts } from "../../../src/drivers/Driver.ts"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import type { FaultCase } from "./FaultEndings.ts"
import { begin } from "./FaultMoments.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { givenUpAfter } from "../../support/Silence.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

/** Switches that are worked on at once: the test's own processor time must not look like a silent switch. */
const CONCURRENCY = "48"

/** Short, so that the table ends in time. */
const SILENCE = { connect: 6, firstPrompt: 6, show: 6, runningConfig: 6, load: 6, commit: 5, save: 5 }

/** The switches of one platform, and what a campus of them needs. */
export interface FaultSite {
  /** Deadlines of its driver, which the test shortens. */
  readonly timeouts: DriverTimeouts
  readonly rows?: ManagedCampus.ManagedRows
  /** The switch of the lab with this number. */
  readonly node: (name: string, index: number) => Partial<Node>
  /** Files of the repositories that differ. */
  readonly settings?: Readonly<Record<string, string>>
  readonly templates?: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string>>
  /** Sessions and timers on a switch that are ours. */
  readonly debrisOn: (device: LabSwitch) => ReadonlyArray<string>
}

/** Switches with EOS, whose commit timer runs so many seconds. */
export const eosSite = (timerSeconds: number): FaultSite => ({
  timeouts: dialect.timeouts,
  node: () => ({}),
  environment: { COMMIT_CONFIRMED_TIMEOUT: timer(timerSeconds) },
  debrisOn: ManagedCampus.debrisOn
})

/** The remains of one case after the job. */
interface Left {
  readonly before: string
  readonly running: string
  readonly startup: string
  readonly debris: ReadonlyArray<string>
  readonly timedCommits: number
  readonly synchronized: boolean
  readonly events: ReadonlyArray<string>
  readonly result: DeviceResult | undefined
}

interface Story {
  readonly dryRunTraces: ReadonlyArray<string>
  readonly job: Job
  readonly locks: number
  /** Changes that are not at their end. */
  readonly open: number
  readonly log: string
  readonly wanted: string
  readonly left: ReadonlyArray<Left>
}

/** Waits until all of them were found to run something else. */
const untilUnsynchronized = (names: ReadonlyArray<string>) =>
  DeviceStore.pipe(
    Effect.flatMap((store) => store.byHostnames(names)),
    Effect.repeat({
      until: (rows) => rows.every(({ synchronized }) => !synchronized),
      schedule: Schedule.spaced("200 millis")
    })
  )

const play = Effect.fnUntraced(function* (faultCases: ReadonlyArray<FaultCase>, site: FaultSite) {
  const names = ManagedCampus.accessNames(faultCases.length)
  const folders = yield* Campus.makeFolders
  if (site.templates !== undefined) yield* folders.templates.commit(site.templates)
  if (site.settings !== undefined) yield* folders.settings.commit(site.settings)
  const peculiar = names.map((name, index) => ({ ...site.node(name, index), ...faultCases[index]?.node }))
  const lab = yield* ManagedCampus.makeManagedLab(names, 0, 200, peculiar)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    ...site.environment,
    SYNC_CONCURRENCY: CONCURRENCY
  }
  const server = Engine.layer.pipe(
    Layer.provideMerge(ServerConfig.layerOf(env)),
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(logger)
  )
  return yield* Effect.gen(function* () {
    const engine = yield* JobEngine
    const sql = yield* SqlClient.SqlClient
    yield* refresh("templates", "tester")
    yield* refresh("settings", "tester")
    yield* ManagedCampus.seedManaged(names, site.rows)
    const sync = (dry_run: boolean) =>
      Effect.flatMap(engine.start(SyncDevices, { hostnames: names, dry_run }, { user: "tester" }), engine.ended)
    const before = switches.map((device) => device.running())
    yield* sync(true)
    const dryRunTraces = switches.flatMap((device, index) => [
      ...site.debrisOn(device),
      ...(device.running() === before[index] ? [] : [`${device.name} runs something else`])
    ])
    yield* sql`update device set synchronized = true`
    yield* sql`delete from sync_event`
    for (const [index, fault] of faultCases.entries()) {
      const device = switches[index]
      if (device !== undefined) begin(device, fault)
    }
    const job = yield* sync(false)
    const seen = switches.flatMap(({ name }, index) => (faultCases[index]?.ending.later === true ? [name] : []))
    if (seen.length > 0) yield* untilUnsynchronized(seen)
    const locks = (yield* (yield* JobScheduleStore).locks.all).length
    const rows = yield* (yield* DeviceStore).byHostnames(names)
    const open = yield* sql<{ phase: string }>`select phase from config_change
      where phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')`
    const events = yield* sql<{ hostname: string; cause: string }>`select hostname, cause from sync_event order by id`
    const devices = ManagedCampus.devicesOf(job)
    const left = switches.map((device, index): Left => {
      const plain = (text: string | undefined) =>
        ManagedCampus.comparable(text, device.name, ManagedCampus.addressOf(index))
      return {
        before: plain(before[index]),
        running: plain(device.running()),
        startup: plain(device.startup()),
        debris: site.debrisOn(device),
        timedCommits: device.commits().filter(({ kind }) => kind === "commitTimer").length,
        synchronized: rows.find(({ hostname }) => hostname === device.name)?.synchronized ?? false,
        events: events.filter(({ hostname }) => hostname === device.name).map(({ cause }) => cause),
        result: devices[device.name]
      }
    })
    return { dryRunTraces, job, locks, open: open.length, log: lines.join("\n"), wanted: left[0]?.running ?? "", left }
  }).pipe(Effect.provide(server))
}, Effect.scoped)

const textsOf = (result: DeviceResult | undefined): ReadonlyArray<string> =>
  (result?.job_tasks ?? []).filter(({ failed }) => failed).map((task) => String(task.result))

/** Plays the cases, each on a switch of its own; the first has no fault, and the others are compared with it. */
export const describeSync = (title: string, faultCases: ReadonlyArray<FaultCase>, site: FaultSite): void => {
  describe(title, () => {
    const names = ManagedCampus.accessNames(faultCases.length)
    let story: Story

    givenUpAfter(SILENCE, site.timeouts)
    beforeAll(async () => {
      story = await Effect.runPromise(play(faultCases, site))
    }, seconds(600))

    it("ends FINISHED with every device in its record, and leaves no lock, and no open change except of lost switches", () => {
      assert.deepInclude(story.job, { status: "FINISHED", exception: null, change_score: 100 })
      assert.sameMembers(Object.keys(ManagedCampus.devicesOf(story.job)), [...names])
      assert.strictEqual(story.locks, 0)
      // a lost switch may be recorded after the job, which waits only until the timers have certainly ended
      assert.isAtMost(story.open, faultCases.filter(({ ending }) => ending.untold === true && !ending.done).length)
    })

    it("leaves no trace of the earlier dry run", () => {
      assert.deepStrictEqual(story.dryRunTraces, [])
    })

    it("writes no password into the log or the record", () => {
      assert.notInclude(story.log, Campus.PASSWORD)
      assert.notInclude(JSON.stringify(story.job), Campus.PASSWORD)
    })

    for (const [index, { ending, fault, place }] of faultCases.entries()) {
      it(`${ending.done ? "proves the change on" : "does not report as done"} a switch with: ${fault}, ${place}`, () => {
        const left = story.left[index]
        assert.isDefined(left)
        const which = (text: string) => (text === left.before ? "old" : text === story.wanted ? "new" : "other")
        const texts = textsOf(left.result)
        assert.strictEqual(left.result?.failed, !ending.done, JSON.stringify(texts))
        assert.strictEqual(which(left.running), ending.runs, `running; the record says ${texts.join(" / ")}`)
        assert.strictEqual(which(left.startup), ending.saved, "startup")
        assert.isAtMost(left.debris.length, ending.mayLeave === true ? 1 : 0, left.debris.join(", "))
        for (const text of texts) {
          assert.match(text, /(?:^|\n)(?:[A-Z]\w+|Subtask): [^\n]+\n$/)
          assert.notMatch(text, /\n\s+at .+:\d+/)
          for (const secret of ["lhv-read", Campus.HASH, "0832494D1B1C11"]) assert.notInclude(text, secret)
        }
        let from = 0
        for (const part of ending.says) {
          const at = texts.join("").indexOf(part, from)
          assert.isAtLeast(at, from, `"${part}" in ${texts.join("")}`)
          from = at + part.length
        }
        assert.deepStrictEqual(left.events, ending.event === undefined ? [] : [ending.event])
        assert.strictEqual(left.synchronized, ending.event === undefined)
      })
    }
  })
}
