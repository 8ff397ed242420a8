/** The tokens that a server with an identity provider accepts, and its behaviour while the provider is unreachable. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { SignJWT } from "jose"
import { ApiClient, ApiServer } from "../../support/ApiServer.ts"
import { signOn, tokenOf } from "../../support/Browser.ts"
import { CLIENT, IdentityProvider, OTHER, PROGRAM } from "../../support/IdentityProvider.ts"
import { SignOnSite, variablesFor } from "../../support/SignOnSite.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"

const ask = Effect.fnUntraced(function* (token: string, path = "/auth/identity") {
  const api = yield* ApiClient
  return yield* api.send("GET", `/api/v1.0${path}`, { headers: { authorization: `Bearer ${token}` } })
})

/** Asks until the answer has this status: an unreachable provider is asked again after a while. */
const until = Effect.fnUntraced(function* (status: number, token: string) {
  while ((yield* ask(token)).status !== status) yield* Effect.sleep("100 millis")
})

const now = () => Math.floor(Date.now() / 1000)

layer(SignOnSite(), { excludeTestServices: true })("A token of the provider", (it) => {
  it.effect("is accepted, and its claims give roles", () =>
    Effect.gen(function* () {
      const provider = yield* IdentityProvider
      const token = yield* provider.sign({})
      assert.strictEqual((yield* ask(token)).body, "alice@example.org")
      const netops = yield* provider.sign({ sub: "otto", email: "otto@example.org" })
      assert.strictEqual((yield* ask(netops, "/devices")).status, 200)
      assert.strictEqual((yield* ask(netops, "/auth/users")).status, 403)
      const clocks = yield* provider.sign({ exp: now() - 20, nbf: now() + 20, iat: now() + 20 })
      assert.strictEqual((yield* ask(clocks)).status, 200)
    })
  )

  const wrong: ReadonlyArray<
    readonly [name: string, claims: Record<string, unknown>, header: object, message: string]
  > = [
    [
      "for another audience",
      { aud: "https://wiki.example.org" },
      {},
      "Invalid authentication header: Invalid audience"
    ],
    ["for nobody", { aud: undefined }, {}, "Invalid authentication header: Invalid audience"],
    ["of another issuer", { iss: "https://id.example.net" }, {}, "Invalid authentication header: Invalid issuer"],
    ["without an end", { exp: undefined }, {}, "Invalid authentication header: Missing claim: exp"],
    ["that has ended", { exp: 1 }, {}, "The JWT token is expired"],
    ["that has not begun", { nbf: 4e9 }, {}, "Invalid authentication header: The token is not yet valid (nbf)"],
    ["of nobody", { sub: undefined }, {}, "Invalid authentication header: Missing claim: sub"],
    ["to refresh with", { typ: "Refresh" }, {}, "Invalid authentication header: It is no access token"],
    ["that says who somebody is", { at_hash: "x" }, {}, "Invalid authentication header: It is no access token"],
    ["to log out with", { events: {} }, {}, "Invalid authentication header: It is no access token"],
    ["of another type", {}, { typ: "logout+jwt" }, "Invalid authentication header: It is no access token"],
    ["with a key that is not published", {}, { kid: "unknown" }, "Invalid keys"]
  ]
  for (const [name, claims, header, message] of wrong) {
    it.effect(`${name} is refused`, () =>
      Effect.gen(function* () {
        const provider = yield* IdentityProvider
        const { body, status } = yield* ask(yield* provider.sign(claims, { ...header }))
        assert.strictEqual(status, 401)
        assert.deepInclude(body, { status: "error", message })
      })
    )
  }

  it.effect("with a forgeable signature is refused", () =>
    Effect.gen(function* () {
      const provider = yield* IdentityProvider
      const good = yield* provider.sign({})
      const [, payload = "", signature = ""] = good.split(".")
      const written = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url")
      const secret = new TextEncoder().encode(CLIENT.secret.padEnd(32, "x"))
      const shared = new SignJWT({ iss: provider.issuer, sub: "alice", exp: now() + 60 })
      const forged = [
        `${written({ alg: "none" })}.${payload}.`,
        `${written({ alg: "ES256", kid: "first" })}.${payload}.${signature}`,
        `${good.slice(0, -4)}AAAA`,
        yield* Effect.promise(() => shared.setProtectedHeader({ alg: "HS256", kid: "first" }).sign(secret)),
        yield* sign(makeIssuer("ES256"), { iss: provider.issuer, sub: "alice", exp: now() + 60 }),
        "eyJ",
        "not-a-token-of-anybody"
      ]
      for (const token of forged) assert.strictEqual((yield* ask(token)).status, 401, token)
    })
  )

  it.effect("of a program has the program's name and roles; one of another client is refused", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf(PROGRAM)
      assert.strictEqual((yield* ask(token)).body, "dhcp")
      assert.strictEqual((yield* ask(token, "/devices")).status, 200)
      assert.strictEqual((yield* ask(token, "/jobs")).status, 403)
      assert.strictEqual((yield* ask(yield* tokenOf(OTHER))).status, 401)
    })
  )

  it.effect("without claims about its person gives no roles if the provider has none either", () =>
    Effect.gen(function* () {
      const { behaviour } = yield* IdentityProvider
      behaviour.isTelling = false
      const { page, token } = yield* signOn("alice")
      behaviour.isTelling = true
      assert.isNull(page.searchParams.get("username"))
      assert.strictEqual((yield* ask(token)).body, "alice")
      assert.deepEqual((yield* ask(token, "/auth/permissions")).body, [])
    })
  )

  it.effect("is accepted with a new key of the provider, and not with a withdrawn one", () =>
    Effect.gen(function* () {
      const provider = yield* IdentityProvider
      const old = yield* provider.sign({})
      assert.strictEqual((yield* ask(old)).status, 200)
      yield* provider.rotate("second")
      const { token } = yield* signOn("alice")
      assert.strictEqual((yield* ask(token)).body, "alice@example.org")
      assert.strictEqual((yield* ask(old)).status, 401)
    })
  )
})

/** Tokens that the provider alone knows. */
const Opaque = Layer.effectDiscard(
  Effect.map(Effect.service(IdentityProvider), ({ behaviour }) => {
    behaviour.isJwt = false
  })
).pipe(Layer.provideMerge(SignOnSite()))

layer(Opaque, { excludeTestServices: true })("An opaque token", (it) => {
  it.effect("is checked by the provider, which identifies it, once for many requests", () =>
    Effect.gen(function* () {
      const { asked } = yield* IdentityProvider
      const { page, token } = yield* signOn("alice")
      assert.notInclude(token, "eyJ")
      assert.strictEqual(page.searchParams.get("username"), "alice@example.org")
      const before = asked.length
      for (let count = 0; count < 5; count++) assert.strictEqual((yield* ask(token, "/devices")).status, 200)
      assert.strictEqual(asked.length, before)
    })
  )

  it.effect("is refused if it belongs to another client, is a refresh token, or has no owner", () =>
    Effect.gen(function* () {
      const { refresh } = yield* signOn("alice")
      const strangers = [
        yield* tokenOf(OTHER),
        yield* tokenOf(PROGRAM),
        refresh.replace("REFRESH_TOKEN=", ""),
        "x".repeat(43)
      ]
      for (const token of strangers) {
        assert.match(token, /^[\w-]{43}$/)
        assert.strictEqual((yield* ask(token)).status, 401)
      }
    })
  )
})

const Untold = Layer.effectDiscard(
  Effect.map(Effect.service(IdentityProvider), ({ behaviour }) => {
    behaviour.mood = "hangs"
  })
).pipe(Layer.provideMerge(SignOnSite()))

layer(Untold, { excludeTestServices: true })("A provider that hangs", (it) => {
  it.effect("does not stop the server's start; tokens are 503 until it answers, and then its keys are stored", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const provider = yield* IdentityProvider
      const token = yield* provider.sign({})
      const message =
        "ConnectionError: Can't reach the OIDC URL. The identity provider does not answer, try again later"
      const away = yield* ask(token)
      assert.deepEqual([away.status, away.body], [503, { status: "error", message }])
      assert.strictEqual((yield* api.get("/auth/login")).status, 503)
      assert.strictEqual((yield* api.get("/system/version")).status, 200)
      provider.behaviour.mood = "answers"
      yield* until(200, token)
      provider.behaviour.mood = "hangs"
      assert.strictEqual((yield* ask(yield* provider.sign({ sub: "bob" }))).status, 200)
      const unknown = yield* ask(yield* provider.sign({}, { kid: "unknown" }))
      assert.deepInclude(unknown.body, {
        message: "ConnectionError: Can't retrieve keys. The identity provider does not answer, try again later"
      })
      assert.strictEqual(unknown.status, 503)
      assert.strictEqual((yield* ask(token)).status, 200)
    })
  )
})

/** A folder with these roles; none without. */
const folderWith = Effect.fnUntraced(function* (roles?: string) {
  const files = yield* FileSystem.FileSystem
  const DATA_DIR = yield* files.makeTempDirectoryScoped()
  if (roles !== undefined) yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, roles)
  return DATA_DIR
})

const startWith = (variables: Readonly<Record<string, string>>, roles?: string) =>
  Effect.gen(function* () {
    const DATA_DIR = yield* folderWith(roles)
    const all = { ...variablesFor("http://127.0.0.1:1"), DATA_DIR, ...variables }
    return yield* Effect.flip(Layer.build(ApiServer(all)))
  }).pipe(
    Effect.map((error) => String(error.message)),
    Effect.scoped,
    Effect.provide(NodeServices.layer)
  )

describe("A server with a provider", () => {
  plain.effect("does not start without roles, and says which file and setting are wanted", () =>
    Effect.gen(function* () {
      const message = yield* startWith({})
      assert.match(
        message,
        /^OIDC_ENABLED is true, but .*\/permissions\.yml does not exist: .*PERMISSIONS_DISABLED=true$/
      )
    })
  )

  plain.effect("does not start with half of its settings", () =>
    Effect.gen(function* () {
      const roles = "roles: {}\n"
      assert.include(yield* startWith({ OIDC_CLIENT_ID: "" }, roles), "OIDC_CLIENT_ID is not set")
      assert.include(yield* startWith({ OIDC_CLIENT_SCOPE: "email" }, roles), "OIDC_CLIENT_SCOPE does not name openid")
      const plainHttp = { OIDC_CONF_WELL_KNOWN_URL: "http://id.example.org/.well-known/openid-configuration" }
      assert.match(
        yield* startWith(plainHttp, roles),
        /Expected a URL that begins with https[\s\S]*OIDC_CONF_WELL_KNOWN_URL/
      )
    })
  )

  plain.effect("takes no tokens of another key, and those of its own users and programs as ever", () =>
    Effect.gen(function* () {
      const issuer = makeIssuer("ES256")
      const variables = { JWT_CERT: yield* keyFile(issuer), LOCAL_USERS: "true", JWT_ENABLED: "false" }
      const DATA_DIR = yield* folderWith("roles: {}\n")
      const site = ApiServer({ ...variablesFor("http://127.0.0.1:1"), DATA_DIR, ...variables })
      yield* Effect.gen(function* () {
        const api = yield* ApiClient
        assert.strictEqual((yield* api.get("/devices")).status, 401)
        assert.strictEqual((yield* ask(yield* sign(issuer, { sub: "admin", exp: now() + 60 }))).status, 503)
        assert.strictEqual((yield* ask("swy_unknown")).status, 401)
        const headers = { authorization: `Basic ${Buffer.from("nobody:password").toString("base64")}` }
        assert.strictEqual((yield* api.send("POST", "/api/v1.0/auth", { headers })).status, 401)
      }).pipe(Effect.provide(site))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
