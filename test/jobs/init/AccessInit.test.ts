/** Every way in which an access switch joins the network, on the lab. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import {
  devicesOf,
  driftOf,
  endOf,
  init,
  join,
  linksOf,
  mlag,
  progressUntil,
  rolesOf,
  untilState,
  uplink,
  withFault,
  withoutFaults
} from "./Outcome.ts"
import { InitAccessStep1 } from "../../../src/domain/jobs/InitJobs.ts"

layer(Campus.layer, { excludeTestServices: true })("an access switch", (it) => {
  it.effect(
    "joins below a redundant pair, below a single port, and below switches that announce their domain, with addresses of both families",
    () =>
      Effect.gen(function* () {
        const [redundant, single, dual] = yield* Effect.all(
          [join("redundant", "lhv-acc1"), join("single", "lhv-acc2"), join("dual", "lhv-acc8")],
          { concurrency: "unbounded" }
        )
        for (const { device, jobs } of [redundant, single, dual]) {
          assert.deepStrictEqual(
            jobs.map(({ status }) => status),
            ["FINISHED", "FINISHED"],
            JSON.stringify(jobs)
          )
          assert.deepInclude(device, { state: "MANAGED", device_type: "ACCESS", dhcp_ip: null, synchronized: false })
        }
        assert.deepStrictEqual(yield* rolesOf(redundant.id), {
          Ethernet27: uplink("lhv-dist1"),
          Ethernet28: uplink("lhv-dist2")
        })
        assert.deepStrictEqual(yield* rolesOf(single.id), { Ethernet28: uplink("lhv-dist1") })
        assert.deepStrictEqual(yield* linksOf(redundant.id), [
          ["Ethernet27", "Ethernet1", null],
          ["Ethernet28", "Ethernet1", null]
        ])
        assert.sameMembers(
          [redundant.device.management_ip, single.device.management_ip],
          ["10.196.16.6", "10.196.16.7"]
        )
        assert.deepInclude(dual.device, { management_ip: "10.196.17.6", secondary_management_ip: "2001:db8:17::6" })
        assert.deepStrictEqual(yield* rolesOf(dual.id), {
          Ethernet27: uplink("lhv-dist3"),
          Ethernet28: uplink("lhv-dist4")
        })
        assert.include(redundant.running, "hostname lhv-acc1")
        assert.match(
          redundant.running,
          new RegExp(`interface Vlan3016\n(?: .*\n)*? +ip address ${redundant.device.management_ip}/24`)
        )
        assert.include(dual.running, "10.196.17.6/24")
        assert.include(dual.running, "2001:db8:17::6/64")
        assert.deepStrictEqual((yield* Campus.allRows).reservations, [])
        assert.deepStrictEqual(yield* driftOf(["lhv-acc1", "lhv-acc8"]), { "lhv-acc1": "", "lhv-acc8": "" })
      })
  )

  it.effect("returns the usual result, whose entries clients check for success", () =>
    Effect.gen(function* () {
      const { id } = yield* Campus.discover("late")
      const engine = yield* JobEngine
      const started = yield* engine.start(InitAccessStep1, { device_id: id, new_hostname: "lhv-acc10" }, { user: "t" })
      const seen = yield* progressUntil(started, "push")
      assert.deepStrictEqual(seen.slice(0, 3), ["survey", "neighbours", "planned"])
      const step1 = yield* engine.ended(started)
      const tasks = devicesOf(step1)["lhv-acc10"]?.job_tasks ?? []
      assert.deepStrictEqual(
        tasks.map(({ task_name }) => task_name),
        [
          "push_base_management",
          "ztp_device_cert",
          "Generate initial device config",
          "Push base management config",
          "napalm_get"
        ]
      )
      assert.deepStrictEqual(tasks.filter(({ result }) => result === "").length, 3)
      yield* engine.ended(step1.next_job_id ?? 0)
    })
  )

  it.effect("joins below another access switch once that one's port is a downlink", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const above = yield* devices.getByHostname("lhv-acc1")
      const { id } = yield* Campus.discover("below")
      const before = yield* Campus.allRows
      const [refused] = yield* init(id, "lhv-acc11")
      assert.deepStrictEqual(refused === undefined ? [] : endOf(refused), [
        "EXCEPTION",
        "InterfaceError",
        "Peer device interface not configured as ACCESS_DOWNLINK: lhv-acc1 Ethernet1"
      ])
      assert.deepStrictEqual(yield* Campus.allRows, before)
      yield* (yield* InterfaceStore).put(above.id, "Ethernet1", "ACCESS_DOWNLINK", { redundant_link: false })
      const jobs = yield* init(id, "lhv-acc11")
      assert.deepStrictEqual(
        jobs.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(jobs)
      )
      assert.deepStrictEqual(yield* rolesOf(id), { Ethernet28: uplink("lhv-acc1") })
      assert.match((yield* devices.get(id)).management_ip ?? "", /^10\.196\.16\./)
    })
  )

  it.effect("joins as a pair, whichever of the two is named first, and a failed half is retried alone", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = yield* Effect.all(
        ["pairA", "pairB", "pairC", "pairD"].map((name) => Campus.discover(name)),
        { concurrency: "unbounded" }
      )
      const ids = [a, b, c, d].map((device) => device?.id ?? 0)
      const [idA = 0, idB = 0, idC = 0, idD = 0] = ids
      // the second half of the second pair refuses its configuration once
      yield* withFault("pairC", { kind: "reject", pattern: "^hostname lhv-acc5", times: 1 })
      const [first, other] = yield* Effect.all(
        [
          init(idA, "lhv-acc3", { mlag_peer_id: idB, mlag_peer_new_hostname: "lhv-acc4" }),
          init(idD, "lhv-acc6", { mlag_peer_id: idC, mlag_peer_new_hostname: "lhv-acc5" })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        first.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(first)
      )
      assert.deepStrictEqual(
        other.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(other)
      )
      yield* untilState(idB, "MANAGED")
      assert.deepStrictEqual(yield* rolesOf(idA), {
        Ethernet25: mlag(idB),
        Ethernet26: mlag(idB),
        Ethernet28: uplink("lhv-dist1")
      })
      assert.deepStrictEqual(yield* rolesOf(idB), {
        Ethernet25: mlag(idA),
        Ethernet26: mlag(idA),
        Ethernet28: uplink("lhv-dist2")
      })
      assert.strictEqual((yield* linksOf(idA)).length, 3)
      assert.include(yield* Campus.runningOf("pairB"), "peer-link Port-Channel2000")

      // the other pair: its second half is as it was after the first one's step, and only it is started again
      const half = yield* untilState(idC, "DISCOVERED")
      assert.match(half.hostname, /^mac-/)
      assert.deepStrictEqual(yield* rolesOf(idC), {
        Ethernet25: mlag(idD),
        Ethernet26: mlag(idD),
        Ethernet28: uplink("lhv-dist1")
      })
      yield* withoutFaults("pairC")
      const again = yield* init(idD, "lhv-acc6", { mlag_peer_id: idC, mlag_peer_new_hostname: "lhv-acc5" })
      assert.deepStrictEqual(
        again.map(({ status }) => status),
        ["FINISHED", "FINISHED", "FINISHED"],
        JSON.stringify(again)
      )
      assert.deepInclude(yield* (yield* DeviceStore).get(idC), { state: "MANAGED", hostname: "lhv-acc5" })
      assert.deepStrictEqual((yield* Campus.allRows).reservations, [])
    })
  )

  it.effect("that was cut off in INIT is continued by the next attempt of step 2", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const { id } = yield* Campus.discover("full")
      yield* withFault("full", {
        kind: "error",
        step: "write",
        message: "% Error copying system:/running-config (No space left on device)"
      })
      const engine = yield* JobEngine
      const args = { device_id: id, new_hostname: "lhv-acc15" }
      const step1 = yield* engine.ended(yield* engine.start(InitAccessStep1, args, { user: "t" }))
      const step2 = yield* engine.ended(step1.next_job_id ?? 0)
      assert.isTrue(devicesOf(step2)["lhv-acc15"]?.failed, JSON.stringify(step2))
      assert.isNotNull(step2.next_job_id)
      assert.strictEqual((yield* devices.get(id)).state, "INIT")
      yield* withoutFaults("full")
      const retried = yield* Campus.runJob("init_device_step2", { device_id: id, iteration: 1 })
      assert.strictEqual(retried.status, "FINISHED")
      assert.strictEqual((yield* devices.get(id)).state, "MANAGED")
      const late = yield* Campus.runJob("init_device_step2", { device_id: id, iteration: 1 })
      assert.deepStrictEqual(endOf(late), [
        "EXCEPTION",
        "DeviceStateError",
        "Device must be in state INIT to continue init step 2"
      ])
      // another switch answers there, of which there is no record any more
      const core = yield* devices.getByHostname("lhv-core2")
      yield* devices.update(core.id, { management_ip: null })
      const stranger = yield* devices.insert({
        hostname: "lhv-acc77",
        state: "INIT",
        device_type: "ACCESS",
        platform: "eos",
        management_ip: "10.199.3.2"
      })
      const wrong = yield* Campus.runJob("init_device_step2", { device_id: stranger.id, iteration: 1 })
      assert.deepStrictEqual(endOf(wrong), [
        "EXCEPTION",
        "InitError",
        "Newly initialized device presents wrong hostname"
      ])
      assert.strictEqual((yield* devices.get(stranger.id)).state, "INIT")
      yield* devices.remove(stranger.id)
      yield* devices.update(core.id, { management_ip: core.management_ip })
    })
  )
})
