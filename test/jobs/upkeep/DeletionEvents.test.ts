/** The records for plugins when a device is deleted: with the deletion, and not without it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deleteDevice } from "../../../src/jobs/upkeep/DeviceDeletion.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"

const recorded = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ device_id: number | null; payload: unknown }>`select device_id, payload from device_action order by id`
)

layer(storesOn(TestDatabase), { excludeTestServices: true })("A deleted device", (it) => {
  it.effect("is reported to plugins when its deletion is committed, unless they were never told of the device", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* DeviceStore
      const remove = (id: number) => deleteDevice(id, { by: "admin", jobId: null })
      const known = yield* devices.insert({
        hostname: "acc1",
        state: "MANAGED",
        device_type: "ACCESS",
        management_ip: "10.0.6.9"
      })
      const stranger = yield* devices.insert({ hostname: "mac-1", state: "DISCOVERED", device_type: "UNKNOWN" })
      yield* Effect.flip(sql.withTransaction(Effect.andThen(remove(known.id), Effect.fail("rolled back"))))
      assert.deepStrictEqual(yield* recorded, [])
      yield* sql.withTransaction(remove(stranger.id))
      assert.deepStrictEqual(yield* recorded, [])
      yield* sql.withTransaction(remove(known.id))
      const payload = { hook: "removed_device", hostname: "acc1", device_type: "ACCESS", management_ip: "10.0.6.9" }
      assert.deepStrictEqual(yield* recorded, [{ device_id: null, payload }])
    })
  )
})
