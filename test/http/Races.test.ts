import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type Answer, ApiClient, SiteServer } from "../support/ApiServer.ts"
import { SqlClient } from "effect/sql"
import { allocationLock } from "../../src/store/NetworkStore.ts"

const CLIENTS = 12
const together = <A, E, R>(request: (client: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: CLIENTS }, (_, client) => request(client)),
    { concurrency: "unbounded" }
  )

const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status).toSorted()

const column = Effect.fnUntraced(function* (query: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql.unsafe<{ value: unknown }>(query)).map(({ value }) => value)
})

const waitingForLocks = Effect.map(
  column("select count(*)::int as value from pg_locks where locktype = 'advisory' and not granted"),
  ([count]) => Number(count)
)

layer(SiteServer(), { excludeTestServices: true })("Clients at the same time", (it) => {
  it.effect("cannot create a device twice: one succeeds, the others are refused", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const device = { hostname: "new1", state: "DHCP_BOOT", platform: "eos", device_type: "UNKNOWN" }
      const answers = yield* together(() => api.post("/device", device))
      assert.deepEqual(statuses(answers), [200, ...Array.from({ length: CLIENTS - 1 }, () => 400)])
      assert.deepEqual(yield* column(`select count(*)::int as value from device where hostname = 'new1'`), [1])
    })
  )

  it.effect("cannot give two devices the same name", () =>
    Effect.gen(function* () {
      yield* setScene(["update device set state = 'UNMANAGED'"])
      const api = yield* ApiClient
      const answers = yield* together((client) => api.put(`/device/${(client % 6) + 1}`, { hostname: "same" }))
      assert.isTrue(statuses(answers).every((status) => status === 200 || status === 400))
      assert.deepEqual(yield* column(`select count(*)::int as value from device where hostname = 'same'`), [1])
    })
  )

  it.effect("never get the same automatic address", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const answers = yield* together((client) =>
        api.post("/device", { hostname: `dist-${client}`, state: "DHCP_BOOT", platform: "eos", device_type: "DIST" })
      )
      assert.deepEqual(new Set(statuses(answers)), new Set([200]))
      const addresses = yield* column(`select infra_ip as value from device where infra_ip is not null`)
      assert.strictEqual(new Set(addresses).size, addresses.length)
      assert.strictEqual(addresses.length, 8)
    })
  )

  it.effect("do not get an address that an initialisation is using at that moment", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const sql = yield* SqlClient.SqlClient
      const newDist = (hostname: string) =>
        api.post("/device", { hostname, state: "DHCP_BOOT", platform: "eos", device_type: "DIST" })
      yield* newDist("sample")
      const [next] = yield* column("select infra_ip as value from device where hostname = 'sample'")
      yield* sql`delete from device where hostname = 'sample'`
      const asking = yield* Effect.gen(function* () {
        yield* yield* allocationLock
        yield* sql`update device set infra_ip = ${String(next)} where hostname = 'dist1'`
        const request = yield* Effect.forkDetach(newDist("late"))
        while (request.pollUnsafe() === undefined && (yield* waitingForLocks) === 0) yield* Effect.sleep("5 millis")
        return request
      }).pipe(sql.withTransaction)
      assert.strictEqual((yield* Fiber.join(asking)).status, 200)
      const [given] = yield* column("select infra_ip as value from device where hostname = 'late'")
      assert.isString(given)
      assert.notStrictEqual(given, next)
    })
  )

  it.effect("never get the same link network: each gets the next one", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const answers = yield* together((client) =>
        api.post("/linknets", {
          device_a: client % 2 === 0 ? "core1" : "dist2",
          device_a_port: `Ethernet${10 + client}`,
          device_b: client % 2 === 0 ? "dist2" : "core1",
          device_b_port: `Ethernet${10 + client}`
        })
      )
      assert.deepEqual(new Set(statuses(answers)), new Set([201]))
      const networks = yield* column(
        `select ipv4_network as value from linknet where ipv4_network is not null order by id`
      )
      assert.strictEqual(new Set(networks).size, CLIENTS + 1)
    })
  )

  it.effect("cannot use one port for two links", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const answers = yield* together((client) =>
        api.post("/linknets", {
          device_a: client % 2 === 0 ? "dist2" : "core1",
          device_a_port: "Ethernet10",
          device_b: client % 2 === 0 ? "core1" : "dist2",
          device_b_port: "Ethernet10"
        })
      )
      assert.deepEqual(statuses(answers), [201, ...Array.from({ length: CLIENTS - 1 }, () => 400)])
    })
  )

  it.effect("do not lose each other's changes of an interface", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const keys = ["description", "neighbor", "vxlan", "cli_append_str"] as const
      const values = { description: "x", neighbor: "core1", vxlan: "student", cli_append_str: "y" }
      const answers = yield* together((client) => {
        const key = keys[client % keys.length] ?? "description"
        return api.put("/device/east-a1/interfaces", { interfaces: { Ethernet1: { data: { [key]: values[key] } } } })
      })
      assert.deepEqual(new Set(statuses(answers)), new Set([200]))
      assert.deepEqual(
        yield* column(`select data as value from interface where device_id = 4 and name = 'Ethernet1'`),
        [values]
      )
      assert.deepEqual(
        yield* column(`select count(*)::int as value from sync_event where cause = 'interface_updated'`),
        [4]
      )
    })
  )

  it.effect("delete a device once, while others link, change and list it", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const answers = yield* together(
        (client) =>
          [
            api.delete("/device/1"),
            api.post("/linknets", {
              device_a: "core1",
              device_a_port: `e${client}`,
              device_b: "dist2",
              device_b_port: `e${client}`
            }),
            api.put("/device/1", { description: `by ${client}` }),
            api.post("/mgmtdomains", { device_a: "core1", device_b: "dist2", vlan: 10, ipv4_gw: "10.1.1.1/24" }),
            api.put("/device/core1/stackmember", { stackmembers: [{ hardware_id: `h${client}` }] }),
            api.get("/devices")
          ][client % 6] ?? api.get("/devices")
      )
      for (const { status, text } of answers) assert.isBelow(status, 500, text)
    })
  )

  it.effect("abort a job once", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const answers = yield* together(() => api.put("/job/3", { action: "ABORT" }))
      assert.deepEqual(statuses(answers), [200, ...Array.from({ length: CLIENTS - 1 }, () => 400)])
    })
  )
})
