/** Every route without a token, and every field of every body with null and with values of each wrong type. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fingerprint, setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"
import { endpoints, meaningfulBody, pathOf } from "../support/EndpointRequests.ts"
import { isDocumented500, isEnvelope } from "../support/Refusals.ts"
import { keyFile, makeIssuer } from "../support/TokenKeys.ts"

const WRONG: ReadonlyArray<unknown> = [null, true, 0, -5, 1.5, "", "x", [], [null], [[]], {}, { x: null }]
const MAX_DEPTH = 4

/** The value with one part of it at a time replaced by something that it should not be. */
const withOneWrong = function* (value: unknown, depth = 0): Generator<unknown> {
  if (depth > 0) yield* WRONG
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) {
      for (const other of withOneWrong(part, depth + 1)) yield value.with(index, other)
    }
    return
  }
  for (const [key, part] of Object.entries(value)) {
    for (const other of withOneWrong(part, depth + 1)) yield { ...value, [key]: other }
  }
}

const withBody = endpoints.filter(({ payload }) => payload !== undefined)

/** Paths that are open without a token (docs/api.md#open-paths). */
const OPEN = new Set([
  "GET /api/v1.0/auth/ways",
  "POST /api/v1.0/auth",
  "GET /api/v1.0/auth/login",
  "GET /api/v1.0/auth/auth",
  "POST /api/v1.0/auth/refresh",
  "POST /api/v1.0/auth/logout",
  "GET /api/v1.0/settings/model",
  "POST /api/v1.0/settings/model",
  "GET /api/v1.0/settings/model/:file",
  "POST /api/v1.0/settings/model/:file",
  "POST /api/v1.0/forge/events",
  "GET /api/v1.0/system/version",
  "GET /api/health",
  "GET /api/health/live",
  "GET /api/health/ready",
  "GET /api/health/replicas",
  // from this machine, by METRICS_NETWORKS
  "GET /metrics"
])

const Guarded = Layer.unwrap(
  Effect.map(keyFile(makeIssuer("ES256")), (JWT_CERT) => SiteServer({ JWT_ENABLED: "true", JWT_CERT }))
).pipe(Layer.provide(NodeServices.layer))

layer(Guarded, { excludeTestServices: true })("Without a token", (it) => {
  it.effect("every route except the open ones is 401, whatever the body, and changes nothing", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* setScene()
      const before = yield* fingerprint
      const open: Array<string> = []
      for (const endpoint of endpoints) {
        const name = `${endpoint.method} ${endpoint.path}`
        const bodies = endpoint.payload === undefined ? [undefined] : [undefined, "{", JSON.stringify({ hostname: 5 })]
        for (const raw of bodies) {
          const { body, status, text } = yield* api.send(
            endpoint.method,
            pathOf(endpoint),
            raw === undefined ? {} : { raw }
          )
          if (OPEN.has(name)) {
            assert.isTrue(status < 500 && status !== 401, `${name} ${raw}: ${status} ${text}`)
            open.push(name)
          } else {
            assert.deepEqual([status, body], [401, { status: "error", message: "JWT token missing?" }], name)
          }
        }
      }
      assert.deepEqual(new Set(open), OPEN)
      assert.strictEqual(yield* fingerprint, before)
    })
  )

  it.effect("every route answers the preflight of a page of another origin, and exposes its headers", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const origin = "https://ui.example.org"
      for (const endpoint of endpoints.filter(({ path }) => path.startsWith("/api/v1.0/"))) {
        const name = `${endpoint.method} ${endpoint.path}`
        const asked = {
          origin,
          "access-control-request-method": endpoint.method,
          "access-control-request-headers": "authorization,content-type,x-fields"
        }
        const preflight = yield* api.send("OPTIONS", pathOf(endpoint), { headers: asked })
        const answer = yield* api.send(endpoint.method, pathOf(endpoint), { headers: { origin } })
        assert.strictEqual(preflight.status, 200, name)
        assert.include(preflight.headers.get("access-control-allow-methods") ?? "", endpoint.method, name)
        for (const header of ["authorization", "content-type", "x-fields"]) {
          assert.include(preflight.headers.get("access-control-allow-headers") ?? "", header, name)
        }
        for (const { headers } of [preflight, answer]) {
          assert.strictEqual(headers.get("access-control-allow-origin"), origin, name)
          assert.include(headers.get("access-control-expose-headers") ?? "", "X-Total-Count", name)
        }
      }
    })
  )
})

layer(SiteServer(), { excludeTestServices: true })("A field that is null or of another type", (it) => {
  for (const endpoint of withBody) {
    it.effect(
      `of ${endpoint.method} ${endpoint.path} never causes a fault of the server`,
      () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          yield* setScene()
          for (const json of withOneWrong(meaningfulBody(endpoint))) {
            const { body, status, text } = yield* api.send(endpoint.method, pathOf(endpoint), { json })
            const shown = `${JSON.stringify(json)}\n${status} ${text.slice(0, 500)}`
            assert.isTrue(status < 500 || isDocumented500(body), shown)
            if (status >= 400) assert.isTrue(isEnvelope(body), shown)
            else yield* setScene()
          }
        }),
      { timeout: 300_000 }
    )
  }
})
