/**
 * Any two personalities and any one fault together: in every case the record is true and nothing of ours remains on the switch.
 * `CHAOS_RUNS=400` makes a campaign of it, `CHAOS_SEED` repeats one (`npm run chaos -- personalities`).
 */
import { assert, it } from "@effect/vitest"
import { Arbitrary, Console, Effect, Layer, Schema } from "effect"
import { seconds, timer } from "../../support/Patience.ts"
import { givenUpAfter } from "../../support/Silence.ts"
import { faultCases } from "../chaos/FaultTable.ts"
import { personalityNames } from "./PersonalityTable.ts"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { personalities, type PersonalityName, type Quirks } from "../../../src/lab/eos/Quirks.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import type { FaultCase } from "../chaos/FaultEndings.ts"
import { begin } from "../chaos/FaultMoments.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { textsOf } from "./PersonalityScene.ts"
import { SETTINGS, startsToRefuse, VERSION } from "./PersonalitySite.ts"
import { type Snapshot, snapshotOf, untruths } from "./Truth.ts"

// Live syncs of switches with two personalities and one fault each. Returns the number of successes, and untrue records and remains.

/** One switch: what it is, what happens to it, and how the change is confirmed. */
interface Trial {
  readonly first: PersonalityName
  readonly second: PersonalityName
  readonly fault: FaultCase
  readonly mode: 0 | 1
}

/** Short: a timer that runs out makes the change fail, which is no untruth. */
const TIMER_SECONDS = 5
const USER = "tester"

/** The combination of two personalities; in a contradiction the second wins. */
const merged = (one: Quirks, other: Quirks): Quirks => ({
  ...one,
  ...other,
  denied: [...(one.denied ?? []), ...(other.denied ?? [])],
  normalises: [...(one.normalises ?? []), ...(other.normalises ?? [])],
  foreignSessions: [...(one.foreignSessions ?? []), ...(other.foreignSessions ?? [])],
  absentKeys: [...(one.absentKeys ?? []), ...(other.absentKeys ?? [])]
})

const quirksOf = ({ first, second }: Trial): Quirks => merged(personalities[first].quirks, personalities[second].quirks)

const nodeOf = (trial: Trial, hostname: string, index: number): Node => ({
  ...ManagedCampus.managedNode(hostname, index),
  version: personalities[trial.second].version ?? personalities[trial.first].version ?? VERSION,
  quirks: quirksOf(trial)
})

const wordsOf = ({ fault, first, mode, second }: Trial): string =>
  `${first} + ${second}, mode ${mode}, ${fault.fault} ${fault.place}`

/** Sessions and timers that are left although they could be removed. */
const leftBehind = ({ ending }: FaultCase, device: LabSwitch, { debris }: Snapshot): ReadonlyArray<string> => {
  const timers = debris.filter((text) => text.startsWith("timer"))
  const others = debris.length - timers.length
  const may = ending.untold === true ? others : ending.mayLeave === true ? 1 : 0
  return [...timers, ...(others > may ? [`${device.name} keeps ${debris.join(", ")}`] : [])]
}

/**
 * The configuration of a plain switch after a change. On a busy machine its timer may have expired in parallel with others: then it is
 * asked alone.
 */
const runningOnceDone = Effect.fnUntraced(function* (plain: LabSwitch | undefined) {
  const engine = yield* JobEngine
  if (plain === undefined) return ""
  const change = engine
    .start(SyncDevices, { hostnames: [plain.name], dry_run: false, urgent: true, force: true }, { user: USER })
    .pipe(Effect.flatMap(engine.ended))
  yield* Effect.repeat(change, { until: (job) => ManagedCampus.devicesOf(job)[plain.name]?.failed === false })
  return snapshotOf(plain, plain.name).running
})

const playAll = Effect.fnUntraced(function* (
  trials: ReadonlyArray<Trial>,
  names: ReadonlyArray<string>,
  switches: ReadonlyArray<LabSwitch>
) {
  const engine = yield* JobEngine
  yield* refresh("templates", USER)
  yield* refresh("settings", USER)
  yield* ManagedCampus.seedManaged(names)
  const before = switches.map((device) => snapshotOf(device, device.name))
  for (const [index, trial] of trials.entries()) {
    const device = switches[index]
    if (device === undefined) continue
    startsToRefuse(device, quirksOf(trial))
    begin(device, trial.fault)
  }
  const live = (mode: 0 | 1) => {
    const hostnames = names.filter((_, index) => trials[index]?.mode === mode)
    const args = { hostnames, dry_run: false, urgent: true, confirm_mode_override: mode }
    return Effect.flatMap(engine.start(SyncDevices, args, { user: USER }), engine.ended)
  }
  const jobs = yield* Effect.all([live(0), live(1)], { concurrency: "unbounded" })
  const rows = yield* (yield* DeviceStore).byHostnames(names)
  const after = switches.map((device) => snapshotOf(device, device.name))
  const wanted = yield* runningOnceDone(switches[0])
  const judged = trials.flatMap((trial, index) => {
    const device = switches[index]
    const old = before[index]
    const now = after[index]
    if (device === undefined || old === undefined || now === undefined) return []
    const result = jobs.map((job) => ManagedCampus.devicesOf(job)[device.name]).find((found) => found !== undefined)
    const row = rows.find(({ hostname }) => hostname === device.name)
    const left = {
      operation: trial.mode === 0 ? "mode0" : "mode1",
      done: result?.failed === false,
      says: textsOf(result),
      before: old,
      after: now,
      state: row?.state ?? "",
      synchronized: row?.synchronized ?? false
    } as const
    const problems = [
      ...(result === undefined ? ["is not in the record"] : []),
      ...untruths(left, wanted),
      ...leftBehind(trial.fault, device, left.after)
    ]
    const said = problems.map((problem) => `${wordsOf(trial)}: ${problem} (${left.says})`)
    return [{ done: left.done, problems: said }]
  })
  return {
    done: judged.filter(({ done }) => done).length,
    problems: judged.flatMap(({ problems }) => problems)
  }
})

/** Plays the trials at once, each on a switch of its own; the first is a plain switch without a fault, to compare with. */
const play = Effect.fnUntraced(function* (trials: ReadonlyArray<Trial>) {
  const names = ManagedCampus.accessNames(trials.length)
  const folders = yield* Campus.makeFolders
  yield* folders.settings.commit(SETTINGS)
  const nodes = trials.flatMap((trial, index) => {
    const name = names[index]
    return name === undefined ? [] : [[name, nodeOf(trial, name, index)] as const]
  })
  const lab = yield* Campus.makeSite(Object.fromEntries(nodes), [])
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_TIMEOUT: timer(TIMER_SECONDS)
  }
  const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)), Layer.provideMerge(TestDatabase))
  return yield* Effect.provide(playAll(trials, names, switches), server)
}, Effect.scoped)

const LONG_RUNS = process.env["CHAOS_RUNS"]
const RUNS = Number(LONG_RUNS ?? "40")
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
/** Switches of one lab: each has a fault of its own, so that they end at about the same time. */
const AT_ONCE = 40

givenUpAfter({ connect: 6, firstPrompt: 6, show: 6, runningConfig: 6, load: 6, commit: 5, save: 5 })

const [none] = faultCases
/** A change on an unreachable switch ends with its timer and 45 seconds: only a campaign has the time. */
const usable = faultCases.filter(({ ending }) => LONG_RUNS !== undefined || ending.untold !== true)

const Any = Schema.Struct({
  first: Schema.Literals(personalityNames),
  second: Schema.Literals(personalityNames),
  fault: Schema.Literals(usable.map((_, index) => index)),
  mode: Schema.Literals([0, 1])
})

/** The trials that follow from the seed, in portions for one lab each. */
const portions = Effect.gen(function* () {
  const samples = yield* Arbitrary.sampleEffect(Arbitrary.schema(Any), { count: RUNS, seed: SEED })
  const trials = samples.flatMap(({ fault, ...trial }): ReadonlyArray<Trial> => {
    const found = usable[fault]
    return found === undefined ? [] : [{ ...trial, fault: found }]
  })
  return Array.from({ length: Math.ceil(trials.length / AT_ONCE) }, (_, index) =>
    trials.slice(index * AT_ONCE, (index + 1) * AT_ONCE)
  )
})

it.live(
  `any two personalities and any one fault leave a true record (${RUNS} trials, seed ${SEED})`,
  () =>
    Effect.gen(function* () {
      assert.isDefined(none)
      const plain: Trial = { first: "plain", second: "plain", fault: none, mode: 1 }
      const played = []
      for (const portion of yield* portions) played.push(yield* play([plain, ...portion]))
      const problems = played.flatMap((one) => one.problems)
      const done = played.reduce((sum, one) => sum + one.done, 0)
      if (LONG_RUNS !== undefined) yield* Console.log({ trials: RUNS, seed: SEED, done, untrue: problems.length })
      assert.deepStrictEqual(problems, [])
      // a plain switch is among each portion
      assert.isAbove(done, played.length, "no trial went well: the records say nothing that could be untrue")
    }),
  seconds(600) + RUNS * seconds(3)
)
