/** People sign on in the page: what their browser keeps, and what it is worth. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ApiClient, ApiServer, type Answer } from "../../support/ApiServer.ts"
import { cookiesOf, signOn, signOnInPage } from "../../support/Browser.ts"
import { IdentityProvider } from "../../support/IdentityProvider.ts"
import { SignOnSite } from "../../support/SignOnSite.ts"

const PASSWORD = "seven green bicycles"
const SESSION = "/api/v1.0/auth/session"
const basic = (name: string, password = PASSWORD) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`

const ask = Effect.fnUntraced(function* (method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const api = yield* ApiClient
  return yield* api.send(method, path, { headers })
})
const session = (headers: Readonly<Record<string, string>>) => ask("POST", SESSION, headers)
const as = (token: string, path = "/auth/identity") =>
  ask("GET", `/api/v1.0${path}`, { authorization: `Bearer ${token}` })
const tokenIn = ({ text }: Pick<Answer, "text">) => /"access_token":"([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)
const cookieIn = (answer: Answer) => cookiesOf(answer).find((one) => one.includes("switchyard-page=")) ?? ""

const Site = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const DATA_DIR = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, "roles: {}\n")
    return ApiServer({ JWT_ENABLED: "true", LOCAL_USERS: "true", FAILED_LOGINS: "30", DATA_DIR })
  })
).pipe(Layer.provide(NodeServices.layer))

/** A user with this password, as the server stores one. */
const addUser = Effect.fnUntraced(function* (name: string) {
  const { makePasswords } = yield* Effect.promise(() => import("../../../src/access/LocalUsers.ts"))
  const { Redacted } = yield* Effect.promise(() => import("effect"))
  const hash = yield* (yield* makePasswords).hash(Redacted.make(PASSWORD))
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into local_user (name, hash, roles, break_glass) values (${name}, ${hash}, '{administrator}', false)`
})

layer(Site, { excludeTestServices: true })("A local user in the page", (it) => {
  it.effect(
    "keeps a cookie that no script reads and no other path receives, and a token for a quarter of an hour",
    () =>
      Effect.gen(function* () {
        yield* addUser("maria")
        const answer = yield* session({ authorization: basic("maria") })
        assert.strictEqual(answer.status, 200)
        const cookie = answer.headers.get("set-cookie") ?? ""
        for (const word of ["HttpOnly", "SameSite=Strict", `Path=${SESSION}`]) assert.include(cookie, word)
        assert.notInclude(cookie, "Secure")
        assert.include(answer.text, '"expires_in":900')
        assert.strictEqual((yield* as(tokenIn(answer))).body, "maria")
        const encrypted = yield* session({
          authorization: basic("maria"),
          "x-forwarded-proto": "https",
          "x-forwarded-host": "nms.example.org"
        })
        assert.match(encrypted.headers.get("set-cookie") ?? "", /__Secure-switchyard-page=[^,]*; Secure/)
      })
  )

  it.effect("gets a new cookie with each token; an old one that returns ends the session", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* addUser("otto")
      const first = cookieIn(yield* session({ authorization: basic("otto") }))
      const renewed = yield* session({ cookie: first })
      assert.strictEqual(renewed.status, 200)
      const second = cookieIn(renewed)
      assert.notStrictEqual(second, first)
      // the answer may have been lost: the same cookie counts for some seconds, and yields the same next one
      assert.strictEqual(cookieIn(yield* session({ cookie: first })), second)
      const third = yield* session({ cookie: second })
      yield* sql`update page_session set rotated_at = now() - interval '1 minute'`
      assert.strictEqual((yield* session({ cookie: first })).status, 401)
      assert.strictEqual((yield* session({ cookie: cookieIn(third) })).status, 401)
      while ((yield* as(tokenIn(third))).status !== 401) yield* Effect.sleep("50 millis")
    })
  )

  it.effect("is signed off at the server, with every token of the session", () =>
    Effect.gen(function* () {
      yield* addUser("vic")
      const answer = yield* session({ authorization: basic("vic") })
      const [cookie, token] = [cookieIn(answer), tokenIn(answer)]
      assert.strictEqual((yield* as(token)).status, 200)
      const off = yield* ask("DELETE", SESSION, { cookie })
      assert.deepEqual(off.body, { status: "success", data: { revoked: false, end_session_url: null } })
      assert.match(off.headers.get("set-cookie") ?? "", /switchyard-page=; Max-Age=0/)
      assert.strictEqual((yield* session({ cookie })).status, 401)
      while ((yield* as(token)).status !== 401) yield* Effect.sleep("50 millis")
      const sql = yield* SqlClient.SqlClient
      const noted = yield* sql`select actor, way from event where kind = 'login' and action = 'ended'`
      assert.deepEqual(noted, [{ actor: "vic", way: "password" }])
    })
  )

  it.effect("is signed off by a password change", () =>
    Effect.gen(function* () {
      yield* addUser("rita")
      const answer = yield* session({ authorization: basic("rita") })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update local_user set session = gen_random_uuid() where name = 'rita'`
      while ((yield* as(tokenIn(answer))).status !== 401) yield* Effect.sleep("50 millis")
      assert.strictEqual((yield* session({ cookie: cookieIn(answer) })).status, 401)
    })
  )

  it.effect("is signed on and off by no other page", () =>
    Effect.gen(function* () {
      yield* addUser("kim")
      const cookie = cookieIn(yield* session({ authorization: basic("kim") }))
      for (const foreign of [
        { origin: "https://evil.example.net" },
        { origin: "null" },
        { "sec-fetch-site": "same-site" }
      ]) {
        assert.strictEqual((yield* session({ cookie, ...foreign })).status, 403)
        assert.strictEqual((yield* session({ authorization: basic("kim"), ...foreign })).status, 403)
        assert.strictEqual((yield* ask("DELETE", SESSION, { cookie, ...foreign })).status, 403)
      }
      assert.strictEqual((yield* session({ cookie, "sec-fetch-site": "same-origin" })).status, 200)
    })
  )

  it.effect("leaves nothing in the database that a token could be made of", () =>
    Effect.gen(function* () {
      yield* addUser("lea")
      const answer = yield* session({ authorization: basic("lea") })
      const [, , proof = "none"] = cookieIn(answer).split(".")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string }>`select row_to_json(p)::text as text from page_session p`
      assert.isAbove(rows.length, 0)
      for (const { text } of rows) {
        assert.notInclude(text, proof)
        assert.notMatch(text, /"sealed":"eyJ[\w-]+\.eyJ/)
      }
    })
  )
})

layer(Site, { excludeTestServices: true })("A client that guesses", (it) => {
  it.effect("tokens of users and of the page, or cookies, must wait", () =>
    Effect.gen(function* () {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const forged = (kid: string, alg: string) =>
        `${part({ alg, kid, typ: "JWT" })}.${part({ sub: "maria", sid: "x", exp: 4_102_444_800 })}.${part("x".repeat(40))}`
      const answers = new Set<string>()
      for (let n = 0; n < 10; n++) {
        for (const token of [forged("switchyard-local-users", "ES256"), forged("switchyard-page", "HS256")]) {
          const { body, status } = yield* as(token)
          answers.add(JSON.stringify([status, body]))
        }
        yield* session({ cookie: `switchyard-page=${crypto.randomUUID()}.0.${"A".repeat(43)}` })
      }
      assert.deepEqual(
        [...answers],
        [JSON.stringify([401, { status: "error", message: "Could not decode JWT token" }])]
      )
      for (const token of [forged("switchyard-local-users", "ES256"), forged("switchyard-page", "HS256")]) {
        // a guess is allowed again after a while, which a slow machine spends on the others
        const last = yield* Effect.repeat(as(token), { until: ({ status }) => status === 429, times: 30 })
        assert.strictEqual(last.status, 429)
      }
    })
  )
})

layer(SignOnSite(), { excludeTestServices: true })("A user of the provider in the page", (it) => {
  it.effect("returns to an address without a token, and the page gets one for the cookie", () =>
    Effect.gen(function* () {
      const { answer, location, page } = yield* signOnInPage("alice")
      assert.deepEqual([answer.status, location], [302, "/ui/signed-on"])
      const cookie = answer.headers.get("set-cookie") ?? ""
      for (const word of ["HttpOnly", "Secure", "SameSite=Strict", `Path=${SESSION}`]) assert.include(cookie, word)
      assert.notInclude(cookie, "REFRESH_TOKEN=e")
      assert.notMatch(cookie, /eyJ/)
      const taken = yield* session({ cookie: page })
      assert.strictEqual((yield* as(tokenIn(taken))).body, "alice@example.org")
      assert.strictEqual((yield* as(tokenIn(taken), "/devices")).status, 200)
    })
  )

  it.effect("has a session that is renewed at the provider, by one of two tabs that ask together", () =>
    Effect.gen(function* () {
      const { asked } = yield* IdentityProvider
      const { page } = yield* signOnInPage("alice")
      const sql = yield* SqlClient.SqlClient
      const before = asked.filter((one) => one === "POST /token").length
      const sealed = yield* sql<{ sealed: string }>`select sealed from page_session order by begun_at desc limit 1`
      const { behaviour } = yield* IdentityProvider
      behaviour.tokenSeconds = 30
      const short = yield* signOnInPage("alice")
      behaviour.tokenSeconds = 600
      const tabs = yield* Effect.all([session({ cookie: short.page }), session({ cookie: short.page })], {
        concurrency: 2
      })
      assert.deepEqual(
        tabs.map(({ status }) => status),
        [200, 200]
      )
      for (const tab of tabs) assert.strictEqual((yield* as(tokenIn(tab))).body, "alice@example.org")
      assert.strictEqual(asked.filter((one) => one === "POST /token").length, before + 2)
      assert.isAbove(sealed.length, 0)
      assert.strictEqual((yield* session({ cookie: page })).status, 200)
    })
  )

  it.effect("is signed off here and at the provider", () =>
    Effect.gen(function* () {
      const { issuer } = yield* IdentityProvider
      const { page } = yield* signOnInPage("alice")
      const taken = yield* session({ cookie: page })
      const off = yield* ask("DELETE", SESSION, { cookie: cookieIn(taken) })
      assert.deepEqual(off.body, {
        status: "success",
        data: { revoked: true, end_session_url: `${issuer}/session/end?client_id=switchyard` }
      })
      while ((yield* as(tokenIn(taken))).status !== 401) yield* Effect.sleep("50 millis")
    })
  )

  it.effect("has the issuer before the name if a local user has it, in any spelling", () =>
    Effect.gen(function* () {
      const { issuer, sign } = yield* IdentityProvider
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into local_user (name, hash, roles, break_glass) values ('Root', 'x', '{}', false)`
      yield* Effect.sleep("600 millis")
      for (const email of ["root", "ROOT", "\uff52oot", "ro\u200bot", " root"]) {
        const token = yield* sign({ email, email_verified: true })
        assert.strictEqual((yield* as(token)).body, `${issuer}#${email}`)
      }
      for (const sub of ["root", "rOOt"]) {
        const token = yield* sign({ sub, email: undefined, email_verified: undefined, groups: ["x"] })
        assert.strictEqual((yield* as(token)).body, `${issuer}#${sub}`)
      }
      assert.strictEqual((yield* as(yield* sign({ email: "roots", email_verified: true }))).body, "roots")
    })
  )

  it.effect("has the roles and the name of a mail address only if the provider has verified it", () =>
    Effect.gen(function* () {
      const { behaviour, sign } = yield* IdentityProvider
      const unsaid = [undefined, null, "yes", 1, {}, [true], "false", false, "TRUE "]
      for (const email_verified of unsaid) {
        const token = yield* sign({ sub: "zoe", email: "alice@example.org", email_verified, groups: [] })
        assert.strictEqual((yield* as(token)).body, "zoe", JSON.stringify(email_verified))
        assert.deepEqual((yield* as(token, "/auth/permissions")).body, [], JSON.stringify(email_verified))
      }
      for (const email of [["alice@example.org"], ["x", "alice@example.org"]]) {
        const token = yield* sign({ sub: "zoe", email, email_verified: true, groups: [] })
        assert.strictEqual((yield* as(token)).body, "zoe")
      }
      // what the provider alone knows of a token is looked at in the same way
      behaviour.isJwt = false
      for (const [login, name] of [
        ["alice", "alice@example.org"],
        ["mallory", "mallory"]
      ] as const) {
        assert.strictEqual((yield* as((yield* signOn(login)).token)).body, name)
      }
      behaviour.isJwt = true
    })
  )
})

layer(SignOnSite({ OIDC_TRUST_EMAIL: "true" }), { excludeTestServices: true })("With OIDC_TRUST_EMAIL", (it) => {
  it.effect("a mail address without verification data counts, and an unverified one does not", () =>
    Effect.gen(function* () {
      const { sign } = yield* IdentityProvider
      const told = (email_verified?: boolean) => sign({ sub: "zoe", email: "alice@example.org", email_verified })
      assert.strictEqual((yield* as(yield* told())).body, "alice@example.org")
      assert.strictEqual((yield* as(yield* told(false))).body, "zoe")
    })
  )
})
