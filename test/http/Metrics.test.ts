/** `GET /metrics`: its two formats, its permitted readers, and that the labels of requests are few. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { definitions } from "../../src/runtime/metrics/Exposition.ts"
import { ApiClient, ApiServer, SiteServer } from "../support/ApiServer.ts"
import { ApiSite } from "../support/ApiSite.ts"
import { openSource } from "../support/EventSource.ts"
import { keyFile, makeIssuer } from "../support/TokenKeys.ts"

const ACCEPT = { accept: "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5" }

const page = Effect.gen(function* () {
  const api = yield* ApiClient
  return (yield* api.send("GET", "/metrics", { headers: ACCEPT })).text
})

layer(ApiServer())("The metrics", (it) => {
  it.effect("are OpenMetrics if requested, and the older text otherwise", () =>
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

  it.effect("have every defined family, and no other", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const { text } = yield* api.send("GET", "/metrics")
      const exported = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => `${name} ${kind}`)
      assert.deepEqual(exported.toSorted(), definitions.map(({ kind, name }) => `${name} ${kind}`).toSorted())
      assert.match(text, /^switchyard_database_up 1$/m)
      assert.match(text, /^switchyard_disk_free_bytes \d+/m)
    })
  )

  it.effect("name requests by their template, never by their path", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const template =
        /switchyard_http_requests_total\{route="\/api\/v1\.0\/device\/:id[^"]*",method="GET",status="404"\} (\d+)/
      // counted since the process began, in which other tests may have asked, too
      const before = Number(template.exec(yield* page)?.[1] ?? "0")
      yield* api.get("/device/very-special-name")
      yield* api.send("GET", "/very/special-name")
      yield* api.send("BREW", "/very/special-name")
      const text = yield* page
      assert.strictEqual(Number(template.exec(text)?.[1]), before + 1)
      assert.match(text, /switchyard_http_requests_total\{route="other",method="GET",status="404"\} \d+/)
      assert.match(text, /switchyard_http_requests_in_flight 1\n/)
      assert.notInclude(text, "special")
      assert.notInclude(text, "BREW")
    })
  )
})

layer(SiteServer(), { excludeTestServices: true })("The metrics of a site", (it) => {
  const valueOf = (name: string) =>
    Effect.map(page, (text) => {
      const line = text.split("\n").find((one) => one.startsWith(`${name} `))
      return line === undefined ? null : Number(line.slice(name.length + 1))
    })
  const until = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
    Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), condition), { until: (holds) => holds })
  const lag = valueOf("switchyard_events_lag")

  it.effect(
    "report the delay of events, including those of an open transaction, and nothing while no client follows",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { base } = yield* ApiClient
        const write = sql`insert into event (kind, action, is_audit, data) values ('alert', 'x', false, '{}')`
        assert.isNull(yield* lag)
        const begun = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        yield* Effect.gen(function* () {
          yield* openSource(`${base}/api/v1.0/events`)
          yield* until(Effect.map(lag, (late) => late === 0))
          yield* Effect.forkChild(
            sql.withTransaction(Effect.all([write, Deferred.succeed(begun, undefined), Deferred.await(mayEnd)]))
          )
          yield* Deferred.await(begun)
          yield* write
          yield* until(Effect.map(lag, (late) => late === 2))
          yield* Deferred.succeed(mayEnd, undefined)
          yield* until(Effect.map(lag, (late) => late === 0))
        }).pipe(Effect.scoped)
        yield* until(Effect.map(lag, (late) => late === null))
      })
  )

  it.effect("count the commits that refreshes accept and refuse", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const { folders } = yield* ApiSite
      const refresh = api.put("/repository/settings", { action: "refresh" })
      const counts = Effect.all(
        ["accepted", "refused"].map((result) =>
          Effect.map(
            valueOf(`switchyard_repository_commits_total{repository="settings",result="${result}"}`),
            (count) => count ?? 0
          )
        )
      )
      const [accepted = 0, refused = 0] = yield* counts
      assert.strictEqual((yield* refresh).status, 200)
      assert.deepStrictEqual(yield* counts, [accepted, refused], "nothing new is no commit")
      yield* folders.settings.commit({ "global/base_system.yml": "ntp_servers: 7\n" })
      assert.strictEqual((yield* refresh).status, 400)
      assert.deepStrictEqual(yield* counts, [accepted, refused + 1])
      yield* folders.settings.commit({ "global/base_system.yml": "ntp_servers: [{ host: 10.0.0.1 }]\n" })
      assert.strictEqual((yield* refresh).status, 200)
      assert.deepStrictEqual(yield* counts, [accepted + 1, refused + 1])
    })
  )
})

const CHECK = `checks:
  never-made-yet:
    for: all
    reads: interfaces
    must: no_lost
`

layer(SiteServer(), { excludeTestServices: true })("The metrics of a site with checks", (it) => {
  it.effect("count each check in force from zero, before it is made for the first time", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const { folders } = yield* ApiSite
      yield* folders.templates.commit({ "checks.yml": CHECK })
      assert.strictEqual((yield* api.put("/repository/templates", { action: "refresh" })).status, 200)
      const series = (end: string) => `switchyard_checks_total{name="never-made-yet",end="${end}"} 0`
      const lines = yield* Effect.repeat(
        Effect.delay(
          Effect.map(page, (text) => text.split("\n")),
          "100 millis"
        ),
        { until: (found) => found.includes(series("failed")) }
      )
      for (const end of ["held", "failed", "unread", "ignored"]) assert.include(lines, series(end))
    })
  )
})

const Guarded = Layer.unwrap(
  Effect.map(keyFile(makeIssuer("ES256")), (JWT_CERT) =>
    ApiServer({ JWT_ENABLED: "true", JWT_CERT, METRICS_NETWORKS: "192.0.2.0/24" })
  )
).pipe(Layer.provide(NodeServices.layer))

layer(Guarded, { excludeTestServices: true })("The metrics of a server with tokens", (it) => {
  it.effect("need one, except from an address in METRICS_NETWORKS", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const from = (address: string) => api.send("GET", "/metrics", { headers: { "x-forwarded-for": address } })
      assert.strictEqual((yield* api.send("GET", "/metrics")).status, 401)
      assert.strictEqual((yield* from("198.51.100.7")).status, 401)
      assert.strictEqual((yield* from("192.0.2.7")).status, 200)
    })
  )
})
