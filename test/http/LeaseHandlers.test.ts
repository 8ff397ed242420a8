/** Leases that DHCP servers report: what becomes of each, who may report them, and which ones operators are shown. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Lease, LeaseQueue } from "../../src/domain/requests/LeaseRequests.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const lease = (last: number, more: object = {}) => ({
  ztp_mac: `00:1c:73:00:01:0${last}`,
  dhcp_ip: `10.0.9.${last}`,
  platform: "eos",
  ...more
})

const report = Effect.fnUntraced(function* (body: object) {
  const { post } = yield* ApiClient
  const { body: answer, status, text } = yield* post("/dhcp_leases", body)
  return { status, text, answer }
})

const Reported = Schema.Struct({ data: Schema.Struct({ lease: Lease }) })

const reported = (body: object) =>
  Effect.map(report(body), ({ answer }) => Schema.decodeUnknownSync(Reported)(answer).data.lease)

const Listed = Schema.Struct({
  data: Schema.Struct({ leases: Schema.Array(Lease), queues: Schema.Array(LeaseQueue) })
})

const untaken = Effect.gen(function* () {
  const { get } = yield* ApiClient
  return Schema.decodeUnknownSync(Listed)((yield* get("/dhcp_leases")).body).data
})

const jobs = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) => sql<{ mac: string }>`select start_arguments ->> 'ztp_mac' as mac from job order by id`
)

layer(ApiServer(), { excludeTestServices: true })("A reported lease", (it) => {
  it.effect("makes a device, discovers it, follows its address, and leaves a managed one alone", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const made = yield* reported(lease(1, { host: "dhcp1" }))
      assert.deepInclude(made, { ztp_mac: "001C73000101", outcome: "taken", step: "create", host: "dhcp1" })
      const device = yield* devices.getByHostname("mac-001C73000101")
      assert.deepInclude(device, { state: "DHCP_BOOT", device_type: "UNKNOWN", platform: "eos", dhcp_ip: "10.0.9.1" })
      const found = yield* reported(lease(1))
      assert.deepInclude(found, { outcome: "taken", step: "discovery" })
      assert.deepStrictEqual(yield* jobs, [{ mac: "001C73000101" }])
      yield* devices.update(device.id, { state: "DISCOVERED" })
      assert.deepInclude(yield* reported(lease(1)), { outcome: "taken", step: "none" })
      assert.deepInclude(yield* reported(lease(1, { dhcp_ip: "10.0.9.11" })), { step: "address" })
      assert.strictEqual((yield* devices.get(device.id)).dhcp_ip, "10.0.9.11")
      yield* devices.update(device.id, { state: "MANAGED" })
      assert.deepInclude(yield* reported(lease(1)), { outcome: "taken", step: "none" })
      assert.deepStrictEqual(yield* untaken, { leases: [], queues: [] })
    })
  )

  it.effect("that is repeated has no second effect, and one of a switch that asked before is discovered at once", () =>
    Effect.gen(function* () {
      const before = yield* jobs
      const first = yield* reported(lease(2, { report: "a" }))
      const second = yield* reported(lease(2, { report: "a" }))
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(yield* jobs, before)
      assert.deepInclude(yield* reported(lease(3, { report: "b", again: true })), { step: "discovery" })
      assert.deepStrictEqual((yield* jobs).slice(before.length), [{ mac: "001C73000103" }])
    })
  )

  it.effect("that is refused is listed with its reason until a later one is taken", () =>
    Effect.gen(function* () {
      const refused = yield* reported(lease(4, { platform: "toaster", host: "dhcp1", waiting: 7 }))
      assert.deepInclude(refused, { outcome: "refused", step: "create" })
      assert.include(refused.message, "Device platform not specified or not known")
      const listed = yield* untaken
      assert.deepStrictEqual(listed.leases, [refused])
      assert.deepStrictEqual(listed.queues, [{ host: "dhcp1", waiting: 7, reported_at: refused.reported_at }])
      yield* reported(lease(4, { host: "dhcp1" }))
      assert.deepStrictEqual(yield* untaken, { leases: [], queues: [] })
    })
  )

  it.effect("is checked, and its mistakes change nothing", () =>
    Effect.gen(function* () {
      for (const [body, sentence] of [
        [{ dhcp_ip: "10.0.0.1", platform: "eos" }, "POST data must include 'ztp_mac'"],
        [lease(5, { ztp_mac: "00:00:00:00:00:00" }), "Invalid ztp_mac received."],
        [lease(5, { dhcp_ip: "10.0.0" }), "Invalid dhcp_ip received. Must be a valid IP address."],
        [lease(5, { platform: "$(id)" }), "Invalid platform received."],
        [lease(5, { again: "yes" }), "'again' must be a boolean"],
        [lease(5, { waiting: -1 }), "waiting should be greater than -1"]
      ] as const) {
        const { status, text } = yield* report(body)
        assert.strictEqual(status, 400, text)
        assert.include(text, sentence)
      }
      assert.deepStrictEqual(yield* untaken, { leases: [], queues: [] })
    })
  )
})

layer(SiteWithRoles("roles: {}\n"), { excludeTestServices: true })("The role of the hook", (it) => {
  it.effect("may report leases, and takes no address that another switch is managed at", () =>
    Effect.gen(function* () {
      yield* setScene()
      const hook = yield* caller({ sub: "dhcp", roles: ["dhcp-hook"] })
      const taken = yield* hook("POST", "/dhcp_leases", { json: lease(1) })
      assert.strictEqual(taken.status, 200, taken.text)
      const stolen = yield* hook("POST", "/dhcp_leases", { json: lease(2, { dhcp_ip: "10.0.6.7" }) })
      assert.include(stolen.text, '"outcome":"refused"')
      assert.include(stolen.text, "east-a2 would lose its management address 10.0.6.7")
      assert.strictEqual((yield* hook("GET", "/dhcp_leases", {})).status, 403)
      const reader = yield* caller({ sub: "reader", roles: ["reader"] })
      assert.strictEqual((yield* reader("GET", "/dhcp_leases", {})).status, 200)
      assert.strictEqual((yield* reader("POST", "/dhcp_leases", { json: lease(3) })).status, 403)
    })
  )
})
