/** Every failure of the initialisation of an access switch: nothing remains, and a second try works. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Fault } from "../../../src/lab/Faults.ts"
import { Lab } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, endOf, init, withFault, withoutFaults } from "./Outcome.ts"

/** Switches that cannot join where they are plugged in, and what the job says. */
const REFUSED: ReadonlyArray<readonly [name: string, type: string, message: string]> = [
  ["unwired", "InitVerificationError", "No linknets were specified to check_neighbors"],
  [
    "wrongport",
    "InterfaceError",
    "Peer device interface is not configured as downlink: lhv-dist1 Ethernet30 ifclass: custom"
  ],
  ["nosettings", "InterfaceError", "Peer device interface is not configured: lhv-dist1 Ethernet40"],
  [
    "lonely",
    "InitVerificationError",
    `Incompatible uplink neighbors found for device id {id} ({hostname}): ['lhv-dist1'] - 1 has redundancy required ("redundant_link" setting)`
  ],
  [
    "parallel",
    "InitVerificationError",
    "Could not find appropriate management domain for uplink peer devices: ['lhv-dist1', 'lhv-dist1']"
  ]
]

/** Steps at which the push fails, by what the switch does. */
const NOT_MOVED: ReadonlyArray<readonly [name: string, what: string, fault: Fault | null]> = [
  ["rejected", "lhv-acc20", { kind: "reject", pattern: "^hostname lhv-acc20", message: "% Invalid input" }],
  ["stuck", "lhv-acc21", { kind: "lie", step: "commit" }],
  ["late", "lhv-acc22", { kind: "cut", step: "load", when: "before" }],
  ["untemplated", "lhv-acc66", null]
]

layer(Campus.layer, { excludeTestServices: true })("an access switch that cannot join", (it) => {
  it.effect("stays unchanged, with a sentence that gives the reason", () =>
    Effect.gen(function* () {
      const devices = yield* Effect.forEach(REFUSED, ([name]) => Campus.discover(name), { concurrency: "unbounded" })
      const before = yield* Campus.allRows
      for (const [index, [name, type, text]] of REFUSED.entries()) {
        const { hostname = "", id = 0 } = devices[index] ?? {}
        const message = text.replace("{id}", String(id)).replace("{hostname}", hostname)
        const [job] = yield* init(id, `lhv-acc9${index}`)
        assert.deepStrictEqual(job === undefined ? [] : endOf(job), ["EXCEPTION", type, message], name)
      }
      assert.deepStrictEqual(yield* Campus.allRows, before)
    })
  )

  it.effect("is refused for a wrong state, a taken name, half a pair or a switch that is off", () =>
    Effect.gen(function* () {
      const rows = yield* DeviceStore
      const { id } = yield* Campus.discover("watched")
      const dist = yield* rows.getByHostname("lhv-dist1")
      const before = yield* Campus.allRows
      const ends = Effect.fnUntraced(function* (device: number, hostname: string, more = {}) {
        const [job] = yield* init(device, hostname, more)
        return job === undefined ? [] : endOf(job).slice(1)
      })
      assert.deepStrictEqual(yield* ends(9999, "lhv-acc30"), ["ValueError", "No device with id 9999 found"])
      assert.deepStrictEqual(yield* ends(dist.id, "lhv-acc30"), [
        "DeviceStateError",
        "Device must be in state DISCOVERED to begin init"
      ])
      assert.deepStrictEqual(yield* ends(id, "lhv-dist2"), [
        "DeviceStateError",
        "There is already a device with hostname lhv-dist2"
      ])
      assert.deepStrictEqual(yield* ends(id, "lhv-acc30", { mlag_peer_id: 5 }), [
        "ValueError",
        "mlag_peer_id and mlag_peer_new_hostname must be specified together"
      ])
      const lab = yield* Lab
      const off = yield* lab.get("watched")
      yield* off.powerOff
      assert.deepStrictEqual(yield* ends(id, "lhv-acc30"), [
        "ConnectionCheckError",
        `Failed to connect to device_id ${id}`
      ])
      assert.deepStrictEqual(yield* Campus.allRows, before)
    })
  )

  it.effect("is refused below neighbours that are not managed or were changed manually, which is recorded", () =>
    Effect.gen(function* () {
      const rows = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const lab = yield* Lab
      yield* (yield* lab.get("watched")).powerOn
      yield* (yield* lab.get("watched")).whenOn
      const { dhcp_ip, id } = yield* rediscovered("watched")
      assert.isNotNull(dhcp_ip)
      const neighbour = yield* rows.getByHostname("lhv-dist3")
      yield* sql`update device set state = 'UNMANAGED' where id = ${neighbour.id}`
      const [unmanaged] = yield* init(id, "lhv-acc30")
      assert.deepStrictEqual(unmanaged === undefined ? [] : endOf(unmanaged).slice(1), [
        "DeviceStateError",
        "Neighbor device lhv-dist3 not in state MANAGED"
      ])
      yield* sql`update device set state = 'MANAGED', confhash = 'of another configuration' where id = ${neighbour.id}`
      const [altered] = yield* init(id, "lhv-acc30")
      assert.deepStrictEqual(altered === undefined ? [] : endOf(altered).slice(1), [
        "Exception",
        "Configuration hash check failed for lhv-dist3"
      ])
      const { events, links, reservations } = yield* Campus.allRows
      assert.deepStrictEqual(events, [{ hostname: "lhv-dist3", cause: "confighash" }])
      assert.deepStrictEqual([links, reservations], [[], []])
      assert.isFalse((yield* rows.getByHostname("lhv-dist3")).synchronized)
    })
  )

  it.effect("rolls back anything that the switch refuses, and joins at the second try", () =>
    Effect.gen(function* () {
      const rows = yield* DeviceStore
      const devices = yield* Effect.forEach(NOT_MOVED, ([name]) => Campus.discover(name), {
        concurrency: "unbounded"
      })
      for (const [name, , fault] of NOT_MOVED) if (fault !== null) yield* withFault(name, fault)
      const before = yield* Campus.allRows
      const running = yield* Effect.forEach(NOT_MOVED, ([name]) => Campus.runningOf(name))
      const jobs = yield* Effect.forEach(NOT_MOVED, ([, hostname], index) => init(devices[index]?.id ?? 0, hostname), {
        concurrency: "unbounded"
      })
      for (const [index, [job]] of jobs.entries()) {
        assert.deepInclude(job, { status: "FINISHED", next_job_id: null }, JSON.stringify(job))
        const result = job === undefined ? undefined : devicesOf(job)[devices[index]?.hostname ?? ""]
        assert.isTrue(result?.failed, JSON.stringify(job?.result))
      }
      assert.deepStrictEqual(yield* Effect.forEach(NOT_MOVED, ([name]) => Campus.runningOf(name)), running)
      for (const [name] of NOT_MOVED) assert.deepStrictEqual(yield* Campus.sessionsOf(name), [], name)
      assert.deepStrictEqual(yield* Campus.allRows, before)
      for (const [name] of NOT_MOVED) yield* withoutFaults(name)
      const again = yield* Effect.forEach(
        NOT_MOVED,
        ([, hostname], index) => init(devices[index]?.id ?? 0, hostname.replace("66", "23")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        again.map((chain) => chain.map(({ status }) => status)),
        NOT_MOVED.map(() => ["FINISHED", "FINISHED"]),
        JSON.stringify(again)
      )
      const states = yield* Effect.forEach(devices, ({ id }) => Effect.map(rows.get(id), ({ state }) => state))
      assert.deepStrictEqual(states, ["MANAGED", "MANAGED", "MANAGED", "MANAGED"])
    })
  )

  it.effect("is not mistaken for one of a pair with a single peer link", () =>
    Effect.gen(function* () {
      const one = yield* Campus.discover("thin1")
      const other = yield* Campus.discover("thin2")
      const before = yield* Campus.allRows
      const pair = { mlag_peer_id: other.id, mlag_peer_new_hostname: "lhv-acc33" }
      const [job] = yield* init(one.id, "lhv-acc32", pair)
      const who = `${one.id} (${one.hostname})`
      assert.deepStrictEqual(job === undefined ? [] : endOf(job).slice(1), [
        "InitVerificationError",
        `MLAG requires at least two MLAG peer links, 1 found for device id ${who}`
      ])
      assert.deepStrictEqual(yield* Campus.allRows, before)
    })
  )
})

const commands = Campus.layerWith({ templates: { "eos/access.j2": (text) => `${text}\nreload now\n` } })

layer(commands, { excludeTestServices: true })("an access switch whose base configuration contains a command", (it) => {
  it.effect("receives none of it and stays unchanged, and the line is named", () =>
    Effect.gen(function* () {
      const lab = yield* Lab
      const { id } = yield* Campus.discover("late")
      const device = yield* lab.get("late")
      const stateNow = () => [device.running(), device.startup(), device.bootImage(), device.power(), device.sessions()]
      const rows = yield* Campus.allRows
      const before = stateNow()
      const [job] = yield* init(id, "lhv-acc20")
      const text = JSON.stringify([job?.result, job?.exception])
      assert.include(text, 'is no configuration: \\"reload\\" is a command, not configuration')
      assert.include(text, "it comes from the template eos/access.j2, line ")
      assert.deepStrictEqual(stateNow(), before)
      assert.deepStrictEqual(yield* Campus.allRows, rows)
    })
  )
})

/** The switch has booted again, with the same identity. */
const rediscovered = Effect.fnUntraced(function* (name: string) {
  const rows = yield* DeviceStore
  const lab = yield* Lab
  const blank = yield* lab.get(name)
  const found = (yield* rows.all).find(
    ({ ztp_mac }) => ztp_mac === blank.hardware().mac.replaceAll(":", "").toUpperCase()
  )
  return yield* rows.get(found?.id ?? 0)
})
