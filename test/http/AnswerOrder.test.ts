/** Every endpoint, called wrongly and without permission: identity and permission are answered before other mistakes of the call. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BASE } from "../../src/api/Api.ts"
import { readyRoles } from "../../src/domain/access/PermissionFile.ts"
import { coversCall } from "../../src/domain/access/Glob.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, type Sending } from "../support/ApiServer.ts"
import { type ApiEndpoint, endpoints, pathOf } from "../support/EndpointRequests.ts"
import { SiteWithRoles, tokenOf } from "../support/RolesSite.ts"

/** Endpoints that answer every caller, or need no token or another one. */
const OPEN =
  /^(?:GET \/api\/(?:health|v1\.0\/(?:settings\/model|system\/version)|v1\.0\/auth\/(?:ways|login|auth)\b).*|POST \/api\/v1\.0\/(?:settings\/model.*|forge\/events|auth|auth\/(?:refresh|logout))|(?:POST|DELETE) \/api\/v1\.0\/auth\/session)$/

const nameOf = ({ method, path }: ApiEndpoint) => `${method} ${path}`
const guarded = endpoints.filter((endpoint) => !OPEN.test(nameOf(endpoint)))

interface Wrong {
  readonly what: string
  readonly path: string
  readonly sending: Sending
}

const withQuery = (path: string, query: string) => `${path}?${query}`

/** The same call with one thing wrong. */
const wrongCalls = (endpoint: ApiEndpoint): ReadonlyArray<Wrong> => {
  const path = pathOf(endpoint)
  const raw = (text: string) => ({ raw: text })
  const queries = ["a=%00", "a=%01", "%00=a", "a=%ff", "per_page=x", "page=-1", "sort=%E2%80%AE", "filter[nothing]=1"]
  const own = endpoint.parameters.flatMap((name) => [`${name}=%00`, `${name}=`, `${name}=-1`, `${name}=no%20such`])
  const parameter = /:\w+/.exec(endpoint.path)?.[0]
  const paths =
    parameter === undefined || endpoint.path.includes("(")
      ? []
      : ["%00", "%0a", "a%09b", "x".repeat(900), "%E2%80%AE", "%ff"].map((part) =>
          endpoint.path.replace(/:\w+/, part).replace(/:\w+(\(.*\))?/, "4")
        )
  const wrong = [
    ...[...queries, ...own].map((query) => ({ what: query, path: withQuery(path, query), sending: {} })),
    ...paths.map((bad) => ({ what: bad.slice(0, 60), path: bad, sending: {} }))
  ]
  if (endpoint.payload === undefined) return wrong
  const all = Object.fromEntries(
    ["hostname", "name", "password", "roles", "interfaces", "state", "id"].map((key) => [key, { a: [1] }])
  )
  return [
    ...wrong,
    { what: "no JSON", path, sending: raw("{") },
    { what: "a list", path, sending: raw("[]") },
    { what: "nothing", path, sending: raw("") },
    { what: "no text", path, sending: { json: { hostname: "a\u0000b", name: "\ud800" } } },
    { what: "other types", path, sending: { json: all } },
    { what: "unknown fields", path, sending: { json: { "no such field": 1 } } },
    { what: "too deep", path, sending: raw(`{"a":${"[".repeat(200)}${"]".repeat(200)}}`) },
    {
      what: "another type",
      path,
      sending: { raw: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }
    },
    { what: "compressed", path, sending: { raw: "{}", headers: { "content-encoding": "gzip" } } }
  ]
}

/** A caller lacks a role for a call if no permission covers it; users are for administrators, and auditors may read who they are. */
const lacks = (role: string, { method, path }: ApiEndpoint): boolean => {
  const behind = (path.startsWith(BASE) ? path.slice(BASE.length) : path).replaceAll(/:\w+(\([^)]*\))?/g, "4")
  if (behind.startsWith("/auth/users")) return role !== "administrator" && (role !== "auditor" || method !== "GET")
  // everybody sees what they have asked for, and may end it
  if (behind.startsWith("/auth/") || behind.startsWith("/approvals")) return false
  return !(readyRoles.get(role) ?? []).some((permission) => coversCall(permission, method, behind))
}

layer(SiteWithRoles("roles: {}\n", { METRICS_NETWORKS: ",", RATE_LIMIT: "0" }), { excludeTestServices: true })(
  "A wrong call",
  (it) => {
    it.effect(
      "without a token is answered with 401",
      () =>
        Effect.gen(function* () {
          yield* setScene()
          const api = yield* ApiClient
          const other: Array<string> = []
          for (const endpoint of guarded) {
            for (const { path, sending, what } of wrongCalls(endpoint)) {
              const { status } = yield* api.send(endpoint.method, path, sending)
              if (status !== 401) other.push(`${nameOf(endpoint)}, ${what}: ${status}`)
            }
          }
          assert.deepEqual(other, [])
        }),
      { timeout: 300_000 }
    )

    it.effect(
      "without the required role is answered with 403",
      () =>
        Effect.gen(function* () {
          yield* setScene()
          const api = yield* ApiClient
          const other: Array<string> = []
          let asked = 0
          for (const role of readyRoles.keys()) {
            const headers = { authorization: `Bearer ${yield* tokenOf({ sub: role, roles: [role] })}` }
            for (const endpoint of guarded.filter((one) => lacks(role, one))) {
              for (const { path, sending, what } of wrongCalls(endpoint)) {
                const { status } = yield* api.send(endpoint.method, path, {
                  ...sending,
                  headers: { ...sending.headers, ...headers }
                })
                asked += 1
                if (status !== 403) other.push(`${role}, ${nameOf(endpoint)}, ${what}: ${status}`)
              }
            }
          }
          assert.deepEqual(other, [])
          assert.isAbove(asked, 1000)
        }),
      { timeout: 300_000 }
    )
  }
)

const FILE = `roles:
  east: { extends: operator, groups: [EAST_WING] }
  east-administrator: { extends: administrator, groups: [EAST_WING] }
  west: { extends: operator, groups: [WEST, SPECIAL, DEFAULT] }
  fresh: { extends: operator, device_types: [UNKNOWN, ACCESS] }
  blind: { permissions: [{ methods: [PUT], endpoints: ["/device/{hostname}/interfaces"], groups: [EAST_WING] }] }
  nothing: { permissions: [] }
`

/** Another user's device, and an unknown one, by name and by id. */
const FOREIGN = ["core1", "1"]
const MISSING = ["nosuch", "99"]

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A device that a caller may not see", (it) => {
  const answers = Effect.fnUntraced(function* (
    role: string,
    method: string,
    paths: ReadonlyArray<string>,
    bodies: ReadonlyArray<unknown>
  ) {
    const api = yield* ApiClient
    const headers = { authorization: `Bearer ${yield* tokenOf({ sub: role, roles: [role] })}` }
    return yield* Effect.forEach(paths, (path, index) =>
      Effect.map(
        api.send(method, path, bodies[index] === undefined ? { headers } : { headers, json: bodies[index] }),
        ({ status, text }) => ({
          status,
          text: text.replaceAll(new RegExp(`\\b(?:${[...FOREIGN, ...MISSING].join("|")})\\b`, "g"), "it")
        })
      )
    )
  })

  it.effect("is reported as unknown, by every call", () =>
    Effect.gen(function* () {
      yield* setScene()
      const ofDevices = endpoints.filter(({ path }) => /\/device(?:_\w+)?(?:\/hostname)?\/:(?:hostname|id)/.test(path))
      assert.isAbove(ofDevices.length, 25)
      for (const role of ["east", "east-administrator", "blind"]) {
        for (const { method, path, payload } of ofDevices) {
          const place = path.includes(":hostname") ? 0 : 1
          const paths = [FOREIGN, MISSING].map((names) =>
            path.replace(/:(?:hostname|id)(?:\([^)]*\))?/, names[place] ?? "")
          )
          const [foreign, missing] = yield* answers(role, method, paths, payload === undefined ? [] : [{}, {}])
          assert.deepEqual(foreign, missing, `${role} ${method} ${path}`)
          assert.strictEqual(foreign?.status, 403, `${role} ${method} ${path}`)
        }
      }
    })
  )

  it.effect("is reported as unknown also if the body names it, in spite of other mistakes there", () =>
    Effect.gen(function* () {
      yield* setScene()
      const named: ReadonlyArray<readonly [path: string, body: (name: string) => unknown]> = [
        ["/device_syncto", (hostname) => ({ hostname })],
        ["/device_syncto", (hostname) => ({ hostname, dry_run: "perhaps" })],
        ["/device_syncto", (hostname) => ({ hostnames: ["east-a1", hostname] })],
        ["/device_drift", (hostname) => ({ hostname })],
        ["/device_read_tables", (hostname) => ({ hostname })],
        ["/device_update_facts", (hostname) => ({ hostname })],
        ["/device_update_interfaces", (hostname) => ({ hostname })],
        ["/device_update_interfaces", (hostname) => ({ hostname: "east-a1", mlag_peer_hostname: hostname })],
        ["/device_cert", (hostname) => ({ hostname, action: "RENEW" })],
        ["/device_cert", (hostname) => ({ hostname, action: 5 })],
        ["/firmware/upgrade", (hostname) => ({ hostname, filename: "EOS.swi", download: true })]
      ]
      for (const [path, body] of named) {
        const paths = [`${BASE}${path}`, `${BASE}${path}`]
        const [foreign, missing] = yield* answers("east", "POST", paths, [body("core1"), body("nosuch")])
        assert.deepEqual(foreign, missing, `${path} ${JSON.stringify(body("core1"))}`)
        assert.strictEqual(foreign?.status, 403, path)
      }
      for (const list of [
        "/windows?device=core1",
        "/devices?filter[hostname]=core1",
        "/devices?filter[hostname][contains]=core1",
        "/devices?filter[management_ip]=10.100.3.0",
        "/jobs?filter[result][contains]=core1",
        "/jobs?filter[start_arguments][contains]=core1",
        "/events?device=core1",
        "/events?filter[hostname]=core1",
        "/audit?device=core1",
        "/audit?filter[hostname]=core1",
        "/find?q=core1",
        "/find?q=10.100.3.0",
        "/device/east-a1/config_diff?from=core1",
        "/device/east-a1/interfaces_export?neighbor=core1"
      ]) {
        const paths = [list, list.replace("core1", "nosuch").replace("10.100.3.0", "10.99.3.99")].map(
          (path) => BASE + path
        )
        const [foreign, missing] = yield* answers("east", "GET", paths, [])
        assert.deepEqual(foreign, missing, list)
      }
    })
  )

  it.effect("is not revealed by an initialisation that names it by MAC address, serial number or name", () =>
    Effect.gen(function* () {
      yield* setScene([`update device set serial = 'AB1', ztp_mac = '08002700C001' where hostname = 'core1'`])
      const path = `${BASE}/new_devices`
      const type = { device_type: "ACCESS" }
      const mine = { ...type, mac: "08:00:27:00:00:06" }
      const pairs: ReadonlyArray<readonly [foreign: object, missing: object]> = [
        [
          { ...type, mac: "08002700C001", hostname: "special-a20" },
          { ...type, mac: "080027000099", hostname: "special-a20" }
        ],
        [
          { ...type, serial: "AB1", hostname: "special-a20" },
          { ...type, serial: "AB9", hostname: "special-a20" }
        ],
        [
          { ...mine, hostname: "core1", replace_hostname: true },
          { ...mine, hostname: "nosuch", replace_hostname: true }
        ]
      ]
      const same = (text = "") => text.replaceAll(/08002700C001|080027000099|AB[19]/g, "it")
      for (const pair of pairs) {
        const bodies = pair.map((line) => ({ devices: [line] }))
        const [foreign, missing] = yield* answers("fresh", "POST", [path, path], bodies)
        assert.strictEqual(foreign?.status, missing?.status, JSON.stringify(pair))
        assert.strictEqual(same(foreign?.text), same(missing?.text))
      }
      const init = { hostname: "core1", ...type, replace_hostname: true }
      const [replaced] = yield* answers("fresh", "POST", [`${BASE}/device_init/6`], [init])
      assert.strictEqual(replaced?.status, 403)
    })
  )

  it.effect("is not revealed by the question whether a call would be permitted", () =>
    Effect.gen(function* () {
      yield* setScene()
      const asks = (query: string) => `${BASE}/auth/explain?${query}`
      for (const role of ["east", "blind", "nothing"]) {
        for (const call of [
          "method=GET&path=/device/core1/interfaces",
          "method=PUT&path=/device/1",
          "method=POST&path=/device_syncto&device=core1"
        ]) {
          const paths = [call, call.replace("core1", "nosuch").replace("/1", "/99")].map(asks)
          const [foreign, missing] = yield* answers(role, "GET", paths, [])
          assert.deepEqual(foreign, missing, `${role} ${call}`)
        }
      }
      // a caller who sees all devices is told that it does not exist
      const [none] = yield* answers("monitoring", "GET", [asks("method=POST&path=/devices&device=nosuch")], [])
      assert.strictEqual(none?.status, 404)
    })
  )
})
