/** Roles of `permissions.yml` through the API: permitted calls, and the answers to callers. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient } from "../support/ApiServer.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const FILE = `
config: { default_permissions: monitoring }
group_mappings:
  groups: { netops: [operator] }
roles:
  east-ports: { extends: port-editor, groups: [EAST_WING] }
`

const as = Effect.fnUntraced(function* (claims: Readonly<Record<string, unknown>>, method: string, path: string) {
  const { body, status } = yield* (yield* caller(claims))(method, path)
  return { body, status }
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("With roles", (it) => {
  it.effect("a caller may use what their roles permit, and is told who may do the rest", () =>
    Effect.gen(function* () {
      yield* setScene()
      assert.strictEqual((yield* as({}, "GET", "/devices")).status, 200)
      assert.deepEqual(yield* as({}, "DELETE", "/device/1"), {
        status: 403,
        body: {
          status: "error",
          message:
            "You don't seem to have the rights to execute this call (role monitoring, methods: GET). Allowed by: administrator"
        }
      })
      assert.strictEqual((yield* as({ groups: ["netops"] }, "PUT", "/repository/settings")).status, 400)
      assert.strictEqual((yield* as({ roles: "administrator" }, "GET", "/plugins")).status, 200)
      assert.strictEqual((yield* as({ roles: ["nothing", "administrator"] }, "GET", "/plugins")).status, 200)
      assert.strictEqual((yield* as({ roles: ["nothing"] }, "GET", "/plugins")).status, 403)
    })
  )

  it.effect("refusals are recorded: of callers by name, of strangers by address, in a limited number", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* as({ sub: "mary" }, "DELETE", "/device/2?jwt=secret")
      yield* Effect.all(
        Array.from({ length: 30 }, () => api.get("/devices")),
        { concurrency: 4 }
      )
      const sql = yield* SqlClient.SqlClient
      const noted = sql<{ actor: string; data: object; count: number }>`select actor, data, count(*)::int as count
        from event where action = 'refused' and address is not null and (actor <> 'indy') group by actor, data order by actor`
      const found = yield* Effect.repeat(noted, {
        until: (rows) => rows.length === 2,
        schedule: Schedule.spaced("20 millis")
      })
      assert.deepInclude(found[0], { actor: "mary", count: 1 })
      assert.nestedInclude(found[0], { "data.method": "DELETE", "data.path": "/api/v1.0/device/2" })
      assert.deepInclude(found[1], { actor: "unknown" })
      assert.isAtMost(found[1]?.count ?? 99, 20)
    })
  )

  it.effect("every caller can read their identity and permissions", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* as({ sub: "mary" }, "GET", "/auth/identity"), { status: 200, body: "mary" })
      const { body } = yield* as({ roles: ["administrator"] }, "GET", "/auth/permissions")
      assert.deepInclude(body, { methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] })
      assert.deepEqual((yield* as({}, "GET", "/auth/explain?method=DELETE&path=/device/1")).body, {
        status: "success",
        data: {
          allowed: false,
          reason: "role monitoring, methods: GET",
          in_words: "the role monitoring lets people only look here",
          roles: ["monitoring"],
          allowed_by: ["administrator"],
          role: "monitoring",
          file: "permissions.yml",
          line: null,
          held: [{ role: "monitoring", because: "everybody has the role monitoring", line: 2 }]
        }
      })
      assert.strictEqual((yield* as({}, "GET", "/auth/explain?method=FLY&path=/device/1")).status, 400)
      assert.strictEqual((yield* as({}, "GET", "/auth/explain?method=GET&path=/devices&device=nobody")).status, 404)
    })
  )
})

layer(SiteWithRoles(FILE, { JWT_ENABLED: "false" }), { excludeTestServices: true })(
  "With roles and without tokens",
  (it) => {
    it.effect("every caller may do everything", () =>
      Effect.gen(function* () {
        yield* setScene()
        assert.strictEqual((yield* as({}, "GET", "/plugins")).status, 200)
        assert.deepInclude((yield* as({}, "GET", "/auth/permissions")).body, {
          methods: ["*"],
          endpoints: ["*"],
          pages: ["*"],
          rights: ["*"]
        })
      })
    )
  }
)
