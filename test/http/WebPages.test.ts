/**
 * The headers of every route for pages of another origin (docs/security.md#web-pages), over the routes of the API's definition, so that new
 * ones are covered.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type Answer, ApiClient, type Sending } from "../support/ApiServer.ts"
import { endpoints, pathOf } from "../support/EndpointRequests.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const ROLES = `
config: { default_permissions: monitoring }
roles:
  nobody: { permissions: [] }
`

const PAGE = "https://ui.example.org"
const origin = { origin: PAGE }

/** The headers that the web client sends and reads. */
const SENT = "authorization,content-type,x-fields"
const METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
const READ = ["Authorization", "Content-Type", "Link", "X-Total-Count", "X-Matching-Count"]
const READ_OF_SOME = ["Content-Disposition", "Retry-After"]

const wordsOf = ({ headers }: Answer, name: string) => (headers.get(name) ?? "").split(", ")

/** The page may read the answer, and the headers that clients read. */
const isReadable = (answer: Answer, what: string) => {
  const { headers } = answer
  assert.strictEqual(headers.get("access-control-allow-origin"), PAGE, what)
  assert.strictEqual(headers.get("access-control-allow-credentials"), "true", what)
  assert.strictEqual(headers.get("vary"), "Origin", what)
  assert.includeMembers(wordsOf(answer, "access-control-expose-headers"), [...READ, ...READ_OF_SOME], what)
}

/** Metrics are for programs of the network, not for pages. */
const routes = endpoints
  .map((endpoint) => ({
    method: endpoint.method,
    path: pathOf(endpoint),
    name: `${endpoint.method} ${endpoint.path}`
  }))
  .filter(({ path }) => path !== "/metrics")

const preflight = (method: string, headers: Readonly<Record<string, string>> = origin): Sending => ({
  headers: { ...headers, "access-control-request-method": method, "access-control-request-headers": SENT }
})

const Site = SiteWithRoles(ROLES, { ALLOWED_ORIGINS: PAGE, RATE_LIMIT: "0" })

layer(Site, { excludeTestServices: true })("A page of an allowed origin", (it) => {
  it.effect("may send a preflight for any route, without a token", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      assert.isAbove(routes.length, 90)
      for (const { method, name, path } of routes) {
        const answer = yield* api.send("OPTIONS", path, preflight(method))
        assert.oneOf(answer.status, [200, 204], name)
        isReadable(answer, name)
        assert.strictEqual(answer.headers.get("access-control-allow-methods"), METHODS, name)
        assert.include(METHODS.split(", "), method, name)
        assert.strictEqual(answer.headers.get("access-control-allow-headers"), SENT, name)
      }
    })
  )

  it.effect("and no page of another origin may", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      for (const { method, name, path } of routes) {
        const { headers } = yield* api.send("OPTIONS", path, preflight(method, { origin: "https://evil.example" }))
        const told = [...headers.keys()].filter((header) => header.startsWith("access-control-"))
        assert.deepEqual(told, [], name)
      }
    })
  )

  it.effect("reads the errors of every route: no token, no rights, no such method", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const nobody = yield* caller({ roles: ["nobody"] })
      yield* setScene()
      const statuses = new Set<number>()
      for (const { method, name, path } of routes) {
        const answers = [
          yield* api.send(method, path, { headers: origin }),
          yield* nobody(method, path.replace("/api/v1.0", ""), { headers: origin }),
          yield* api.send("PATCH", path, { headers: origin })
        ]
        for (const answer of answers) {
          isReadable(answer, `${name}: ${answer.status}`)
          statuses.add(answer.status)
        }
      }
      assert.includeMembers([...statuses], [401, 403, 405])
    })
  )

  it.effect("reads other errors: unknown paths, a wrong body, one that is too large, a fault of the server", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const administrator = yield* caller({ roles: ["administrator"] })
      const failures: ReadonlyArray<readonly [number, string, string, Sending?]> = [
        [404, "GET", "/nope"],
        [404, "GET", "/device/nobody-a1"],
        [400, "POST", "/device", { raw: "{" }],
        [400, "POST", "/device", { json: {} }],
        [413, "POST", "/device", { raw: JSON.stringify({ description: "x".repeat(11 * 1024 * 1024) }) }],
        [500, "GET", "/device/mac-080027000006/generate_config"]
      ]
      for (const [status, method, path, sending] of failures) {
        const answer = yield* administrator(method, path, { ...sending, headers: origin })
        assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text.slice(0, 300)}`)
        isReadable(answer, `${method} ${path}`)
      }
      isReadable(yield* api.send("GET", "/api/nope", { headers: origin }), "/api/nope")
      isReadable(yield* api.send("GET", "/api/health", { headers: origin }), "/api/health")
      isReadable(yield* api.send("GET", "/api/openapi.json", { headers: origin }), "/api/openapi.json")
    })
  )

  it.effect("reads the file name of a saved list of interfaces", () =>
    Effect.gen(function* () {
      yield* setScene()
      const administrator = yield* caller({ roles: ["administrator"] })
      const answer = yield* administrator("GET", "/device/east-a1/interfaces_export", { headers: origin })
      assert.strictEqual(answer.status, 200)
      assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename=east-a1-interfaces-/)
      isReadable(answer, "interfaces_export")
    })
  )
})
