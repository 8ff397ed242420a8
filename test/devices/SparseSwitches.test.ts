/** Switches that say less about themselves than most, or spell it otherwise, read through the API of a whole server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Quirks } from "../../src/lab/eos/Quirks.ts"
import { makeQuirkyLab, NAMES } from "../jobs/upkeep/OperationsLab.ts"

const [HOST, PEER] = NAMES

const asVirtualOnes: Quirks = {
  absentKeys: ["serialNumber", "systemMacAddress", "hwMacAddress", "uptime", "bandwidth", "mtu", "systemDescription"],
  bareConfig: true
}

it.live(
  "reads facts, ports and neighbours of a switch that omits fields, keeps stored values, and names the missing ones",
  () =>
    Effect.gen(function* () {
      const { api } = yield* makeQuirkyLab(asVirtualOnes)
      const get = (path: string) => api.send("GET", `/device/${HOST}/${path}`)

      const facts = yield* api.run("/device_update_facts", { hostname: HOST })
      const result = Object(facts.result)
      assert.deepStrictEqual(Object.keys(result), ["diff", "remarks"], JSON.stringify(facts))
      assert.deepStrictEqual(Object.keys(Object(result["diff"])).toSorted(), ["model", "os_version", "vendor"])
      assert.deepStrictEqual(result["remarks"], ['"show version" gives no serialNumber'])
      const [device] = (yield* api.send("GET", `/device/${HOST}`)).body.data["devices"] as ReadonlyArray<object>
      assert.deepInclude(device, { serial: null, vendor: "Arista" })

      const status = (yield* get("interface_status")).body.data["interface_status"] as Record<string, unknown>
      assert.deepInclude(status["Ethernet3"], { is_enabled: true, mtu: null, speed: null })
      assert.deepEqual((yield* get("lldp_neighbors")).body.data["lldp_neighbors"], {
        Ethernet26: [{ hostname: PEER, port: "Ethernet26" }],
        Ethernet27: [{ hostname: "lhv-dist1", port: "Ethernet1" }]
      })
      const ports = yield* api.run("/device_update_interfaces", { hostname: HOST })
      assert.deepInclude(ports, { status: "FINISHED", exception: null }, JSON.stringify(ports))

      for (const mode of [0, 1]) {
        const live = yield* api.run("/device_syncto", {
          hostname: PEER,
          dry_run: false,
          force: true,
          confirm_mode: mode
        })
        assert.strictEqual(
          Object(live)["outcome"],
          "success",
          JSON.stringify(live.result)
            .replace(/"diff":"(?:[^"\\]|\\.)*"/g, "")
            .slice(-1_500)
        )
      }
    }).pipe(Effect.scoped)
)

it.live("names the missing field if work is impossible without it", () =>
  Effect.gen(function* () {
    const { api } = yield* makeQuirkyLab({ absentKeys: ["interfaces", "interfaceStatus", "lineProtocolStatus"] })
    const ports = yield* api.run("/device_update_interfaces", { hostname: HOST })
    assert.strictEqual(ports.status, "EXCEPTION")
    assert.include(JSON.stringify(ports.exception), "gives no interfaces")
    const facts = yield* api.run("/device_update_facts", { hostname: HOST })
    assert.deepStrictEqual(Object(facts.result)["remarks"], ['"show interfaces" gives no interfaces'])
    const status = yield* api.send("GET", `/device/${HOST}/interface_status`)
    assert.strictEqual(status.status, 400)
    assert.include(JSON.stringify(status.body), "it gives no interfaces")
  }).pipe(Effect.scoped)
)

for (const macSpelling of ["dots", "dashes", "bare", "upper"] as const) {
  it.live(`normalises addresses and chassis ids of a switch that spells them with ${macSpelling}`, () =>
    Effect.gen(function* () {
      const { api, first } = yield* makeQuirkyLab({ macSpelling })
      const get = (path: string) => api.send("GET", `/device/${HOST}/${path}`)
      const status = (yield* get("interface_status")).body.data["interface_status"] as Record<string, unknown>
      const system = first.hardware().mac.toUpperCase()
      assert.match(String(Object(status["Ethernet3"])["mac_address"]), /^([\dA-F]{2}:){5}[\dA-F]{2}$/)
      assert.include(String(Object(status["Ethernet3"])["mac_address"]), system.slice(0, 14))
      const told = (yield* get("lldp_neighbors_detail")).body.data["lldp_neighbors_detail"] as Record<
        string,
        ReadonlyArray<Record<string, unknown>>
      >
      assert.match(String(told["Ethernet27"]?.[0]?.["remote_chassis_id"]), /^([\dA-F]{2}:){5}[\dA-F]{2}$/)
    }).pipe(Effect.scoped)
  )
}
