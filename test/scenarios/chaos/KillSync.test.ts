/**
 * kill -9 at each step of a live sync of ten switches and at random instants (promises 3, 4 and 5). `CHAOS_RUNS=200` makes a
 * campaign of it, `CHAOS_SEED` repeats one.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer, Redacted } from "effect"
import { randomOf } from "../../support/Random.ts"
import { seconds, timer } from "../../support/Patience.ts"
import * as Database from "../../../src/store/Database.ts"
import * as Campus from "../../support/Campus.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { type Activity, activityOf, judge, type Mark, markOf, rowProblems, wantedBy } from "./SyncVerdict.ts"
import { storesOn } from "../../support/TestStores.ts"

// A campus that is synchronized by a server in a process of its own, which can be killed at any instant. One `run` wants a
// change on every switch, starts the sync, kills the server, starts another one and, when the job has ended, compares the
// record with what the switches run (promises 2 to 5).

const DEVICES = 10
const COMMIT_MS = 60
const HISTORY = 100_000
/** A job that has not ended by then is lost. */
const PATIENCE = seconds(120)

/** When to kill: as soon as a switch has got so far, or so many milliseconds after the start of the job. */
type Kill =
  | { readonly name: string; readonly reached: (activity: Activity) => boolean }
  | { readonly name: string; readonly afterMs: number }

/** The result of one run. `violations` are broken promises; `failed` devices report correctly that they have not changed. */
interface RunOutcome {
  readonly kill: string
  readonly killed: boolean
  readonly violations: ReadonlyArray<string>
  readonly failed: number
  /** From the kill to the end of the job. */
  readonly recoveryMs: number
}

const dueAt = (kill: Kill, marks: ReadonlyArray<Mark>) => {
  if ("reached" in kill) return () => marks.some((mark) => kill.reached(activityOf(mark)))
  const at = Date.now() + kill.afterMs
  return () => Date.now() >= at
}

type Files = Readonly<Record<string, string>>

/** The campus with its first server, all switches synchronized. `mode` is how changes are confirmed; `templates` are further files. */
const make = Effect.fnUntraced(function* (mode: 0 | 1 | 2, templates: Files) {
  const names = ManagedCampus.accessNames(DEVICES)
  const folders = yield* Campus.makeFolders
  if (Object.keys(templates).length > 0) yield* folders.templates.commit(templates)
  const lab = yield* ManagedCampus.makeManagedLab(names, COMMIT_MS, HISTORY)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const url = yield* databaseUrl
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_TIMEOUT: timer(60),
    DATABASE_URL: url
  }
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url)), env))
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
    const marks = switches.map((device) => markOf(device))
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
      ...marks.flatMap((mark) =>
        judge(mark, wantedBy(mark, description), [id], results[mark.device.name]).map(
          (text) => `${mark.device.name} ${text}`
        )
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

const RANDOM_RUNS = Number(process.env["CHAOS_RUNS"] ?? "6")
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261121")
/** A sync of the scene takes about this long, in milliseconds. */
const SYNC_MS = 700
const AGAIN_MS = 800

const command = (name: string, pattern: RegExp): Kill => ({
  name,
  reached: ({ commands }) => commands.some((line) => pattern.test(line))
})
const commit = (name: string, pattern: RegExp): Kill => ({
  name,
  reached: ({ commits }) => commits.some((line) => pattern.test(line))
})

const steps: ReadonlyArray<Kill> = [
  command("when the first switch is logged in to", /^show running-config/),
  command("before the load", /^configure session job\d+$/),
  command("after the load", /^show session-config named job\d+$/),
  command("as the commit is sent", /commit timer/),
  commit("after the commit", /^commitTimer /),
  command("while it is compared", /-check$/),
  commit("before the confirmation", /^abort job\d+-check/),
  commit("after the confirmation", /^confirm /),
  command("before the row is written", /^write memory/)
]

/** Steps of a sync that confirms all switches together. */
const together: ReadonlyArray<Kill> = [
  commit("after the commit", /^commitTimer /),
  commit("when the first waits for the others", /^abort job\d+-check/),
  commit("after the first confirmation", /^confirm /),
  command("while the first is saved", /^write memory/)
]

/** Steps of a sync without commit timers. */
const atOnce: ReadonlyArray<Kill> = [
  command("as the commit is sent", /^configure session job\d+ commit$/),
  commit("after the commit", /^commit /),
  command("while the first is saved", /^write memory/)
]

/** Checks that hold, after a while in which the server can be killed. */
const CHECKS = `checks:
  port-errors:
    for: all
    reads: errors
    must: {grows_at_most: {total: 0}}
    settle: 2 s
    try_again: 5 min
  time:
    for: all
    reads: ntp
    must: no_lost
    settle: 1 s
    try_again: 5 min
    before: refuse
`

const TIME = /^show ntp /

/** Steps of a sync with checks. */
const checked: ReadonlyArray<Kill> = [
  command("while the states before are read", TIME),
  commit("after the commit, before the checks", /^commitTimer /),
  {
    name: "while the first checks are read and others wait",
    reached: ({ commands, commits }) =>
      commits.some((line) => line.startsWith("commitTimer ")) && commands.filter((line) => TIME.test(line)).length > 1
  },
  commit("after the first confirmation", /^confirm /)
]

const summary = (outcomes: ReadonlyArray<RunOutcome>) => {
  const having = (text: string) =>
    outcomes.filter(({ violations }) => violations.some((line) => line.includes(text))).length
  const times = outcomes.filter(({ killed }) => killed).map(({ recoveryMs }) => recoveryMs)
  return {
    runs: outcomes.length,
    killed: times.length,
    lostJobs: having("lost job"),
    doubleCommits: having("double commit"),
    falseSuccesses: having("false success"),
    unknownStates: having("neither"),
    violated: outcomes.filter(({ violations }) => violations.length > 0).length,
    honestFailures: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    longestRecoveryMs: Math.max(0, ...times)
  }
}

const play = (mode: 0 | 1 | 2, kills: ReadonlyArray<Kill>, randomRuns: number, templates: Files = {}) =>
  Effect.gen(function* () {
    const scene = yield* make(mode, templates)
    const random = randomOf(SEED + mode)
    const outcomes: Array<RunOutcome> = []
    for (const step of kills) outcomes.push(yield* scene.run(step))
    for (let index = 0; index < randomRuns; index += 1) {
      const afterMs = Math.round(random() * SYNC_MS * Math.max(1, mode))
      const again = random() < 0.3 ? Math.round(random() * AGAIN_MS) : undefined
      outcomes.push(yield* scene.run({ name: `${afterMs} ms after the start`, afterMs }, again))
    }
    if (process.env["CHAOS_RUNS"] !== undefined) yield* Console.log(summary(outcomes))
    assert.deepStrictEqual(
      outcomes.flatMap(({ kill, violations }) => violations.map((text) => `killed ${kill}: ${text}`)),
      []
    )
    assert.isAtLeast(outcomes.filter(({ killed }) => killed).length, kills.length)
    assert.strictEqual(yield* scene.stop, 0)
  }).pipe(Effect.scoped)

it.live(
  "brings every switch to the old or the new configuration, and names it, wherever the server is killed",
  () => play(1, steps, RANDOM_RUNS),
  seconds(900 + RANDOM_RUNS * 60)
)

it.live(
  "changes without a timer also end on the old or the new configuration",
  () => play(0, atOnce, Math.ceil(RANDOM_RUNS / 4)),
  seconds(900 + RANDOM_RUNS * 60)
)

it.live(
  "confirms all switches or none, and says so, wherever the server is killed",
  () => play(2, together, Math.ceil(RANDOM_RUNS / 2)),
  seconds(900 + RANDOM_RUNS * 60)
)

it.live(
  "counts no check as held that was not seen to hold, wherever the server is killed while checks wait",
  () => play(1, checked, 0, { "checks.yml": CHECKS }),
  seconds(900)
)
