/** People with passwords through the API. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Permissions } from "../../../src/access/Permissions.ts"
import { LocalUsers } from "../../../src/access/LocalUsers.ts"
import { ApiClient, ApiServer } from "../../support/ApiServer.ts"

const users = LocalUsers.layer.pipe(Layer.provide(Permissions.layer))

const Site = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const DATA_DIR = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, "roles: {}\n")
    return users.pipe(Layer.provideMerge(ApiServer({ JWT_ENABLED: "true", LOCAL_USERS: "true", DATA_DIR })))
  })
).pipe(Layer.provide(NodeServices.layer))

const PASSWORD = "seven green bicycles"

const added = Effect.fnUntraced(function* (name: string, roles: ReadonlyArray<string>, break_glass = false) {
  const { add } = yield* LocalUsers
  yield* add({ name, roles, break_glass, password: Redacted.make(PASSWORD) })
})

const login = Effect.fnUntraced(function* (name: string, password: string) {
  const api = yield* ApiClient
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
  return yield* api.send("POST", "/api/v1.0/auth", { headers: { authorization } })
})

const tokenOf = Effect.fnUntraced(function* (name: string, password = PASSWORD) {
  const { text } = yield* login(name, password)
  return /^\{"access_token":"([^"]+)"\}$/.exec(text)?.[1] ?? assert.fail(text)
})

const as = Effect.fnUntraced(function* (token: string, method: string, path: string, json?: unknown) {
  const api = yield* ApiClient
  const headers = { authorization: `Bearer ${token}` }
  return yield* api.send(method, `/api/v1.0${path}`, json === undefined ? { headers } : { headers, json })
})

/** Asks until the answer has this status: what is known of a user counts for a second. */
const until = Effect.fnUntraced(function* (status: number, token: string, path: string) {
  while ((yield* as(token, "GET", path)).status !== status) yield* Effect.sleep("50 millis")
})

layer(Site, { excludeTestServices: true })("A user with a password", (it) => {
  it.effect("logs in as the web client does, with its present roles", () =>
    Effect.gen(function* () {
      const { setRoles } = yield* LocalUsers
      yield* added("admin", ["administrator"])
      yield* added("rita", ["reader"])
      const token = yield* tokenOf("rita")
      assert.strictEqual((yield* as(token, "GET", "/auth/identity")).body, "rita")
      assert.strictEqual((yield* as(token, "GET", "/plugins")).status, 200)
      assert.strictEqual((yield* as(token, "DELETE", "/joblocks")).status, 403)
      assert.strictEqual((yield* as(token, "GET", "/auth/users")).status, 403)
      yield* setRoles("rita", ["monitoring"])
      yield* until(403, token, "/plugins")
    })
  )

  it.effect("is signed off at once by a password change, and by removal", () =>
    Effect.gen(function* () {
      const { remove, setPassword } = yield* LocalUsers
      yield* added("otto", ["reader"])
      const first = yield* tokenOf("otto")
      assert.strictEqual((yield* as(first, "GET", "/devices")).status, 200)
      yield* setPassword("otto", Redacted.make("another long one"))
      yield* until(401, first, "/devices")
      const second = yield* tokenOf("otto", "another long one")
      yield* until(200, second, "/devices")
      yield* remove("otto")
      yield* until(401, second, "/devices")
    })
  )

  it.effect("is refused in the same words as an unknown user, with growing delays", () =>
    Effect.gen(function* () {
      yield* added("vic", ["reader"])
      for (const name of ["vic", "nobody"]) {
        for (let n = 0; n < 6; n++) {
          const { body, status } = yield* login(name, `wrong ${n}`)
          assert.deepEqual([status, body], [401, { status: "error", message: "The name or the password is wrong" }])
        }
        const sql = yield* SqlClient.SqlClient
        yield* sql`update login_attempt set locked_until = now() + interval '1 minute' where subject = ${`name ${name}`} and locked_until > last_at`
        const locked = yield* login(name, PASSWORD)
        assert.deepEqual([locked.status, locked.text.includes("try again in 60 seconds")], [429, true], locked.text)
      }
    })
  )

  it.effect("cannot be removed as the last administrator", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("admin")
      const refused = yield* as(token, "DELETE", "/auth/users/admin")
      assert.deepEqual([refused.status, refused.text.includes("the last user who may do everything")], [409, true])
      assert.strictEqual((yield* as(token, "PUT", "/auth/users/admin", { roles: ["reader"] })).status, 409)
      const second = { name: "second", roles: ["administrator"], password: PASSWORD }
      assert.strictEqual((yield* as(token, "POST", "/auth/users", second)).status, 201)
      assert.strictEqual((yield* as(token, "DELETE", "/auth/users/second")).status, 200)
      assert.strictEqual((yield* as(token, "POST", "/auth/users", { ...second, password: "short" })).status, 400)
    })
  )

  it.effect("leaves events of each change of a user by any caller, without its digest", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admin = yield* tokenOf("admin")
      const user = { name: "noted", roles: ["reader"], password: PASSWORD }
      assert.strictEqual((yield* as(admin, "POST", "/auth/users", user)).status, 201)
      assert.strictEqual((yield* as(admin, "PUT", "/auth/users/noted", { roles: ["operator"] })).status, 200)
      assert.strictEqual((yield* as(admin, "PUT", "/auth/users/noted", { password: `${PASSWORD}2` })).status, 200)
      yield* sql`update local_user set roles = '{administrator}' where name = 'noted'`
      assert.strictEqual((yield* as(admin, "DELETE", "/auth/users/noted")).status, 200)
      const events = yield* sql`select action, actor, data -> 'before' as before, data -> 'after' as after from event
        where kind = 'user' and is_audit and data->>'name' = 'noted' order by id`
      const row = { name: "noted", break_glass: false, hash: "<hidden>" }
      assert.deepEqual(events, [
        { action: "created", actor: "admin", before: null, after: { ...row, roles: ["reader"] } },
        { action: "updated", actor: "admin", before: { roles: ["reader"] }, after: { roles: ["operator"] } },
        { action: "updated", actor: "admin", before: { hash: "<hidden>" }, after: { hash: "<hidden>" } },
        { action: "updated", actor: "server", before: { roles: ["operator"] }, after: { roles: ["administrator"] } },
        { action: "deleted", actor: "admin", before: { ...row, roles: ["administrator"] }, after: null }
      ])
    })
  )

  it.effect("leaves events of each login, and no password anywhere", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* added("glass", ["administrator"], true)
      yield* tokenOf("glass")
      yield* login("glass", "wrong password")
      const events = yield* sql`select action, actor, way, is_audit from event
        where kind = 'login' and data->>'name' = 'glass' order by id`
      assert.deepEqual(events, [
        { action: "break_glass", actor: "glass", way: "password", is_audit: true },
        { action: "refused", actor: "unknown", way: "password", is_audit: true }
      ])
      const rows = yield* sql<{ text: string }>`select row_to_json(u)::text as text from local_user u
        union all select row_to_json(e)::text from event e`
      assert.isFalse(rows.some(({ text }) => text.includes(PASSWORD) || text.includes("wrong password")))
    })
  )
})

const Guarded = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const DATA_DIR = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, "roles: {}\n")
    const own = { LOGIN_ALWAYS_FROM: "192.0.2.0/28,2001:db8:1::7", FAILED_LOGINS: "10" }
    return users.pipe(Layer.provideMerge(ApiServer({ JWT_ENABLED: "true", LOCAL_USERS: "true", DATA_DIR, ...own })))
  })
).pipe(Layer.provide(NodeServices.layer))

layer(Guarded, { excludeTestServices: true })("With LOGIN_ALWAYS_FROM", (it) => {
  const loginFrom = Effect.fnUntraced(function* (address: string, password: string, name = "glass") {
    const api = yield* ApiClient
    const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
    return yield* api.send("POST", "/api/v1.0/auth", { headers: { authorization, "x-forwarded-for": address } })
  })

  it.effect("failed logins elsewhere lock out only there, and failures there lock out both separately", () =>
    Effect.gen(function* () {
      yield* added("glass", ["administrator"], true)
      const elsewhere = ["198.51.100.1", "2001:db8:1::8", "192.0.2.16", "::ffff:198.51.100.1", "unknown"]
      for (let n = 0; n < 8; n++) {
        yield* loginFrom(elsewhere[n % elsewhere.length] ?? "", "wrong")
        // nor does a name that looks like the count of the others
        yield* loginFrom("198.51.100.2", "wrong", "always glass")
      }
      const sql = yield* SqlClient.SqlClient
      yield* sql`update login_attempt set locked_until = now() + interval '1 minute' where failures > 5`
      for (const address of elsewhere) assert.strictEqual((yield* loginFrom(address, PASSWORD)).status, 429, address)
      for (const address of ["192.0.2.1", "192.0.2.15", "2001:db8:1::7", "::ffff:192.0.2.1"])
        assert.strictEqual((yield* loginFrom(address, PASSWORD)).status, 200, address)
      for (let n = 0; n < 8; n++) yield* loginFrom("192.0.2.1", "wrong")
      yield* sql`update login_attempt set locked_until = now() + interval '1 minute' where failures > 5`
      assert.strictEqual((yield* loginFrom("192.0.2.2", PASSWORD)).status, 429)
    })
  )

  it.effect("refused tokens of a neighbour's address do not lock out an address", () =>
    Effect.gen(function* () {
      const { text } = yield* login("admin", "wrong")
      assert.notStrictEqual(text, "")
      const guess = Effect.fnUntraced(function* (address: string) {
        const api = yield* ApiClient
        const headers = { authorization: "Bearer swy_guessed", "x-forwarded-for": address }
        return (yield* api.send("GET", "/api/v1.0/devices", { headers })).status
      })
      for (let n = 0; n < 12; n++) yield* guess("2001:db8:1::8")
      assert.strictEqual(yield* guess("2001:db8:1::9"), 429)
      assert.strictEqual(yield* guess("2001:db8:1::7"), 401)
    })
  )
})

layer(ApiServer(), { excludeTestServices: true })("Without LOCAL_USERS", (it) => {
  it.effect("no user logs in with a password", () =>
    Effect.gen(function* () {
      const { body, status } = yield* login("admin", PASSWORD)
      assert.deepEqual([status, body], [404, { status: "error", message: "Not Found" }])
    })
  )
})
