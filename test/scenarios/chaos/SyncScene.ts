/**
 * A campus that is synchronized by a server in a process of its own, which can be killed at any instant. One `run` wants a
 * change on every switch, starts the sync, kills the server, starts another one and, when the job has ended, compares the
 * record with what the switches run (promises 2 to 5).
 */
import { Effect, Layer, Redacted } from "effect"
import * as Database from "../../../src/store/Database.ts"
import * as Campus from "../../support/Campus.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { type Activity, activityOf, judge, type Mark, markOf, rowProblems, wantedBy } from "./SyncVerdict.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { storesOn } from "../../support/TestStores.ts"

const DEVICES = 10
const COMMIT_MS = 60
const HISTORY = 100_000
/** A job that has not ended by then is lost. */
const PATIENCE = seconds(120)

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

const dueAt = (kill: Kill, marks: ReadonlyArray<Mark>) => {
  if ("reached" in kill) return () => marks.some((mark) => kill.reached(activityOf(mark)))
  const at = Date.now() + kill.afterMs
  return () => Date.now() >= at
}

/** The campus with its first server, all switches synchronized. `mode` is how changes are confirmed. */
export const make = Effect.fnUntraced(function* (mode: 0 | 1 | 2) {
  const names = ManagedCampus.accessNames(DEVICES)
  const folders = yield* Campus.makeFolders
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
