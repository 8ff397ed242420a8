/** New switches that say less about themselves than most (docs/switch-dialogues.md#fields-that-are-not-there), on the lab. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Facts } from "../../../src/domain/DeviceReadings.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { check, devicesOf, endOf, init, join, linksOf, rolesOf, uplink } from "./Outcome.ts"

layer(Campus.layer, { excludeTestServices: true })("a switch that lacks fields", (it) => {
  it.effect("joins the network without a serial number, with its links, and its job names the missing fields", () =>
    Effect.gen(function* () {
      const { device, id, jobs } = yield* join("virtual", "lhv-acc33")
      assert.deepStrictEqual(
        jobs.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(jobs)
      )
      assert.deepInclude(device, { state: "MANAGED", serial: null, vendor: "Arista", model: "CCS-720XP-24ZY4-F" })
      assert.deepStrictEqual(yield* rolesOf(id), { Ethernet27: uplink("lhv-dist1"), Ethernet28: uplink("lhv-dist2") })
      assert.deepStrictEqual(yield* linksOf(id), [
        ["Ethernet27", "Ethernet17", null],
        ["Ethernet28", "Ethernet17", null]
      ])
      const [, second] = jobs
      const task = second === undefined ? undefined : devicesOf(second)["lhv-acc33"]?.job_tasks[0]
      const { facts } = Schema.decodeUnknownSync(Schema.Struct({ facts: Facts }))(task?.result)
      assert.isNull(facts.serial_number)
      assert.deepStrictEqual(facts.remarks, ['"show version" gives no serialNumber'])
    })
  )

  it.effect("is not initialised if it does not give the ports of its cables, and the job names the field", () =>
    Effect.gen(function* () {
      const { id } = yield* Campus.discover("portless")
      const found = yield* check(id, { hostname: "lhv-acc34" })
      assert.include(JSON.stringify(found), "LLDP gives no neighborPort")
      const [job] = yield* init(id, "lhv-acc34")
      const [status, type, message] = job === undefined ? [] : endOf(job)
      assert.strictEqual(status, "EXCEPTION")
      assert.strictEqual(type, "InterfaceError")
      assert.include(String(message), "Interface Ethernet27 hears lhv-dist1, but not on which port of it")
      assert.deepInclude(yield* (yield* DeviceStore).get(id), { state: "DISCOVERED" })
      assert.deepStrictEqual(yield* linksOf(id), [])
    })
  )
})
