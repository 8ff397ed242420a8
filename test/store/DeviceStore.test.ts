import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceStore, SyncEventStore } from "../../src/store/DeviceStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const blank = { hostname: "mac-0C1A33BEEF01", state: "DHCP_BOOT", device_type: "UNKNOWN" } as const

layer(Layer.mergeAll(DeviceStore.layer, SyncEventStore.layer).pipe(Layer.provideMerge(TestDatabase)))(
  "DeviceStore",
  (it) => {
    it.effect("gives a new device an id, and null for omitted fields", () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        const device = yield* devices.insert({ ...blank, platform: "eos" })
        assert.deepInclude(device, { ...blank, platform: "eos", serial: null, synchronized: false })
        assert.match(device.last_seen ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{6})?$/)
        assert.deepEqual(yield* devices.get(device.id), device)
      })
    )

    it.effect("refuses a second device of the same name", () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        yield* devices.insert({ ...blank, hostname: "twice" })
        const error = yield* Effect.flip(devices.insert({ ...blank, hostname: "twice" }))
        assert.strictEqual(error._tag, "HostnameTaken")
      })
    )

    it.effect("finds no device by an id that was never given", () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        assert.strictEqual((yield* Effect.flip(devices.get(4711)))._tag, "DeviceNotFound")
      })
    )

    it.effect("takes more devices at once than a statement has parameters", () =>
      Effect.gen(function* () {
        const devices = yield* DeviceStore
        const events = yield* SyncEventStore
        const many = Array.from({ length: 70_000 }, (_, index) => `many${index}`)
        const device = yield* devices.insert({ ...blank, hostname: "many69999" })
        assert.deepEqual(yield* devices.byHostnames(many), [device])
        yield* devices.markUnsynchronized(many.map((_, index) => index))
        yield* events.append(many, { cause: "refresh_settings", by: "tester", job_id: null })
        const history = yield* events.byHostname("many69999")
        assert.deepInclude(history.get("many69999")?.[0], { cause: "refresh_settings", by: "tester", job_id: null })
        yield* events.clear(many)
        assert.strictEqual((yield* events.byHostname()).size, 0)
      })
    )

    it.effect("writes whole seconds without a fraction", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ space: string; iso: string }>`
        select space_time('2026-03-02T09:11:26Z') as space, iso_time('2026-03-02T09:11:26.319761Z') as iso`
        assert.deepEqual(row, { space: "2026-03-02 09:11:26", iso: "2026-03-02T09:11:26.319761" })
      })
    )
  }
)
