import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, References } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { seconds, SLOWNESS, timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { elsewhere, failures, makeRouterSite, routing, syncRouters } from "./RouterSite.ts"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { type FabricPlan, type Node, router, SERVER } from "../../../src/fabric/FabricPlan.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"

// Forty real routers of one site, managed by a server of this process, and what is asked of all of them at once. A change of one starts
// some fifty programs on this machine, so a slow one has fewer of them.

const COUNT = Math.max(12, Math.round(40 / SLOWNESS))

const names: ReadonlyArray<string> = Array.from(
  { length: COUNT },
  (_, index) => `r${String(index + 1).padStart(2, "0")}`
)

const addressOf = (name: string): string => `10.99.0.${10 + Number(name.slice(1))}`

/** No neighbours are read here: no cables, no LLDP. */
const node = (name: string): Node => {
  const { files, ...rest } = router(name, { _tag: "configured", address: `${addressOf(name)}/24` })
  return { ...rest, files: files.filter(({ path }) => !path.includes("lldpd")) }
}

const plan: FabricPlan = { address: `${SERVER}/24`, nodes: names.map(node), cables: [] }

/** A prefix list of this name on every router. */
const wants = (list: string) => ({
  "global/base_system.yml": `---\ncli_append_str: |\n  ip prefix-list ${list} seq 5 permit 10.0.0.0/8\n`
})

const settings = {
  ...elsewhere,
  "global/routing.yml": routing("10.99.0.0/24"),
  ...Object.fromEntries(
    names.flatMap((name) => [
      [`devices/${name}/interfaces.yml`, "---\ninterfaces: []\n"],
      [`devices/${name}/base_system.yml`, "---\n{}\n"],
      [`devices/${name}/routing.yml`, "---\n{}\n"]
    ])
  )
}

/** The routers, reachable by a server with this environment, and the repository of its settings. */
const makeManyRouters = Effect.gen(function* () {
  const fabric = yield* Fabric.make(plan)
  const { environment, folders } = yield* makeRouterSite(fabric, names.map(addressOf))
  yield* folders.settings.commit(settings)
  const timers = {
    // all of them share the processors of this machine: between the commit of the first and its confirmation lie the
    // commits and the proofs of the others
    COMMIT_CONFIRMED_TIMEOUT: timer(300),
    // who strikes after the last commit comes before the last proof
    COMMIT_CONFIRMED_WAIT: timer(2)
  }
  return { fabric, environment: { ...environment, ...timers }, settings: folders.settings }
})

const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  for (const [index, hostname] of names.entries()) {
    yield* devices.insert({
      hostname,
      state: "MANAGED",
      device_type: "DIST",
      platform: "frr",
      management_ip: addressOf(hostname),
      infra_ip: `10.98.200.${index + 1}`,
      synchronized: false
    })
  }
  yield* refresh("templates", "tester")
  yield* refresh("settings", "tester")
})

/** Names of the routers whose row says that they run what the settings say. */
const synchronized = Effect.map(
  Effect.flatMap(DeviceStore, (store) => store.all),
  (rows) => rows.filter((row) => row.synchronized).map(({ hostname }) => hostname)
)

const listsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^ip prefix-list ([A-Z]+) seq/gm)].flatMap(([, list = ""]) => (list === "MANAGEMENT" ? [] : [list]))

/** The prefix lists that routers run, those that they would start with, and what is left of changes on them; each that differs once. */
const standing = Effect.fnUntraced(function* (fabric: Fabric.Fabric) {
  const each = yield* Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const running = yield* fabric.run(name, "vtysh -c 'show running-config no-header' 2>/dev/null")
      const startup = yield* fabric.run(name, "cat /etc/frr/frr.conf")
      const left = yield* fabric.run(
        name,
        "cd /etc/frr/switchyard && ls candidates; ls -d pending* reverting confirmed.* now.* 2>/dev/null || true"
      )
      return `runs ${listsIn(running).join()}, starts with ${listsIn(startup).join()}, left ${left.trim() || "nothing"}`
    }),
    { concurrency: 4 }
  )
  return [...new Set(each)]
})

const COMMITTED = "/run/fabric/*/upper/etc/frr/switchyard/pending/applied"

/** Waits until all routers have committed what still has to be confirmed. */
const allCommitted = ({ pid }: Fabric.Fabric) => {
  const line = `until [ "$(ls ${COMMITTED} 2>/dev/null | wc -l)" = ${names.length} ]; do sleep 0.1; done`
  return Fabric.runToEnd(["nsenter", "-t", String(pid), "--mount", "sh", "-c", line])
}

const modes = [
  { mode: 0, list: "NONE" },
  { mode: 1, list: "EACH" },
  { mode: 2, list: "ALL" }
] as const

const dead = names[COUNT >> 1] ?? ""

const others =
  "Subtask: Sync device config (failed)\nThe device runs the configuration that it had before.\n" +
  `CommitError: Device ${dead} failed, and confirm mode 2 changes all devices or none, so the change was taken back\n`

describeReal(`${COUNT} real routers`, () => {
  it.live(
    "many routers are changed at once in each confirm mode, and all are rolled back when one of them dies before the confirmation",
    () =>
      Effect.gen(function* () {
        const { environment, fabric, settings } = yield* makeManyRouters
        const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(environment)))
        const change = (list: string) => Effect.andThen(settings.commit(wants(list)), refresh("settings", "tester"))
        yield* Effect.gen(function* () {
          yield* seed
          for (const { list, mode } of modes) {
            yield* change(list)
            expect(failures(yield* syncRouters(names, mode))).toEqual({})
            expect(yield* synchronized).toEqual(names)
            expect(yield* standing(fabric)).toEqual([`runs ${list}, starts with ${list}, left nothing`])
          }
          yield* change("LOST")
          const lossOfPower = Effect.andThen(fabric.halt(dead), fabric.boot(dead))
          const striking = yield* Effect.forkChild(Effect.andThen(allCommitted(fabric), lossOfPower))
          const job = yield* syncRouters(names, 2)
          yield* Fiber.join(striking)
          const { [dead]: saidOfDead, ...saidOfOthers } = failures(job)
          expect(saidOfDead).toContain("The device runs the configuration that it had before.\n")
          expect(Object.keys(saidOfOthers)).toHaveLength(names.length - 1)
          expect([...new Set(Object.values(saidOfOthers))]).toEqual([others])
          expect(yield* standing(fabric)).toEqual(["runs ALL, starts with ALL, left nothing"])
          expect(yield* fabric.run(dead, "cat /etc/frr/switchyard/last")).toBe(`reverted job${job.id} restart\n`)
          expect(yield* synchronized).toEqual([])
        }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
      }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error")),
    seconds(900)
  )
})
