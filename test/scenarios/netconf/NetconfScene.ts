/**
 * One NETCONF server that a server of this process changes with `apply_config`. The result is read from the job's record, from the server
 * over a login of its own, and from its startup configuration.
 */
import { Effect, Layer, References, Schema } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { DeviceResult } from "../../../src/domain/Job.ts"
import type { Driver, DriverSession } from "../../../src/drivers/Driver.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import * as Xml from "../../../src/drivers/netconf/Xml.ts"
import type { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { jobNamed } from "../../support/Jobs.ts"
import * as Netconfd from "../../support/Netconfd.ts"
import { timer } from "../../support/Patience.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import * as NetconfDriver from "./NetconfDriver.ts"
import { asOther, type NetconfFault, old, type StepName, wanted } from "./NetconfFaults.ts"

const hostname = "netconf1"

const configIn = (text: string) => {
  if (text.includes("foreign")) return "other"
  return text.includes(">new</") ? "new" : text.includes(">old</") ? "old" : "other"
}

const read = (server: Pick<Netconfd.Netconfd, "target">, datastore: "running" | "candidate") =>
  asOther(server, ({ rpc }) =>
    Effect.map(rpc("netconf get-config", `<get-config><source><${datastore}/></source></get-config>`), ({ element }) =>
      Xml.render([element])
    )
  )

/** The driver, with which it happens once. */
const struck = (driver: Driver, happens: Effect.Effect<unknown, unknown>, at: StepName): Driver => {
  let isOver = false
  const once = Effect.suspend(() => {
    if (isOver) return Effect.void
    isOver = true
    return Effect.orDie(happens)
  })
  const strike = (step: StepName) => (step === at ? once : Effect.void)
  const session = (verbs: DriverSession): DriverSession => ({
    ...verbs,
    load: (request) => Effect.tap(verbs.load(request), strike("load")),
    commitTimed: (name, seconds) => Effect.tap(verbs.commitTimed(name, seconds), strike("commitTimed")),
    confirm: (name, wasSeen, seen) =>
      Effect.andThen(strike("confirm"), Effect.tap(verbs.confirm(name, wasSeen, seen), strike("confirmed"))),
    save: Effect.tap(verbs.save, strike("save"))
  })
  return { ...driver, open: (target) => Effect.tap(Effect.map(driver.open(target), session), strike("open")) }
}

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

const failureIn = (result: unknown): string =>
  (Schema.decodeUnknownSync(Result)(result).devices[hostname]?.job_tasks ?? [])
    .flatMap(({ failed, result: said }) => (failed ? [String(said)] : []))
    .join("")

const push = Effect.fnUntraced(function* (text: string, dryRun: boolean) {
  const store = yield* DeviceStore
  yield* store.insert({
    hostname,
    state: "MANAGED",
    device_type: "CORE",
    platform: "frr",
    management_ip: "10.0.0.1",
    synchronized: true
  })
  const engine = yield* JobEngine
  const args = { hostname, config: text, dry_run: dryRun }
  return yield* engine.ended(yield* engine.start(jobNamed("apply_config"), args, { user: "tester" }))
})

/** The job on the server at this port, with this driver. */
export const job = Effect.fnUntraced(function* (
  port: number,
  maker: Effect.Effect<Driver, never, SshLimits>,
  text: string,
  dryRun: boolean
) {
  const folders = yield* Campus.makeFolders
  const env = {
    ...Campus.environment({ port }, folders, folders.folder),
    ALLOW_APPLY_CONFIG_LIVERUN: "true",
    COMMIT_CONFIRMED_TIMEOUT: timer(10)
  }
  const server = Engine.layer.pipe(
    Layer.provideMerge(ServerConfig.layerOf(env)),
    Layer.provide(Layer.succeed(Drivers.Makers, [maker]))
  )
  const { result } = yield* Effect.provide(push(text, dryRun), Layer.fresh(server), { local: true })
  return { failure: failureIn(result), record: JSON.stringify(result) }
})

export const inPeace = <A, E, R>(played: Effect.Effect<A, E, R>) =>
  played.pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

/** Plays one change of a real netconfd. */
export const play = ({
  before,
  dryRun = false,
  strike,
  text = wanted,
  validates = false
}: Partial<NetconfFault> = {}) =>
  inPeace(
    Effect.gen(function* () {
      const server = yield* Netconfd.make(old)
      const maker = Effect.map(NetconfDriver.make({ validates }), (driver) =>
        strike === undefined ? driver : struck(driver, strike.happens(server), strike.at)
      )
      if (before !== undefined) yield* Effect.orDie(before(server))
      const said = yield* job(server.port, maker, text, dryRun)
      return {
        ...said,
        runs: configIn(yield* read(server, "running")),
        saved: configIn(server.startup()),
        candidate: yield* read(server, "candidate")
      }
    })
  )
