/** Connections of socket.io end when their token does, whichever way it ends. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StreamTimes } from "../../../src/http/core/OpenStreams.ts"
import { ApiClient } from "../../support/ApiServer.ts"
import { attempt, listen } from "../../support/LiveClient.ts"
import { caller, SiteWithRoles, tokenOf } from "../../support/RolesSite.ts"
import { until } from "../../support/EventSource.ts"

const Site = SiteWithRoles("roles: {}\n", { LOCAL_USERS: "true" }).pipe(
  Layer.provide(Layer.succeed(StreamTimes, { heartbeat: 15_000, renewal: 200, stuck: 60_000 }))
)

const connect = Effect.fnUntraced(function* (jwt: string) {
  const { base } = yield* ApiClient
  return yield* listen(base, [], { query: { jwt }, transports: ["websocket"] })
})

layer(Site, { excludeTestServices: true })("A connection by socket.io", (it) => {
  it.effect("ends when its token expires, its person is withdrawn, or its token loses its roles", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const boss = yield* caller({ sub: "boss", roles: ["administrator"] })
      const make = Effect.fnUntraced(function* (sub: string, name: string, more: object = {}) {
        const as = yield* caller({ sub, roles: ["reader"] })
        const made = yield* as("POST", "/auth/tokens", { json: { name, roles: ["reader"], ...more } })
        return /swy_[\w-]+/.exec(made.text)?.[0] ?? assert.fail(made.text)
      })
      const stays = yield* connect(yield* tokenOf({ sub: "stays", roles: ["reader"] }))
      // the leeway of clocks is thirty seconds
      const brief = yield* connect(yield* tokenOf({ sub: "brief", roles: ["reader"], exp: Date.now() / 1000 - 28 }))
      const timed = yield* connect(yield* make("ines", "timed"))
      const withdrawn = yield* connect(yield* make("eve", "of-eve"))
      const plain = yield* connect(yield* tokenOf({ sub: "eve", roles: ["reader"] }))
      const less = yield* connect(yield* make("otto", "of-otto"))
      const all = [brief, timed, withdrawn, plain, less]
      assert.isTrue(all.every(({ socket }) => socket.connected))
      yield* sql`update api_token set expires_at = now() where name = 'timed'`
      yield* boss("POST", "/auth/persons/withdraw", { json: { person: "jwt: eve" } })
      yield* sql`update person set roles = '{}' where name = 'otto'`
      yield* until(() => all.every(({ socket }) => !socket.connected))
      assert.isTrue(stays.socket.connected)
    }).pipe(Effect.scoped)
  )
})

layer(SiteWithRoles("roles: {}\n", { SOCKET_CLIENTS: "8" }), { excludeTestServices: true })(
  "Connections by socket.io",
  (it) => {
    it.effect("of one person leave room for others, however many tokens they have", () =>
      Effect.gen(function* () {
        const { base } = yield* ApiClient
        const join = Effect.fnUntraced(function* (sub: string) {
          const jwt = yield* tokenOf({ sub, roles: ["reader"], jti: String(Math.random()) })
          return yield* attempt(base, { query: { jwt }, transports: ["websocket"] })
        })
        const own = [yield* join("rita"), yield* join("rita"), yield* join("rita"), yield* join("rita")]
        assert.deepStrictEqual(
          own.map((one) => typeof one === "string"),
          [false, false, true, true]
        )
        assert.isNotString(yield* join("boss"))
      }).pipe(Effect.scoped)
    )

    it.effect("of one person that are requested at once leave room for others too", () =>
      Effect.gen(function* () {
        const { base } = yield* ApiClient
        const join = Effect.fnUntraced(function* (sub: string) {
          const jwt = yield* tokenOf({ sub, roles: ["reader"], jti: String(Math.random()) })
          return yield* attempt(base, { query: { jwt }, transports: ["websocket"] })
        })
        const own = yield* Effect.all(
          Array.from({ length: 7 }, () => join("rita")),
          { concurrency: "unbounded" }
        )
        assert.isAtMost(own.filter((one) => typeof one !== "string").length, 2)
        assert.isNotString(yield* join("boss"))
      }).pipe(Effect.scoped)
    )
  }
)
