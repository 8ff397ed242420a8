/** `GET /metrics`: its two formats, who may read it, and that the labels of requests are few. */
import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { definitions } from "../../src/runtime/metrics/Exposition.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { keyFile, makeIssuer } from "../support/TokenKeys.ts"

const ACCEPT = { accept: "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5" }

const page = Effect.gen(function* () {
  const api = yield* ApiClient
  return (yield* api.send("GET", "/metrics", { headers: ACCEPT })).text
})

layer(ApiServer())("The metrics", (it) => {
  it.effect("are OpenMetrics where that is named, and the older text elsewhere", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const open = yield* api.send("GET", "/metrics", { headers: ACCEPT })
      assert.strictEqual(open.headers.get("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8")
      assert.isTrue(open.text.endsWith("\n# EOF\n"))
      assert.include(open.text, "# TYPE switchyard_http_requests counter\n")
      const plain = yield* api.send("GET", "/metrics", { headers: { accept: "text/plain" } })
      assert.strictEqual(plain.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      assert.include(plain.text, "# TYPE switchyard_http_requests_total counter\n")
      assert.notInclude(plain.text, "# EOF")
    })
  )

  it.effect("have every family that is defined, and no other", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const { text } = yield* api.send("GET", "/metrics")
      const exported = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => `${name} ${kind}`)
      assert.deepEqual(exported.toSorted(), definitions.map(({ kind, name }) => `${name} ${kind}`).toSorted())
      assert.match(text, /^switchyard_database_up 1$/m)
      assert.match(text, /^switchyard_disk_free_bytes \d+/m)
    })
  )

  it.effect("name requests by their template, never by what stands in the path", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* api.get("/device/very-special-name")
      yield* api.send("GET", "/very/special-name")
      yield* api.send("BREW", "/very/special-name")
      const text = yield* page
      assert.match(
        text,
        /switchyard_http_requests_total\{route="\/api\/v1\.0\/device\/:id[^"]*",method="GET",status="404"\} 1/
      )
      assert.match(text, /switchyard_http_requests_total\{route="other",method="GET",status="404"\} \d+/)
      assert.match(text, /switchyard_http_requests_in_flight 1\n/)
      assert.notInclude(text, "special")
      assert.notInclude(text, "BREW")
    })
  )
})

const Guarded = Layer.unwrap(
  Effect.map(keyFile(makeIssuer("ES256")), (JWT_CERT) =>
    ApiServer({ JWT_ENABLED: "true", JWT_CERT, METRICS_NETWORKS: "192.0.2.0/24" })
  )
).pipe(Layer.provide(NodeServices.layer))

layer(Guarded, { excludeTestServices: true })("The metrics of a server with tokens", (it) => {
  it.effect("need one, but not from an address in METRICS_NETWORKS", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const from = (address: string) => api.send("GET", "/metrics", { headers: { "x-forwarded-for": address } })
      assert.strictEqual((yield* api.send("GET", "/metrics")).status, 401)
      assert.strictEqual((yield* from("198.51.100.7")).status, 401)
      assert.strictEqual((yield* from("192.0.2.7")).status, 200)
    })
  )
})
