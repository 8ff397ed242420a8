/** The story of a world: everything is brought in order, then struck while it works, and read at the end. */
import { Console, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { seconds } from "../../support/Patience.ts"
import { calmly, openJobs, untilAllEnded } from "./JobEndings.ts"
import type { World } from "./World.ts"
import type { WorldFault } from "./WorldFaults.ts"
import * as WorldInits from "./WorldInits.ts"
import * as WorldLoad from "./WorldLoad.ts"
import * as WorldVerdict from "./WorldVerdict.ts"

/** Whatever was begun ends within this time after the last fault: work that was cut off waits for the timers of its switches, twice at most. */
const patienceOf = ({ site }: World): number => seconds(160 + 2 * site.timerSeconds)
/** A fault finds everything at work again. */
const BETWEEN_MS = 1_500

export interface Plan {
  readonly faults: ReadonlyArray<WorldFault>
  /** Milliseconds from one to the next; one after the other when absent. */
  readonly everyMs?: number
}

/** One live sync of everything, none of which may fail. */
const syncAll = Effect.fnUntraced(function* (world: World, comment: string) {
  const body = { all: true, resync: true, force: true, dry_run: false, comment }
  const ids = yield* WorldLoad.ended(yield* WorldLoad.wished(world, "/device_syncto", body))
  return yield* WorldVerdict.ofPlainSync(ids)
})

const inOrder = Effect.fnUntraced(function* (world: World) {
  const sql = yield* SqlClient.SqlClient
  const refresh = (name: string) =>
    world.ask({ method: "PUT", path: `/repository/${name}`, body: { action: "REFRESH" }, wrong: WorldLoad.isOk })
  yield* Effect.ignore(refresh("templates"))
  yield* Effect.ignore(refresh("settings"))
  yield* calmly(sql`update device set synchronized = true where hostname in ('lhv-dist1', 'lhv-dist2')`)
  return yield* syncAll(world, "in order")
})

const strike = Effect.fnUntraced(function* (world: World, { aim, lastsMs, name }: WorldFault) {
  const { at, mend, strike: harm } = aim(world)
  yield* Console.log(`${new Date().toISOString()} ${name}: ${at}`)
  yield* harm
  yield* Effect.sleep(lastsMs)
  yield* mend
})

const strikeAll = Effect.fnUntraced(function* (world: World, { everyMs, faults }: Plan) {
  for (const fault of faults) {
    const since = Date.now()
    yield* strike(world, fault)
    yield* Effect.sleep(Math.max(BETWEEN_MS, since + (everyMs ?? 0) - Date.now()))
  }
})

const lost = Effect.map(openJobs, (jobs) =>
  jobs.map(({ function_name, id, status }) => `lost job ${id} (${function_name}): ${status}`)
)

/**
 * Everything at once while it is struck, until what was begun has ended, and a sync of all once more; yields what was broken, and
 * milliseconds from the last fault to the end of the work.
 */
const work = Effect.fnUntraced(function* (world: World, plan: Plan, load: WorldLoad.Load) {
  const newcomers = yield* WorldInits.boot(world.site.newcomers)
  const initialising = Effect.map(WorldInits.initialise(world, newcomers), (left) => void load.violations.push(...left))
  const working = yield* Effect.forkChild(WorldLoad.run(world, load, initialising))
  yield* Effect.sleep(BETWEEN_MS)
  yield* Effect.raceFirst(strikeAll(world, plan), Effect.andThen(Fiber.join(working), Effect.never))
  load.isOver = true
  const since = Date.now()
  const isOver = yield* Effect.timeoutOption(Effect.andThen(Fiber.join(working), untilAllEnded), patienceOf(world))
  const unended = isOver._tag === "Some" ? [] : ["the work has not ended", ...(yield* lost)]
  const settledMs = Date.now() - since
  const atLast = isOver._tag === "Some" ? yield* syncAll(world, "at last") : []
  return { settledMs, violations: [...load.violations, ...unended, ...atLast] }
})

/** Plays it; yields what was broken and what was counted. Nothing is struck that was not in order before. */
export const play = Effect.fnUntraced(function* (world: World, plan: Plan) {
  const load: WorldLoad.Load = { isOver: false, violations: [], changed: 0, failed: 0 }
  const atFirst = yield* inOrder(world)
  const { settledMs, violations: atWork } =
    atFirst.length > 0 ? { settledMs: 0, violations: atFirst } : yield* work(world, plan, load)
  const { jobs, violations } = yield* WorldVerdict.atTheEnd(world)
  const { asked, longestMs, retries, slow, wrong } = world.account
  return {
    violations: [...atWork, ...violations, ...wrong],
    counts: {
      faults: WorldVerdict.counted(plan.faults.map(({ name }) => name)),
      jobs: WorldVerdict.counted(jobs.map((job) => `${job.function_name} ${job.status}`)),
      changed: load.changed,
      failed: load.failed,
      settledMs,
      asked,
      retries: Object.fromEntries(retries),
      longestMs: Object.fromEntries(longestMs),
      slow
    }
  }
})
