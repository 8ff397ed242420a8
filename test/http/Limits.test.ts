/** How much one client may ask (docs/security.md#limits). */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type Answer, ApiClient, ApiServer } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"
import { makeSlowPreviews } from "../support/SlowPreviews.ts"
import { keyFile, makeIssuer, sign } from "../support/TokenKeys.ts"
import { costOf, makeBuckets } from "../../src/http/core/Limits.ts"

const issuer = makeIssuer("ES256")
const stranger = makeIssuer("ES256")

const withTokens = (variables: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.map(keyFile(issuer), (JWT_CERT) => ApiServer({ JWT_ENABLED: "true", JWT_CERT, ...variables }))
  ).pipe(Layer.provide(NodeServices.layer))

const JOBLOCKS = "/api/v1.0/joblocks"
const ask = Effect.fnUntraced(function* (path: string, token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return yield* (yield* ApiClient).send("GET", path, { headers })
})

/** Asks until the answer is 429. */
const askTooMuch = Effect.fnUntraced(function* (path: string, token?: string) {
  for (;;) {
    const answer = yield* ask(path, token)
    if (answer.status === 429) return answer
  }
})

const isTooMany = ({ body, headers, status }: Answer, sentence: RegExp) => {
  assert.strictEqual(status, 429)
  assert.isAtLeast(Number(headers.get("retry-after")), 1)
  assert.match(JSON.stringify(body), sentence)
  assert.include(body as object, { status: "error" })
}

layer(withTokens({ RATE_LIMIT: "1" }), { excludeTestServices: true })("A client above RATE_LIMIT", (it) => {
  it.effect("receives the time to retry, and takes nothing from callers with a token", () =>
    Effect.gen(function* () {
      isTooMany(yield* askTooMuch(JOBLOCKS), /from this address/)
      const token = yield* sign(issuer, { sub: "indy" })
      assert.strictEqual((yield* ask(JOBLOCKS, token)).status, 200)
      isTooMany(yield* askTooMuch(JOBLOCKS, token), /with this token/)
      // the same token, written in other ways that decode to the same signature
      for (const spelling of [`${token.slice(0, -4)}\t${token.slice(-4)}`, `${token}==`]) {
        assert.oneOf((yield* ask(JOBLOCKS, spelling)).status, [401, 429], spelling)
      }
      const other = yield* sign(issuer, { sub: "indy", jti: "another" })
      assert.strictEqual((yield* ask(JOBLOCKS, other)).status, 200)
    })
  )

  it.effect("may still read probes", () =>
    Effect.gen(function* () {
      yield* askTooMuch(JOBLOCKS)
      assert.strictEqual((yield* ask("/api/health/live")).status, 200)
    })
  )
})

const log = keepLines("Warn")

layer(withTokens({ FAILED_LOGINS: "5" }).pipe(Layer.provide(log.layer)), { excludeTestServices: true })(
  "An address that guesses tokens",
  (it) => {
    it.effect("gets 429 from then on, while other requests with valid, invalid or no tokens are answered", () =>
      Effect.gen(function* () {
        const old = yield* sign(issuer, { sub: "indy", exp: 1 })
        for (let count = 0; count < 10; count++) {
          assert.strictEqual((yield* ask(JOBLOCKS, old)).status, 401)
          assert.strictEqual((yield* ask(JOBLOCKS)).status, 401)
        }
        const forged = yield* sign(stranger, { sub: "indy" })
        assert.strictEqual((yield* ask(JOBLOCKS, forged)).status, 401)
        isTooMany(yield* askTooMuch(JOBLOCKS, forged), /logins from this address were refused/)
        yield* askTooMuch(JOBLOCKS, forged)
        const warnings = log.lines.filter(({ text }) => text.startsWith("SECURITY: tokens or passwords"))
        assert.deepEqual(
          warnings.map(({ details }) => details),
          [{ address: "127.0.0.1" }]
        )
        assert.strictEqual((yield* ask(JOBLOCKS, old)).status, 401)
        assert.strictEqual((yield* ask(JOBLOCKS)).status, 401)
        assert.strictEqual((yield* ask(JOBLOCKS, yield* sign(issuer, { sub: "indy" }))).status, 200)
      })
    )
  }
)

const { arrivals, departure, previews } = makeSlowPreviews()

layer(ApiServer({ REQUESTS_AT_ONCE: "1" }, { previews }), { excludeTestServices: true })(
  "A client with REQUESTS_AT_ONCE in progress",
  (it) => {
    it.effect("waits until one is answered", () =>
      Effect.gen(function* () {
        yield* setScene()
        const begun = yield* Effect.forkChild(ask("/api/v1.0/device/east-a1/generate_config"))
        yield* Deferred.await(arrivals)
        isTooMany(yield* ask(JOBLOCKS), /from this address/)
        yield* Deferred.succeed(departure, undefined)
        assert.strictEqual((yield* Fiber.join(begun)).status, 200)
        assert.strictEqual((yield* ask(JOBLOCKS)).status, 200)
      })
    )
  }
)

layer(ApiServer({ RATE_LIMIT: "0", REQUESTS_AT_ONCE: "0", FAILED_LOGINS: "0" }), { excludeTestServices: true })(
  "Without limits",
  (it) => {
    it.effect("every caller is answered", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask(JOBLOCKS)).status, 200)
      })
    )
  }
)

layer(ApiServer(), { excludeTestServices: true })("The default limits", (it) => {
  it.effect("permit 32 readers without a pause", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: 320 }, () => JOBLOCKS),
        (path) => ask(path),
        { concurrency: 32 }
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    })
  )
})

describe("Buckets", () => {
  const limits = { burst: 10, perSecond: 2, atOnce: 3 }

  it("regain spent tokens over time", () => {
    const buckets = makeBuckets(limits, 100)
    assert.isUndefined(buckets.enter("a", 10, 0))
    assert.strictEqual(buckets.enter("a", 1, 0), 500)
    assert.isTrue(buckets.isEmpty("a", 0))
    assert.isUndefined(buckets.enter("b", 10, 0))
    assert.isUndefined(buckets.enter("a", 2, 1000))
    assert.strictEqual(buckets.enter("a", 11, 60_000), 500)
  })

  it("admit a limited number at once, and the next after one has left", () => {
    const buckets = makeBuckets(limits, 100)
    for (let count = 0; count < 3; count++) assert.isUndefined(buckets.enter("a", 1, 0))
    assert.strictEqual(buckets.enter("a", 1, 0), 1000)
    buckets.leave("a")
    assert.isUndefined(buckets.enter("a", 1, 0))
  })

  it("take bounded memory, and forget no client with work in progress", () => {
    const buckets = makeBuckets({ ...limits, atOnce: 1 }, 100)
    buckets.enter("busy", 1, 0)
    for (let key = 0; key < 10_000; key++) {
      buckets.enter(key, 1, 0)
      buckets.leave(key)
    }
    assert.isAtMost(buckets.size(), 100)
    assert.strictEqual(buckets.enter("busy", 1, 0), 1000)
  })
})

describe("A request costs", () => {
  it("in proportion to its load on the server", () => {
    const costs: ReadonlyArray<readonly [string, string, number]> = [
      ["GET", "/api/health/ready", 0],
      ["OPTIONS", "/api/v1.0/devices", 0],
      ["GET", "/api/v1.0/devices?per_page=1", 1],
      ["GET", "/api/v1.0/auth/identity", 1],
      ["GET", "/firmware/EOS-4.32.2F.swi", 1],
      ["POST", "/api/v1.0/device_discover", 10],
      ["POST", "/api/v1.0/device_syncto", 10],
      ["GET", "/api/v1.0/device/a/generate_config?x=1", 50],
      ["GET", "/api/v1.0/device/a/running_config", 50],
      ["PUT", "/api/v1.0/repository/settings", 50],
      ["POST", "/api/v1.0/settings/model", 50],
      ["GET", "/api/v1.0/settings/model", 1],
      ["POST", "/api/v1.0/auth", 50],
      ["POST", "/api/v1.0/auth/refresh", 50],
      ["GET", "/api/v1.0/auth/auth?code=x", 50]
    ]
    for (const [method, url, cost] of costs) {
      assert.strictEqual(costOf({ method: method as "GET", url }), cost, `${method} ${url}`)
    }
  })
})
