import { expect, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import * as Engine from "../../../src/Engine.ts"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { bgpSessions, pings } from "../../../src/fabric/Fabric.ts"
import { addressOf, usual } from "../../../src/fabric/FabricPlan.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { cores, dists, failures, makeRouterSite, routers, routerSettings, routing, syncRouters } from "./RouterSite.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"

const plan = usual()

const infraOf = (name: string): string => `10.98.200.${routers.indexOf(name) + 1}`

const settings = { ...routerSettings, "global/routing.yml": routing("10.99.0.0/24") }

const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
  const rows = new Map<string, number>()
  for (const hostname of routers) {
    const { id } = yield* devices.insert({
      hostname,
      state: "MANAGED",
      device_type: cores.includes(hostname) ? "CORE" : "DIST",
      platform: "frr",
      management_ip: addressOf(hostname),
      infra_ip: infraOf(hostname),
      synchronized: false
    })
    rows.set(hostname, id)
  }
  for (const [index, { a, b }] of plan.cables.filter(({ b: [node] }) => rows.has(node)).entries()) {
    yield* links.insert({
      ipv4_network: `10.98.201.${index * 2}/31`,
      device_a_id: rows.get(a[0]) ?? 0,
      device_a_port: a[1],
      device_a_ip: `10.98.201.${index * 2}`,
      device_b_id: rows.get(b[0]) ?? 0,
      device_b_port: b[1],
      device_b_ip: `10.98.201.${index * 2 + 1}`,
      site_id: null,
      description: null
    })
  }
})

const sync = (hostnames: ReadonlyArray<string>) => Effect.map(syncRouters(hostnames, 1), failures)

const until = <E>(condition: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("500 millis"), until(condition))
  )

describeReal("a fabric of real routers", () => {
  it.live(
    "a fabric of routers is synchronized from git: BGP comes up, packets cross it, and a lockout is rolled back",
    () =>
      Effect.gen(function* () {
        const fabric = yield* Fabric.make(plan)
        const { environment, folders } = yield* makeRouterSite(fabric, routers.map(addressOf))
        yield* folders.settings.commit(settings)
        const env = { ...environment, COMMIT_CONFIRMED_WAIT: "0", COMMIT_CONFIRMED_TIMEOUT: timer(30) }
        const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)))
        yield* Effect.gen(function* () {
          yield* seed
          yield* refresh("templates", "tester")
          yield* refresh("settings", "tester")
          expect(yield* sync(routers)).toEqual({})
          for (const core of cores) {
            yield* until(Effect.map(bgpSessions(fabric, core), (count) => count === dists.length))
          }
          yield* until(Effect.map(pings(fabric, 1), (received) => received === 1))
          expect(yield* pings(fabric, 10)).toBe(10)

          yield* folders.settings.commit({
            "devices/core1/base_system.yml":
              "---\ncli_append_str: |\n  ip prefix-list OFFICES seq 5 permit 10.0.0.0/8\n",
            "devices/dist2/base_system.yml": "---\ncli_append_str: |\n  interface eth0\n   shutdown\n  exit\n"
          })
          yield* refresh("settings", "tester")
          const second = yield* sync(["core1", "dist2"])
          expect(Object.keys(second)).toEqual(["dist2"])
          expect(yield* fabric.run("core1", "cat /etc/frr/frr.conf")).toContain("OFFICES")
          expect(second["dist2"]).toContain("The device runs the configuration that it had before.")
          expect(yield* fabric.run("dist2", "ip -br link show eth0; cat /etc/frr/frr.conf")).not.toMatch(
            /DOWN|shutdown/
          )
          expect(yield* pings(fabric, 10)).toBe(10)
        }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
      }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
  )
})
