/** Rows whose writers publish their changes: the contents of the events. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CertificateStore } from "../../src/store/CertificateStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { storesOn } from "../support/TestStores.ts"
import { JobScheduleStore } from "../../src/store/JobScheduling.ts"

const database = storesOn(TestDatabase)

const told = (kind: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select action, hostname, device_id, job_id, data from event where kind = ${kind} order by id`
  )

const addJob = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ id: number }>`insert into job (function_name, status, scheduled_by, scheduled_time)
    values ('sync_devices', 'RUNNING', 'indy', now()) returning id`
).pipe(Effect.map(([row]) => row?.id ?? 0))

it.live("Events of certificates name their device, so that a filter for this device finds them", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const certificates = yield* CertificateStore
    yield* sql`insert into device (hostname, state, device_type, platform) values ('a1', 'MANAGED', 'ACCESS', 'eos')`
    const made = { jobId: 1, deviceId: 1, hostname: "a1", address: "192.0.2.1", issuedAt: "2026-01-01T00:00:00Z" }
    yield* certificates.record({ ...made, serial: "01", notAfter: "2099-01-01T00:00:00Z" })
    yield* certificates.record({ ...made, serial: "02", notAfter: "2099-01-01T00:00:00Z" })
    const revoked = yield* certificates.revoke("01", "superseded")
    assert.notProperty(revoked, "device_id")
    yield* certificates.revokeOfDevice(1, "superseded")
    assert.deepStrictEqual(
      (yield* told("certificate")).map(({ action, device_id, hostname }) => [action, device_id, hostname]),
      [
        ["issued", 1, "a1"],
        ["issued", 1, "a1"],
        ["revoked", 1, "a1"],
        ["revoked", 1, "a1"]
      ]
    )
  }).pipe(Effect.provide(database))
)

it.live("A lock that passes to another job is taken by that job before it is released", () =>
  Effect.gen(function* () {
    const { locks } = yield* JobScheduleStore
    const [one, other] = [yield* addJob, yield* addJob]
    yield* locks.acquire("devices", one)
    yield* locks.transfer(one, other)
    yield* locks.release(other)
    assert.deepStrictEqual(
      (yield* told("lock")).map(({ action, data, job_id }) => [action, job_id, data]),
      [
        ["taken", one, { name: "devices" }],
        ["taken", other, { name: "devices", from_job: one }],
        ["released", other, { name: "devices" }]
      ]
    )
  }).pipe(Effect.provide(database))
)

it.live("A device without a check since a restore is marked without an event, and its record stays unchanged", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const devices = Effect.map(told("device"), (events) => events.map(({ action }) => action))
    yield* sql`insert into device (hostname, state, device_type, platform) values ('a1', 'MANAGED', 'ACCESS', 'eos')`
    yield* sql`update device set unseen_since = now()`
    assert.deepStrictEqual(yield* devices, ["created"])
    yield* sql`update device set unseen_since = null, last_seen = now() + interval '1 hour'`
    yield* sql`update device set unseen_since = now(), synchronized = true`
    assert.deepStrictEqual(yield* devices, ["created", "updated", "updated"])
    const records = yield* sql<{
      record: object
    }>`select object as record from event where kind = 'device' order by id`
    for (const { record } of records) assert.notProperty(record, "unseen_since")
  }).pipe(Effect.provide(database))
)
