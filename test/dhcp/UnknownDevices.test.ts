/** A flood of leases neither fills the database nor locks a real switch out for ever. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { makeFolder, runHook, waiting } from "./HookProgram.ts"

const macOf = (number: number): string => `001C7300${number.toString(16).toUpperCase().padStart(4, "0")}`

const leaseOf = (number: number): string => `10.0.9.${20 + number}`

const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate device, job, unknown_device restart identity cascade`
})

const register = Effect.fnUntraced(function* (number: number) {
  const mac = macOf(number)
  return yield* (yield* ApiClient).post("/device", {
    ztp_mac: mac,
    dhcp_ip: leaseOf(number),
    hostname: `mac-${mac}`,
    platform: "eos",
    state: "DHCP_BOOT",
    device_type: "UNKNOWN"
  })
})

const registered = Effect.map(
  Effect.flatMap(Effect.service(DeviceStore), ({ all }) => all),
  (rows) => rows.map(({ hostname }) => hostname.replace("mac-", ""))
)

/** Lets so many minutes pass since the last message of these switches. */
const silentFor = Effect.fnUntraced(function* (minutes: number, ...numbers: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update unknown_device set last_lease_at = now() - make_interval(mins => ${minutes})
    where device_id in (select id from device where ztp_mac = any(${numbers.map(macOf)}::text[]))`
})

const server = (variables: Readonly<Record<string, string>>) => Layer.merge(ApiServer(variables), NodeServices.layer)

layer(server({ UNKNOWN_DEVICES_PER_HOUR: "3" }), { excludeTestServices: true })("Unknown devices", (it) => {
  it.effect("are limited by the hour, even after earlier ones were deleted; further ones are refused", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      for (const number of [1, 2, 3]) assert.strictEqual((yield* register(number)).status, 200)
      yield* sql`delete from device where ztp_mac = ${macOf(1)}`
      const refused = yield* register(4)
      assert.strictEqual(refused.status, 429)
      assert.match(
        refused.text,
        /3 unknown devices have registered within the last hour \(UNKNOWN_DEVICES_PER_HOUR\); the next one is taken in 3[56]\d\d seconds/
      )
      assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/)
      assert.deepEqual(yield* registered, [macOf(2), macOf(3)])
      const known = yield* (yield* ApiClient).post("/device", {
        hostname: "lhv-a9",
        state: "PRE_CONFIGURED",
        platform: "eos",
        device_type: "ACCESS"
      })
      assert.strictEqual(known.status, 200, "devices that somebody enters are not counted")
      yield* sql`update unknown_device set registered_at = registered_at - interval '1 hour'`
      assert.strictEqual((yield* register(4)).status, 200)
    })
  )

  it.effect("that register at the same moment obey the limit too", () =>
    Effect.gen(function* () {
      yield* fresh
      const answers = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], register, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 3)
      assert.strictEqual((yield* registered).length, 3)
    })
  )

  it.effect("that were refused stay in the hook's queue, which gives the reason", () =>
    Effect.gen(function* () {
      yield* fresh
      const { base, get } = yield* ApiClient
      const DATA_DIR = yield* makeFolder
      for (const number of [1, 2, 3]) yield* register(number)
      const lease = (number: number) =>
        runHook(["commit", macOf(number), leaseOf(number), "eos"], { SWITCHYARD_URL: base, DATA_DIR })
      const refused = yield* lease(4)
      assert.strictEqual(refused.code, 30)
      assert.match(refused.output, /waits: 3 unknown devices have registered within the last hour/)
      assert.deepEqual(yield* waiting(DATA_DIR), [`${macOf(4)}.json`])
      const { body } = yield* get("/dhcp_leases")
      assert.containSubset(body, { data: { leases: [{ ztp_mac: macOf(4), outcome: "waits", step: "create" }] } })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update unknown_device set registered_at = registered_at - interval '1 hour'`
      assert.strictEqual((yield* lease(5)).code, 0)
      assert.sameMembers((yield* registered).slice(3), [macOf(5), macOf(4)])
      assert.containSubset((yield* get("/dhcp_leases")).body, { data: { leases: [] } })
    }).pipe(Effect.scoped)
  )
})

layer(server({ UNKNOWN_DEVICES_MAX: "3" }), { excludeTestServices: true })("Unknown devices that wait", (it) => {
  it.effect("are limited in number: one that was silent for an hour makes room, the oldest first", () =>
    Effect.gen(function* () {
      yield* fresh
      for (const number of [1, 2, 3]) yield* register(number)
      const refused = yield* register(4)
      assert.strictEqual(refused.status, 429)
      assert.match(refused.text, /3 unknown devices wait in state DHCP_BOOT \(UNKNOWN_DEVICES_MAX\)/)
      yield* silentFor(70, 1)
      yield* silentFor(90, 2)
      assert.strictEqual((yield* register(4)).status, 200)
      assert.deepEqual(yield* registered, [macOf(1), macOf(3), macOf(4)])
    })
  )

  it.effect("that ask for a lease are not silent, and rows entered by users stay", () =>
    Effect.gen(function* () {
      yield* fresh
      const devices = yield* DeviceStore
      const api = yield* ApiClient
      for (const number of [1, 2]) yield* register(number)
      yield* devices.insert({ hostname: "by-hand", state: "DHCP_BOOT", device_type: "UNKNOWN", ztp_mac: macOf(3) })
      yield* silentFor(90, 1, 2)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update device set last_seen = now() - interval '1 day'`
      const lease = yield* api.post("/device_discover", { ztp_mac: macOf(1), dhcp_ip: leaseOf(1) })
      assert.strictEqual(lease.status, 200)
      assert.strictEqual((yield* register(4)).status, 200)
      assert.deepEqual(yield* registered, [macOf(1), "by-hand", macOf(4)])
      assert.strictEqual((yield* register(5)).status, 429)
    })
  )

  it.effect("are limited in waiting discoveries", () =>
    Effect.gen(function* () {
      yield* fresh
      const api = yield* ApiClient
      const discover = (number: number) =>
        api.post("/device_discover", { ztp_mac: macOf(number), dhcp_ip: `10.0.9.${number}` })
      for (const number of [1, 2, 3]) assert.strictEqual((yield* discover(number)).status, 200)
      const refused = yield* discover(4)
      assert.deepEqual(
        [refused.status, refused.body],
        [429, { status: "error", message: "3 discoveries wait or run, try again later" }]
      )
    })
  )
})
