/** Before a device is changed it is known to be the device of its record. Through the API of a whole server, against the lab. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import type { JobReply } from "../support/ApiClient.ts"
import * as Campus from "../support/Campus.ts"
import { serve } from "../support/ServedCampus.ts"

const [ONE, TWO] = Managed.accessNames(2) as [string, string]
const ADDRESS = Managed.addressOf(0)
/** Leads to the first switch, too. */
const OTHER_ADDRESS = "10.196.16.200"
const MODEL = "CCS-720XP-24ZY4-F"

const clone = { hostname: "clone1", state: "MANAGED", device_type: "ACCESS", platform: "eos" }

const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const network = yield* Managed.makeManagedLab([ONE, TWO])
  const { api, running } = yield* serve({
    ...Campus.environment(network, folders, folders.folder),
    COMMIT_CONFIRMED_WAIT: "0",
    SSH_ADDRESS_MAP: `${OTHER_ADDRESS}/32=127.${ADDRESS.slice(3)}/32,10.0.0.0/8=127.0.0.0/8`
  })
  const database = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.provideContext(effect, running)
  yield* Effect.provideContext(Managed.seedManaged([ONE, TWO]), running)
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status !== 200) {
    yield* Effect.sleep("50 millis")
  }
  const [first, second] = yield* Managed.switchesOf(network, [ONE, TWO])
  assert(first !== undefined && second !== undefined)
  const device = (hostname: string) =>
    Effect.map(api.devices(`filter[hostname]=${hostname}`), ([found]) => {
      assert(found !== undefined, hostname)
      return found
    })
  const put = (hostname: string, change: object) =>
    Effect.flatMap(device(hostname), ({ id }) => api.send("PUT", `/device/${String(id)}`, change))
  const sync = (hostname: string, more: object = {}) =>
    api.run("/device_syncto", { hostname, dry_run: false, resync: true, ...more })
  /** What the job says of its only device; an empty text when all went well. */
  const failureOf = ({ exception, result }: JobReply) =>
    exception === null && Object.values(result?.devices ?? {}).every(({ failed }) => !failed)
      ? ""
      : JSON.stringify({ exception, result })
  const causes = (hostname: string) =>
    Effect.map(api.send("GET", `/device_synchistory?hostname=${hostname}`), ({ body }) =>
      JSON.stringify(body.data["hostnames"])
    )
  const trust = (hostname: string, body: object = { comment: "it was replaced" }) =>
    api.send("POST", `/device/${hostname}/trust`, body)
  return { api, causes, database, device, failureOf, first, put, second, sync, trust }
})
type Scene = Effect.Success<typeof makeScene>

/** Does something with the switch, which must not be changed by it. */
const unchanged = <A, E, R>(target: LabSwitch, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = [Managed.stripped(target.running()), Managed.stripped(target.startup()), target.commits().length]
    const began = target.commands().length
    const done = yield* work
    const after = [Managed.stripped(target.running()), Managed.stripped(target.startup()), target.commits().length]
    assert.deepEqual(after, before)
    const typed = target
      .commands()
      .slice(began)
      .map(({ command }) => command)
    const reading = /^(?:enable|terminal |no terminal monitor|show )/
    assert.deepEqual(
      typed.filter((command) => !reading.test(command)),
      []
    )
    assert.deepEqual(Managed.debrisOn(target), [])
    return done
  })

const wrong = (scene: Scene, job: JobReply, sentence: string) =>
  assert.include(scene.failureOf(job), `WrongDevice: ${sentence}`)

it.live("refuses to push one record over the switch of another, and the other is not called synchronized any more", () =>
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

it.live("refuses a switch that shows another serial number than its record has, until the record is right", () =>
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

it.live("says whose serial number it is", () =>
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

it.live("compares name and model before the first push of a record, and not any more when it was proved", () =>
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

it.live("finds two switches that answer at each other's address", () =>
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
