import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SignJWT } from "jose"
import { createSecretKey, generateKeyPairSync } from "node:crypto"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { Permissions } from "../../src/access/Permissions.ts"
import { HttpServerLive } from "../../src/http/HttpServer.ts"
import { makeJsonWebTokens } from "../../src/http/core/JsonWebTokens.ts"
import { ApiClient, ApiServer, Backend, configOf } from "../support/ApiServer.ts"
import { type Issuer, keyFile, makeIssuer, sign } from "../support/TokenKeys.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const now = () => Math.floor(Date.now() / 1000)
const ours = makeIssuer("ES256")
const theirs = makeIssuer("ES256")

const serverWith = (issuer: Issuer) =>
  Layer.unwrap(Effect.map(keyFile(issuer), (JWT_CERT) => ApiServer({ JWT_ENABLED: "true", JWT_CERT }))).pipe(
    Layer.provide(NodeServices.layer)
  )

const call = Effect.fnUntraced(function* (authorization: string | undefined, query = "") {
  const api = yield* ApiClient
  const answer = yield* api.send("GET", `/api/v1.0/joblocks${query}`, {
    headers: authorization === undefined ? {} : { authorization }
  })
  return [answer.status, answer.body] as const
})

const refused = (message: string) => [401, { status: "error", message }] as const
const MALFORMED = "Invalid header, JWT token missing? Bad Authorization header. Expected 'Authorization: Bearer <JWT>'"
const invalid = (reason: string) => refused(`Invalid authentication header: ${reason}`)

layer(serverWith(ours), { excludeTestServices: true })("A token", (it) => {
  it.effect("names the caller, as shown by jobs and events", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const authorization = `Bearer   ${yield* sign(ours, { sub: "indy", iat: now(), nbf: now(), exp: now() + 60, type: "access", fresh: false, jti: "x" })}`
      const answer = yield* api.send("POST", "/api/v1.0/device_syncto", {
        json: { hostname: "east-a1" },
        headers: { authorization }
      })
      assert.strictEqual(answer.status, 200)
      const job = yield* api.send("GET", "/api/v1.0/job/4", { headers: { authorization } })
      assert.include(job.text, `"scheduled_by":"indy"`)
    })
  )

  it.effect("may never expire, may be given in the query, and may have an empty subject", () =>
    Effect.gen(function* () {
      const token = yield* sign(ours, { sub: "" })
      assert.strictEqual((yield* call(`Bearer ${token}`))[0], 200)
      assert.strictEqual((yield* call(undefined, `?jwt=${token}`))[0], 200)
      assert.strictEqual((yield* call(`Bearer ${token}`, "?jwt=bad"))[0], 200)
    })
  )

  it.effect("is missing if it is absent, or under another scheme", () =>
    Effect.gen(function* () {
      const token = yield* sign(ours, { sub: "indy" })
      for (const header of [undefined, "", `bearer ${token}`, token, "Basic YTpi"]) {
        assert.deepEqual(yield* call(header), refused("JWT token missing?"), header)
      }
      assert.deepEqual(yield* call(undefined, "?jwt="), refused("JWT token missing?"))
      assert.deepEqual(yield* call(undefined, `?token=${token}`), refused("JWT token missing?"))
    })
  )

  it.effect("is one word after the scheme", () =>
    Effect.gen(function* () {
      for (const header of ["Bearer", "Bearer ", "Bearer a b"])
        assert.deepEqual(yield* call(header), refused(MALFORMED), header)
    })
  )

  it.effect("is refused if it is malformed, or signed by another issuer", () =>
    Effect.gen(function* () {
      const undecodable = refused("Could not decode JWT token")
      const good = yield* sign(ours, { sub: "indy" })
      for (const token of ["x", "a.b.c", `${good}x`, good.slice(0, -4), yield* sign(theirs, { sub: "indy" })]) {
        assert.deepEqual(yield* call(`Bearer ${token}`), undecodable, token)
      }
    })
  )

  it.effect("reports its expiry, in words and in a code", () =>
    Effect.gen(function* () {
      const token = yield* sign(ours, { sub: "indy", exp: now() - 31 })
      assert.deepEqual(yield* call(`Bearer ${token}`), [
        401,
        { status: "error", message: "The JWT token is expired", errorCode: "auth_expired" }
      ])
    })
  )

  it.effect("is refused before its time, and without a proper subject", () =>
    Effect.gen(function* () {
      const cases = [
        [{ sub: "x", nbf: now() + 60 }, invalid("The token is not yet valid (nbf)")],
        [{ sub: "x", iat: now() + 60 }, invalid("The token is not yet valid (iat)")],
        [{ sub: 5 }, invalid("Subject must be a string")],
        [{ sub: "x".repeat(256) }, invalid("Subject cannot be stored")],
        [{ sub: "a\u0000" }, invalid("Subject cannot be stored")],
        [{}, invalid("Missing claim: sub")],
        [{ sub: "x", type: "refresh" }, invalid("Only non-refresh tokens are allowed")]
      ] as const
      for (const [claims, answer] of cases) assert.deepEqual(yield* call(`Bearer ${yield* sign(ours, claims)}`), answer)
    })
  )

  it.effect("is refused if it is signed by another method, or not at all", () =>
    Effect.gen(function* () {
      const hs256 = yield* Effect.promise(() =>
        new SignJWT({ sub: "x" })
          .setProtectedHeader({ alg: "HS256" })
          .sign(createSecretKey(Buffer.from("x".repeat(32))))
      )
      const none = `${Buffer.from(`{"alg":"none"}`).toString("base64url")}.${Buffer.from(`{"sub":"x"}`).toString("base64url")}.`
      const rs256 = yield* sign(makeIssuer("RS256"), { sub: "x" })
      for (const token of [hs256, none, rs256]) {
        assert.deepEqual(yield* call(`Bearer ${token}`), invalid("The specified alg value is not allowed"), token)
      }
    })
  )

  it.effect("is checked after path and method, and before the body", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      assert.strictEqual((yield* api.send("GET", "/api/v1.0/nope")).status, 404)
      assert.strictEqual((yield* api.send("PATCH", "/api/v1.0/devices")).status, 405)
      assert.strictEqual((yield* api.send("POST", "/api/v1.0/device", { raw: "{" })).status, 401)
    })
  )
})

/** No roles: there is no permissions.yml. */
const tokensWith = (variables: Readonly<Record<string, string>>) =>
  Permissions.layer.pipe(
    Layer.provideMerge(
      configOf({ JWT_ENABLED: "true", DATA_DIR: "/dev/null/data", PERMISSIONS_DISABLED: "true", ...variables })
    ),
    Layer.provideMerge(NodeServices.layer)
  )

const tokensOf = (issuer: Issuer) =>
  Layer.unwrap(Effect.map(keyFile(issuer), (JWT_CERT) => tokensWith({ JWT_CERT }))).pipe(
    Layer.provide(NodeServices.layer)
  )

const rsa = makeIssuer("RS256")

/** Starts the server and stops it again. */
const start = (variables: Readonly<Record<string, string>>) =>
  Effect.scoped(Layer.build(HttpServerLive.pipe(Layer.provide(Backend({ HOST: "0.0.0.0", ...variables })))))

describe("The server", () => {
  it.effect("accepts RS256 tokens when its key is RSA", () =>
    Effect.gen(function* () {
      const tokens = yield* makeJsonWebTokens
      assert.strictEqual((yield* tokens.check(yield* sign(rsa, { sub: "indy" }))).name, "indy")
    }).pipe(Effect.provide(tokensOf(rsa)))
  )

  it.effect("refuses a valid token once it has expired", () =>
    Effect.gen(function* () {
      const tokens = yield* makeJsonWebTokens
      const token = yield* sign(ours, { sub: "indy", exp: 60 })
      assert.strictEqual((yield* tokens.check(token)).name, "indy")
      // clocks may differ by half a minute
      yield* TestClock.adjust("89 seconds")
      assert.strictEqual((yield* tokens.check(token)).name, "indy")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(tokens.check(token))).errorCode, "auth_expired")
    }).pipe(Effect.provide(tokensOf(ours)))
  )

  it.effect("checks issuer and audience if they are set", () =>
    Effect.gen(function* () {
      const JWT_CERT = yield* keyFile(ours)
      yield* Effect.gen(function* () {
        const tokens = yield* makeJsonWebTokens
        const good = { sub: "indy", iss: "https://id.example.org", aud: ["other", "switchyard"] }
        assert.strictEqual((yield* tokens.check(yield* sign(ours, good))).name, "indy")
        assert.strictEqual((yield* tokens.check(yield* sign(ours, { ...good, aud: "switchyard" }))).name, "indy")
        for (const wrong of [{ iss: undefined }, { iss: "x" }, { aud: undefined }, { aud: "x" }, { aud: [] }]) {
          const error = yield* Effect.flip(tokens.check(yield* sign(ours, { ...good, ...wrong })))
          assert.match(String(error.message), /Invalid (issuer|audience)$/)
        }
      }).pipe(
        Effect.provide(tokensWith({ JWT_CERT, JWT_ISSUER: "https://id.example.org", JWT_AUDIENCE: "switchyard" }))
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("does not start with an unusable key, and says so", () =>
    Effect.gen(function* () {
      const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({ type: "spki", format: "pem" })
      for (const publicPem of ["nothing", p384.toString()]) {
        const path = yield* keyFile({ publicPem })
        const start = Effect.provide(makeJsonWebTokens, tokensWith({ JWT_CERT: path }))
        const error = yield* Effect.flip(start)
        assert.strictEqual(error._tag, "TokenKeyUnusable")
        assert.include(error.message, path)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("does not start with a missing key", () =>
    Effect.gen(function* () {
      const start = Effect.provide(makeJsonWebTokens, tokensWith({ JWT_CERT: "nowhere.pem" }))
      assert.include((yield* Effect.flip(start)).message, "nowhere.pem")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("refuses to serve all callers on a public address, unless configured", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(start({}))
      assert.strictEqual("_tag" in error ? error._tag : "", "OpenApiRefused")
      yield* start({ ALLOW_OPEN_API: "true" })
      yield* start({ HOST: "127.0.0.1" })
    })
  )
})
