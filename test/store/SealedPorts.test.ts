/** Ports with secrets in their texts: the row shows marks, and the port is what was given (docs/security.md#what-is-stored). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { storesOn } from "../support/TestStores.ts"

const OLD = "Xk7Tq2LwOld"

layer(storesOn(TestDatabase))("Ports of an earlier release", (it) => {
  it.effect("are sealed without an event that shows their secrets, and stay unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ports = yield* InterfaceStore
      const { id } = yield* (yield* DeviceStore).insert({
        hostname: "a1",
        state: "MANAGED",
        device_type: "ACCESS",
        platform: "eos"
      })
      const data = [
        { description: `desk secret 0 ${OLD}`, tags: ["a", `key 7 ${OLD}`], enabled: false },
        { description: "desk 2" },
        null
      ]
      for (const [place, one] of data.entries()) {
        yield* sql`insert into interface (device_id, name, configtype, data)
          values (${id}, ${`Ethernet${place}`}, 'ACCESS_AUTO', ${one === null ? null : JSON.stringify(one)}::jsonb)`
      }
      const [last] = yield* sql<{ id: number }>`select coalesce(max(id), 0)::integer as id from event`
      const given = Effect.map(ports.ofDevice(id), (found) => found.map((port) => port.data))
      assert.deepEqual(yield* given, data)

      assert.strictEqual(yield* ports.sealOld, 1)
      assert.strictEqual(yield* ports.sealOld, 0)
      assert.notInclude(JSON.stringify(yield* sql`select * from interface`), OLD)
      assert.deepEqual(yield* given, data)

      yield* ports.put(id, "Ethernet0", "ACCESS_AUTO", { description: "desk 1" })
      yield* ports.put(id, "Ethernet0", "ACCESS_AUTO", { description: `desk 1 secret 0 ${OLD}` })
      yield* ports.remove(id, ["Ethernet0"])
      const told = yield* sql<{
        data: unknown
      }>`select data from event where id > ${last?.id ?? 0} and kind = 'interface'`
      assert.lengthOf(told, 3)
      assert.notInclude(JSON.stringify(told), OLD)
    })
  )
})
