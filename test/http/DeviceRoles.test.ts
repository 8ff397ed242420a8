/** Callers with permissions for some devices only, and the ways by which they might reach others. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient } from "../support/ApiServer.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const FILE = `
roles:
  east:
    groups: [EAST_WING]
    permissions: [{ methods: ["*"], endpoints: ["*"] }]
  east-ports: { extends: port-editor, groups: [EAST_WING] }
  two-ports: { extends: port-editor, interfaces: ["east-a1:Ethernet[12]"] }
  everything-of-two-ports:
    interfaces: ["east-a1:Ethernet[12]"]
    permissions: [{ methods: ["*"], endpoints: ["*"] }]
  ports-by-path:
    permissions: [{ methods: [PUT], endpoints: ["/device/{hostname}/interfaces", "/device/*/interface_status"] }]
  looker: { permissions: [{ methods: ["*"], endpoints: ["*"], live: false }] }
  few: { permissions: [{ methods: ["*"], endpoints: ["*"], max_devices: 2 }] }
  asking: { permissions: [{ methods: ["*"], endpoints: ["*"], approval: true }] }
  slow: { permissions: [{ methods: [GET], endpoints: ["*a*a*a*a*a*a*b", "/auth/*"] }] }
  syncing: { permissions: [{ methods: ["*"], endpoints: ["*"], jobs: [sync_devices] }] }
`

const statusOf = Effect.fnUntraced(function* (role: string, method: string, path: string, json?: unknown) {
  const send = yield* caller({ roles: [role] })
  return (yield* send(method, path, json === undefined ? {} : { json })).status
})

const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; function_name: string; start_arguments: Readonly<Record<string, unknown>> }>`
    select id, function_name, start_arguments from job where id > 3 order by id`
})

const FOREIGN: ReadonlyArray<readonly [method: string, path: string, json?: unknown]> = [
  ["GET", "/device/1"],
  ["GET", "/device/core1"],
  ["GET", "/device/%63ore1"],
  ["GET", "/device/01"],
  ["HEAD", "/device/1"],
  ["GET", "/device/core1/generate_config"],
  ["GET", "/device/core1/running_config"],
  ["GET", "/device/core1/previous_config"],
  ["GET", "/device/core1/interfaces"],
  ["PUT", "/device/1", { description: "mine" }],
  ["DELETE", "/device/1", {}],
  ["POST", "/device/core1/apply_config", { full_config: "hostname core1", dry_run: true }],
  ["POST", "/device_syncto", { hostname: "core1" }],
  ["POST", "/device_syncto", { hostnames: ["east-a1", "core1"] }],
  ["POST", "/device_syncto", { hostnames: ["east-a1", "CORE1"] }],
  ["POST", "/device_syncto", { device_type: "CORE", resync: true }],
  ["POST", "/device_syncto", { all: true, resync: true }],
  ["POST", "/device_syncto", { group: "DEFAULT", resync: true }],
  ["POST", "/device_syncto/hostname/core1", {}],
  ["POST", "/device_drift", {}],
  ["POST", "/device_read_tables", {}],
  ["POST", "/device_drift", { hostname: "core1" }],
  ["POST", "/device_update_facts", { hostname: "core1" }],
  ["POST", "/device_update_interfaces", { hostname: "special-a8" }],
  ["POST", "/device_update_interfaces", { hostname: "east-a1", mlag_peer_hostname: "special-a8" }],
  ["POST", "/device_cert", { hostname: "core1", action: "RENEW" }],
  ["POST", "/device_cert", { group: "DEFAULT", action: "RENEW" }],
  ["POST", "/firmware/upgrade", { group: "DEFAULT", filename: "EOS.swi", download: true }],
  ["POST", "/firmware/upgrade", { hostname: "core1", filename: "EOS.swi", download: true }],
  ["POST", "/firmware/upgradecheck", { group: "DEFAULT" }],
  ["POST", "/device_init/6", { hostname: "east-a9", device_type: "ACCESS" }],
  [
    "POST",
    "/device_initcheck/4",
    { hostname: "east-a9", device_type: "ACCESS", mlag_peer_id: 6, mlag_peer_hostname: "east-b9" }
  ],
  ["GET", "/settings?hostname=east-a1"],
  ["GET", "/groups"],
  ["GET", "/linknets"],
  ["GET", "/linknet/1"],
  ["GET", "/mgmtdomains"],
  ["POST", "/device", { hostname: "east-new", platform: "eos", device_type: "ACCESS", state: "MANAGED" }],
  ["POST", "/discover_device", { ztp_mac: "080027000006", dhcp_ip: "10.0.0.20" }],
  ["GET", "/joblocks"],
  ["GET", "/job/2"],
  ["POST", "/job/2/revert", {}],
  ["PUT", "/job/3", { action: "ABORT" }],
  ["PUT", "/repository/settings", { action: "REFRESH" }]
]

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A caller of some devices", (it) => {
  it.effect("reaches no other device under any name, and starts nothing on it", () =>
    Effect.gen(function* () {
      yield* setScene()
      for (const [method, path, json] of FOREIGN) {
        const status = yield* statusOf("east", method, path, json)
        assert.strictEqual(status, 403, `${method} ${path} ${JSON.stringify(json)}`)
      }
      assert.deepEqual(yield* jobs, [])
      assert.strictEqual(yield* statusOf("east", "GET", "/device/4"), 200)
      assert.strictEqual(yield* statusOf("east", "GET", "/device/east-a1"), 200)
    })
  )

  it.effect("moves no device to others, nor one of others to itself", () =>
    Effect.gen(function* () {
      yield* setScene([`update device set state = 'UNMANAGED' where id = 4`])
      assert.strictEqual(yield* statusOf("east", "PUT", "/device/4", { hostname: "west-a1" }), 403)
      assert.strictEqual(yield* statusOf("east", "PUT", "/device/8", { hostname: "east-a8" }), 403)
      assert.strictEqual(yield* statusOf("east", "GET", "/device/east-a1"), 200)
      assert.strictEqual(yield* statusOf("east", "PUT", "/device/4", { hostname: "east-a3" }), 200)
    })
  )

  it.effect("replaces no device of others by their own", () =>
    Effect.gen(function* () {
      yield* setScene()
      // core1's: what is done to east-a1 would be done to core1
      const place = { management_ip: "10.100.3.0" }
      for (const json of [place, { dhcp_ip: "10.100.3.0" }, { port: 10_022 }, { ztp_mac: "080027000006" }]) {
        assert.strictEqual(yield* statusOf("east", "PUT", "/device/4", json), 403, JSON.stringify(json))
      }
      assert.strictEqual(yield* statusOf("east", "PUT", "/device/4", { management_ip: "10.0.6.6" }), 200)
      assert.strictEqual(yield* statusOf("east", "PUT", "/device/4", { description: "mine" }), 200)
      assert.strictEqual(yield* statusOf("operator", "PUT", "/device/4", { management_ip: "10.100.3.7" }), 403)
      assert.strictEqual(yield* statusOf("administrator", "PUT", "/device/4", place), 409)
      assert.strictEqual(yield* statusOf("administrator", "PUT", "/device/4", { management_ip: "10.100.3.7" }), 200)
    })
  )

  it.effect("writes no lines into a configuration without the right for it", () =>
    Effect.gen(function* () {
      yield* setScene()
      const evil = "x\nusername eva privilege 15 nopassword"
      const put = (role: string, data: object) =>
        statusOf(role, "PUT", "/device/east-a1/interfaces", { interfaces: { Ethernet1: { data } } })
      for (const role of ["east-ports", "two-ports", "everything-of-two-ports"]) {
        assert.strictEqual(yield* put(role, { cli_append_str: evil }), 403, role)
        // fields of one line contain no further lines for any caller
        for (const data of [{ description: evil }, { tags: [evil] }]) {
          assert.strictEqual(yield* put(role, data), 400, `${role} ${JSON.stringify(data)}`)
        }
      }
      assert.notStrictEqual(yield* put("east", { cli_append_str: evil }), 403)
      for (const data of [{ description: "desk" }, { cli_append_str: null }, { tags: ["desk"] }]) {
        assert.notStrictEqual(yield* put("two-ports", data), 403, JSON.stringify(data))
      }
    })
  )

  it.effect("cannot see jobs of a person by giving that name to a program", () =>
    Effect.gen(function* () {
      yield* setScene([`update job set scheduled_by = 'alice', scheduled_way = 'jwt' where id = 2`])
      const api = yield* ApiClient
      const mallory = yield* caller({ sub: "mallory", roles: ["east-ports"] })
      const { text } = yield* mallory("POST", "/auth/tokens", { json: { name: "alice", roles: ["east-ports"] } })
      const headers = { authorization: `Bearer ${/swy_[\w-]+/.exec(text)?.[0]}` }
      assert.strictEqual((yield* api.send("GET", "/api/v1.0/job/2", { headers })).status, 403)
      assert.notInclude((yield* api.send("GET", "/api/v1.0/jobs", { headers })).text, "discover_device")
      const json = { hostname: "east-a1", dry_run: true }
      assert.strictEqual((yield* api.send("POST", "/api/v1.0/device_syncto", { headers, json })).status, 200)
      assert.strictEqual((yield* api.send("GET", "/api/v1.0/job/4", { headers })).status, 200)
      const alice = yield* caller({ sub: "alice", roles: ["east-ports"] })
      assert.strictEqual((yield* alice("GET", "/job/2")).status, 200)
    })
  )

  it.effect("sees lists without other devices, with matching counts", () =>
    Effect.gen(function* () {
      yield* setScene([
        `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (1, 'east-a1', false, '[]', true), (2, 'core1', false, '[]', true)`
      ])
      const send = yield* caller({ roles: ["east-ports"] })
      const everybody = yield* caller({ roles: ["administrator"] })
      for (const query of ["", "?filter[hostname][contains]=1", "?sort=-hostname", "?per_page=1"]) {
        // who sees everything asks the same first: no answer is shared between the two
        const all = yield* everybody("GET", `/devices${query}`)
        const { headers } = yield* send("GET", `/devices${query}`)
        const matching = query.startsWith("?filter") ? "1" : "2"
        assert.notStrictEqual(all.headers.get("x-matching-count"), matching)
        assert.strictEqual(headers.get("x-matching-count"), matching)
        assert.oneOf(headers.get("x-total-count"), [matching, "2"])
      }
      const { body } = yield* send("GET", "/devices?sort=hostname")
      const { devices } = (body as { data: { devices: ReadonlyArray<{ hostname: string }> } }).data
      assert.deepEqual(
        devices.map(({ hostname }) => hostname),
        ["east-a1", "east-a2"]
      )
      const found = (yield* send("GET", "/find?q=10.100.3.0")).body
      assert.deepInclude((found as { data: object }).data, { hits: [] }, "core1 is somebody else's")
      const seen = yield* send("GET", "/jobs")
      assert.deepEqual([seen.headers.get("x-total-count"), seen.headers.get("x-matching-count")], ["1", "1"])
      assert.notInclude(seen.text, "core1")
      assert.strictEqual(yield* statusOf("east-ports", "GET", "/job/1"), 200)
      assert.strictEqual(yield* statusOf("east-ports", "GET", "/job/2"), 403)
    })
  )

  it.effect("searches and compares configurations of no other device", () =>
    Effect.gen(function* () {
      yield* setScene([
        `insert into proved_config (device_id, job_id, hash, config)
          select id, null, 'x', 'hostname ' || hostname from device where hostname in ('core1', 'east-a1')`
      ])
      const send = yield* caller({ roles: ["east"] })
      const search = (query: string) => send("GET", `/configs?q=hostname${query}`)
      const { text } = yield* search("")
      assert.match(text, /"searched":2\b/)
      assert.notInclude(text, "core1")
      assert.include(text, "east-a1")
      for (const name of ["core1", "nobody"]) {
        assert.strictEqual((yield* search(`&hostname=${name}`)).status, 404)
        const path = `/device/east-a1/config_diff?from=generated&to=generated&other=${name}`
        const { status, text: said } = yield* send("GET", path)
        assert.strictEqual(status, 404, said)
        assert.include(said, "Device not found")
      }
    })
  )

  it.effect("sees another user's job only if it concerns permitted devices alone", () =>
    Effect.gen(function* () {
      yield* setScene([
        `update job set start_arguments = '{"hostnames": ["east-a1", "core1"]}' where id = 1`,
        `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (1, 'east-a1', false, '[]', true)`
      ])
      assert.strictEqual(yield* statusOf("east-ports", "GET", "/job/1"), 403)
    })
  )

  it.effect("starts jobs by a group with its present members", () =>
    Effect.gen(function* () {
      yield* setScene()
      assert.strictEqual(yield* statusOf("east", "POST", "/device_syncto", { group: "EAST_WING", resync: true }), 200)
      assert.strictEqual(yield* statusOf("east", "POST", "/device_cert", { group: "EAST_WING", action: "RENEW" }), 200)
      const [sync] = yield* jobs
      assert.deepEqual(sync?.start_arguments["hostnames"], ["east-a1"])
      assert.notProperty(sync?.start_arguments, "group")
    })
  )
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A caller of some ports", (it) => {
  it.effect("changes these ports, and nothing else of any switch", () =>
    Effect.gen(function* () {
      yield* setScene()
      const change = (role: string, device: string, ports: ReadonlyArray<string>) =>
        statusOf(role, "PUT", `/device/${device}/interfaces`, {
          interfaces: Object.fromEntries(ports.map((port) => [port, { data: { description: "desk" } }]))
        })
      for (const role of ["two-ports", "everything-of-two-ports"]) {
        assert.notStrictEqual(yield* change(role, "east-a1", ["Ethernet1", "Ethernet2"]), 403)
        assert.strictEqual(yield* change(role, "east-a1", ["Ethernet1", "Ethernet10"]), 403)
        assert.strictEqual(yield* change(role, "broken-a9", ["Ethernet1"]), 403)
        assert.strictEqual(yield* statusOf(role, "POST", "/device_syncto", { hostname: "east-a1" }), 200)
        assert.strictEqual(yield* statusOf(role, "POST", "/device_syncto", { hostname: "core1" }), 403)
        const bounce = { bounce_interfaces: ["Ethernet10"] }
        assert.strictEqual(yield* statusOf(role, "PUT", "/device/east-a1/interface_status", bounce), 403)
      }
      const role = "everything-of-two-ports"
      assert.strictEqual(yield* statusOf(role, "PUT", "/device/4", { description: "mine" }), 403)
      assert.strictEqual(yield* statusOf(role, "DELETE", "/device/4", {}), 403)
      const config = { full_config: "hostname east-a1", dry_run: true }
      assert.strictEqual(yield* statusOf(role, "POST", "/device/east-a1/apply_config", config), 403)
      assert.strictEqual(yield* statusOf(role, "POST", "/device_update_interfaces", { hostname: "east-a1" }), 403)
    })
  )

  it.effect("is judged by the parsed call, not by the spelling of its path", () =>
    Effect.gen(function* () {
      yield* setScene()
      const send = (path: string) => statusOf("ports-by-path", "PUT", path, { description: "mine" })
      for (const path of [
        "/device/1;/interfaces",
        "/device/1#/interfaces",
        "/device/1;x/interface_status",
        "/device/1?/interfaces",
        "/device/1%3B/interfaces"
      ]) {
        assert.oneOf(yield* send(path), [403, 404], path)
      }
      for (const path of [
        "//device/1",
        "/device//1",
        "/device/1/",
        "/device/./1",
        "/DEVICE/1",
        "/device/1%2Finterfaces"
      ]) {
        assert.oneOf(yield* send(path), [403, 404, 405], path)
      }
      assert.strictEqual(yield* statusOf("administrator", "GET", "/device/core1;/interfaces"), 404)
      assert.strictEqual(yield* statusOf("administrator", "GET", "/device/1"), 200)
      const { body } = yield* (yield* caller({ roles: ["administrator"] }))("GET", "/device/1")
      assert.notInclude(JSON.stringify(body), "mine")
    })
  )
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A caller of some jobs", (it) => {
  it.effect("with dry runs only starts none that changes a switch, now or later", () =>
    Effect.gen(function* () {
      yield* setScene()
      const sync = (json: object) => statusOf("looker", "POST", "/device_syncto", { hostname: "east-a1", ...json })
      assert.strictEqual(yield* sync({ dry_run: true }), 200)
      assert.strictEqual(yield* sync({ dry_run: false }), 403)
      assert.strictEqual(yield* sync({ dry_run: true, auto_push: true }), 403)
      assert.strictEqual(
        yield* statusOf("looker", "POST", "/device_cert", { hostname: "east-a1", action: "RENEW" }),
        403
      )
      const bounce = { bounce_interfaces: ["Ethernet1"] }
      assert.strictEqual(yield* statusOf("looker", "PUT", "/device/east-a1/interface_status", bounce), 403)
      const { headers } = yield* (yield* caller({ roles: ["looker"] }))("GET", "/jobs")
      assert.strictEqual(headers.get("x-total-count"), "4")
    })
  )

  it.effect("with an approval only takes no ports down, because that could not wait for one", () =>
    Effect.gen(function* () {
      yield* setScene()
      const bounce = { bounce_interfaces: ["Ethernet1"] }
      assert.strictEqual(yield* statusOf("asking", "PUT", "/device/east-a1/interface_status", bounce), 403)
    })
  )

  it.effect("delays no other request by a long path for a glob of many stars", () =>
    Effect.gen(function* () {
      const send = yield* caller({ roles: ["slow"] })
      const path = `/auth/explain?method=GET&path=/${"a".repeat(4000)}`
      assert.strictEqual((yield* send("GET", path)).status, 200)
      assert.strictEqual((yield* send("GET", `/device/${"a".repeat(200)}`)).status, 403)
    })
  )

  it.effect("with a number of devices, or with kinds of jobs, starts no other", () =>
    Effect.gen(function* () {
      yield* setScene()
      const three = { hostnames: ["east-a1", "core1", "dist1"] }
      assert.strictEqual(yield* statusOf("few", "POST", "/device_syncto", { hostnames: ["east-a1", "core1"] }), 200)
      assert.strictEqual(yield* statusOf("few", "POST", "/device_syncto", three), 403)
      assert.strictEqual(yield* statusOf("few", "POST", "/device_syncto", { all: true, resync: true }), 403)
      assert.strictEqual(yield* statusOf("syncing", "POST", "/device_syncto", three), 200)
      assert.strictEqual(yield* statusOf("syncing", "POST", "/device_drift", {}), 403)
      assert.strictEqual(yield* statusOf("syncing", "PUT", "/job/3", { action: "ABORT" }), 403)
      assert.strictEqual(yield* statusOf("syncing", "PUT", "/repository/settings", { action: "REFRESH" }), 403)
    })
  )

  it.effect("can ask beforehand what would be refused", () =>
    Effect.gen(function* () {
      yield* setScene()
      const explain = Effect.fnUntraced(function* (role: string, query: string) {
        const { body } = yield* (yield* caller({ roles: [role] }))("GET", `/auth/explain?${query}`)
        return (body as { data: { allowed: boolean; reason: string } }).data
      })
      assert.isTrue((yield* explain("east", "method=GET&path=/device/east-a1")).allowed)
      assert.isFalse((yield* explain("east", "method=GET&path=/device/1")).allowed)
      assert.isFalse((yield* explain("east", "method=GET&path=/groups")).allowed)
      assert.isTrue((yield* explain("east-ports", "method=POST&path=/device_syncto&device=east-a1")).allowed)
      assert.include(
        (yield* explain("east-ports", "method=POST&path=/device_syncto&device=core1")).reason,
        "core1 is not among them"
      )
      assert.isFalse((yield* explain("everything-of-two-ports", "method=DELETE&path=/device/4")).allowed)
    })
  )
})
