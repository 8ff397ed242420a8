/**
 * Steps before the push at which an initialisation ends (docs/provisioning.md): the job gives the reason, nothing remains, and a second try
 * works when the cause has been removed.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { endOf, init, withFault } from "./Outcome.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"

const FABRIC = "init_fabric_device_step1"

/** Runs a job that is to be refused, and yields its exception; all rows must be as before. */
const refused = Effect.fnUntraced(function* (
  name: "init_access_device_step1" | typeof FABRIC,
  args: Readonly<Record<string, unknown>>
) {
  const before = yield* Campus.allRows
  const job = yield* Campus.runJob(name, args)
  assert.deepInclude(job, { status: "EXCEPTION", next_job_id: null }, JSON.stringify(job))
  assert.deepStrictEqual(yield* Campus.allRows, before, job.exception?.message)
  return endOf(job).slice(1)
})

const access = (device_id: number, new_hostname: string, more: Readonly<Record<string, unknown>> = {}) =>
  refused("init_access_device_step1", { device_id, new_hostname, ...more })

const dist = (device_id: number, new_hostname: string) =>
  refused(FABRIC, { device_id, new_hostname, device_type: "DIST", neighbors: null })

/** Reserves every free address of a range for unused devices; `free` releases them. */
const taking = Effect.fnUntraced(function* (prefix: string, first: number) {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const { reservations } = yield* NetworkStore
  const taken = yield* reservations.takenAddresses
  for (let last = first; last < 256; last++) {
    if (taken.has(`${prefix}${last}`)) continue
    const holder = yield* devices.insert({ hostname: `holder${last}`, state: "UNMANAGED", device_type: "UNKNOWN" })
    yield* reservations.reserve({ device_id: holder.id, ip_version: 4, ip: `${prefix}${last}` })
  }
  return { free: sql`delete from device where hostname like 'holder%'` }
})

const statuses = (jobs: ReadonlyArray<{ readonly status: string }>) => jobs.map(({ status }) => status)

layer(Campus.layer, { excludeTestServices: true })("an initialisation", (it) => {
  it.effect("ends if no address is free, and works when one is", () =>
    Effect.gen(function* () {
      const { id } = yield* Campus.discover("redundant")
      const domain = yield* taking("10.196.16.", 6)
      assert.deepStrictEqual(yield* access(id, "lhv-acc1"), [
        "NoFreeAddress",
        "Could not find free primary management IP for management domain 1/Domain 16"
      ])
      yield* domain.free
      assert.deepStrictEqual(statuses(yield* init(id, "lhv-acc1")), ["FINISHED", "FINISHED"])
      const newDist = yield* Campus.discover("newdist")
      const loopbacks = yield* taking("10.199.3.", 0)
      assert.deepStrictEqual(yield* dist(newDist.id, "lhv-dist9"), [
        "NoFreeAddress",
        "Could not find free address in mgmt_lo_net 10.199.3.0/24"
      ])
      yield* loopbacks.free
      const args = { device_id: newDist.id, new_hostname: "lhv-dist9", device_type: "DIST" }
      assert.deepStrictEqual(statuses(yield* Campus.runChain(FABRIC, args)), ["FINISHED", "FINISHED"])
      yield* Campus.untilIdle
    })
  )

  it.effect("ends if the switch does not give its neighbours, whatever it is to become", () =>
    Effect.gen(function* () {
      const one = yield* Campus.discover("single")
      const other = yield* Campus.discover("baddist")
      for (const name of ["single", "baddist"]) {
        yield* withFault(name, { kind: "error", step: "showLldp", message: "% Internal error", times: 1 })
      }
      assert.deepStrictEqual(yield* access(one.id, "lhv-acc2"), [
        "ConnectionCheckError",
        `Could not get LLDP neighbors for ${one.hostname}`
      ])
      assert.deepStrictEqual(yield* dist(other.id, "lhv-dist10"), [
        "ConnectionCheckError",
        `Could not get LLDP neighbors for ${other.hostname}`
      ])
    })
  )

  it.effect(
    "of a fabric device ends next to neighbours that are unmanaged or were changed manually, all of them named",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* Campus.discover("otherdist")
        yield* sql`update device set state = 'UNMANAGED' where hostname = 'lhv-core1'`
        yield* sql`update device set synchronized = false where hostname = 'lhv-core2'`
        assert.deepStrictEqual(yield* dist(id, "lhv-dist12"), [
          "DeviceStateError",
          "Neighbor device lhv-core1 not in state MANAGED; Neighbor device lhv-core2 not synchronized"
        ])
        yield* sql`update device set state = 'MANAGED', synchronized = true, confhash = 'of another configuration'
          where hostname like 'lhv-core_'`
        const args = { device_id: id, new_hostname: "lhv-dist12", device_type: "DIST" }
        const job = yield* Campus.runJob(FABRIC, args)
        assert.deepStrictEqual(endOf(job), [
          "EXCEPTION",
          "Exception",
          "Configuration hash check failed for lhv-core1 lhv-core2"
        ])
        const { devices, events, links } = yield* Campus.allRows
        assert.sameDeepMembers(
          events.filter(({ cause }) => cause === "confighash"),
          [
            { hostname: "lhv-core1", cause: "confighash" },
            { hostname: "lhv-core2", cause: "confighash" }
          ]
        )
        assert.isTrue(devices.filter(({ hostname }) => /^lhv-core\d$/.test(hostname)).every((row) => !row.synchronized))
        assert.isFalse(links.some(({ device_a_id, device_b_id }) => device_a_id === id || device_b_id === id))
      })
  )

  it.effect("of a pair ends if it is not a pair, or a port points at a third switch", () =>
    Effect.gen(function* () {
      const a = yield* Campus.discover("pairA")
      const b = yield* Campus.discover("pairB")
      const pair = { mlag_peer_id: b.id, mlag_peer_new_hostname: "lhv-acc4" }
      const twoSwitches = ["ValueError", "The switches of an MLAG pair must be two devices with two hostnames"]
      assert.deepStrictEqual(yield* access(a.id, "lhv-acc3", { ...pair, mlag_peer_id: a.id }), twoSwitches)
      assert.deepStrictEqual(yield* access(a.id, "lhv-acc4", pair), twoSwitches)
      assert.deepStrictEqual(yield* access(a.id, "lhv-acc3", { ...pair, replace_hostname: true }), [
        "DeviceStateError",
        "Replacing a MLAG switch is not supported"
      ])
      assert.deepStrictEqual(yield* access(a.id, "lhv-acc3", { ...pair, mlag_peer_id: 9999 }), [
        "ValueError",
        "No device with id 9999 found"
      ])
      assert.deepStrictEqual(yield* access(a.id, "lhv-acc3", { ...pair, mlag_peer_new_hostname: "lhv-dist1" }), [
        "DeviceStateError",
        "There is already a device with hostname lhv-dist1"
      ])
      const interfaces = yield* InterfaceStore
      yield* interfaces.put(a.id, "Ethernet99", "MLAG_PEER", { neighbor_id: 4711 })
      assert.deepStrictEqual(yield* access(a.id, "lhv-acc3", pair), [
        "InconsistentMlagPeer",
        `Inconsistent MLAG peer 4711 detected for device ${a.hostname}`
      ])
      yield* interfaces.remove(a.id, ["Ethernet99"])
    })
  )

  it.effect("that replaces a switch ends for one of a pair or a stack, and if the new unit has no place", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { hostname, id } = yield* Campus.discover("lonely")
      const interfaces = yield* InterfaceStore
      const old = yield* (yield* DeviceStore).insert({
        hostname: "lhv-acc42",
        state: "UNMANAGED",
        device_type: "ACCESS",
        platform: "eos",
        management_ip: "10.196.16.42"
      })
      const replacing = access(id, "lhv-acc42", { replace_hostname: true })
      yield* interfaces.put(old.id, "Ethernet2", "MLAG_PEER", { neighbor_id: 1 })
      assert.deepStrictEqual(yield* replacing, ["DeviceStateError", "Replacing a MLAG switch is not supported"])
      yield* interfaces.remove(old.id, ["Ethernet2"])
      yield* sql`insert into stackmember ${sql.insert({ device_id: old.id, hardware_id: "a", member_no: 0, priority: 1 })}`
      assert.deepStrictEqual(yield* replacing, ["DeviceStateError", "Replacing a stacked switch is not supported"])
      yield* sql`delete from stackmember`
      const [type, text] = yield* replacing
      assert.strictEqual(type, "InitVerificationError")
      assert.include(text, `Incompatible uplink neighbors found for device id ${id} (${hostname})`)
    })
  )

  it.effect("of a switch that another job already initialises ends, and the other job continues", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const { id } = yield* Campus.discover("late")
      yield* withFault("late", { kind: "slow", step: "commit", milliseconds: 1_500, times: 1 })
      const chains = yield* Effect.all([init(id, "lhv-acc22"), init(id, "lhv-acc23")], { concurrency: "unbounded" })
      const ends = chains.map(([job]) => (job === undefined ? [] : endOf(job)))
      const winner = chains.findIndex(([job]) => job?.status === "FINISHED")
      const name = winner === 0 ? "lhv-acc22" : "lhv-acc23"
      assert.deepStrictEqual(ends.map(([status]) => status).toSorted(), ["EXCEPTION", "FINISHED"], JSON.stringify(ends))
      assert.match(String(ends[1 - winner]?.[2]), /^Device \S+ is being initialised by job \d+$/)
      assert.deepStrictEqual(statuses(chains[winner] ?? []), ["FINISHED", "FINISHED"])
      assert.deepInclude(yield* devices.get(id), { state: "MANAGED", hostname: name })
      assert.include(yield* Campus.runningOf("late"), `hostname ${name}`)
      assert.deepStrictEqual((yield* Campus.allRows).reservations, [])
    })
  )
})
