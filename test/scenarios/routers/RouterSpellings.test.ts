/**
 * Real routers that get lines which FRR shows otherwise: they run them and are synchronized, or the failure names the line. The
 * other spellings are those of docs/frr.md#lines-that-frr-spells-otherwise.
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { devicesOf } from "../chaos/ManagedCampus.ts"
import { makeSite, nameOf, seedRouters } from "./RouterScene.ts"

const PROVED = [
  "interface eth9\n no shutdown\nexit",
  "line vty",
  "ip route 10.99.0.0 255.255.0.0 Null0",
  "router bgp 65001\n timers bgp 3 9\n neighbor 10.0.0.2 remote-as 65002\n address-family ipv4 unicast\n  neighbor 10.0.0.2 activate\n exit-address-family\nexit",
  "ip prefix-list OFFICES permit 10.0.0.0/8"
]

/** The lines, and what the failure says of them. */
const FAILED: ReadonlyArray<readonly [lines: string, said: string]> = [
  [
    "router bgp 65001\n address-family ipv4 unicast\n  neighbor 10.0.0.2 activate\nexit",
    "% Specify remote-as or peer-group commands first at line 11"
  ],
  [
    "debug bgp updates",
    '1 lines of the candidate were not found (line 9 "debug bgp updates"); the device runs lines that the candidate does not have ("debug bgp updates in", "debug bgp updates out")'
  ]
]

const cells = [...PROVED, ...FAILED.map(([lines]) => lines)].map((line) => ({ at: "never", strike: "", line }))
const names = cells.map((_, index) => nameOf(index))

describeReal("routers with lines that FRR shows otherwise", () => {
  it.live("run them and are synchronized, or the failure names the line", () =>
    Effect.gen(function* () {
      const { environment, fabric } = yield* makeSite(cells)
      const env = { ...environment, COMMIT_CONFIRMED_TIMEOUT: timer(60), COMMIT_CONFIRMED_WAIT: "0" }
      const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)))
      yield* Effect.gen(function* () {
        const engine = yield* JobEngine
        yield* refresh("templates", "tester")
        yield* refresh("settings", "tester")
        yield* seedRouters(fabric, cells)
        const sync = Effect.fnUntraced(function* (dry_run: boolean) {
          const args = { hostnames: names, dry_run }
          return devicesOf(yield* engine.ended(yield* engine.start(SyncDevices, args, { user: "tester" })))
        })
        const first = yield* sync(false)
        const textOf = (name: string) => JSON.stringify(first[name]?.job_tasks.map(({ result }) => result))
        for (const name of names.slice(0, PROVED.length)) expect(first[name]?.failed, textOf(name)).toBe(false)
        for (const [index, [, said]] of FAILED.entries()) {
          const name = nameOf(PROVED.length + index)
          expect(first[name]?.failed).toBe(true)
          expect(String(first[name]?.job_tasks.at(-1)?.result)).toContain(said)
        }
        const rows = yield* (yield* DeviceStore).byHostnames(names)
        // nothing was committed on the one before it, which stays as it was
        expect(rows.filter(({ synchronized }) => !synchronized).map(({ hostname }) => hostname)).toEqual(
          names.slice(-1)
        )
        const again = yield* sync(true)
        for (const name of names.slice(0, PROVED.length)) expect(again[name]?.job_tasks.at(-1)?.diff, name).toBe("")
      }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
    }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
  )
})
