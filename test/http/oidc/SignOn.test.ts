/** People sign on at a real provider, with its own pages. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ApiClient } from "../../support/ApiServer.ts"
import { begin, beginIn, comeBack, cookiesOf, passPages, signOn } from "../../support/Browser.ts"
import { AUDIENCE, CLIENT, IdentityProvider, REDIRECT } from "../../support/IdentityProvider.ts"
import { keepLines } from "../../support/LogLines.ts"
import { SignOnSite } from "../../support/SignOnSite.ts"

const as = Effect.fnUntraced(function* (token: string, path: string) {
  const api = yield* ApiClient
  return yield* api.send("GET", `/api/v1.0${path}`, { headers: { authorization: `Bearer ${token}` } })
})

const post = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>>) {
  const api = yield* ApiClient
  return yield* api.send("POST", `/api/v1.0${path}`, { headers })
})

const newToken = (cookie: string, more: Readonly<Record<string, string>> = {}) =>
  post("/auth/refresh", { cookie, authorization: "Bearer of-no-interest", ...more })

const { layer: kept, lines } = keepLines("Trace")

/** Everything in a log, an event or the database's own settings that could contain these words. */
const assertUntold = Effect.fnUntraced(function* (secrets: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const events = yield* sql`select data::text as text from event`
  const told = [...lines.map((line) => JSON.stringify(line)), ...events.map((row) => JSON.stringify(row))].join("\n")
  assert.isTrue(
    lines.some(({ text }) => text.includes("/auth/auth")),
    "what is logged is kept"
  )
  for (const secret of secrets) {
    assert.isAbove(secret.length, 10)
    assert.isFalse(told.includes(secret), `${secret} is told`)
  }
})

const wordsOf = (url: URL): ReadonlyArray<string> =>
  ["code", "state", "token", "nonce"].flatMap((name) => url.searchParams.get(name) ?? [])

layer(SignOnSite().pipe(Layer.provideMerge(kept)), { excludeTestServices: true })("Signing on", (it) => {
  it.effect("begins at the provider's page with a code that is bound to this browser", () =>
    Effect.gen(function* () {
      const { answer, location } = yield* begin
      assert.strictEqual(answer.status, 302)
      const asked = Object.fromEntries(new URL(location).searchParams)
      assert.deepInclude(asked, {
        client_id: CLIENT.id,
        redirect_uri: REDIRECT,
        response_type: "code",
        scope: "openid email groups",
        code_challenge_method: "S256",
        audience: AUDIENCE
      })
      const cookie = answer.headers.get("set-cookie") ?? ""
      assert.match(cookie, /^__Host-switchyard-login-[\w-]{16}=[^;]+;/)
      for (const word of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=600"]) assert.include(cookie, word)
      assert.isFalse(cookie.includes(asked["state"] ?? "none"), "the cookie is sealed")
    })
  )

  it.effect("ends at the site's page with a valid token, a name, and a cookie that no page reads", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { answer, page, refresh, token } = yield* signOn("alice")
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(page.origin + page.pathname, "https://nms.example.org/callback")
      assert.strictEqual(page.searchParams.get("username"), "alice@example.org")
      assert.match(
        answer.headers.get("set-cookie") ?? "",
        /REFRESH_TOKEN=[^;]+; Max-Age=1209600; Path=\/api\/v1\.0\/auth\/refresh; HttpOnly; Secure; SameSite=None/
      )
      assert.strictEqual((yield* as(token, "/auth/identity")).text, `"alice@example.org"`)
      assert.strictEqual((yield* as(token, "/devices")).status, 200)
      assert.include((yield* as(token, "/auth/permissions")).text, `"methods":["*"]`)
      const noted = yield* sql`select actor, way, data from event where kind = 'login' and action = 'accepted'`
      assert.deepEqual(noted, [{ actor: "alice@example.org", way: "oidc", data: { name: "alice@example.org" } }])
      yield* assertUntold([token, refresh.split("=")[1] ?? "", CLIENT.secret, ...wordsOf(page)])
    })
  )

  it.effect("gives a user without a role an empty list, and nothing else", () =>
    Effect.gen(function* () {
      const { token } = yield* signOn("rita")
      assert.deepEqual((yield* as(token, "/auth/permissions")).body, [])
      assert.strictEqual((yield* as(token, "/auth/identity")).body, "rita@example.org")
      assert.strictEqual((yield* as(token, "/devices")).status, 403)
    })
  )

  it.effect("ignores a mail address that the provider has not verified", () =>
    Effect.gen(function* () {
      const { page, token } = yield* signOn("mallory")
      assert.isNull(page.searchParams.get("username"))
      assert.strictEqual((yield* as(token, "/auth/identity")).body, "mallory")
      assert.deepEqual((yield* as(token, "/auth/permissions")).body, [])
    })
  )
})

layer(SignOnSite().pipe(Layer.provideMerge(kept)), { excludeTestServices: true })("A login is refused", (it) => {
  const refused = {
    status: "error",
    message: "Exception during authorization of the access token. Please try to login again."
  }

  const assertRefused = Effect.fnUntraced(function* (address: string, cookie: string) {
    const answer = yield* comeBack(address, cookie)
    assert.deepEqual([answer.status, answer.body], [401, refused])
    assert.deepEqual(cookiesOf(answer), [])
    assert.isNull(answer.headers.get("location"))
    yield* assertUntold(wordsOf(new URL(address)))
  })

  it.effect("that returns a second time", () =>
    Effect.gen(function* () {
      const { cookie, location } = yield* begin
      const address = yield* passPages(location, "alice")
      assert.strictEqual((yield* comeBack(address, cookie)).status, 302)
      yield* assertRefused(address, cookie)
    })
  )

  it.effect("with a code that was used in another login", () =>
    Effect.gen(function* () {
      const first = yield* begin
      const second = yield* begin
      const address = new URL(yield* passPages(first.location, "alice"))
      assert.strictEqual((yield* comeBack(address.href, first.cookie)).status, 302)
      address.searchParams.set("state", new URL(second.location).searchParams.get("state") ?? "")
      yield* assertRefused(address.href, second.cookie)
    })
  )

  it.effect("with a code from another user's login", () =>
    Effect.gen(function* () {
      const victim = yield* begin
      const attacker = yield* begin
      const address = new URL(yield* passPages(attacker.location, "mallory"))
      address.searchParams.set("state", new URL(victim.location).searchParams.get("state") ?? "")
      yield* assertRefused(address.href, victim.cookie)
    })
  )

  it.effect("with another state, without a cookie, and with a foreign one", () =>
    Effect.gen(function* () {
      const { cookie, location } = yield* begin
      const address = new URL(yield* passPages(location, "alice"))
      yield* assertRefused(address.href, "")
      yield* assertRefused(address.href, `${cookie.slice(0, -4)}AAAA`)
      yield* assertRefused(address.href, cookie.replace("__Host-switchyard-login", "switchyard-login"))
      const other = yield* begin
      yield* assertRefused(address.href, other.cookie)
    })
  )

  it.effect("with an expired code", () =>
    Effect.gen(function* () {
      const { behaviour } = yield* IdentityProvider
      behaviour.codeSeconds = 1
      const { cookie, location } = yield* begin
      const address = yield* passPages(location, "alice")
      behaviour.codeSeconds = 600
      yield* Effect.sleep("2500 millis")
      yield* assertRefused(address, cookie)
    })
  )

  it.effect(
    "with a page for a browser, which gives the reason and leads back, without affecting another tab's login",
    () =>
      Effect.gen(function* () {
        const { behaviour, issuer } = yield* IdentityProvider
        const accept = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
        const [first, second] = [yield* beginIn("?page=ui"), yield* beginIn("?page=ui")]
        assert.notStrictEqual(first.cookie.split("=")[0], second.cookie.split("=")[0])
        const both = `${first.cookie}; ${second.cookie}`
        const stateOf = ({ location }: typeof first) => new URL(location).searchParams.get("state") ?? ""
        const denied = `${REDIRECT}?error=access_denied&error_description=%3Cscript%3E&state=${stateOf(first)}&iss=${encodeURIComponent(issuer)}`
        const refused = yield* comeBack(denied, both, accept)
        assert.strictEqual(refused.status, 401)
        assert.match(refused.headers.get("content-type") ?? "", /^text\/html/)
        assert.include(refused.text, "The sign-on was cancelled")
        assert.include(refused.text, 'href="/api/v1.0/auth/login?page=ui"')
        assert.include(refused.text, 'href="/ui/"')
        assert.notInclude(refused.text, "script")
        assert.notInclude(refused.headers.get("set-cookie") ?? "", second.cookie.split("=")[0] ?? "none")
        for (const query of ["?error=access_denied", "?code=x&state=y", "", "?state=%3Cscript%3E"]) {
          const unknown = yield* comeBack(`${REDIRECT}${query}`, both, accept)
          assert.strictEqual(unknown.status, 401, query)
          assert.include(unknown.text, "This sign-on was begun in another browser", query)
          assert.strictEqual(unknown.headers.get("set-cookie"), null, query)
        }
        const address = yield* passPages(second.location, "alice")
        behaviour.mood = "fails"
        const away = yield* comeBack(address, both, accept)
        assert.strictEqual(away.status, 503)
        assert.include(away.text, "The identity provider does not answer")
        behaviour.mood = "answers"
        let status = 503
        while (status === 503) {
          yield* Effect.sleep("100 millis")
          const tried = yield* comeBack(address, both, accept)
          status = tried.status
        }
        assert.strictEqual(status, 302)
      })
  )

  it.effect("that the person has cancelled", () =>
    Effect.gen(function* () {
      const { cookie, location } = yield* begin
      const state = new URL(location).searchParams.get("state")
      const { issuer } = yield* IdentityProvider
      yield* assertRefused(`${REDIRECT}?error=access_denied&state=${state}&iss=${encodeURIComponent(issuer)}`, cookie)
      const sql = yield* SqlClient.SqlClient
      const noted = Effect.map(
        sql`select 1 from event where kind = 'login' and action = 'refused' and data ->> 'reason' = 'access_denied'`,
        (rows) => rows.length
      )
      while ((yield* noted) === 0) yield* Effect.sleep("20 millis")
    })
  )
})

layer(SignOnSite({ ALLOWED_ORIGINS: "https://ui.example.org" }).pipe(Layer.provideMerge(kept)), {
  excludeTestServices: true
})("A session", (it) => {
  it.effect("gets a new token, and its old cookie is invalid", () =>
    Effect.gen(function* () {
      const { refresh, token } = yield* signOn("alice")
      const answer = yield* newToken(refresh)
      assert.strictEqual(answer.status, 200)
      assert.notInclude(answer.text, "refresh_token")
      const [, renewed = ""] = /"access_token":"([^"]+)"/.exec(answer.text) ?? []
      assert.notStrictEqual(renewed, token)
      assert.strictEqual((yield* as(renewed, "/auth/identity")).body, "alice@example.org")
      const cookie = cookiesOf(answer).find((one) => one.startsWith("REFRESH_TOKEN=")) ?? ""
      assert.notStrictEqual(cookie, refresh)
      const old = yield* newToken(refresh)
      assert.deepEqual(
        [old.status, old.body],
        [
          401,
          {
            status: "error",
            message: "The session has ended. Please try to login again.",
            errorCode: "auth_expired"
          }
        ]
      )
      const sql = yield* SqlClient.SqlClient
      const noted = yield* sql`select actor from event where kind = 'login' and action = 'refreshed'`
      assert.deepEqual(noted, [{ actor: "alice@example.org" }])
      yield* assertUntold([renewed, cookie.split("=")[1] ?? ""])
    })
  )

  it.effect("is renewed for no page of another site, and not without a header", () =>
    Effect.gen(function* () {
      const { logout, refresh } = yield* signOn("alice")
      assert.strictEqual((yield* newToken(refresh, { origin: "https://evil.example.net" })).status, 403)
      assert.strictEqual((yield* newToken(refresh, { "sec-fetch-site": "cross-site" })).status, 403)
      assert.strictEqual(
        (yield* post("/auth/logout", { cookie: logout, origin: "https://evil.example.net" })).status,
        403
      )
      assert.strictEqual((yield* post("/auth/refresh", { cookie: refresh })).status, 401)
      assert.strictEqual((yield* newToken("")).status, 401)
      assert.strictEqual((yield* newToken(refresh, { origin: "https://ui.example.org" })).status, 200)
    })
  )

  it.effect("ends when its person logs out: the provider gives nothing for its cookie any more", () =>
    Effect.gen(function* () {
      const { issuer } = yield* IdentityProvider
      const { logout, refresh, token } = yield* signOn("alice")
      const answer = yield* post("/auth/logout", { cookie: logout, authorization: `Bearer ${token}` })
      assert.deepEqual(answer.body, {
        status: "success",
        data: { revoked: true, end_session_url: `${issuer}/session/end?client_id=${CLIENT.id}` }
      })
      assert.deepEqual(cookiesOf(answer), [])
      assert.match(
        answer.headers.get("set-cookie") ?? "",
        /REFRESH_TOKEN=; Max-Age=0; Path=\/api\/v1\.0\/auth\/refresh/
      )
      assert.strictEqual((yield* newToken(refresh)).status, 401)
      const sql = yield* SqlClient.SqlClient
      const noted = yield* sql`select actor from event where kind = 'login' and action = 'ended'`
      assert.deepEqual(noted, [{ actor: "alice@example.org" }])
    })
  )

  it.effect("is kept while the provider is unreachable, and no user can sign on", () =>
    Effect.gen(function* () {
      const { behaviour } = yield* IdentityProvider
      const { refresh } = yield* signOn("alice")
      const { cookie, location } = yield* begin
      const address = yield* passPages(location, "alice")
      behaviour.mood = "fails"
      const away = yield* newToken(refresh)
      assert.strictEqual(away.status, 503)
      assert.include(away.text, "The identity provider does not answer, try again later")
      assert.deepEqual(cookiesOf(away), [])
      assert.notInclude(away.headers.get("set-cookie") ?? "", "REFRESH_TOKEN=;")
      assert.strictEqual((yield* comeBack(address, cookie)).status, 503)
      behaviour.mood = "answers"
      const later = Effect.map(newToken(refresh), ({ status }) => status)
      while ((yield* later) !== 200) yield* Effect.sleep("200 millis")
    })
  )
})

layer(SignOnSite({ FAILED_LOGINS: "3" }), { excludeTestServices: true })("A client that guesses", (it) => {
  it.effect("codes or refresh tokens must wait, and so must every sign-on from that address", () =>
    Effect.gen(function* () {
      const { refresh } = yield* signOn("alice")
      const address = `${REDIRECT}?code=guessed&state=guessed`
      assert.strictEqual((yield* comeBack(address, "")).status, 401)
      assert.strictEqual((yield* comeBack(address, "")).status, 401)
      assert.strictEqual((yield* newToken("REFRESH_TOKEN=guessed")).status, 401)
      // a guess is allowed again after a while, which a slow machine spends on the others
      const last = yield* Effect.repeat(comeBack(address, ""), { until: ({ status }) => status === 429, times: 3 })
      assert.strictEqual(last.status, 429)
      const late = yield* newToken(refresh)
      assert.strictEqual(late.status, 429)
      assert.isNotNull(late.headers.get("retry-after"))
    })
  )
})
