/** A device whose job ends at the moment when another process makes it unsynchronized. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeReport } from "../../../src/devices/DeviceCalls.ts"
import type { Device } from "../../../src/domain/Device.ts"
import { DeviceStore, SyncEventStore } from "../../../src/store/DeviceStore.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import { makeSyncStatus } from "../../../src/jobs/sync/Outcome.ts"

const proved: ChangeReport = {
  waiting: false,
  result: "confirmed",
  runs: "new",
  ok: true,
  phase: "confirmed",
  reason: null,
  message: "",
  failure: null,
  diff: "+ vlan 5",
  hash: "abc"
}

const insert = (hostname: string, synchronized: boolean) =>
  Effect.flatMap(DeviceStore, (devices) =>
    devices.insert({ hostname, state: "MANAGED", device_type: "ACCESS", platform: "eos", synchronized })
  )

/** The refresh's write to the device. */
const concern = Effect.fnUntraced(function* ({ hostname, id }: Device) {
  yield* (yield* DeviceStore).markUnsynchronized([id])
  yield* (yield* SyncEventStore).append([hostname], { cause: "refresh_settings", by: "other", job_id: 2 })
})

/** The job's write to the device after its proof. */
const prove = Effect.fnUntraced(function* (device: Device) {
  const sql = yield* SqlClient.SqlClient
  const status = yield* makeSyncStatus
  const run = { jobId: 1, user: "tester", dryRun: false, eventsSeen: 0 }
  yield* sql.withTransaction(status.write([{ device, run, report: proved }]))
})

/** Does one in a transaction that stays open until the other waits for it. */
const meeting = Effect.fnUntraced(function* <R1, E1, R2, E2>(
  first: Effect.Effect<void, E1, R1>,
  second: Effect.Effect<void, E2, R2>
) {
  const sql = yield* SqlClient.SqlClient
  const written = yield* Deferred.make<void>()
  const seen = yield* Deferred.make<void>()
  const open = Effect.andThen(first, Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(seen)))
  const one = yield* Effect.forkChild(sql.withTransaction(open))
  yield* Deferred.await(written)
  const other = yield* Effect.forkChild(second)
  const blocked = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  while (other.pollUnsafe() === undefined && (yield* blocked)[0]?.n === 0) yield* Effect.yieldNow
  yield* Deferred.succeed(seen, undefined)
  yield* Fiber.joinAll([one, other])
})

layer(storesOn(TestDatabase), {
  excludeTestServices: true
})("a device that is made unsynchronized", (it) => {
  const check = Effect.fnUntraced(function* ({ hostname, id }: Device) {
    const device = yield* (yield* DeviceStore).get(id)
    const events = yield* (yield* SyncEventStore).byHostname(hostname)
    assert.deepStrictEqual([device.synchronized, events.get(hostname)?.length], [false, 1])
  })

  for (const synchronized of [true, false]) {
    const known = synchronized ? "that was synchronized" : "that was not"

    it.effect(`and ${known} stays so when its job ends while the refresh is being written`, () =>
      Effect.gen(function* () {
        const device = yield* insert(`sw1-${synchronized}`, synchronized)
        yield* meeting(concern(device), prove(device))
        yield* check(device)
      })
    )

    it.effect(`and ${known} is so when the refresh comes while the end of its job is being written`, () =>
      Effect.gen(function* () {
        const device = yield* insert(`sw2-${synchronized}`, synchronized)
        yield* meeting(prove(device), concern(device))
        yield* check(device)
      })
    )
  }
})
