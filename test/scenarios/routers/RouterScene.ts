/**
 * One real router that a server of this process changes, with a fault that strikes it when it has reached a step. What came of
 * it is read from the job's record and from the router itself.
 */
import { Effect, Fiber, Layer, References, Schema } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { DeviceResult } from "../../../src/domain/Job.ts"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { addressOf, LOGIN, single } from "../../../src/fabric/FabricPlan.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { candidate, name } from "../../drivers/frr/OneRouter.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** How far the change is on the router, in order. */
export type Moment = "start" | "loading" | "loaded" | "armed" | "applied" | "proving" | "confirmed"

/** What holds on the router from then on, as a test of the shell. */
const reached: Readonly<Record<Moment, string>> = {
  start: "true",
  loading: "ls -d candidates/.job*",
  loaded: "ls -d candidates/job*",
  armed: "test -e pending/pid",
  applied: "test -e pending/applied",
  proving: "ls -d candidates/.job*-check* candidates/job*-check",
  confirmed: "grep confirmed last"
}

/** Waits on the router, so that the fault strikes within hundredths of a second. */
const whenReached = (moment: Moment): string =>
  `until cd /etc/frr/switchyard 2>/dev/null && ${reached[moment]} >/dev/null 2>&1; do sleep 0.01; done`

/** A fault: lines of shell on the router, or something that is done to it from outside. */
export type Strike = string | ((fabric: Fabric.Fabric) => Effect.Effect<unknown, Fabric.FabricError>)

/** What the router runs, what it would start with, and what the job says. */
export interface Outcome {
  readonly runs: "new" | "old" | "neither"
  readonly startsWith: "new" | "old" | "neither"
  readonly says: "done" | "new" | "old" | "unclear"
  readonly failure: string
  /** Candidates, timers and fills that are left on the router. */
  readonly left: string
}

const list = "ip prefix-list OFFICES seq 5 permit 10.0.0.0/8"

/** The change that every row pushes. */
export const wanted = candidate(list, "!")

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

const saysOf = (failure: string): Outcome["says"] =>
  failure === ""
    ? "done"
    : failure.includes("runs the new")
      ? "new"
      : failure.includes("not certain")
        ? "unclear"
        : "old"

const textOf = (result: unknown): string => {
  const { devices } = Schema.decodeUnknownSync(Result)(result)
  return (devices[name]?.job_tasks ?? [])
    .filter(({ failed }) => failed)
    .map(({ result: said }) => String(said))
    .join("")
}

/** A configuration without what FRR adds by itself. */
const essence = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^(?:frr version .*|!|end|)$/.test(line))
    .join("\n")

const isOf = (text: string, old: string): Outcome["runs"] => {
  const known = essence(old)
  const seen = essence(text)
  return seen === known ? "old" : seen.replace(`\n${list}`, "") === known ? "new" : "neither"
}

const environment = (
  folders: Parameters<typeof Campus.environment>[1] & { readonly folder: string },
  port: number
) => ({
  ...Campus.environment({ port }, folders, folders.folder),
  USERNAME_MANAGED: LOGIN.username,
  PASSWORD_MANAGED: LOGIN.password,
  ALLOW_APPLY_CONFIG_LIVERUN: "true",
  SSH_ADDRESS_MAP: "10.99.0.0/16=127.99.0.0/16",
  SSH_REFUSED_DELAY: "1",
  COMMIT_CONFIRMED_TIMEOUT: timer(20)
})

const seedRouter = Effect.flatMap(DeviceStore, (store) =>
  store.insert({
    hostname: name,
    state: "MANAGED",
    device_type: "CORE",
    platform: "frr",
    management_ip: addressOf(name),
    synchronized: true
  })
)

const push = Effect.fnUntraced(function* (config: string) {
  const engine = yield* JobEngine
  const args = { hostname: name, config, dry_run: false }
  return yield* engine.ended(yield* engine.start(jobNamed("apply_config"), args, { user: "tester" }))
})

/** Waits until the router answers and nothing of ours waits on it any more. */
const atRest = (fabric: Fabric.Fabric): Effect.Effect<void> =>
  fabric
    .run(
      name,
      "vtysh -c 'show version' >/dev/null && ! ls -d /etc/frr/switchyard/pending /etc/frr/switchyard/reverting"
    )
    .pipe(
      Effect.timeout(seconds(5)),
      Effect.catch(() => Effect.andThen(Effect.sleep("300 millis"), atRest(fabric)))
    )

const strikes = (fabric: Fabric.Fabric, moment: Moment, strike: Strike) =>
  typeof strike === "string"
    ? fabric.run(name, `${whenReached(moment)}\n${strike}`)
    : Effect.andThen(fabric.run(name, whenReached(moment)), strike(fabric))

/** Plays one fault. `config` is another candidate than the usual. */
export const play = (moment: Moment, strike: Strike, config: string = wanted) =>
  Effect.gen(function* () {
    const fabric = yield* Fabric.make(single)
    const port = yield* freePort
    yield* fabric.reach(addressOf(name), 22, { address: addressOf(name).replace(/^10/, "127"), port })
    const folders = yield* Campus.makeFolders
    const env = environment(folders, port)
    const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)))
    const before = yield* fabric.run(
      name,
      "vtysh -c 'show running-config no-header' 2>/dev/null; cat /etc/frr/frr.conf"
    )
    const old = before.split("\nend\n")[0] ?? ""
    const job = yield* Effect.gen(function* () {
      yield* seedRouter
      const striking = yield* Effect.forkChild(strikes(fabric, moment, strike))
      const ended = yield* push(config)
      yield* Effect.ignore(Fiber.interrupt(striking))
      return ended
    }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
    yield* atRest(fabric)
    const failure = textOf(job.result)
    return {
      runs: isOf(yield* fabric.run(name, "vtysh -c 'show running-config no-header' 2>/dev/null"), old),
      startsWith: isOf(yield* fabric.run(name, "cat /etc/frr/frr.conf"), old),
      says: saysOf(failure),
      failure,
      left: (yield* fabric.run(
        name,
        "cd /etc/frr/switchyard && ls candidates; ls -d pending* reverting confirmed.* now.* 2>/dev/null || true"
      )).trim()
    } satisfies Outcome
  }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
