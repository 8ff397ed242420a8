/** The calls of the web client with the query strings that it sends, and the fields that its pages cannot do without. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"

/** Path and query string as they go out, and paths of fields with their types. */
const CALLS: ReadonlyArray<readonly [path: string, fields: Readonly<Record<string, string>>, counted?: string]> = [
  ["/repository/settings", { data: "string" }],
  ["/repository/templates", { data: "string" }],
  ["/devices?filter[state]=MANAGED", { "data.devices": "array" }, "x-total-count"],
  ["/devices?filter%5Bstate%5D=MANAGED", { "data.devices": "array" }, "x-total-count"],
  ["/devices?filter[state]=MANAGED&filter[synchronized]=false", { "data.devices": "array" }, "x-total-count"],
  ["/system/version", { "data.version": "string", "data.git_version": "string" }],
  [
    "/devices?page=1&per_page=20&sort=-hostname",
    { "data.devices.0.id": "number", "data.devices.0.state": "string", "data.devices.0.os_version": "any" },
    "x-total-count"
  ],
  ...[20, 50, 100, 500, 1000].map(
    (size) => [`/devices?page=1&per_page=${size}`, { "data.devices": "array" }, "x-total-count"] as const
  ),
  ["/devices?page=1&per_page=20&filter[id][equals]=4", { "data.devices.0.id": "number" }],
  ["/devices?page=1&per_page=20&filter[device_type][ilike]=ACCESS", { "data.devices.0.device_type": "string" }],
  ["/devices?page=1&per_page=20&filter[device_type][ilike]=FIREWALL", { "data.devices": "array" }],
  ["/devices?page=1&per_page=20&filter[state][ilike]=MANAGED", { "data.devices.0.state": "string" }],
  ["/devices?page=1&per_page=20&filter[synchronized]=true", { "data.devices": "array" }],
  ...["hostname", "management_ip", "dhcp_ip", "serial", "ztp_mac", "vendor", "model", "os_version", "platform"].map(
    (field) => [`/devices?page=1&per_page=20&filter[${field}][contains]=1`, { "data.devices": "array" }] as const
  ),
  ["/devices?filter[state]=DISCOVERED", { "data.devices.0.id": "number" }],
  ["/devices?filter[state]=DISCOVERED&per_page=100", { "data.devices": "array" }],
  ["/mgmtdomains", { "data.mgmtdomains.0.id": "number", "data.mgmtdomains.0.device_a": "string" }],
  ["/device/east-a1/interfaces", { "data.interfaces.0.name": "string", "data.interfaces.0.data": "any" }],
  [
    "/device/east-a1/generate_config",
    { "data.config.generated_config": "string", "data.config.available_variables": "object" }
  ],
  ["/devices?filter[hostname]=east-a1&filter[state]=MANAGED&per_page=1", { "data.devices.0.hostname": "string" }],
  ["/devices?filter[synchronized]=false&filter[state]=MANAGED&per_page=1000", { "data.devices": "array" }],
  ["/groups", { "data.groups": "object" }],
  ["/groups/EAST_WING", { "data.groups.EAST_WING": "array" }],
  ["/groups/EAST_WING/os_version", { "data.groups.EAST_WING": "object" }],
  ["/device_synchistory", { "data.hostnames": "object" }],
  ["/settings/server", { "api.COMMIT_CONFIRMED_MODE": "number" }],
  [
    "/jobs?sort=-id&page=1&per_page=20",
    { "data.jobs.0.id": "number", "data.jobs.0.start_arguments": "object" },
    "x-total-count"
  ],
  ...["function_name", "scheduled_by", "ticket_ref", "comment"].map(
    (field) => [`/jobs?sort=-id&filter[${field}][contains]=a&page=1&per_page=20`, { "data.jobs": "array" }] as const
  ),
  ...["id=1", "status=FINISHED", "finish_time=2026-03-02"].map(
    (filter) =>
      [`/jobs?sort=-id&filter[${filter.replace("=", "]=")}&page=1&per_page=20`, { "data.jobs": "array" }] as const
  ),
  ...["id", "function_name", "status", "scheduled_by", "finish_time"].flatMap((field) =>
    ["", "-"].map((sign) => [`/jobs?sort=${sign}${field}&page=1&per_page=20`, { "data.jobs": "array" }] as const)
  ),
  ["/job/1", { "data.jobs.0.status": "string", "data.jobs.0.finished_devices": "any" }],
  ["/firmware", { "data.files": "array" }],
  ["/device/east-a1", { "data.devices.0.id": "number", "data.devices.0.hostname": "string" }],
  ["/settings?hostname=east-a1", { "data.settings.vxlans": "object" }],
  ["/device/east-a1/interfaces_export", { interfaces: "object" }],
  ["/auth/permissions", { "0.pages": "array", "0.rights": "array" }],
  ["/auth/identity", { "": "string" }]
]

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value)

const at = (body: unknown, path: string): unknown =>
  path === ""
    ? body
    : path.split(".").reduce<unknown>((value, key) => {
        return typeof value === "object" && value !== null
          ? Object.getOwnPropertyDescriptor(value, key)?.value
          : undefined
      }, body)

layer(SiteServer(), { excludeTestServices: true })("The web client", (it) => {
  it.effect("finds the fields of every page", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* setScene()
      const missing: Array<string> = []
      for (const [path, fields, counted] of CALLS) {
        const { body, headers, status, text } = yield* api.get(path)
        if (status !== 200) missing.push(`${path}: ${status} ${text.slice(0, 200)}`)
        else if (counted !== undefined && !/^\d+$/.test(headers.get(counted) ?? ""))
          missing.push(`${path}: no ${counted}`)
        else {
          for (const [field, type] of Object.entries(fields)) {
            const found = typeOf(at(body, field))
            if (type === "any" ? found === "undefined" : found !== type) missing.push(`${path}: ${field} is ${found}`)
          }
        }
      }
      assert.deepEqual(missing, [])
    })
  )

  it.effect("receives numbers for the jobs that it follows, and their numbers of devices", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* setScene()
      const texts = { comment: "", ticket_ref: "" }
      const upgrade = { hostname: "east-a1", url: "https://images.example.org/firmware/", ...texts }
      const calls: ReadonlyArray<readonly [path: string, json: object, counted: string]> = [
        ["/device_syncto", { hostname: "east-a1", dry_run: true, ...texts, confirm_mode: 1 }, "1"],
        [
          "/device_syncto",
          { dry_run: true, auto_push: true, comment: "interface update via WebUI", hostname: "east-a1" },
          "1"
        ],
        ["/device_update_facts", { hostname: "east-a1" }, "1"],
        [
          "/firmware/upgrade",
          { ...upgrade, activate: true, download: true, filename: "EOS-4.31.4M.swi", pre_flight: true },
          "1"
        ],
        ["/firmware/upgrade", { ...upgrade, post_flight: true, reboot: true }, "1"]
      ]
      for (const [path, json, counted] of calls) {
        const { body, headers, text } = yield* api.post(path, json)
        assert.strictEqual(typeOf(at(body, "job_id")), "number", `${path}: ${text}`)
        assert.strictEqual(headers.get("x-total-count"), counted, path)
      }
    })
  )

  it.effect("receives errors in the shapes that its dialogs show", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* setScene()
      const domain = { device_a: "nobody", device_b: "dist2", ipv4_gw: "", ipv6_gw: "", vlan: "x" }
      const refused = yield* api.post("/mgmtdomains", domain)
      assert.deepEqual([refused.status, typeOf(at(refused.body, "message"))], [400, "array"], refused.text)
      const ports = yield* api.put("/device/east-a1/interfaces", {
        interfaces: { Ethernet1: { configtype: "NONSENSE" } }
      })
      assert.deepEqual([ports.status, typeOf(at(ports.body, "message.errors"))], [400, "array"], ports.text)
      const json = { headers: { "content-type": "application/json" } }
      const bare = yield* api.send("DELETE", "/api/v1.0/mgmtdomain/9999", json)
      assert.deepEqual([bare.status, at(bare.body, "message")], [404, "Management domain not found"])
    })
  )
})
