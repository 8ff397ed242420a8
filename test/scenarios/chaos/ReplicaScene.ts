/**
 * A campus that is synchronized by three replicas over one database. One round starts a live sync at one of them and kills
 * or pauses a replica meanwhile, that one or another; the others have to bring the job to a truthful end, and one that was
 * paused for longer than it may be silent must not send anything more (promises 1 to 5).
 */
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as Database from "../../../src/store/Database.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { untilNothingIsLeft } from "./JobEndings.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { judge, markOf, rowProblems, wantedBy } from "./SyncVerdict.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { storesOn } from "../../support/TestStores.ts"

const REPLICAS = 3
const DEVICES = 6
const COMMIT_MS = 60
const HISTORY = 100_000
/** A job that has not ended by then is lost. */
const PATIENCE = seconds(120)

export interface ReplicaRound {
  readonly mode: 0 | 1 | 2
  /** The replica that starts the job, and the one that is struck. */
  readonly starts: number
  readonly struck: number
  /** Milliseconds from the start of the job. */
  readonly afterMs: number
  /** `kill`: for good, and another one is started in its place; otherwise milliseconds for which it stands still. */
  readonly how: "kill" | number
}

export interface ReplicaOutcome {
  readonly name: string
  readonly violations: ReadonlyArray<string>
  readonly failed: number
  readonly recoveryMs: number
}

/** The campus with its replicas, all switches synchronized. */
export const make = Effect.gen(function* () {
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
