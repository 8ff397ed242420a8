/** New switches that somebody ignores, through the API: they stay in the list with the name of that user, and count nowhere. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Attention } from "../../src/domain/Attention.ts"
import { Overview } from "../../src/domain/Device.ts"
import { WaitingDevice } from "../../src/domain/Topology.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

/** The discovered switch of the scene, and one that is managed. */
const [NEW, MANAGED] = [6, 2]

const of = <A, I>(data: Schema.Codec<A, I>) => Schema.decodeUnknownSync(Schema.Struct({ data }))
const listOf = of(Schema.Struct({ devices: Schema.Array(WaitingDevice) }))

const pat = { sub: "pat", roles: ["provisioner"] }

const standing = Effect.gen(function* () {
  const ask = yield* caller({ sub: "otto", roles: ["operator"] })
  const devices = listOf((yield* ask("GET", "/new_devices")).body).data.devices
  const { new_devices } = of(Overview)((yield* ask("GET", "/overview")).body).data
  const { items } = of(Attention)((yield* ask("GET", "/attention")).body).data
  return {
    device: devices.find(({ id }) => id === NEW),
    counts: new_devices,
    isWanted: items.some(({ kind }) => kind === "new_device")
  }
})

layer(SiteWithRoles("roles: {}\n"), { excludeTestServices: true })("A new switch", (it) => {
  it.effect("that is ignored counts nowhere, says by whom and why, and waits again when that is undone", () =>
    Effect.gen(function* () {
      yield* setScene()
      const ask = yield* caller(pat)
      assert.deepInclude(yield* standing, { counts: { waiting: 1, ignored: 0 }, isWanted: true })
      const { status } = yield* ask("PUT", `/new_devices/${NEW}`, { json: { ignored: true, comment: "spare unit" } })
      assert.strictEqual(status, 200)
      const ignored = yield* standing
      assert.deepInclude(ignored, { counts: { waiting: 0, ignored: 1 }, isWanted: false })
      assert.deepInclude(ignored.device?.ignored, { by: "pat", comment: "spare unit" })
      yield* ask("PUT", `/new_devices/${NEW}`, { json: { ignored: false } })
      const again = yield* standing
      assert.deepInclude(again, { counts: { waiting: 1, ignored: 0 }, isWanted: true })
      assert.isNull(again.device?.ignored)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        (yield* sql`select action, actor, hostname from event where kind = 'device' and action like '%ignored' order by id`).map(
          (row) => Object.values(row)
        ),
        [
          ["ignored", "pat", "mac-080027000006"],
          ["no longer ignored", "pat", "mac-080027000006"]
        ]
      )
    })
  )

  it.effect("is not ignored any more when somebody initialises it", () =>
    Effect.gen(function* () {
      yield* setScene()
      const ask = yield* caller(pat)
      yield* ask("PUT", `/new_devices/${NEW}`, { json: { ignored: true } })
      const { body, status } = yield* ask("POST", `/device_init/${NEW}`, {
        json: { hostname: "east-a9", device_type: "ACCESS" }
      })
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.isNull((yield* standing).device?.ignored)
    })
  )

  it.effect("of a reader is not ignored, and a managed one by nobody", () =>
    Effect.gen(function* () {
      yield* setScene()
      const reader = yield* caller({ sub: "rita", roles: ["reader"] })
      assert.strictEqual((yield* reader("PUT", `/new_devices/${NEW}`, { json: { ignored: true } })).status, 403)
      const { body, status } = yield* (yield* caller(pat))("PUT", `/new_devices/${MANAGED}`, {
        json: { ignored: true }
      })
      assert.strictEqual(status, 400, JSON.stringify(body))
      assert.include(JSON.stringify(body), "Only a new switch can be ignored, dist1 is MANAGED")
    })
  )

  it.effect("whose last attempt failed names that job until another one has begun or succeeded", () =>
    Effect.gen(function* () {
      yield* setScene([
        `insert into job (status, outcome, function_name, scheduled_by, scheduled_time, start_time, finish_time, start_arguments) values
          ('FINISHED', 'failed', 'init_access_device_step1', 'pat', now(), now(), now(), '{"device_id": ${NEW}, "new_hostname": "east-a9"}')`
      ])
      const { device } = yield* standing
      assert.isNull(device?.job_id)
      assert.isNumber(device?.failed_job_id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into job (status, outcome, function_name, scheduled_by, scheduled_time, start_time, finish_time, start_arguments) values
          ('FINISHED', 'success', 'discover_device', 'pat', now(), now(), now(), '{"ztp_mac": "080027000006"}')`
      assert.isNull((yield* standing).device?.failed_job_id)
    })
  )
})
