/**
 * Things that belong to a person, whichever of their tokens they use: streams, requests, renderings, and tokens that end with their owner.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../../support/ApiServer.ts"
import { openSource } from "../../support/EventSource.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"

const issuer = makeIssuer("ES256")

const FILE = "roles:\n  half: { permissions: [{ methods: [GET], endpoints: ['/devices'], rights: [read] }] }\n"

const Site = (variables: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/permissions.yml`, FILE)
      const JWT_CERT = yield* keyFile(issuer)
      const own = { JWT_ENABLED: "true", LOCAL_USERS: "true", JWT_CERT, DATA_DIR: folder, ROLES_CLAIM: "roles" }
      return SiteServer({ ...own, ...variables })
    })
  ).pipe(Layer.provide(NodeServices.layer))

const jwt = (sub: string, ...roles: ReadonlyArray<string>) =>
  sign(issuer, { sub, roles, exp: Math.floor(Date.now() / 1000) + 600 })

const as = Effect.fnUntraced(function* (token: string, method: string, path: string, json?: unknown) {
  const api = yield* ApiClient
  const headers = { authorization: `Bearer ${token}` }
  return yield* api.send(method, `/api/v1.0${path}`, json === undefined ? { headers } : { headers, json })
})

const Made = Schema.Struct({
  data: Schema.Struct({ token: Schema.String, added_token: Schema.Struct({ id: Schema.Int }) })
})
const Message = Schema.Struct({ message: Schema.String })
const messageOf = (body: unknown) => Schema.decodeUnknownSync(Message)(body).message

const made = Effect.fnUntraced(function* (token: string, json: Readonly<Record<string, unknown>>) {
  const { body, status, text } = yield* as(token, "POST", "/auth/tokens", json)
  assert.strictEqual(status, 201, text)
  return Schema.decodeUnknownSync(Made)(body).data
})

/** Asks until the answer has this status: what is known of a token counts for half a second. */
const until = Effect.fnUntraced(function* (status: number, token: string, path = "/devices") {
  let last = yield* as(token, "GET", path)
  while (last.status !== status) last = yield* Effect.delay(as(token, "GET", path), "50 millis")
  return last
})

const PASSWORD = "seven green bicycles"
const login = Effect.fnUntraced(function* (name: string) {
  const api = yield* ApiClient
  const authorization = `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString("base64")}`
  const { text } = yield* api.send("POST", "/api/v1.0/auth", { headers: { authorization } })
  return /^\{"access_token":"([^"]+)"\}$/.exec(text)?.[1] ?? assert.fail(text)
})

const user = Effect.fnUntraced(function* (boss: string, name: string, ...roles: ReadonlyArray<string>) {
  const added = yield* as(boss, "POST", "/auth/users", { name, roles, password: PASSWORD })
  assert.strictEqual(added.status, 201, added.text)
  return yield* login(name)
})

const follow = Effect.fnUntraced(function* (token: string) {
  const { base } = yield* ApiClient
  return yield* openSource(`${base}/api/v1.0/events`, { authorization: `Bearer ${token}` })
})

layer(Site({ RATE_LIMIT: "0" }), { excludeTestServices: true })("A person with many tokens", (it) => {
  it.effect("opens at most a quarter of the streams, and an administrator still receives events", () =>
    Effect.gen(function* () {
      const rita = yield* jwt("rita", "reader")
      const tokens = yield* Effect.forEach(
        Array.from({ length: 11 }, (_, n) => n),
        (n) => made(rita, { name: `rita-${n}`, roles: ["reader"] })
      )
      const all = tokens.flatMap(({ token }) => Array.from({ length: 30 }, () => token))
      const sources = yield* Effect.forEach(all, follow, { concurrency: 30 })
      const open = sources.filter(({ status }) => status === 200).length
      assert.strictEqual(open, 250)
      const refused = yield* follow(rita)
      assert.strictEqual(refused.status, 429)
      const boss = yield* follow(yield* jwt("boss", "administrator"))
      assert.strictEqual(boss.status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("takes no place of the render pool from an operator, however many renderings are requested at once", () =>
    Effect.gen(function* () {
      yield* setScene()
      const rita = yield* jwt("rita2", "reader")
      const kim = yield* jwt("kim", "operator")
      const heavy = "{% for a in range(600) %}{% for b in range(600) %}{% endfor %}{% endfor %}"
      const render = (token: string, text: string) => as(token, "POST", "/device/dist1/render", { text })
      assert.strictEqual((yield* render(kim, "x")).status, 200)
      let isOver = false
      const again = Effect.repeat(Effect.delay(render(rita, heavy), "20 millis"), { until: () => isOver })
      const hers = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }), () => again, { concurrency: 20, discard: true })
      )
      // as many as there are places are taken
      let last = yield* render(rita, heavy)
      while (last.status !== 503) last = yield* render(rita, heavy)
      const own: Array<number> = []
      for (let n = 0; n < 10; n++) own.push((yield* render(kim, `line ${n}`)).status)
      isOver = true
      assert.deepStrictEqual(new Set(own), new Set([200]))
      yield* Fiber.join(hers)
    })
  )
})

layer(Site({ API_TOKENS_PER_PERSON: "2", API_TOKEN_DAYS: "30" }), { excludeTestServices: true })("Tokens", (it) => {
  it.effect("are bounded in number and lifetime, and earlier ones stay valid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ann = yield* jwt("ann", "reader")
      const long = yield* as(ann, "POST", "/auth/tokens", { name: "long", days: 31 })
      assert.deepEqual([long.status, messageOf(long.body)], [400, "days: should be at most 30 (API_TOKEN_DAYS)"])
      const first = yield* made(ann, { name: "ann-1", roles: ["reader"] })
      yield* sql`update api_token set expires_at = now() + interval '9 years' where id = ${first.added_token.id}`
      yield* made(ann, { name: "ann-2", roles: ["reader"] })
      const more = yield* Effect.forEach(
        ["ann-3", "ann-4", "ann-5"],
        (name) => as(ann, "POST", "/auth/tokens", { name }),
        {
          concurrency: 3
        }
      )
      assert.deepEqual(
        more.map(({ status }) => status),
        [409, 409, 409]
      )
      assert.include(messageOf(more[0]?.body), "API_TOKENS_PER_PERSON")
      assert.strictEqual((yield* as(first.token, "GET", "/devices")).status, 200)
      assert.strictEqual((yield* as(ann, "DELETE", `/auth/tokens/${first.added_token.id}`)).status, 200)
      yield* made(ann, { name: "ann-3", roles: ["reader"] })
      // no other person's are counted
      yield* made(yield* jwt("bob", "reader"), { name: "bob-1", roles: ["reader"] })
    })
  )

  it.effect("of one person that are created at once do not exceed the limit", () =>
    Effect.gen(function* () {
      const cleo = yield* jwt("cleo", "reader")
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, n) => n),
        (n) => as(cleo, "POST", "/auth/tokens", { name: `cleo-${n}`, roles: ["reader"] }),
        { concurrency: 8 }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 2)
    })
  )

  it.effect("of machines are created by administrators, and have no owner", () =>
    Effect.gen(function* () {
      const refused = yield* as(yield* jwt("rita", "reader"), "POST", "/auth/tokens", {
        name: "hook",
        roles: ["reader"],
        is_machine: true
      })
      assert.strictEqual(refused.status, 403)
      const boss = yield* jwt("boss", "administrator")
      const { token } = yield* made(boss, { name: "hook", roles: ["dhcp-hook"], is_machine: true })
      const list = yield* as(boss, "GET", "/auth/tokens")
      assert.include(list.text, '"owner":"machine:hook"')
      yield* as(boss, "POST", "/auth/persons/withdraw", { person: "jwt: boss" })
      yield* until(401, boss)
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 200)
    })
  )
})

layer(Site(), { excludeTestServices: true })("A loss of rights", (it) => {
  it.effect("removes roles from tokens at once, and everything with the account", () =>
    Effect.gen(function* () {
      const boss = yield* jwt("boss", "administrator")
      const otto = yield* user(boss, "otto", "operator", "half")
      const { token } = yield* made(otto, { name: "of-otto", roles: ["operator", "half"] })
      assert.strictEqual((yield* as(token, "GET", "/plugins")).status, 200)
      assert.strictEqual((yield* as(boss, "PUT", "/auth/users/otto", { roles: ["half"] })).status, 200)
      yield* until(403, token, "/plugins")
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 200)
      assert.strictEqual((yield* as(boss, "DELETE", "/auth/users/otto")).status, 200)
      yield* until(401, token)
      // another person of this name does not get them
      yield* user(boss, "otto", "operator")
      yield* Effect.sleep("600 millis")
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 401)
    })
  )

  it.effect("includes tokens, sessions and streams of a disabled user, who cannot sign on until enabled", () =>
    Effect.gen(function* () {
      const boss = yield* jwt("boss", "administrator")
      yield* user(boss, "admin", "administrator")
      const lee = yield* user(boss, "lee", "reader")
      const { token } = yield* made(lee, { name: "of-lee", roles: ["reader"] })
      const streams = [yield* follow(lee), yield* follow(token)]
      assert.deepEqual(
        streams.map(({ status }) => status),
        [200, 200]
      )
      const disabled = yield* as(boss, "PUT", "/auth/users/lee", { enabled: false })
      assert.nestedInclude(disabled.body, { "data.updated_user.enabled": false })
      yield* until(401, token)
      yield* until(401, lee)
      while (!streams.every((source) => source.hasEnded())) yield* Effect.sleep("20 millis")
      const api = yield* ApiClient
      const authorization = `Basic ${Buffer.from(`lee:${PASSWORD}`).toString("base64")}`
      assert.strictEqual((yield* api.send("POST", "/api/v1.0/auth", { headers: { authorization } })).status, 401)
      assert.strictEqual((yield* as(boss, "PUT", "/auth/users/lee", { enabled: true })).status, 200)
      yield* until(200, yield* login("lee"))
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 401)
      // the last administrator among the users stays
      const last = yield* as(boss, "PUT", "/auth/users/admin", { enabled: false })
      assert.strictEqual(last.status, 409)
    }).pipe(Effect.scoped)
  )

  it.effect("includes everything of a person whom an administrator withdraws, also with a plain token", () =>
    Effect.gen(function* () {
      const boss = yield* jwt("boss", "administrator")
      const eve = yield* jwt("eve", "reader")
      const { token } = yield* made(eve, { name: "of-eve", roles: ["reader"] })
      const stream = yield* follow(token)
      const persons = yield* as(boss, "GET", "/auth/persons")
      assert.include(persons.text, '"person":"jwt: eve"')
      assert.strictEqual((yield* as(eve, "POST", "/auth/persons/withdraw", { person: "jwt: boss" })).status, 403)
      assert.strictEqual((yield* as(boss, "POST", "/auth/persons/withdraw", { person: "nobody" })).status, 404)
      const done = yield* as(boss, "POST", "/auth/persons/withdraw", { person: "jwt: eve" })
      assert.nestedInclude(done.body, { "data.ended_tokens": 1 })
      yield* until(401, token)
      yield* until(401, eve)
      assert.strictEqual((yield* as(yield* jwt("eve", "administrator"), "GET", "/devices")).status, 401)
      while (!stream.hasEnded()) yield* Effect.sleep("20 millis")
      assert.strictEqual((yield* as(boss, "POST", "/auth/persons/admit", { person: "jwt: eve" })).status, 200)
      yield* until(200, eve)
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("includes the roles from the provider, after a long absence", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { added_token, token } = yield* made(yield* jwt("olga", "reader"), { name: "of-olga", roles: ["reader"] })
      yield* sql`insert into person (key, way, name, roles, attributes, seen_at)
        values ('oidc:https://sso.example.org 7f3a', 'oidc', 'olga', '{reader}', '{}', now() - interval '89 days')`
      yield* sql`update api_token set owner = 'oidc:https://sso.example.org 7f3a' where id = ${added_token.id}`
      yield* Effect.sleep("600 millis")
      assert.strictEqual((yield* as(token, "GET", "/devices")).status, 200)
      yield* sql`update person set seen_at = now() - interval '91 days' where name = 'olga'`
      const { body } = yield* until(401, token)
      assert.include(messageOf(body), "olga has not signed on for 90 days (TOKEN_OWNER_DAYS)")
    })
  )
})
