/** How DIST and CORE devices join the fabric, and how that fails without a trace, on the lab. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../../src/domain/Job.ts"
import { checkInit } from "../../../src/jobs/init/Check.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { initArguments } from "../../../src/provisioning/Init.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, driftOf, endOf, linksOf, withFault, withoutFaults } from "./Outcome.ts"
import { InitRequest } from "../../../src/domain/requests/InitRequests.ts"

const FABRIC = "init_fabric_device_step1"

const init = (
  device_id: number,
  new_hostname: string,
  device_type: string,
  neighbors: ReadonlyArray<string> | null = null
) => Campus.runChain(FABRIC, { device_id, new_hostname, device_type, neighbors })

/** Syncs that were started by an initialisation, ended. */
const syncs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const engine = yield* JobEngine
  const rows = yield* sql<{ id: number }>`select id from job where function_name = 'sync_devices' order by id`
  return yield* Effect.forEach(rows, ({ id }) => engine.ended(id))
})

const why = (jobs: ReadonlyArray<Job>) => (jobs[0] === undefined ? [] : endOf(jobs[0]))

layer(Campus.layer, { excludeTestServices: true })("a fabric device", (it) => {
  it.effect(
    "gets loopbacks and /31 links between devices of the opposite type, which are synchronized afterwards",
    () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        const [dist, core] = yield* Effect.all([Campus.discover("newdist"), Campus.discover("newcore")], {
          concurrency: "unbounded"
        })
        const [ofDist, ofCore] = yield* Effect.all(
          [init(dist.id, "lhv-dist9", "DIST"), init(core.id, "lhv-core9", "CORE", ["lhv-dist3", "lhv-dist4"])],
          { concurrency: "unbounded" }
        )
        for (const jobs of [ofDist, ofCore]) {
          assert.deepStrictEqual(
            jobs.map(({ status }) => status),
            ["FINISHED", "FINISHED"],
            JSON.stringify(jobs)
          )
        }
        const [newDist, newCore] = [yield* devices.get(dist.id), yield* devices.get(core.id)]
        assert.deepInclude(newDist, { state: "MANAGED", device_type: "DIST", hostname: "lhv-dist9" })
        assert.deepInclude(newCore, { state: "MANAGED", device_type: "CORE", hostname: "lhv-core9" })
        assert.sameMembers([newDist.management_ip, newCore.management_ip], ["10.199.3.0", "10.199.3.3"])
        assert.sameMembers([newDist.infra_ip, newCore.infra_ip], ["10.198.0.0", "10.198.0.3"])
        const links = [...(yield* linksOf(dist.id)), ...(yield* linksOf(core.id))]
        assert.sameMembers(
          links.map(([, , network]) => network),
          ["10.197.0.0/31", "10.197.0.2/31", "10.197.0.4/31", "10.197.0.6/31"]
        )
        const running = yield* Campus.runningOf("newdist")
        assert.include(running, "hostname lhv-dist9")
        assert.include(running, `${newDist.management_ip}/32`)
        const started = yield* syncs
        const selected = started.map(({ start_arguments }) => start_arguments?.["hostnames"])
        assert.sameDeepMembers(selected, [
          ["lhv-core1", "lhv-core2"],
          ["lhv-dist3", "lhv-dist4"]
        ])
        for (const { status } of started) assert.strictEqual(status, "FINISHED", JSON.stringify(started))
        assert.isTrue(
          (yield* devices.getByHostname("lhv-core1")).synchronized,
          JSON.stringify(started[0]?.result).slice(0, 2000)
        )
        assert.deepStrictEqual((yield* Campus.allRows).reservations, [])
        assert.deepStrictEqual(yield* driftOf(["lhv-dist9", "lhv-core9"]), { "lhv-dist9": "", "lhv-core9": "" })
      })
  )

  it.effect(
    "is not pushed twice into the fabric: a refused configuration is taken back with its links, and the second try works",
    () =>
      Effect.gen(function* () {
        const { hostname, id } = yield* Campus.discover("baddist")
        yield* withFault("baddist", { kind: "reject", pattern: "^hostname lhv-dist10" })
        const before = yield* Campus.allRows
        const running = yield* Campus.runningOf("baddist")
        const failed = yield* init(id, "lhv-dist10", "DIST")
        assert.deepInclude(failed[0], { status: "FINISHED", next_job_id: null }, JSON.stringify(failed))
        assert.isTrue(failed[0] !== undefined && devicesOf(failed[0])[hostname]?.failed)
        assert.deepStrictEqual(yield* Campus.allRows, before)
        assert.strictEqual(yield* Campus.runningOf("baddist"), running)
        yield* withoutFaults("baddist")
        const again = yield* init(id, "lhv-dist10", "DIST")
        assert.deepStrictEqual(
          again.map(({ status }) => status),
          ["FINISHED", "FINISHED"],
          JSON.stringify(again)
        )
        assert.deepInclude(yield* (yield* DeviceStore).get(id), { state: "MANAGED", hostname: "lhv-dist10" })
        yield* syncs
      })
  )

  it.effect("joins without any neighbour if the given list is empty, and nothing is synchronized then", () =>
    Effect.gen(function* () {
      const already = (yield* syncs).length
      const { id } = yield* Campus.discover("freedist")
      const before = yield* Campus.allRows
      const refused = [
        yield* init(id, "lhv-dist11", "DIST"),
        yield* init(id, "lhv-dist11", "DIST", ["lhv-core1"]),
        yield* init(id, "lhv-dist11", "ACCESS"),
        yield* init(id, "lhv-dist11", "SPINE"),
        yield* init(id, "lhv-dist1", "DIST"),
        yield* init(9999, "lhv-dist11", "DIST")
      ]
      assert.deepStrictEqual(
        refused.map((jobs) => why(jobs)[2]),
        [
          "No linknets were specified to check_neighbors",
          "No linknets were specified to check_neighbors",
          "Init fabric device requires device type DIST or CORE",
          "Invalid 'device_type' provided",
          "There is already a device with hostname lhv-dist1",
          "No device with id 9999 found"
        ]
      )
      assert.deepStrictEqual(yield* Campus.allRows, before)
      const jobs = yield* init(id, "lhv-dist11", "DIST", [])
      assert.deepStrictEqual(
        jobs.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(jobs)
      )
      assert.strictEqual((yield* syncs).length, already)
    })
  )

  it.effect("is refused next to neighbours that wait for a sync", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* DeviceStore
      const { id } = yield* Campus.discover("otherdist")
      yield* sql`update device set synchronized = false where hostname = 'lhv-core2'`
      const before = yield* Campus.allRows
      const refused = yield* init(id, "lhv-dist12", "DIST")
      assert.deepStrictEqual(why(refused).slice(1), ["DeviceSyncError", "Neighbor device lhv-core2 not synchronized"])
      const request = InitRequest.check({ hostname: "lhv-dist1", device_type: "DIST" }).complete
      const found = yield* checkInit(initArguments(id, yield* Effect.fromResult(request)))
      assert.deepInclude(found, {
        linknets_compatible: true,
        neighbors_compatible: false,
        neighbors_error: "Neighbor device lhv-core2 not synchronized",
        hostname_error: "There is already a device with hostname lhv-dist1",
        compatible: false
      })
      assert.strictEqual(found.linknets?.length, 2)
      assert.deepStrictEqual(yield* Campus.allRows, before)
      const only = yield* init(id, "lhv-dist12", "DIST", ["lhv-core1"])
      assert.deepStrictEqual(
        only.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(only)
      )
      assert.deepInclude(yield* devices.get(id), { state: "MANAGED" })
      yield* syncs
    })
  )
})
