/** Checks that are tried on a device, and on its neighbours if they say so (docs/checks.md#trying-a-check). */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { ApiSite } from "../../support/ApiSite.ts"
import { caller, SiteWithRoles } from "../../support/RolesSite.ts"

const FILE = `
roles:
  one-switch:
    permissions:
      - { methods: [GET], endpoints: ["*"], interfaces: ["east-a1:*"], rights: [read] }
`

const CHECKS = `checks:
  ports:
    for: all
    reads: interfaces
    must: { at_least: 1 }
    also: neighbours
  own-clock:
    for: all
    reads: ntp
    must: no_lost
`

const Tried = Schema.Struct({
  data: Schema.Struct({
    checks: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        on: Schema.optionalKey(Schema.String),
        end: Schema.String,
        why: Schema.String
      })
    )
  })
})

/** The answer to a caller with this role. */
const tryAs = Effect.fnUntraced(function* (role: string) {
  const send = yield* caller({ roles: [role] })
  const { body, status, text } = yield* send("GET", "/device/east-a1/checks")
  assert.strictEqual(status, 200, text)
  return Schema.decodeUnknownSync(Tried)(body).data.checks
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("Checks that are tried", (it) => {
  it.effect("read the neighbours if they say so, as a change would, but none that the caller may not see", () =>
    Effect.gen(function* () {
      yield* setScene()
      const sql = yield* SqlClient.SqlClient
      // nothing answers at the address of dist2
      yield* sql`insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port)
        values (4, 'Ethernet47', 3, 'Ethernet1')`
      const { folders } = yield* ApiSite
      yield* folders.templates.commit({ "checks.yml": CHECKS })
      const boss = yield* caller({ roles: ["administrator"] })
      const refreshed = yield* boss("PUT", "/repository/templates", { json: { action: "refresh" } })
      assert.strictEqual(refreshed.status, 200, refreshed.text)

      const all = yield* tryAs("administrator")
      assert.sameDeepMembers(
        all.map(({ end, name, on }) => [name, on ?? "itself", end]),
        [
          ["ports", "itself", "holds"],
          ["ports", "dist1", "holds"],
          ["ports", "dist2", "unread"],
          ["own-clock", "itself", "compares"]
        ]
      )
      assert.match(all.find(({ on }) => on === "dist1")?.why ?? "", /^now \d+ interfaces$/)
      assert.match(all.find(({ on }) => on === "dist2")?.why ?? "", /^could not be read: ConnectionException: /)

      const some = yield* tryAs("one-switch")
      assert.deepStrictEqual(
        some.map(({ end, name, on }) => [name, on ?? "itself", end]),
        [
          ["ports", "itself", "holds"],
          ["own-clock", "itself", "compares"]
        ]
      )
    })
  )
})
