/** Rows whose writers publish their changes: the contents of the events. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import type { ChangePhase } from "../../machines/change/ChangeRow.ts"
import { SqlClient } from "effect/sql"
import { CertificateStore } from "../../src/store/CertificateStore.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
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

it.live("Each phase of a change is told once, in order, also if a server of the previous release has written it", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* ChangeStore
    yield* sql`insert into device (hostname, state, device_type, platform) values ('a1', 'MANAGED', 'ACCESS', 'eos')`
    const job_id = yield* addJob
    const protocol = newChange({
      mode: 1,
      dryRun: false,
      force: false,
      sessionName: "job1",
      expectedHash: null,
      timerSeconds: 60
    })
    const change = { job_id, device_id: 1, protocol, candidate: "hostname a1", load_mode: "replace" } as const
    const { id } = yield* changes.findOrInsert(change)
    yield* changes.findOrInsert(change)
    const claim = (from: ChangePhase, phase: ChangePhase) =>
      changes.claim(id, { from: { phase: from, epoch: 1 }, row: { ...protocol, phase } }, null)
    assert.isTrue(yield* claim("planned", "loading"))
    assert.isFalse(yield* claim("planned", "loading"))
    assert.isTrue(yield* claim("loading", "loading"))
    yield* sql`update config_change set phase = 'committing', claim_token = ${randomUUID()} where id = ${id}`
    assert.isTrue(yield* claim("committing", "committed"))
    yield* sql`update config_change set phase = 'looking', epoch = 1 where id = ${id}`
    assert.isTrue(yield* claim("looking", "confirmed"))
    yield* sql`update config_change set phase = 'unknown' where id = ${id}`
    const other = yield* addJob
    yield* sql`insert into config_change (job_id, device_id, phase, epoch, protocol, candidate) values (${other}, 1, 'planned', 1, '{}', '')`

    const found =
      yield* sql`select action, actor, job_id, hostname, is_audit, data from event where kind = 'change' order by id`
    const event = (action: ChangePhase, is_audit: boolean, job: number) => ({
      action,
      actor: "indy",
      job_id: job,
      hostname: "a1",
      is_audit,
      data: { function: "sync_devices" }
    })
    assert.deepStrictEqual(found, [
      ...(["planned", "loading", "committing", "committed", "looking"] as const).map((phase) =>
        event(phase, false, job_id)
      ),
      event("confirmed", true, job_id),
      event("unknown", true, job_id),
      event("planned", false, other)
    ])
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
