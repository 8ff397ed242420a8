/** Staggered upgrades: the lab is asked all the time whether a switch that runs has lost every way to the network. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { ActiveSettings } from "../../../src/settings/ActiveSettings.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import type { LabShape } from "../../../src/lab/Lab.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { DeviceUpgrade } from "../../../src/domain/jobs/UpkeepJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { makePauses } from "../../../src/jobs/sync/SyncPlan.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Site from "../../firmware/FirmwareSite.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"

const LONG = process.env["LONG_TESTS"] === "true"
const SWITCHES = LONG ? 40 : 8

const nameOf = (index: number) => `lhv-acc${index + 1}`

/**
 * Blocks of four: two switches with one uplink each and a cable between them, and two that hang below both. With all at once,
 * or with the first two at once, the others would be cut off.
 */
const cablesOf = (count: number): ReadonlyArray<Site.Cable> =>
  Array.from({ length: count / 4 }, (_, block): ReadonlyArray<Site.Cable> => {
    const [a, b, c, d] = [0, 1, 2, 3].map((offset) => nameOf(block * 4 + offset))
    return [
      [`${a}:Ethernet27`, `lhv-dist1:Ethernet${block + 1}`],
      [`${b}:Ethernet27`, `lhv-dist2:Ethernet${block + 1}`],
      [`${a}:Ethernet26`, `${b}:Ethernet26`],
      [`${c}:Ethernet27`, `${a}:Ethernet1`],
      [`${c}:Ethernet28`, `${b}:Ethernet1`],
      [`${d}:Ethernet27`, `${a}:Ethernet2`],
      [`${d}:Ethernet28`, `${b}:Ethernet2`]
    ]
  }).flat()

const seedLinks = Effect.fnUntraced(function* (cables: ReadonlyArray<Site.Cable>) {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
  const interfaces = yield* InterfaceStore
  for (const [a, b] of cables) {
    const [[aName = "", aPort = ""], [bName = "", bPort = ""]] = [a.split(":"), b.split(":")]
    const [from, to] = [yield* devices.getByHostname(aName), yield* devices.getByHostname(bName)]
    yield* links.insert({
      ipv4_network: null,
      device_a_id: from.id,
      device_a_ip: null,
      device_a_port: aPort,
      device_b_id: to.id,
      device_b_ip: null,
      device_b_port: bPort,
      site_id: null,
      description: null
    })
    if (aPort === "Ethernet26") yield* interfaces.put(from.id, aPort, "MLAG_PEER", { neighbor_id: to.id })
    if (bPort === "Ethernet26") yield* interfaces.put(to.id, bPort, "MLAG_PEER", { neighbor_id: from.id })
  }
})

/** Notes for ever which running switches are without a way to the network, and how many were down together at most. */
const watch = (lab: LabShape, names: ReadonlyArray<string>) => {
  const stranded = new Set<string>()
  let down = 0
  const once = Effect.sync(() => {
    const off = names.filter((name) => lab.switches.get(name)?.power() !== "on")
    down = Math.max(down, off.length)
    for (const name of names) if (!off.includes(name) && !lab.reachable(name)) stranded.add(name)
  })
  return {
    stranded,
    mostDown: () => down,
    forEver: Effect.forever(Effect.andThen(once, Effect.sleep(10)))
  }
}

const site = Effect.fnUntraced(function* (count: number) {
  const names = Array.from({ length: count }, (_, index) => nameOf(index))
  const cables = cablesOf(count)
  const folders = yield* Campus.makeFolders
  const lab = yield* Site.makeSiteLab(names, { cables, node: { bootMs: 400 } })
  yield* Site.storeImage(folders.folder, Site.IMAGE, randomBytes(100_000))
  const server = Site.serverWith(Site.environment(lab, folders)).pipe(Layer.provideMerge(TestDatabase))
  const seeded = Effect.gen(function* () {
    yield* Campus.seedSite
    yield* Site.seedSwitches(names)
    yield* seedLinks(cables)
    // the server reads its repositories in the background when it starts
    yield* Effect.retry((yield* ActiveSettings).snapshot, Schedule.spaced("100 millis"))
  })
  return { names, lab, server: Layer.effectDiscard(seeded).pipe(Layer.provideMerge(server)) }
})

it.live(
  `upgrades ${SWITCHES} switches of 2 distribution switches, and no running switch is ever without an uplink`,
  () =>
    Effect.gen(function* () {
      const { lab, names, server } = yield* site(SWITCHES)
      const watcher = watch(lab, names)
      yield* Effect.gen(function* () {
        const watching = yield* Effect.forkChild(watcher.forEver)
        const args = { group: "T_ACCESS", filename: Site.IMAGE, staggered_upgrade: true, ...Site.ALL_STEPS }
        const job = yield* Site.upgrade(args)
        yield* Fiber.interrupt(watching)
        assert.strictEqual(job.status, "FINISHED")
        assert.deepStrictEqual(job.finished_devices?.toSorted(), names.toSorted())
        for (const name of names) assert.strictEqual(lab.switches.get(name)?.version(), Site.NEW_VERSION, name)
        assert.deepStrictEqual([...watcher.stranded], [])
        assert.isAtLeast(watcher.mostDown(), 2, "switches that do not depend on each other go together")
      }).pipe(Effect.provide(server))
    }).pipe(Effect.scoped),
  LONG ? 300_000 : 60_000
)

it.live("does not begin a group when a switch of the previous group has not returned, and says so for each", () =>
  Effect.gen(function* () {
    const { lab, names, server } = yield* site(4)
    yield* Effect.gen(function* () {
      const first = yield* lab.get(nameOf(0))
      const off = Effect.gen(function* () {
        while (first.power() === "on") yield* Effect.sleep(5)
        yield* first.powerOff
      })
      const args = { group: "T_ACCESS", reboot: true, staggered_upgrade: true }
      const [job] = yield* Effect.all([Site.upgrade(args), off] as const, { concurrency: 2 })
      assert.deepStrictEqual(Site.tasksOf(job, nameOf(0)), [
        "FAILED device_upgrade_task: Subtask: arista_device_reboot (failed)",
        "FAILED arista_device_reboot: FirmwareError: Device lhv-acc1 did not come back after the reboot"
      ])
      for (const name of names.slice(1)) {
        assert.deepStrictEqual(Site.tasksOf(job, name), [
          "FAILED device_upgrade_task: JobAborted: A device of an earlier group failed, so this device was not started"
        ])
      }
      assert.deepStrictEqual(job.finished_devices, [])
    }).pipe(Effect.provide(server))
  }).pipe(Effect.scoped)
)

it.live("begins no further group while a person has paused it, and none of them when it is stopped then", () =>
  Effect.gen(function* () {
    const { lab, names, server } = yield* site(4)
    yield* Effect.gen(function* () {
      const engine = yield* JobEngine
      const pauses = yield* makePauses
      const jobs = yield* JobStore
      const first = yield* lab.get(nameOf(0))
      const args = { group: "T_ACCESS", reboot: true, staggered_upgrade: true }
      const id = yield* engine.start(DeviceUpgrade, args, { user: "tester" })
      while (first.power() === "on") yield* Effect.sleep(5)
      assert.isNull(yield* pauses.unfit(id))
      yield* pauses.pause(id, "otto", "a ticket came in")
      // its own switch is brought to its end
      while ((yield* jobs.devices(id)).length === 0) yield* Effect.sleep(20)
      yield* engine.abort(id, "otto")
      const job = yield* engine.ended(id)
      assert.deepStrictEqual(job.finished_devices, [nameOf(0)])
      for (const name of names.slice(1)) {
        assert.deepStrictEqual(Site.tasksOf(job, name), [
          "FAILED device_upgrade_task: JobAborted: The job was aborted before this device was started"
        ])
      }
    }).pipe(Effect.provide(server))
  }).pipe(Effect.scoped)
)
