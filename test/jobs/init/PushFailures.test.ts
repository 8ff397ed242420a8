/**
 * Every way in which the push of a base configuration fails, for switches of every kind (docs/provisioning.md): rows, links,
 * reservations and the switch are as before, and a second try works.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import { Lab } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, withFault, withoutFaults } from "./Outcome.ts"
import { InitAccessStep1 } from "../../../src/domain/jobs/InitJobs.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"

interface Failing {
  /** The switch that refuses; the first of a pair. */
  readonly node: string
  readonly hostname: string
  readonly function: string
  readonly more?: Readonly<Record<string, unknown>>
  readonly peer?: readonly [node: string, hostname: string]
  readonly fault: Fault | null
  /** The hostname of the second try, when the first one is what is wrong. */
  readonly secondTry?: string
}

const access = (node: string, hostname: string, fault: Fault | null): Failing => ({
  node,
  hostname,
  function: "init_access_device_step1",
  fault
})

const dist = (node: string, hostname: string, fault: Fault | null, secondTry = hostname): Failing => ({
  node,
  hostname,
  secondTry,
  function: "init_fabric_device_step1",
  more: { device_type: "DIST", neighbors: null },
  fault
})

const refusing = (hostname: string): Fault => ({ kind: "reject", pattern: `^hostname ${hostname}` })

/** At once, and each with its own switches. */
const TABLE: ReadonlyArray<Failing> = [
  access("redundant", "lhv-acc1", {
    kind: "error",
    step: "openSession",
    message: "% Maximum number of sessions reached"
  }),
  access("single", "lhv-acc2", { kind: "error", step: "commit", message: "% Error: commit failed" }),
  access("dual", "lhv-acc8", { kind: "cut", step: "commit", when: "before" }),
  { ...access("pairA", "lhv-acc3", refusing("lhv-acc3")), peer: ["pairB", "lhv-acc4"] },
  { ...access("pairD", "lhv-acc6", { kind: "lie", step: "commit" }), peer: ["pairC", "lhv-acc5"] },
  { ...access("spare", "lhv-acc40", { kind: "lie", step: "commit" }), more: { replace_hostname: true } },
  dist("newdist", "lhv-dist66", null, "lhv-dist9"),
  dist("baddist", "lhv-dist10", { kind: "lie", step: "commit" }),
  dist("otherdist", "lhv-dist12", { kind: "cut", step: "load", when: "before" })
]

/** A broken switch that `spare` is to replace, and a link that is stored where `redundant` is plugged in now. */
const rowsOfBefore = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const { links } = yield* NetworkStore
  const dist1 = yield* devices.getByHostname("lhv-dist1")
  const old = yield* devices.insert({
    hostname: "lhv-acc40",
    state: "UNMANAGED",
    device_type: "ACCESS",
    platform: "eos",
    management_ip: "10.196.16.40",
    confhash: "of its last configuration"
  })
  yield* interfaces.put(old.id, "Ethernet3", "ACCESS_UNTAGGED", { untagged_vlan: "PRINTER" })
  const unaddressed = { device_a_ip: null, device_b_ip: null, ipv4_network: null, site_id: null, description: null }
  yield* links.insert({
    ...unaddressed,
    device_a_id: dist1.id,
    device_a_port: "Ethernet1",
    device_b_id: old.id,
    device_b_port: "Ethernet9"
  })
})

const attempt = Effect.fnUntraced(function* (
  { function: name, more = {}, peer }: Failing,
  new_hostname: string,
  device_id: number,
  peerId: number | null
) {
  const pair = peer === undefined || peerId === null ? {} : { mlag_peer_id: peerId, mlag_peer_new_hostname: peer[1] }
  return yield* Campus.runChain(name, { device_id, new_hostname, ...more, ...pair })
})

layer(Campus.layer, { excludeTestServices: true })("a switch whose base configuration fails", (it) => {
  it.effect(
    "stays unchanged, as do its peer, the switch that it replaces and a displaced link; the second try works",
    () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        yield* rowsOfBefore
        const nodes = TABLE.flatMap(({ node, peer }) => (peer === undefined ? [node] : [node, peer[0]]))
        const found = yield* Effect.forEach(nodes, (node) => Campus.discover(node), { concurrency: 3 })
        const idOf = (node: string) => found[nodes.indexOf(node)]?.id ?? 0
        for (const { fault, node } of TABLE) if (fault !== null) yield* withFault(node, fault)
        const before = yield* Campus.allRows
        const running = yield* Effect.forEach(nodes, Campus.runningOf)
        const jobs = yield* Effect.forEach(
          TABLE,
          (row) => attempt(row, row.hostname, idOf(row.node), row.peer === undefined ? null : idOf(row.peer[0])),
          { concurrency: "unbounded" }
        )
        for (const [index, chain] of jobs.entries()) {
          const [job] = chain
          const { hostname, node } = TABLE[index] ?? { hostname: "", node: "" }
          assert.deepInclude(job, { status: "FINISHED", next_job_id: null }, `${node}: ${JSON.stringify(chain)}`)
          const device = found[nodes.indexOf(node)]?.hostname ?? ""
          const results = job === undefined ? {} : devicesOf(job)
          assert.isTrue((results[device] ?? results[hostname])?.failed, `${node}: ${JSON.stringify(chain)}`)
        }
        assert.deepStrictEqual(yield* Campus.allRows, before)
        assert.deepStrictEqual(yield* Effect.forEach(nodes, Campus.runningOf), running)
        for (const node of nodes) assert.deepStrictEqual(yield* Campus.sessionsOf(node), [], node)

        for (const { node } of TABLE) yield* withoutFaults(node)
        const again = Effect.fnUntraced(function* (row: Failing) {
          const name = row.secondTry ?? row.hostname
          const chain = yield* attempt(row, name, idOf(row.node), row.peer === undefined ? null : idOf(row.peer[0]))
          assert.deepStrictEqual(
            chain.map(({ status }) => status),
            ["FINISHED", "FINISHED"],
            `${row.node}: ${JSON.stringify(chain)}`
          )
          assert.strictEqual((yield* devices.getByHostname(name)).state, "MANAGED", row.node)
        })
        const isDist = ({ function: name }: Failing) => name === "init_fabric_device_step1"
        yield* Effect.forEach(
          TABLE.filter((row) => !isDist(row)),
          again,
          { concurrency: "unbounded" }
        )
        // the neighbours of all three distribution switches are the same and must be synchronized before the next one
        for (const row of TABLE.filter(isDist)) yield* Effect.andThen(again(row), Campus.untilIdle)
        const links = yield* (yield* NetworkStore).links.all
        assert.strictEqual(links.filter(({ device_b_port }) => device_b_port === "Ethernet9").length, 0)
      })
  )

  it.effect(
    "counts as moved when it is silent on both addresses; it waits in INIT, where step 2 is tried twice, and joins when it returns",
    () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        const lab = yield* Lab
        const silent = yield* lab.get("late")
        const { id } = yield* Campus.discover("late")
        yield* withFault("late", { kind: "silent", step: "write", when: "after", times: 1 })
        const commits = silent.commits().length
        const off = Effect.gen(function* () {
          while (silent.commits().length === commits) yield* Effect.sleep(1)
          yield* Effect.sleep(20)
          yield* silent.powerOff
        })
        const engine = yield* JobEngine
        const args = { device_id: id, new_hostname: "lhv-acc22" }
        const started = yield* engine.start(InitAccessStep1, args, { user: Campus.USER })
        yield* off
        const step1 = yield* engine.ended(started)
        assert.strictEqual(step1.status, "FINISHED", JSON.stringify(step1))
        const first = yield* engine.ended(step1.next_job_id ?? 0)
        assert.isTrue(devicesOf(first)["lhv-acc22"]?.failed, JSON.stringify(first))
        // the second attempt would come half a minute later
        yield* engine.abort(first.next_job_id ?? 0, Campus.USER)
        const second = yield* Campus.runJob("init_device_step2", { device_id: id, iteration: 2 })
        assert.isTrue(devicesOf(second)["lhv-acc22"]?.failed, JSON.stringify(second))
        assert.isNull(second.next_job_id)
        assert.strictEqual((yield* devices.get(id)).state, "INIT")
        yield* withoutFaults("late")
        yield* silent.powerOn
        const [again] = yield* Campus.runChain("init_device_step2", { device_id: id, iteration: 1 })
        assert.strictEqual(again?.status, "FINISHED", JSON.stringify(again))
        assert.deepInclude(yield* devices.get(id), { state: "MANAGED", hostname: "lhv-acc22" })
        assert.deepStrictEqual((yield* Campus.allRows).reservations, [])
      })
  )
})
