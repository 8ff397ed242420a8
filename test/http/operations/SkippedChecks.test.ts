/** Jobs that leave the checks of their devices out: with a reason, and by callers with the right (docs/checks.md#leaving-checks-out). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../../support/RolesSite.ts"

const FILE = `
roles:
  writer:
    permissions:
      - { methods: [GET, POST], endpoints: ["*"], rights: [read, write] }
`

const REASON = "the route reflector is down for repair"
const upgrade = { hostname: "east-a1", reboot: true, post_flight: true }

layer(SiteWithRoles(FILE), { excludeTestServices: true })("Checks are left out", (it) => {
  it.effect("of a firmware upgrade with a reason, by callers with the right only", () =>
    Effect.gen(function* () {
      yield* setScene()
      const sql = yield* SqlClient.SqlClient
      const newest = Effect.map(
        sql<{ start_arguments: unknown; name: string }>`
          select function_name as name, start_arguments from job order by id desc limit 1`,
        ([job]) => job
      )
      const before = yield* newest
      const writer = yield* caller({ roles: ["writer"] })
      const operator = yield* caller({ roles: ["operator"] })
      const skip_checks = { reason: REASON }
      const refused = yield* writer("POST", "/firmware/upgrade", { json: { ...upgrade, skip_checks } })
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "skip_checks is not among them")
      for (const wrong of [{}, { reason: " " }, REASON, true, { reason: "x".repeat(256) }]) {
        const { status, text } = yield* operator("POST", "/firmware/upgrade", {
          json: { ...upgrade, skip_checks: wrong }
        })
        assert.strictEqual(status, 400, JSON.stringify(wrong))
        assert.include(text, "skip_checks must be {reason} with a reason of 1 to 255 characters")
      }
      assert.deepStrictEqual(yield* newest, before)
      assert.strictEqual((yield* writer("POST", "/firmware/upgrade", { json: upgrade })).status, 200)
      const started = yield* operator("POST", "/firmware/upgrade", { json: { ...upgrade, skip_checks } })
      assert.strictEqual(started.status, 200, started.text)
      assert.nestedInclude(yield* newest, { name: "device_upgrade", "start_arguments.skip_checks": REASON })
    })
  )

  it.effect("of an earlier configuration and of an undo by the same rule", () =>
    Effect.gen(function* () {
      yield* setScene()
      const operator = yield* caller({ roles: ["operator"] })
      for (const path of ["/job/1/revert", "/device/east-a1/previous_config"]) {
        const { status, text } = yield* operator("POST", path, {
          json: { ...(path.startsWith("/job") ? {} : { job_id: 1 }), dry_run: false, skip_checks: {} }
        })
        assert.strictEqual(status, 400, text)
        assert.include(text, "skip_checks must be {reason}", path)
      }
    })
  )
})
