/** The record of a device with an open change stays as the change requires, whoever wants to edit, delete, replace or take it over. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type Answer, ApiClient, SiteServer } from "../support/ApiServer.ts"

const JOB = `insert into job (status, function_name, scheduled_by, start_time, start_arguments) values
  ('RUNNING', 'sync_devices', 'admin', now(), '{}')`
const change = (
  device: number,
  phase: string
) => `insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
  values (4, ${device}, '${phase}', 1, '{}', '')`

const OPEN = ["planned", "loading", "committed", "proved", "confirming", "looking", "expiring"]
const ENDED = ["confirmed", "reverted", "unchanged", "discarded", "unknown"]

const record = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ row: unknown }>`select to_jsonb(d) as row from device d where id = ${id}`
})

const refused = Effect.fnUntraced(function* (id: number, send: (api: ApiClient["Service"]) => Effect.Effect<Answer>) {
  const before = yield* record(id)
  const answer = yield* send(yield* ApiClient)
  assert.strictEqual(answer.status, 409, answer.text)
  assert.match(answer.text, /has an open change of job 4 \(sync_devices\)/)
  assert.deepEqual(yield* record(id), before)
})

const edits = [
  { management_ip: "10.0.6.66" },
  { management_ip: null },
  { secondary_management_ip: "2001:db8::66" },
  { port: 8022 },
  { state: "MANAGED" },
  { state: "DHCP_BOOT" },
  { device_type: "DIST" },
  { platform: "ios" },
  { hostname: "east-a77" },
  { description: "and this with it", port: 8022 }
]

layer(SiteServer(), { excludeTestServices: true })("A device with an open change", (it) => {
  for (const edit of edits) {
    it.effect(`cannot be given ${JSON.stringify(edit)}`, () =>
      Effect.gen(function* () {
        yield* setScene([JOB, change(5, "proved")])
        yield* refused(5, (api) => api.put("/device/5", edit))
      })
    )
  }

  for (const phase of OPEN) {
    it.effect(`can neither be moved nor deleted while it is ${phase}, and can be described`, () =>
      Effect.gen(function* () {
        yield* setScene([JOB, change(4, phase)])
        yield* refused(4, (api) => api.put("/device/4", { management_ip: "10.0.6.66" }))
        yield* refused(4, (api) => api.delete("/device/4"))
        yield* refused(4, (api) => api.delete("/device/4", { factory_default: true }))
        const api = yield* ApiClient
        const same = { hostname: "east-a1", management_ip: "10.0.6.6", state: "MANAGED", description: "room 7" }
        assert.strictEqual((yield* api.put("/device/4", same)).status, 200)
      })
    )
  }

  for (const phase of ENDED) {
    it.effect(`is free again once it is ${phase}`, () =>
      Effect.gen(function* () {
        yield* setScene([JOB, change(4, phase)])
        const api = yield* ApiClient
        assert.strictEqual((yield* api.put("/device/4", { management_ip: "10.0.6.66" })).status, 200)
        assert.strictEqual((yield* api.delete("/device/4")).status, 200)
      })
    )
  }

  it.effect("is neither replaced nor taken over, although it is out of service", () =>
    Effect.gen(function* () {
      yield* setScene([JOB, change(5, "committed")])
      yield* refused(5, (api) =>
        api.post("/device_init/6", { hostname: "east-a2", device_type: "ACCESS", replace_hostname: true })
      )
      const taker = { hostname: "new1", state: "MANAGED", platform: "eos", device_type: "ACCESS" }
      yield* refused(5, (api) => api.post("/device", { ...taker, management_ip: "10.0.6.7" }))
      yield* refused(5, (api) => api.put("/device/9", { management_ip: "::ffff:10.0.6.7" }))
    })
  )

  it.effect("includes devices with bounced ports, upgrades or initialisations", () =>
    Effect.gen(function* () {
      const job = "select 4"
      const open: ReadonlyArray<readonly [string, RegExp]> = [
        [
          "insert into device_operation (device_id, job_id, kind, phase, detail) values (4, null, 'bounce', 'shutting', '{}')",
          /open change of bounce/
        ],
        [
          "insert into device_operation (device_id, job_id, kind, phase, detail) values (4, 4, 'erase', 'wiping', '{}')",
          /open change of job 4/
        ],
        ["insert into device_upgrade (job_id, hostname, progress) values (4, 'east-a1', '{}')", /open change of job 4/],
        [
          `update job set memo = '{"stage": "pushing", "before": {"deviceIds": [4]}}' where id = (${job})`,
          /open change of job 4/
        ]
      ]
      const api = yield* ApiClient
      for (const [given, says] of open) {
        yield* setScene([JOB, "delete from device_operation", "delete from device_upgrade", given])
        for (const answer of [yield* api.put("/device/4", { port: 8022 }), yield* api.delete("/device/4")]) {
          assert.strictEqual(answer.status, 409, answer.text)
          assert.match(answer.text, says)
        }
      }
    })
  )

  it.effect("includes a change that begins during the edit", () =>
    Effect.gen(function* () {
      yield* setScene([JOB])
      const api = yield* ApiClient
      const sql = yield* SqlClient.SqlClient
      // a transaction sees what others do as it was when it looked first
      const waits = Effect.andThen(
        sql`select pg_stat_clear_snapshot()`,
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      )
      const edit = yield* Effect.gen(function* () {
        yield* sql.unsafe(change(4, "planned"))
        const sent = yield* Effect.forkDetach(api.put("/device/4", { management_ip: "10.0.6.66" }))
        while ((yield* waits).length === 0) yield* Effect.sleep("5 millis")
        return sent
      }).pipe(sql.withTransaction)
      const answer = yield* Fiber.join(edit)
      assert.strictEqual(answer.status, 409, answer.text)
    })
  )
})
