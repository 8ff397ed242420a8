/** The answers of device_initcheck about access switches, pairs and replacements; it writes nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Lab } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { check, impossible } from "./Outcome.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"

layer(Campus.layer, { excludeTestServices: true })("device_initcheck", (it) => {
  it.effect("finds a compatible switch or pair, and lists every obstacle of another", () =>
    Effect.gen(function* () {
      const names = ["redundant", "single", "pairA", "pairB", "wrongport", "lonely", "dual", "unwired"]
      const found = yield* Effect.forEach(names, (name) => Campus.discover(name), { concurrency: "unbounded" })
      const [redundant, single, pairA, pairB, wrongport, lonely, dual, unwired] = found.map(({ id }) => id)
      const before = yield* Campus.allRows
      const good = yield* check(redundant ?? 0, { hostname: "lhv-acc1" })
      assert.deepInclude(good, {
        linknets_compatible: true,
        neighbors: ["lhv-dist1", "lhv-dist2"],
        neighbors_compatible: true,
        compatible: true
      })
      assert.deepStrictEqual(Object.keys(good), [
        "linknets",
        "linknets_compatible",
        "neighbors",
        "neighbors_compatible",
        "parsed_args",
        "compatible"
      ])
      assert.deepInclude(Object(good.linknets?.[0]), {
        device_a_hostname: found[0]?.hostname,
        device_a_port: "Ethernet27",
        device_b_hostname: "lhv-dist1",
        device_b_port: "Ethernet1",
        redundant_link: true
      })
      assert.isTrue((yield* check(single ?? 0, { hostname: "lhv-acc2" })).compatible)
      assert.deepInclude(yield* check(dual ?? 0, { hostname: "lhv-acc8" }), {
        neighbors: ["lhv-dist3", "lhv-dist4"],
        compatible: true
      })
      const mlag = { mlag_peer_id: pairB, mlag_peer_hostname: "lhv-acc4" }
      const pair = yield* check(pairA ?? 0, { hostname: "lhv-acc3", ...mlag })
      assert.deepInclude(pair, { mlag_compatible: true, compatible: true }, JSON.stringify(pair))
      assert.deepInclude(yield* check(pairA ?? 0, { hostname: "lhv-acc3", ...mlag, mlag_peer_id: single }), {
        neighbors_compatible: false,
        mlag_compatible: false,
        compatible: false
      })
      assert.deepInclude(yield* check(wrongport ?? 0, { hostname: "lhv-dist1" }), {
        linknets_compatible: false,
        linknets_error: "Peer device interface is not configured as downlink: lhv-dist1 Ethernet30 ifclass: custom",
        neighbors_compatible: false,
        neighbors_error: "No linknets found",
        hostname_error: "There is already a device with hostname lhv-dist1",
        compatible: false
      })
      assert.match(
        (yield* check(lonely ?? 0, { hostname: "lhv-acc7" })).neighbors_error ?? "",
        /^Incompatible uplink neighbors found/
      )
      assert.deepInclude(yield* check(unwired ?? 0, { hostname: "lhv-acc7" }), {
        linknets: [],
        neighbors_error: "No linknets found",
        compatible: false
      })
      assert.deepInclude(yield* check(unwired ?? 0, { hostname: "lhv-acc7", neighbors: [] }), {
        neighbors: [],
        compatible: true
      })
      assert.deepStrictEqual(yield* Campus.allRows, before)
      const { reservations } = yield* NetworkStore
      for (let last = 6; last < 255; last++) {
        const holder = yield* (yield* DeviceStore).insert({
          hostname: `x${last}`,
          state: "UNMANAGED",
          device_type: "UNKNOWN"
        })
        yield* reservations.reserve({ device_id: holder.id, ip_version: 4, ip: `10.196.16.${last}` })
      }
      assert.match(
        (yield* check(redundant ?? 0, { hostname: "lhv-acc1" })).neighbors_error ?? "",
        /^Could not find free primary management IP for management domain 1\/Domain 16$/
      )
    })
  )

  it.effect("cannot be made for unknown, managed or silent devices, with the reason in the status", () =>
    Effect.gen(function* () {
      const { id } = yield* Campus.discover("late")
      const dist = yield* (yield* DeviceStore).getByHostname("lhv-dist1")
      const body = { hostname: "lhv-acc20" }
      assert.deepStrictEqual(yield* impossible(9999, body), [
        400,
        "ValueError in pre_init_checks: No device with id 9999 found"
      ])
      assert.deepStrictEqual(yield* impossible(id, { ...body, mlag_peer_id: 9999, mlag_peer_hostname: "b" }), [
        400,
        "ValueError in pre_init_checks: No device with id 9999 found"
      ])
      assert.deepStrictEqual(yield* impossible(dist.id, body), [
        500,
        "Exception in pre_init_checks: Device must be in state DISCOVERED to begin init"
      ])
      assert.deepStrictEqual(yield* impossible(id, { hostname: "lhv-acc99", replace_hostname: true }), [
        500,
        "Exception in pre_init_checks: Device lhv-acc99 not found"
      ])
      const late = yield* (yield* Lab).get("late")
      late.setFault({ kind: "error", step: "showLldp", message: "% Internal error", times: 1 })
      assert.deepStrictEqual(yield* impossible(id, body), [
        500,
        `Exception in update_linknets: Could not get LLDP neighbors for ${(yield* (yield* DeviceStore).get(id)).hostname}`
      ])
      yield* late.powerOff
      const [status, text] = yield* impossible(id, body)
      assert.strictEqual(status, 500)
      assert.match(String(text), new RegExp(`^Exception in pre_init_checks: Failed to connect to device_id ${id}: `))
    })
  )

  it.effect("lists the losses of a replacement", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const interfaces = yield* InterfaceStore
      const old = yield* devices.insert({
        hostname: "lhv-acc40",
        state: "UNMANAGED",
        device_type: "ACCESS",
        platform: "eos"
      })
      yield* interfaces.put(old.id, "Ethernet1", "ACCESS_AUTO", null)
      yield* interfaces.put(old.id, "Ethernet48", "ACCESS_AUTO", null)
      const { id } = yield* Campus.discover("spare")
      const before = yield* Campus.allRows
      const found = yield* check(id, { hostname: "lhv-acc40", replace_hostname: true })
      assert.deepInclude(found, { compatible: true, replacement_lost: { interfaces: ["Ethernet48"], links: [] } })
      assert.deepStrictEqual(yield* Campus.allRows, before)
      yield* interfaces.put(old.id, "Ethernet2", "MLAG_PEER", { neighbor_id: 1 })
      assert.deepStrictEqual(yield* impossible(id, { hostname: "lhv-acc40", replace_hostname: true }), [
        400,
        "Replacing a MLAG switch is not supported"
      ])
    })
  )
})
