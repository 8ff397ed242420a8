/** device_initcheck reports all problems at once; a second check after one repair finds nothing new. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Lab } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { check, endOf, impossible, init } from "./Outcome.ts"

const WRONG_PORTS =
  "Peer device interface is not configured: lhv-dist1 Ethernet41; " +
  "Peer device interface is not configured as downlink: lhv-dist2 Ethernet30 ifclass: custom"

layer(Campus.layer, { excludeTestServices: true })("device_initcheck of a switch with", (it) => {
  it.effect("two wrong ports names both, and the problems of the neighbours behind them; so does the job", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* Campus.discover("twowrong")
      const before = yield* Campus.allRows
      const answer = yield* check(id, { hostname: "lhv-acc60" })
      assert.deepInclude(answer, {
        linknets_compatible: false,
        linknets_error: WRONG_PORTS,
        neighbors_compatible: false,
        neighbors_error: "No linknets found",
        compatible: false
      })
      assert.notProperty(answer, "linknets")
      const [job] = yield* init(id, "lhv-acc60")
      assert.deepStrictEqual(job === undefined ? [] : endOf(job), ["EXCEPTION", "InterfaceError", WRONG_PORTS])
      assert.deepStrictEqual(yield* Campus.allRows, before)
      yield* sql`update device set state = 'UNMANAGED' where hostname in ('lhv-dist1', 'lhv-dist2')`
      assert.deepInclude(yield* check(id, { hostname: "lhv-dist3" }), {
        linknets_error: WRONG_PORTS,
        neighbors_error:
          "Neighbor device lhv-dist1 not in state MANAGED; Neighbor device lhv-dist2 not in state MANAGED",
        hostname_error: "There is already a device with hostname lhv-dist3"
      })
      yield* sql`update device set state = 'MANAGED' where hostname in ('lhv-dist1', 'lhv-dist2')`
    })
  )

  it.effect(
    "too few cables to its peer and uplinks without a common domain names both, in addition to both taken names and an old row of another peer",
    () =>
      Effect.gen(function* () {
        const a = yield* Campus.discover("crossA")
        const b = yield* Campus.discover("crossB")
        const before = yield* Campus.allRows
        const answer = yield* check(a.id, {
          hostname: "lhv-dist1",
          mlag_peer_id: b.id,
          mlag_peer_hostname: "lhv-dist2"
        })
        const links = `MLAG requires at least two MLAG peer links, 1 found for device id ${a.id} (${a.hostname})`
        const domain =
          "Could not find appropriate management domain for uplink peer devices: ['lhv-dist1', 'lhv-dist3']"
        assert.deepInclude(answer, {
          linknets_compatible: true,
          neighbors_compatible: false,
          neighbors_error: `${links}; ${domain}`,
          mlag_compatible: false,
          hostname_error:
            "There is already a device with hostname lhv-dist1; There is already a device with hostname lhv-dist2",
          compatible: false
        })
        assert.deepStrictEqual(yield* Campus.allRows, before)
        yield* (yield* InterfaceStore).put(a.id, "Ethernet99", "MLAG_PEER", { neighbor_id: 4711 })
        const pair = { hostname: "lhv-acc61", mlag_peer_id: b.id, mlag_peer_hostname: "lhv-acc62" }
        assert.strictEqual(
          (yield* check(a.id, pair)).neighbors_error,
          `${links}; ${domain}; Inconsistent MLAG peer 4711 detected for device ${a.hostname}`
        )
      })
  )

  it.effect("a manually changed neighbour says so and marks nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* Campus.discover("redundant")
      yield* sql`update device set confhash = 'of another configuration' where hostname in ('lhv-dist1', 'lhv-dist2')`
      const before = yield* Campus.allRows
      assert.deepInclude(yield* check(id, { hostname: "lhv-acc63" }), {
        linknets_compatible: true,
        neighbors_error: "Configuration hash check failed for lhv-dist1 lhv-dist2",
        compatible: false
      })
      assert.deepStrictEqual(yield* Campus.allRows, before)
      yield* sql`update device set confhash = null`
      assert.isTrue((yield* check(id, { hostname: "lhv-acc63" })).compatible)
    })
  )

  it.effect("two core switches that wait for a sync names both, for each type of device that it could become", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { hostname, id } = yield* Campus.discover("newdist")
      const late = "Neighbor device lhv-core1 not synchronized; Neighbor device lhv-core2 not synchronized"
      const dist = { hostname: "lhv-dist9", device_type: "DIST" }
      assert.isTrue((yield* check(id, dist)).compatible)
      yield* sql`update device set synchronized = false where hostname like 'lhv-core%'`
      assert.strictEqual((yield* check(id, dist)).neighbors_error, late)
      assert.strictEqual(
        (yield* check(id, { ...dist, neighbors: ["lhv-core1", "lhv-dist3"] })).neighbors_error,
        "Not all expected neighbors were detected; Neighbor device lhv-core1 not synchronized"
      )
      assert.deepInclude(yield* check(id, { ...dist, device_type: "ACCESS" }), {
        neighbors_error: `No uplink neighbors found for device id: ${id} (${hostname})`
      })
      assert.isTrue((yield* check(id, { ...dist, neighbors: [] })).compatible)
    })
  )

  it.effect("a silent peer says so of both, and a pair must be two switches", () =>
    Effect.gen(function* () {
      const lab = yield* Lab
      const one = yield* Campus.discover("thin1")
      const other = yield* Campus.discover("thin2")
      const { id: managed } = yield* (yield* DeviceStore).getByHostname("lhv-dist1")
      const pair = { hostname: "lhv-acc64", mlag_peer_id: other.id, mlag_peer_hostname: "lhv-acc65" }
      assert.deepStrictEqual(yield* impossible(9999, { ...pair, mlag_peer_id: managed }), [
        400,
        "ValueError in pre_init_checks: No device with id 9999 found; " +
          "Exception in pre_init_checks: Device must be in state DISCOVERED to begin init"
      ])
      const twoSwitches = [
        400,
        "ValueError in pre_init_checks: The switches of an MLAG pair must be two devices with two hostnames"
      ]
      assert.deepStrictEqual(yield* impossible(one.id, { ...pair, mlag_peer_id: one.id }), twoSwitches)
      assert.deepStrictEqual(yield* impossible(one.id, { ...pair, mlag_peer_hostname: "lhv-acc64" }), twoSwitches)
      assert.deepStrictEqual(yield* impossible(one.id, { ...pair, replace_hostname: true }), [
        400,
        "Replacing a MLAG switch is not supported"
      ])
      for (const name of ["thin1", "thin2"]) yield* (yield* lab.get(name)).powerOff
      const [status, text] = yield* impossible(one.id, pair)
      assert.strictEqual(status, 500)
      for (const { id } of [one, other]) assert.include(String(text), `Failed to connect to device_id ${id}: `)
    })
  )
})
