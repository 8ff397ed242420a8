/** All work on a switch that is not the device of its record is refused, and how operators continue. Against the lab. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import { ADDRESS, makeScene, MODEL, ONE, shareAddress, TWO, unchanged } from "./IdentityScene.ts"

it.live("changes nothing on another switch by any job or request, and does not store its facts", () =>
  Effect.gen(function* () {
    const { api, device, failureOf, first, put, sync } = yield* makeScene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    const first_job = (yield* api.send("GET", "/jobs?sort=-id&per_page=1")).body.data["jobs"] as ReadonlyArray<{
      readonly id: number
    }>
    const { id } = yield* device(ONE)
    yield* put(ONE, { serial: "JPE99999999", os_version: "1.0" })
    const sentence = `${ONE} at ${ADDRESS} shows serial ${first.hardware().serial}, but its record has serial JPE99999999`
    const requests: ReadonlyArray<readonly [method: string, path: string, body: object]> = [
      ["POST", "/device_syncto", { hostname: ONE, dry_run: false, resync: true, force: true }],
      ["POST", "/device_syncto", { hostname: ONE, dry_run: false, resync: true, abort_on_failure: true }],
      ["POST", `/device/${ONE}/apply_config`, { full_config: first.running(), dry_run: true }],
      ["POST", `/device/${ONE}/previous_config`, { job_id: first_job[0]?.id, dry_run: false }],
      ["POST", "/device_update_facts", { hostname: ONE }],
      ["POST", "/device_update_interfaces", { hostname: ONE }],
      ["POST", "/device_drift", { hostname: ONE }],
      ["POST", "/device_read_tables", { hostname: ONE }],
      [
        "POST",
        "/firmware/upgrade",
        { hostname: ONE, url: "http://127.0.0.1:9/f", reboot: true, activate: true, filename: "EOS-4.32.1F.swi" }
      ],
      ["PUT", `/device/${ONE}/interface_status`, { bounce_interfaces: ["Ethernet1"] }],
      ["GET", `/device/${ONE}/running_config`, {}],
      ["GET", `/device/${ONE}/interface_status`, {}],
      ["DELETE", `/device/${String(id)}`, { factory_default: true }]
    ]
    for (const [method, path, body] of requests) {
      const said = yield* unchanged(
        first,
        Effect.gen(function* () {
          const reply = yield* api.send(method, path, method === "GET" ? undefined : body)
          const job = reply.body.job_id === undefined ? null : yield* api.ended(reply.body.job_id)
          return JSON.stringify([reply.status, reply.body, job])
        })
      )
      assert.include(said, sentence, `${method} ${path}: ${said}`)
    }
    assert.strictEqual((yield* device(ONE))["serial"], "JPE99999999")
    assert.strictEqual(first.power(), "on")
  }).pipe(Effect.scoped)
)

it.live("changes nothing on a switch while two records have its address", () =>
  Effect.gen(function* () {
    const { api, database, device, failureOf, first, second, sync } = yield* makeScene
    for (const name of [ONE, TWO]) assert.strictEqual(failureOf(yield* sync(name)), "")
    const [one, two] = [yield* device(ONE), yield* device(TWO)]
    yield* database(shareAddress(Number(one["id"]), Number(two["id"])))
    const firmware = { url: "http://127.0.0.1:9/f", reboot: true, activate: true, filename: "EOS-4.32.1F.swi" }
    for (const [hostname, other, id] of [
      [ONE, TWO, one["id"]],
      [TWO, ONE, two["id"]]
    ]) {
      const requests: ReadonlyArray<readonly [method: string, path: string, body: object]> = [
        ["POST", "/device_syncto", { hostname, dry_run: false, resync: true, force: true }],
        ["POST", "/firmware/upgrade", { hostname, ...firmware }],
        ["PUT", `/device/${String(hostname)}/interface_status`, { bounce_interfaces: ["Ethernet1"] }],
        ["DELETE", `/device/${String(id)}`, { factory_default: true }]
      ]
      for (const [method, path, body] of requests) {
        const said = yield* unchanged(
          first,
          unchanged(
            second,
            Effect.gen(function* () {
              const reply = yield* api.send(method, path, body)
              const job = reply.body.job_id === undefined ? null : yield* api.ended(reply.body.job_id)
              return JSON.stringify([reply.status, reply.body, job])
            })
          )
        )
        const sentence = `management_ip ${ADDRESS} of ${String(hostname)} is also the management_ip of ${String(other)}`
        assert.include(said, sentence, `${method} ${path}: ${said}`)
      }
    }
    assert.deepEqual([first.power(), second.power()], ["on", "on"])
  }).pipe(Effect.scoped)
)

it.live("blocks a manually replaced chassis until an operator trusts it", () =>
  Effect.gen(function* () {
    const { api, database, device, failureOf, first, sync, trust } = yield* makeScene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    const old = first.hardware().serial
    assert.strictEqual((yield* device(ONE))["serial"], old)
    const running = first.running()
    yield* first.swapHardware({ serial: "JPE00000042" })
    yield* first.powerOn
    first.configure(running, { replace: true })
    while (first.addresses().length === 0) yield* Effect.sleep("10 millis")
    assert.include(failureOf(yield* unchanged(first, sync(ONE))), `HostKeyChanged: host key of ${ONE} changed`)
    const { body } = yield* api.send("GET", `/device/${ONE}/host_key`)
    const { refused_fingerprint } = body.data["host_key"] as { readonly refused_fingerprint: string }
    const pinned = yield* api.send("PUT", `/device/${ONE}/host_key`, {
      action: "PIN",
      fingerprint: refused_fingerprint
    })
    assert.strictEqual(pinned.status, 200)
    const sentence = `WrongDevice: ${ONE} at ${ADDRESS} shows serial JPE00000042, but its record has serial ${old}; nothing was changed. Correct the address or the serial of the record, or accept what the switch shows: POST /device/${ONE}/trust`
    assert.include(failureOf(yield* unchanged(first, sync(ONE))), sentence)

    const trusted = yield* unchanged(first, trust(ONE, { comment: "RMA 4711" }))
    assert.deepEqual<unknown>(
      [trusted.status, trusted.body.data],
      [
        200,
        {
          trusted: {
            hostname: ONE,
            fingerprint: refused_fingerprint,
            serial: "JPE00000042",
            model: MODEL,
            shown_hostname: ONE
          }
        }
      ]
    )
    assert.strictEqual(failureOf(yield* sync(ONE, { force: true })), "")
    assert.isTrue((yield* device(ONE))["synchronized"])
    const audited = yield* database(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select actor, data from event where kind = 'host_key' and action = 'trusted' and is_audit`
      )
    )
    assert.lengthOf(audited, 1)
    assert.include(JSON.stringify(audited), "RMA 4711")
  }).pipe(Effect.scoped)
)

it.live("accepts everything that a switch shows in one step, including its key", () =>
  Effect.gen(function* () {
    const { device, failureOf, first, sync, trust } = yield* makeScene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    const running = first.running()
    yield* first.swapHardware({ serial: "JPE00000043" })
    yield* first.powerOn
    first.configure(running, { replace: true })
    while (first.addresses().length === 0) yield* Effect.sleep("10 millis")
    assert.strictEqual((yield* trust(ONE, {})).status, 200)
    assert.strictEqual((yield* device(ONE))["serial"], "JPE00000043")
    assert.strictEqual(failureOf(yield* sync(ONE, { force: true })), "")
  }).pipe(Effect.scoped)
)

it.live("accepts nothing during an open change, for an unmanaged device, or without a user", () =>
  Effect.gen(function* () {
    const { api, database, device, failureOf, put, sync, trust } = yield* makeScene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    yield* put(ONE, { serial: "JPE99999999" })
    assert.strictEqual((yield* trust("nobody")).status, 404)
    const open = (phase: string) =>
      database(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql`update config_change set phase = ${phase} where device_id = (select id from device where hostname = ${ONE})`
        )
      )
    yield* open("committed")
    const refused = yield* trust(ONE)
    assert.deepEqual(
      [
        refused.status,
        /^Cannot trust what lhv-acc10 shows: job \d+ is changing it$/.test(String(refused.body.message))
      ],
      [409, true]
    )
    assert.strictEqual((yield* device(ONE))["serial"], "JPE99999999")
    yield* open("confirmed")
    yield* put(TWO, { state: "DISCOVERED" })
    assert.strictEqual((yield* trust(TWO)).status, 400)
    assert.strictEqual((yield* api.send("POST", `/device/${ONE}/trust`, { comment: null })).status, 200)
  }).pipe(Effect.scoped)
)

it.live("does not pin a key that another record has", () =>
  Effect.gen(function* () {
    const { api, failureOf, put, sync } = yield* makeScene
    assert.strictEqual(failureOf(yield* sync(ONE)), "")
    yield* put(ONE, { state: "UNMANAGED" })
    yield* put(TWO, { management_ip: "10.196.16.200" })
    assert.include(failureOf(yield* sync(TWO)), `which is ${ONE}`)
    const { body } = yield* api.send("GET", `/device/${TWO}/host_key`)
    const { refused_fingerprint: fingerprint } = body.data["host_key"] as { readonly refused_fingerprint: string }
    const pin = yield* api.send("PUT", `/device/${TWO}/host_key`, { action: "PIN", fingerprint })
    assert.strictEqual(pin.status, 409)
    assert.include(String(pin.body.message), `it is the host key of ${ONE}`)
    assert.strictEqual((yield* api.send("POST", `/device/${TWO}/trust`, {})).status, 409)
  }).pipe(Effect.scoped)
)

it.live("marks the other device when a switch runs the other's configuration", () =>
  Effect.gen(function* () {
    const { api, causes, database, device, failureOf, first, sync } = yield* makeScene
    for (const name of [ONE, TWO]) assert.strictEqual(failureOf(yield* sync(name)), "")
    // as a server of the previous release has left it, which pushed one record over the switch of the other
    yield* database(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update proved_config p set hash = o.hash, config = o.config from proved_config o
          where p.device_id <> o.device_id`
      )
    )
    assert.isTrue((yield* device(TWO))["synchronized"])
    yield* api.run("/device_drift", { hostname: ONE })
    assert.isFalse((yield* device(TWO))["synchronized"])
    assert.include(yield* causes(TWO), "wrong_device")
    assert.strictEqual(Managed.debrisOn(first).length, 0)

    assert.strictEqual(failureOf(yield* sync(TWO, { force: true })), "")
    assert.isTrue((yield* device(TWO))["synchronized"])
  }).pipe(Effect.scoped)
)
