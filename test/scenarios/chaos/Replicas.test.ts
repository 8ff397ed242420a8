/**
 * Replicas that are killed or stand still during a live sync (promises 1 to 5): the others end the job truthfully, and who
 * comes back sends nothing. `CHAOS_RUNS=100` makes a campaign of it, `CHAOS_SEED` repeats one.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Fiber, Layer, Redacted } from "effect"
import { randomOf } from "../../support/Random.ts"
import { seconds, timer } from "../../support/Patience.ts"
import * as Database from "../../../src/store/Database.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { untilNothingIsLeft } from "./JobEndings.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { judge, markOf, rowProblems, wantedBy } from "./SyncVerdict.ts"
import { storesOn } from "../../support/TestStores.ts"

// A campus that is synchronized by three replicas over one database. One round starts a live sync at one of them and kills
// or pauses a replica meanwhile, that one or another; the others have to bring the job to a truthful end, and one that was
// paused for longer than it may be silent must not send anything more (promises 1 to 5).

const REPLICAS = 3
const DEVICES = 6
const COMMIT_MS = 60
const HISTORY = 100_000
/** A job that has not ended by then is lost. */
const PATIENCE = seconds(120)

interface ReplicaRound {
  readonly mode: 0 | 1 | 2
  /** The replica that starts the job, and the one that is struck. */
  readonly starts: number
  readonly struck: number
  /** Milliseconds from the start of the job. */
  readonly afterMs: number
  /** `kill`: for good, and another one is started in its place; otherwise milliseconds for which it stands still. */
  readonly how: "kill" | number
}

interface ReplicaOutcome {
  readonly name: string
  readonly violations: ReadonlyArray<string>
  readonly failed: number
  readonly recoveryMs: number
}

/** The campus with its replicas, all switches synchronized. */
const make = Effect.gen(function* () {
  const names = ManagedCampus.accessNames(DEVICES)
  const folders = yield* Effect.forEach(Array.from({ length: REPLICAS }), () => Campus.makeFolders)
  const [first] = folders
  if (first === undefined) return yield* Effect.die(new Error("There is no replica"))
  const lab = yield* ManagedCampus.makeManagedLab(names, COMMIT_MS, HISTORY)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const url = yield* databaseUrl
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url))))

  const launch = Effect.fnUntraced(function* (folder: string) {
    return yield* ServerProcess.launch({
      ...Campus.environment(lab, first, folder),
      COMMIT_CONFIRMED_TIMEOUT: timer(40),
      LOG_LEVEL: "Info",
      DATABASE_URL: url,
      SECRET_KEY: SHARED_KEY,
      CLUSTER_HOST: "127.0.0.1",
      CLUSTER_PORT: String(yield* freePort)
    })
  })
  const servers = yield* Effect.forEach(folders, ({ folder }) => launch(folder))
  const at = (index: number): ServerProcess.ServerProcess => {
    const server = servers[index]
    if (server === undefined) throw new Error(`There is no replica ${index}`)
    return server
  }
  yield* at(0).refresh("templates")
  yield* at(0).refresh("settings")
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(names), stores)
  const args = { hostnames: names, dry_run: false }
  yield* Effect.provide(Effect.flatMap(at(0).start("sync_devices", args), ServerProcess.untilEnded), stores)
  let count = 0

  const strike = Effect.fnUntraced(function* ({ how, struck }: ReplicaRound) {
    if (how === "kill") {
      at(struck).killNow()
      yield* at(struck).ended
      servers[struck] = yield* launch(folders[struck]?.folder ?? "")
      return
    }
    yield* at(struck).signal("SIGSTOP")
    yield* Effect.sleep(how).pipe(Effect.ensuring(at(struck).signal("SIGCONT")))
  })

  const run = Effect.fnUntraced(function* (round: ReplicaRound) {
    count += 1
    const { afterMs, how, mode, starts, struck } = round
    const description = `round ${count}`
    const what = how === "kill" ? "killed" : `paused for ${how} ms`
    const name = `${description}, replica ${struck} ${what} ${afterMs} ms after replica ${starts} began a sync in mode ${mode}`
    yield* ManagedCampus.wantChange(devices, description)
    const marks = switches.map((device) => markOf(device))
    const id = yield* at(starts).start("sync_devices", { ...args, confirm_mode_override: mode })
    yield* Effect.sleep(afterMs)
    const since = Date.now()
    const striking = yield* Effect.forkChild(strike(round))
    const job = yield* Effect.option(Effect.timeout(ServerProcess.untilEnded(id), PATIENCE))
    const recoveryMs = Date.now() - since
    yield* Fiber.join(striking)
    if (job._tag === "None") return { name, violations: ["lost job"], failed: 0, recoveryMs }
    yield* Effect.timeoutOption(untilNothingIsLeft, PATIENCE)
    const results = ManagedCampus.devicesOf(job.value)
    const violations = [
      ...marks.flatMap((mark) =>
        judge(mark, wantedBy(mark, description), [id], results[mark.device.name]).map(
          (text) => `${mark.device.name} ${text}`
        )
      ),
      ...(yield* rowProblems(job.value, marks))
    ]
    const failed = Object.values(results).filter((result) => result.failed).length
    return { name, violations, failed, recoveryMs } satisfies ReplicaOutcome
  })

  return {
    run: (round: ReplicaRound) => Effect.provide(run(round), stores),
    log: () => servers.map((server, index) => `replica ${index}:\n${server.log()}`).join("\n")
  }
})

const LONG_RUNS = process.env["CHAOS_RUNS"]
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
const SYNC_MS = 1_500
/** A replica that stands still for longer than 6 s has lost its part of the work to the others. */
const LONGEST_PAUSE_MS = 20_000

const short: ReadonlyArray<ReplicaRound> = [
  { mode: 1, starts: 0, struck: 0, afterMs: 400, how: "kill" },
  { mode: 2, starts: 1, struck: 2, afterMs: 600, how: 10_000 }
]

const randomRound = (random: () => number): ReplicaRound => {
  const below = (bound: number) => Math.floor(random() * bound)
  const mode = below(3)
  return {
    mode: mode === 0 || mode === 1 ? mode : 2,
    starts: below(3),
    struck: below(3),
    afterMs: below(SYNC_MS),
    how: random() < 0.5 ? "kill" : 500 + below(LONGEST_PAUSE_MS)
  }
}

const summary = (outcomes: ReadonlyArray<ReplicaOutcome>) => {
  const having = (text: string) =>
    outcomes.filter(({ violations }) => violations.some((line) => line.includes(text))).length
  return {
    rounds: outcomes.length,
    lostJobs: having("lost job"),
    doubleCommits: having("double commit"),
    falseStatements: having("the record says") + having("false success"),
    violated: outcomes.filter(({ violations }) => violations.length > 0).length,
    honestFailures: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    longestRecoveryMs: Math.max(...outcomes.map(({ recoveryMs }) => recoveryMs))
  }
}

it.live(
  "brings a sync to a true end although a replica is killed or stands still",
  () =>
    Effect.gen(function* () {
      const scene = yield* make
      const random = randomOf(SEED)
      const rounds =
        LONG_RUNS === undefined ? short : Array.from({ length: Number(LONG_RUNS) }, () => randomRound(random))
      const outcomes: Array<ReplicaOutcome> = []
      for (const round of rounds) {
        const outcome = yield* scene.run(round)
        outcomes.push(outcome)
        if (LONG_RUNS !== undefined) yield* Console.log(JSON.stringify(outcome))
        if (outcome.violations.includes("lost job")) break
      }
      if (LONG_RUNS !== undefined) yield* Console.log(summary(outcomes))
      assert.deepStrictEqual(
        outcomes.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
        [],
        scene.log()
      )
    }).pipe(Effect.scoped),
  seconds(300 + Number(LONG_RUNS ?? short.length) * 300)
)
