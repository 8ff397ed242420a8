/** Before a device is changed it is known to be the device of its record. Through the API of a whole server, against the lab. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import { ADDRESS, clone, makeScene, MODEL, ONE, OTHER_ADDRESS, TWO, unchanged, wrong } from "./IdentityScene.ts"

it.live("refuses to push one record over the switch of another, and the other is no longer synchronized", () =>
  Effect.gen(function* () {
    const scene = yield* makeScene
    const { api, causes, device, failureOf, first, sync } = scene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    assert.isTrue((yield* device(ONE))["synchronized"])

    const posted = yield* api.send("POST", "/device", { ...clone, management_ip: OTHER_ADDRESS })
    assert.strictEqual(posted.status, 200, JSON.stringify(posted.body))
    const logins = first.logins().length
    for (const more of [{}, { dry_run: true }, { force: true }]) {
      const job = yield* unchanged(first, sync("clone1", more))
      wrong(scene, job, `clone1 at ${OTHER_ADDRESS} shows the host key SHA256:`)
      assert.include(failureOf(job), `which is ${ONE}`)
    }
    // no credentials were sent
    assert.lengthOf(first.logins(), logins)
    const read = yield* api.send("GET", "/device/clone1/running_config")
    assert.include(String(read.body.message), "WrongDevice: ")
    assert.lengthOf(first.logins(), logins)

    assert.isFalse((yield* device("clone1"))["synchronized"])
    assert.isFalse((yield* device(ONE))["synchronized"])
    assert.include(yield* causes(ONE), "wrong_device")
    assert.include(yield* causes("clone1"), "wrong_device")
    assert.lengthOf((yield* causes(ONE)).match(/wrong_device/g) ?? [], 1)

    // its own record still reaches it
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    assert.isTrue((yield* device(ONE))["synchronized"])
  }).pipe(Effect.scoped)
)

it.live("blocks a switch that is pinned to another record in every state", () =>
  Effect.gen(function* () {
    const { api, database, failureOf, first, put, sync } = yield* makeScene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    const posted = yield* api.send("POST", "/device", { ...clone, state: "UNMANAGED", management_ip: OTHER_ADDRESS })
    assert.strictEqual(posted.status, 200, JSON.stringify(posted.body))
    const logins = first.logins().length
    for (const state of ["UNMANAGED", "MANAGED_NOIF", "MANAGED", "DISCOVERED", "INIT", "PRE_CONFIGURED", "DHCP_BOOT"]) {
      yield* put("clone1", { state })
      const read = yield* api.send("GET", "/device/clone1/lldp_neighbors_detail")
      assert.include(String(read.body.message), "WrongDevice: clone1 at", state)
      assert.lengthOf(first.logins(), logins, state)
    }
    const events = yield* database(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select 1 from event where kind = 'host_key' and is_audit and hostname = 'clone1'`
      )
    )
    assert.isAbove(events.length, 0)
  }).pipe(Effect.scoped)
)

it.live("refuses a switch with another serial number than its record, until the record is corrected", () =>
  Effect.gen(function* () {
    const scene = yield* makeScene
    const { causes, device, failureOf, first, put, sync } = scene
    const { serial } = first.hardware()
    yield* put(ONE, { serial: "JPE99999999" })
    for (const more of [{ dry_run: true }, {}, { force: true }]) {
      wrong(
        scene,
        yield* unchanged(first, sync(ONE, more)),
        `${ONE} at ${ADDRESS} shows serial ${serial}, but its record has serial JPE99999999`
      )
    }
    assert.include(yield* causes(ONE), "wrong_device")
    assert.isFalse((yield* device(ONE))["synchronized"])
    assert.strictEqual((yield* device(ONE))["serial"], "JPE99999999")

    assert.strictEqual((yield* put(ONE, { serial: ` ${serial.toLowerCase()} ` })).status, 200)
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    assert.isTrue((yield* device(ONE))["synchronized"])
  }).pipe(Effect.scoped)
)

it.live("names the record that has the serial number", () =>
  Effect.gen(function* () {
    const scene = yield* makeScene
    const { api, causes, device, failureOf, first, put, second, sync, trust } = scene
    yield* put(TWO, { serial: first.hardware().serial })
    yield* put(ONE, { serial: second.hardware().serial })
    const sentence = `${ONE} at ${ADDRESS} shows serial ${first.hardware().serial}, which is ${TWO}`
    wrong(scene, yield* unchanged(first, sync(ONE)), sentence)
    assert.include(yield* causes(TWO), "wrong_device")
    const refused = yield* trust(ONE)
    assert.deepEqual([refused.status, String(refused.body.message).includes(`which is ${TWO}`)], [409, true])

    // a record without one does not take that of another
    yield* put(ONE, { serial: null })
    wrong(scene, yield* unchanged(first, sync(ONE)), sentence)
    assert.isNull((yield* device(ONE))["serial"])
    assert.strictEqual((yield* api.send("GET", `/device/${ONE}/running_config`)).status, 500)
    yield* put(TWO, { serial: null })
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    assert.strictEqual((yield* device(ONE))["serial"], first.hardware().serial)
  }).pipe(Effect.scoped)
)

it.live("compares name and model before the first push of a record, and not after a proof", () =>
  Effect.gen(function* () {
    const scene = yield* makeScene
    const { device, failureOf, first, put, second, sync, trust } = scene
    yield* put(ONE, { model: "DCS-7050SX3-48YC8-F" })
    wrong(
      scene,
      yield* unchanged(first, sync(ONE)),
      `${ONE} at ${ADDRESS} shows model ${MODEL}, but its record has model DCS-7050SX3-48YC8-F`
    )
    yield* put(ONE, { model: MODEL })
    first.configure("hostname somebody-elses")
    wrong(scene, yield* unchanged(first, sync(ONE)), `${ONE} at ${ADDRESS} shows hostname somebody-elses, not ${ONE}`)
    first.configure(`hostname ${TWO}`)
    wrong(
      scene,
      yield* unchanged(first, sync(ONE, { dry_run: true })),
      `${ONE} at ${ADDRESS} shows hostname ${TWO}, which is another`
    )
    first.configure("hostname localhost")
    yield* put(ONE, { model: "DCS-7050SX3-48YC8-F" })
    const trusted = yield* trust(ONE)
    assert.strictEqual(trusted.status, 200, JSON.stringify(trusted.body))
    assert.deepEqual([(yield* device(ONE))["model"], (yield* device(ONE))["serial"]], [MODEL, first.hardware().serial])
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    assert.strictEqual(first.hostname(), ONE)

    assert.strictEqual(failureOf(yield* sync(TWO)), "")
    yield* put(TWO, { model: "an older model" })
    second.configure("hostname changed-by-hand")
    assert.strictEqual(failureOf(yield* sync(TWO, { force: true })), "")
    assert.strictEqual(second.hostname(), TWO)
  }).pipe(Effect.scoped)
)

it.live("detects two switches that answer at each other's address", () =>
  Effect.gen(function* () {
    const scene = yield* makeScene
    const { causes, device, failureOf, first, second, sync } = scene
    for (const name of [ONE, TWO]) assert.strictEqual(failureOf(yield* sync(name)), "")
    const addresses = [Managed.addressOf(0), Managed.addressOf(1)] as const
    const move = (one: LabSwitch, from: string, to: string) =>
      one.configure(one.running().replace(`ip address ${from}/`, `ip address ${to}/`), { replace: true })
    move(first, addresses[0], "10.196.16.99")
    move(second, addresses[1], addresses[0])
    move(first, "10.196.16.99", addresses[1])
    while (!second.addresses().includes(`127.${addresses[0].slice(3)}`)) yield* Effect.sleep("10 millis")
    wrong(scene, yield* sync(ONE, { force: true }), `${ONE} at ${addresses[0]} shows the host key SHA256:`)
    assert.include(yield* causes(TWO), "wrong_device")
    for (const name of [ONE, TWO]) assert.isFalse((yield* device(name))["synchronized"])
    wrong(scene, yield* sync(TWO, { dry_run: true }), `${TWO} at ${addresses[1]} shows the host key SHA256:`)
  }).pipe(Effect.scoped)
)
