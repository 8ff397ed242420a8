/** Which callers receive which events, and for how long: roles, tokens that end, and readers who take nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { OpenStreams, StreamTimes } from "../../../src/http/core/OpenStreams.ts"
import { LiveFeed } from "../../../src/runtime/LiveFeed.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { ApiClient } from "../../support/ApiServer.ts"
import { openSource, until } from "../../support/EventSource.ts"
import { seconds } from "../../support/Patience.ts"
import { caller, SiteWithRoles, tokenOf } from "../../support/RolesSite.ts"

const FILE = `roles:
  east-operator: { extends: operator, groups: [EAST_WING] }
  guest: { permissions: [{ methods: [GET], endpoints: [/events] }] }
`

const Site = SiteWithRoles(FILE).pipe(
  Layer.provide(Layer.succeed(StreamTimes, { heartbeat: 50, renewal: 300, stuck: seconds(5) }))
)

const followWith = Effect.fnUntraced(function* (token: string, query = "") {
  const { base } = yield* ApiClient
  const source = yield* openSource(`${base}/api/v1.0/events${query}`, { authorization: `Bearer ${token}` })
  yield* until(() => source.lastId() !== undefined || source.hasEnded())
  return source
})

const followAs = Effect.fnUntraced(function* (role: string, query = "") {
  return yield* followWith(yield* tokenOf({ sub: role, roles: [role] }), query)
})

/** The events that a user with this role reads after a number, by kind and hostname. */
const pageAs = Effect.fnUntraced(function* (role: string, query: string) {
  const send = yield* caller({ sub: role, roles: [role] })
  return yield* send("GET", `/events?${query}`)
})

const now = Effect.map(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ id: number }>`select max(id)::float8 as id from event`),
  ([row]) => row?.id ?? 0
)

layer(Site, { excludeTestServices: true })("Events for callers with roles", (it) => {
  it.effect("cover their own devices for callers with some devices, and jobs that they may see", () =>
    Effect.gen(function* () {
      yield* setScene()
      const from = yield* now
      const boss = yield* caller({ sub: "boss", roles: ["administrator"] })
      const east = yield* followAs("east-operator")
      const all = yield* followAs("administrator")
      yield* boss("PUT", "/device/8", { json: { description: "theirs" } })
      yield* boss("PUT", "/device/4", { json: { description: "ours" } })
      yield* boss("POST", "/device_syncto", { json: { hostname: "special-a8", dry_run: true } })
      const own = yield* caller({ sub: "east-operator", roles: ["east-operator"] })
      const started = yield* own("POST", "/device_syncto", { json: { hostname: "east-a1", dry_run: true } })
      yield* until(() => all.messages.filter(({ event }) => event === "job").length >= 2)
      yield* until(() => east.messages.some(({ event }) => event === "job"))
      assert.deepEqual(
        east.messages.map(({ data, event }) => [event, event === "job" ? data["job_id"] : data["hostname"]]),
        [
          ["device", "east-a1"],
          ["job", Number(/"job_id":(\d+)/.exec(started.text)?.[1])]
        ]
      )
      assert.include(
        all.messages.map(({ data, event }) => `${event} ${String(data["hostname"])}`),
        "device special-a8"
      )
      const page = yield* pageAs("east-operator", `since=${from}`)
      assert.notInclude(page.text, "special-a8")
      assert.include(page.text, "east-a1")
      assert.nestedInclude((yield* pageAs("east-operator", `since=${from}&device=special-a8`)).body, {
        "data.more": false,
        "data.events.length": 0
      })
    })
  )

  it.effect("of the audit are only for callers who may read all of it, and so are addresses", () =>
    Effect.gen(function* () {
      const from = yield* now
      const stranger = yield* caller({ sub: "nobody", roles: [] })
      assert.strictEqual((yield* stranger("GET", "/devices")).status, 403)
      const boss = yield* caller({ sub: "boss", roles: ["administrator"] })
      yield* boss("PUT", "/device/4", { json: { description: "seen by all" } })
      // a refusal is recorded in parallel with its answer
      const whole = yield* Effect.repeat(pageAs("administrator", `since=${from}`), {
        until: ({ text }) => text.includes('"kind":"call"')
      })
      assert.include(whole.text, '"address":"127.0.0.1"')
      const less = yield* pageAs("guest", `since=${from}`)
      assert.notInclude(less.text, '"kind":"call"')
      assert.notInclude(less.text, '"address":"127.0.0.1"')
      assert.include(less.text, "seen by all")
      for (const role of ["guest", "monitoring", "east-operator"]) {
        const refused = yield* pageAs(role, "kind=login,device")
        assert.strictEqual(refused.status, 403, role)
        assert.include(refused.text, "kind: events of kind login are part of the audit")
      }
      assert.strictEqual((yield* pageAs("dhcp-hook", "")).status, 403)
    })
  )

  it.effect("of refused calls contain no token from the path", () =>
    Effect.gen(function* () {
      const from = yield* now
      const api = yield* ApiClient
      const token = yield* tokenOf({ sub: "nobody", roles: [] })
      for (const path of ["x%3Fjwt%3Dsecret-word", "x%3Bjwt=secret-word", token]) {
        assert.strictEqual((yield* api.send("GET", `/api/v1.0/device/${path}`)).status, 401)
      }
      const page = yield* Effect.repeat(pageAs("administrator", `since=${from}&kind=login`), {
        until: ({ text }) => text.split('"action":"refused"').length === 4
      })
      assert.include(page.text, '"path":"/api/v1.0/device/')
      assert.notInclude(page.text, "secret-word")
      assert.notInclude(page.text, token)
    })
  )

  it.effect("include lines and steps of their own devices and jobs for callers with some devices", () =>
    Effect.gen(function* () {
      const told = yield* LiveFeed
      const east = yield* followAs("east-operator", "?kind=log,step")
      const all = yield* followAs("monitoring", "?kind=log,step")
      const step = { kind: "step", at: 0, job: null, machine: "device", event: "go", state: "there" } as const
      told.publish({ kind: "log", at: 0, level: "INFO", job: null, module: "server", text: "of the server" })
      told.publish({ ...step, hostname: "special-a8" })
      told.publish({ ...step, hostname: "east-a1" })
      yield* until(() => all.messages.length === 3 && east.messages.length > 0)
      assert.deepEqual(
        east.messages.map(({ data }) => data["hostname"]),
        ["east-a1"]
      )
    })
  )

  it.effect("end with the token", () =>
    Effect.gen(function* () {
      // clocks may differ by thirty seconds
      const exp = Math.floor(Date.now() / 1000) - 28
      const source = yield* followWith(yield* tokenOf({ roles: ["reader"], exp }))
      yield* until(() => source.hasEnded())
      assert.deepInclude(source.messages.at(-1)?.data, { reason: "The JWT token is expired" })
    })
  )

  it.effect("end when an API token is revoked", () =>
    Effect.gen(function* () {
      const boss = yield* caller({ sub: "boss", roles: ["administrator"] })
      const made = yield* boss("POST", "/auth/tokens", { json: { name: "follower", roles: ["reader"], days: 1 } })
      const token = /swy_[\w-]+/.exec(made.text)?.[0] ?? ""
      const id = /"id":(\d+)/.exec(made.text)?.[1]
      const source = yield* followWith(token)
      assert.strictEqual(source.status, 200, source.text())
      yield* boss("DELETE", `/auth/tokens/${id}`)
      yield* until(() => source.hasEnded())
      assert.deepInclude(source.messages.at(-1)?.data, { reason: "The API token is unknown or was revoked" })
    })
  )

  it.effect("advance the number of a reader while none is for them", () =>
    Effect.gen(function* () {
      const source = yield* followAs("guest", "?kind=plugin")
      const before = Number(source.lastId())
      const boss = yield* caller({ sub: "boss", roles: ["administrator"] })
      yield* boss("PUT", "/device/4", { json: { description: `after ${before}` } })
      yield* until(() => Number(source.lastId()) > before)
      assert.deepEqual(source.messages, [])
    })
  )

  it.effect("wait for no client that never reads: the connection is closed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const streams = yield* OpenStreams
      yield* until(() => streams.count() === 0)
      const slow = yield* followAs("guest", "?kind=alert")
      assert.strictEqual(streams.count(), 1)
      slow.pause()
      for (let batch = 0; batch < 12; batch++) {
        yield* sql`insert into event (kind, action, is_audit, data)
          select 'alert', n::text, false, jsonb_build_object('text', repeat('x', 5000)) from generate_series(1, 1000) n`
      }
      yield* until(() => streams.count() === 0)
    })
  )

  // the last one: it takes a role away
  it.effect("end when no role of the caller reads them any more", () =>
    Effect.gen(function* () {
      const { DATA_DIR } = yield* ServerConfig
      const source = yield* followAs("guest")
      const less = FILE.replace("/events", "/devices")
      yield* Effect.promise(() => fs.writeFile(path.join(DATA_DIR, "permissions.yml"), less))
      yield* until(() => source.hasEnded())
      assert.include(String(source.messages.at(-1)?.data["reason"]), "no role of yours reads events")
    })
  )
})
