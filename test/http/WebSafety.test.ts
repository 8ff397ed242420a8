/** Access of web pages, proxies and browsers to the API (docs/security.md#web-pages). */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import * as net from "node:net"
import { makeIsTrustedOrigin } from "../../src/http/core/Client.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type Answer, ApiClient, ApiServer, configOf } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"

const ask = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  return yield* (yield* ApiClient).send(method, path, { headers })
})

const DEVICES = "/api/v1.0/devices"
const page = { origin: "https://ui.example.org" }
const open = { ALLOW_OPEN_API: "true" }

const cors = ({ headers }: Answer) => [
  headers.get("access-control-allow-origin"),
  headers.get("access-control-allow-credentials")
]

layer(ApiServer(open), { excludeTestServices: true })("Without ALLOWED_ORIGINS", (it) => {
  it.effect("pages of any origin are answered, and none with credentials", () =>
    Effect.gen(function* () {
      const preflight = { ...page, "access-control-request-method": "POST" }
      assert.deepEqual(cors(yield* ask(DEVICES, page)), [page.origin, null])
      assert.deepEqual(cors(yield* ask("/api/v1.0/nope", page)), [page.origin, null])
      const answer = yield* ask(DEVICES, preflight, "OPTIONS")
      assert.deepEqual([...cors(answer), answer.status], [page.origin, null, 200])
    })
  )

  it.effect("every answer has the security headers", () =>
    Effect.gen(function* () {
      const paths = [DEVICES, "/api/v1.0/nope", "/nope", "/api/health/live", "/api/openapi.json", "/%00"]
      for (const path of [...paths, "/firmware/nope.swi", "/templates/eos/dhcp-init.j2"]) {
        const { headers } = yield* ask(path)
        assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'", path)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
        assert.strictEqual(headers.get("x-frame-options"), "DENY", path)
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer", path)
        assert.strictEqual(headers.get("cache-control"), "no-store", path)
        assert.isNull(headers.get("strict-transport-security"), path)
      }
    })
  )

  it.effect("connections outlive those of proxies, so that no request is sent on one that was just closed", () =>
    Effect.gen(function* () {
      const { headers } = yield* ask(DEVICES)
      assert.strictEqual(headers.get("keep-alive"), "timeout=75")
    })
  )

  it.effect("the page of the API document runs its own scripts and no others", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* ask("/api/doc/")
      const policy = headers.get("content-security-policy") ?? ""
      // the only one: what it is made of may have the words as well
      const code = text.slice(text.indexOf("<script>") + "<script>".length, text.lastIndexOf("</script>"))
      assert.notInclude(code, "</script>")
      const hash = createHash("sha256").update(code.replaceAll("\r\n", "\n")).digest("base64")
      assert.include(policy, `script-src 'sha256-${hash}';`)
      assert.match(policy, /^default-src 'none'; script-src 'sha256-[^;]*; /)
      assert.notMatch(policy, /script-src[^;]*unsafe/)
      assert.strictEqual(headers.get("x-frame-options"), "DENY")
    })
  )

  it.effect("answers to non-HTTP messages have them as well", () =>
    Effect.gen(function* () {
      const { base } = yield* ApiClient
      const heard = yield* Effect.callback<string>((resume) => {
        const socket = net.connect(Number(new URL(base).port), "127.0.0.1", () => socket.write("hello\r\n\r\n"))
        let text = ""
        socket.on("data", (data) => (text += data.toString()))
        socket.on("close", () => resume(Effect.succeed(text)))
      })
      assert.match(heard, /^HTTP\/1\.1 400 Bad Request\r\n/)
      assert.include(heard, "x-content-type-options: nosniff\r\n")
    })
  )
})

layer(ApiServer({ ...open, ALLOWED_ORIGINS: "https://ui.example.org, http://localhost:3000" }))(
  "With ALLOWED_ORIGINS",
  (it) => {
    it.effect("its origins are answered with credentials, on errors and before a request too", () =>
      Effect.gen(function* () {
        const preflight = { ...page, "access-control-request-method": "POST" }
        assert.deepEqual(cors(yield* ask(DEVICES, page)), [page.origin, "true"])
        assert.deepEqual(cors(yield* ask("/api/v1.0/nope", page)), [page.origin, "true"])
        assert.deepEqual(cors(yield* ask(DEVICES, preflight, "OPTIONS")), [page.origin, "true"])
        assert.deepEqual(cors(yield* ask(DEVICES, { origin: "http://localhost:3000" })), [
          "http://localhost:3000",
          "true"
        ])
      })
    )

    it.effect("no other origin is, and caches are told that it matters", () =>
      Effect.gen(function* () {
        for (const origin of [
          "https://evil.example",
          "http://ui.example.org",
          "https://ui.example.org.evil.example",
          "null"
        ]) {
          const answer = yield* ask(DEVICES, { origin, "access-control-request-method": "POST" }, "OPTIONS")
          assert.deepEqual(cors(answer), [null, null], origin)
          assert.isNull(answer.headers.get("access-control-allow-methods"))
          assert.strictEqual(answer.headers.get("vary"), "Origin")
        }
      })
    )
  }
)

it.effect("a page that might send credentials is logged once, because no user sees why a browser refuses it", () => {
  const { layer: logging, lines } = keepLines("Warn")
  return Effect.gen(function* () {
    for (const method of ["GET", "POST", "POST"]) {
      yield* ask(DEVICES, { ...page, "access-control-request-method": method }, "OPTIONS")
    }
    const told = lines.filter(({ text }) => text.includes("ALLOWED_ORIGINS")).map(({ text }) => text)
    assert.strictEqual(told.length, 1)
    assert.match(told[0] ?? "", /^A page of https:\/\/ui\.example\.org calls\./)
  }).pipe(Effect.provide(ApiServer(open)), Effect.provide(logging))
})

describe("A request with a cookie", () => {
  const trusts = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>>) {
    const isTrusted = yield* makeIsTrustedOrigin
    const request = new Request("http://nms.example.org/api/v1.0/auth/refresh", { method: "POST" })
    return isTrusted(
      HttpServerRequest.fromWeb(request).modify({ headers: { host: "nms.example.org", ...headers } as never })
    )
  })

  it.effect("is trusted from our own pages, from allowed pages and from programs", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* trusts({}))
      assert.isTrue(yield* trusts({ origin: "http://nms.example.org" }))
      assert.isTrue(yield* trusts({ origin: "https://nms.example.org" }), "a proxy with TLS that does not say so")
      assert.isTrue(yield* trusts({ origin: "https://nms.example.org:8443", "sec-fetch-site": "same-origin" }))
      assert.isTrue(yield* trusts({ origin: "https://ui.example.org", "sec-fetch-site": "cross-site" }))
    }).pipe(Effect.provide(configOf({ ALLOWED_ORIGINS: "https://ui.example.org" })))
  )

  it.effect("is not trusted from other pages", () =>
    Effect.gen(function* () {
      for (const origin of ["https://ui.example.org", "null", "", "https://nms.example.org.evil.example"]) {
        assert.isFalse(yield* trusts({ origin }), origin)
      }
      assert.isFalse(yield* trusts({ origin: "http://nms.example.org:8080" }), "another port")
      assert.isFalse(yield* trusts({ "sec-fetch-site": "cross-site" }))
      assert.isFalse(yield* trusts({ "sec-fetch-site": "same-site" }))
    }).pipe(Effect.provide(configOf({})))
  )
})

layer(ApiServer(), { excludeTestServices: true })("A server without tokens", (it) => {
  it.effect("answers this machine by its names", () =>
    Effect.gen(function* () {
      for (const host of [
        "localhost",
        "localhost:5000",
        "127.0.0.1:5000",
        "127.8.9.1",
        "[::1]:5000",
        "LOCALHOST.",
        "ui.localhost"
      ]) {
        assert.strictEqual((yield* ask(DEVICES, { host })).status, 200, host)
      }
      assert.strictEqual((yield* ask(DEVICES, { origin: "http://localhost:3000" })).status, 200)
    })
  )

  it.effect("refuses pages that gave their name our address, and other pages", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<Readonly<Record<string, string>>> = [
        { host: "evil.example:5000" },
        { host: "127.0.0.1.evil.example" },
        { host: "localhost.evil.example" },
        { host: "10.0.0.1:5000" },
        { host: "[::2]:5000" },
        { "x-forwarded-host": "evil.example" },
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "http://127.0.0.1.evil.example" }
      ]
      for (const headers of refused) {
        for (const path of [DEVICES, "/api/doc/", "/api/v1.0/nope"]) {
          const { body, status } = yield* ask(path, headers)
          assert.strictEqual(status, 403, JSON.stringify(headers))
          assert.match(JSON.stringify(body), /which is not this machine: .*JWT_ENABLED=true, or ALLOW_OPEN_API=true/)
        }
      }
      const preflight = { origin: "https://evil.example", "access-control-request-method": "POST" }
      assert.strictEqual((yield* ask(DEVICES, preflight, "OPTIONS")).status, 403)
    })
  )

  it.effect("lets switches and probes use any name, because they need no token elsewhere", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("/api/health/live", { host: "nms.example.org" })).status, 200)
      assert.strictEqual((yield* ask("/templates/eos/dhcp-init.j2", { host: "10.0.0.1" })).status, 404)
    })
  )
})

const linkWith = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>>) {
  yield* setScene()
  return (yield* ask(`${DEVICES}?per_page=1`, { host: "nms.example.org", ...headers })).headers.get("link") ?? ""
})
const forwarded = {
  "x-forwarded-for": "10.9.9.9, 192.0.2.7, 127.0.0.1",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "campus.example.org"
}

describe("Behind a proxy", () => {
  it.effect("links and the log show the client's address if the proxy is trusted", () => {
    const { layer: logging, lines } = keepLines("Info")
    const addresses = () =>
      lines.filter(({ text }) => text.startsWith("User: ")).map(({ details }) => details["address"])
    return Effect.gen(function* () {
      assert.match(yield* linkWith(forwarded), /^<https:\/\/campus\.example\.org\/api/)
      assert.match(yield* linkWith({ "x-forwarded-proto": "https" }), /^<https:\/\/nms\.example\.org\/api/)
      assert.match(yield* linkWith({ "x-forwarded-host": 'a>; rel="next"' }), /^<http:\/\/nms\.example\.org\/api/)
      yield* linkWith({ "x-forwarded-for": "10.9.9.9, [2001:db8::7]:4711" })
      yield* linkWith({ "x-forwarded-for": "10.9.9.9, unknown" })
      // entries before the first address that is not a proxy of ours were written by others
      assert.deepEqual(addresses(), ["192.0.2.7", "127.0.0.1", "127.0.0.1", "2001:db8::7", "127.0.0.1"])
    }).pipe(Effect.provide(ApiServer(open)), Effect.provide(logging))
  })

  it.effect("forwarded headers are ignored if the proxy is not trusted", () => {
    const { layer: logging, lines } = keepLines("Info")
    return Effect.gen(function* () {
      assert.match(yield* linkWith(forwarded), /^<http:\/\/nms\.example\.org\/api/)
      assert.strictEqual(lines.find(({ text }) => text.startsWith("User: "))?.details["address"], "127.0.0.1")
    }).pipe(Effect.provide(ApiServer({ ...open, TRUSTED_PROXIES: "192.0.2.0/24" })), Effect.provide(logging))
  })
})

describe("An empty setting", () => {
  it.effect("is the empty list if the manual says so, and otherwise counts as unset", () =>
    Effect.gen(function* () {
      const empty = { TRUSTED_PROXIES: "", METRICS_NETWORKS: "", HOST: "", PORT: "", DISCOVERY_DELAYS: "" }
      const config = Context.get(yield* Layer.build(configOf(empty)), ServerConfig)
      const unset = Context.get(yield* Layer.build(configOf({})), ServerConfig)
      assert.deepInclude(config, { TRUSTED_PROXIES: [], METRICS_NETWORKS: [], HOST: "127.0.0.1" })
      assert.deepStrictEqual(config.DISCOVERY_DELAYS, unset.DISCOVERY_DELAYS)
      assert.deepStrictEqual(unset.TRUSTED_PROXIES, ["127.0.0.0/8", "::1"])
    })
  )
})

describe("A wrong setting", () => {
  it.effect("stops the start and names the variable", () =>
    Effect.gen(function* () {
      const wrong = {
        TRUSTED_PROXIES: ["10.0.0.0/33", "proxy.example.org", "10.0.0.1,x"],
        ALLOWED_ORIGINS: ["*", "ui.example.org", "https://ui.example.org/page", "ftp://ui.example.org"]
      }
      for (const [name, values] of Object.entries(wrong)) {
        for (const value of values) {
          const error = yield* Effect.flip(Layer.build(configOf({ [name]: value })))
          assert.include(String(error), name)
          assert.include(String(error), "separated by commas")
        }
      }
    })
  )
})
