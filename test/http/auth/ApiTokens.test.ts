/** Tokens of programs through the API. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ApiClient, SiteServer } from "../../support/ApiServer.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"

const issuer = makeIssuer("ES256")

const FILE = `
roles:
  east-ports: { extends: port-editor, groups: [EAST_WING] }
`

/** With this `permissions.yml`, or without one. */
const Site = (permissions?: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      if (permissions !== undefined) yield* files.writeFileString(`${folder}/permissions.yml`, permissions)
      const JWT_CERT = yield* keyFile(issuer)
      return SiteServer({ JWT_ENABLED: "true", JWT_CERT, DATA_DIR: folder, ROLES_CLAIM: "roles" })
    })
  ).pipe(Layer.provide(NodeServices.layer))

interface Made {
  readonly data: { readonly token: string; readonly added_token: { readonly id: number } }
}
const isMade = (body: unknown): body is Made => JSON.stringify(body).includes('"token":"swy_')

const person = (sub: string, roles: ReadonlyArray<string>) =>
  sign(issuer, { sub, roles, exp: Math.floor(Date.now() / 1000) + 600 })

const as = Effect.fnUntraced(function* (token: string, method: string, path: string, json?: unknown) {
  const api = yield* ApiClient
  const headers = { authorization: `Bearer ${token}` }
  return yield* api.send(method, `/api/v1.0${path}`, json === undefined ? { headers } : { headers, json })
})

const made = Effect.fnUntraced(function* (token: string, json: unknown) {
  const { body, text } = yield* as(token, "POST", "/auth/tokens", json)
  return isMade(body) ? body.data : assert.fail(text)
})

layer(Site(FILE), { excludeTestServices: true })("A token of a program", (it) => {
  it.effect("has its own name and roles, records its use, and is worthless once it is revoked", () =>
    Effect.gen(function* () {
      const admin = yield* person("indy", ["administrator"])
      const { added_token, token } = yield* made(admin, { name: "dhcp", roles: ["dhcp-hook"], days: 30 })
      assert.match(token, /^swy_[\w-]{43}$/)
      assert.strictEqual((yield* as(token, "GET", "/auth/identity")).body, "dhcp")
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 200)
      assert.strictEqual((yield* as(token, "GET", "/plugins")).status, 403)
      const list = (yield* as(admin, "GET", "/auth/tokens")).text
      assert.match(list, /"name":"dhcp".*"last_used":"2/)
      assert.notInclude(list, token)
      assert.strictEqual((yield* as(admin, "DELETE", `/auth/tokens/${added_token.id}`)).status, 200)
      let last = yield* as(token, "GET", "/devices")
      while (last.status === 200) last = yield* Effect.delay(as(token, "GET", "/devices"), "50 millis")
      assert.deepEqual(
        [last.status, last.body],
        [401, { status: "error", message: "The API token is unknown or was revoked" }]
      )
      assert.strictEqual((yield* as(admin, "DELETE", `/auth/tokens/${added_token.id}`)).status, 404)
    })
  )

  it.effect("is stored as a digest only, and its creation and revocation are events in the creator's name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { added_token, token } = yield* made(yield* person("mary", ["administrator"]), { name: "noted" })
      yield* as(yield* person("mary", ["administrator"]), "DELETE", `/auth/tokens/${added_token.id}`)
      const rows = yield* sql<{ text: string }>`select row_to_json(t)::text as text from api_token t
        union all select row_to_json(e)::text from event e`
      assert.isFalse(rows.some(({ text }) => text.includes(token)))
      const [hash] = yield* sql<{ hash: string }>`select hash from api_token where name = 'noted'`
      assert.isFalse(rows.some(({ text }) => text.includes(`"kind":"token"`) && text.includes(hash?.hash ?? "")))
      const events = yield* sql`select action, actor, is_audit from event where data->>'name' = 'noted' order by id`
      assert.deepEqual(events, [
        { action: "created", actor: "mary", is_audit: true },
        { action: "revoked", actor: "mary", is_audit: true }
      ])
    })
  )

  it.effect("has no role that its creator lacks, and creates no tokens itself", () =>
    Effect.gen(function* () {
      const editor = yield* person("eva", ["east-ports"])
      const own = yield* made(editor, { name: "ports", roles: ["east-ports"] })
      const more = yield* as(editor, "POST", "/auth/tokens", { name: "more", roles: ["operator"] })
      assert.deepEqual([more.status, more.text.includes("you do not have the role operator yourself")], [403, true])
      assert.strictEqual((yield* as(own.token, "POST", "/auth/tokens", { name: "chain" })).status, 403)
      const unknown = yield* as(editor, "POST", "/auth/tokens", { name: "more", roles: ["nobody"] })
      assert.deepEqual([unknown.status, unknown.text.includes("There is no role nobody")], [400, true])
    })
  )

  it.effect("can be seen and revoked by its creator and by administrators only", () =>
    Effect.gen(function* () {
      const admin = yield* person("indy", ["administrator"])
      const { added_token } = yield* made(admin, { name: "secretive", roles: ["operator"] })
      const reader = yield* person("rita", ["reader"])
      assert.deepEqual((yield* as(reader, "GET", "/auth/tokens")).body, { status: "success", data: { tokens: [] } })
      assert.strictEqual((yield* as(reader, "DELETE", `/auth/tokens/${added_token.id}`)).status, 404)
    })
  )

  it.effect("is not the creator of tokens of a person with the same name", () =>
    Effect.gen(function* () {
      const alice = yield* person("alice", ["reader", "east-ports"])
      const { added_token } = yield* made(alice, { name: "of-alice", roles: ["east-ports"] })
      const { token } = yield* made(yield* person("mallory", ["reader"]), { name: "alice", roles: ["reader"] })
      assert.deepEqual((yield* as(token, "GET", "/auth/tokens")).body, { status: "success", data: { tokens: [] } })
      assert.strictEqual((yield* as(token, "DELETE", `/auth/tokens/${added_token.id}`)).status, 404)
      assert.strictEqual((yield* as(alice, "DELETE", `/auth/tokens/${added_token.id}`)).status, 200)
    })
  )

  it.effect("expires, and needs a valid unused name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admin = yield* person("indy", ["administrator"])
      const { added_token, token } = yield* made(admin, { name: "brief" })
      yield* sql`update api_token set expires_at = now() where id = ${added_token.id}`
      const { body, status } = yield* as(token, "GET", "/devices")
      assert.deepEqual(
        [status, body],
        [401, { status: "error", message: "The API token is expired", errorCode: "auth_expired" }]
      )
      assert.strictEqual((yield* as(admin, "POST", "/auth/tokens", { name: "brief" })).status, 409)
      for (const json of [
        {},
        { name: "a b" },
        { name: "x", days: 0 },
        { name: "x", roles: "reader" },
        { name: "x", rolls: [] }
      ]) {
        assert.strictEqual((yield* as(admin, "POST", "/auth/tokens", json)).status, 400, JSON.stringify(json))
      }
      for (const wrong of ["swy_", "swy_x", `${token}x`]) {
        assert.strictEqual((yield* as(wrong, "GET", "/devices")).status, 401, wrong)
      }
    })
  )
})

layer(Site(), { excludeTestServices: true })("A token of a program without roles of the site", (it) => {
  it.effect("has the permissions of its ready role, while people may do everything", () =>
    Effect.gen(function* () {
      const anybody = yield* person("ann", [])
      assert.strictEqual((yield* as(anybody, "GET", "/plugins")).status, 200)
      const { token } = yield* made(anybody, { name: "dhcp", roles: ["dhcp-hook"] })
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 200)
      const refused = yield* as(token, "GET", "/plugins")
      assert.strictEqual(refused.status, 403)
      assert.match(refused.text, /role dhcp-hook.*Allowed by: .*administrator/)
      const { token: idle } = yield* made(anybody, { name: "idle", roles: [] })
      assert.strictEqual((yield* as(idle, "GET", "/devices")).status, 403)
    })
  )
})
