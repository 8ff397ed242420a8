import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { abandon, cancel, newChange } from "../../machines/change/ChangeDecision.ts"
import { SyncDevices } from "../../src/domain/jobs/ChangeJobs.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { ANSWER_MARGIN_SECONDS } from "../../src/store/StatusConditions.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestSecrets } from "../support/TestStores.ts"

const stores = Layer.mergeAll(ChangeStore.layer, DeviceStore.layer, JobStore.layer).pipe(Layer.provide(TestSecrets))

const makeChange = Effect.fnUntraced(function* (hostname: string) {
  const changes = yield* ChangeStore
  const { id: device_id } = yield* (yield* DeviceStore).insert({
    hostname,
    state: "MANAGED",
    device_type: "ACCESS"
  })
  const job_id = yield* (yield* JobStore).insert({
    function_name: "sync_devices",
    scheduled_by: "tester",
    comment: null,
    ticket_ref: null,
    start_arguments: null,
    delaySeconds: 0
  })
  const protocol = newChange({
    mode: 0,
    dryRun: false,
    force: false,
    sessionName: `job${job_id}`,
    expectedHash: null,
    timerSeconds: null
  })
  const change = { job_id, device_id, protocol, candidate: "hostname acc1\n", load_mode: "replace" } as const
  return { changes, change, ...(yield* changes.findOrInsert(change)) }
})

layer(stores.pipe(Layer.provideMerge(TestDatabase)), { excludeTestServices: true })("A change", (it) => {
  it.effect("is claimed by one of simultaneous claimants", () =>
    Effect.gen(function* () {
      const { change, changes, id } = yield* makeChange("acc1")
      const claims = [cancel(change.protocol), abandon(change.protocol)].filter((claim) => claim !== null)
      assert.isAbove(claims.length, 0)
      const wanted = Array.from({ length: 20 }, (_, index) => claims[index % claims.length] ?? assert.fail())
      const won = yield* Effect.forEach(wanted, (claim) => changes.claim(id, claim, null), { concurrency: "unbounded" })
      assert.strictEqual(won.filter((one) => one).length, 1)
    })
  )

  it.effect("waits only for its timer after some seconds, because its device may be receiving a command just now", () =>
    Effect.gen(function* () {
      const { change, changes, id } = yield* makeChange("acc2")
      const from = { phase: change.protocol.phase, epoch: change.protocol.epoch }
      const row = { ...change.protocol, phase: "expiring" as const, goal: "old" as const }
      assert.isTrue(yield* changes.claim(id, { from, row }, null))
      assert.deepStrictEqual(yield* changes.expiring([id]), [])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update config_change set updated_at = now() - interval '4 seconds' where id = ${id}`
      assert.deepStrictEqual(
        (yield* changes.expiring([id])).map((left) => left.id),
        [id]
      )
    })
  )

  it.effect(
    "is overdue by the clock that has timed its commit, although the clock of the database is a day ahead",
    () =>
      Effect.gen(function* () {
        const { change, changes, id } = yield* makeChange("acc3")
        const from = { phase: change.protocol.phase, epoch: change.protocol.epoch }
        const now = yield* Clock.currentTimeMillis
        const row = { ...change.protocol, phase: "looking" as const, timerSeconds: 60, committedAt: now }
        assert.isTrue(yield* changes.claim(id, { from, row }, null))
        const sql = yield* SqlClient.SqlClient
        const overdue = Effect.map(changes.overdue([id]), (found) => found.map((left) => left.id))
        const dayAhead = Effect.gen(function* () {
          yield* sql`create schema ahead`
          yield* sql`create function ahead.now() returns timestamptz language sql stable as
          $$ select pg_catalog.now() + interval '1 day' $$`
          yield* sql`set local search_path = ahead, public, pg_catalog`
          assert.deepStrictEqual(yield* sql`select now() > pg_catalog.now() + interval '23 hours' as is_ahead`, [
            { is_ahead: true }
          ])
          return yield* overdue
        })
        assert.deepStrictEqual(yield* sql.withTransaction(dayAhead), [])
        const earlier = now - 1000 * (60 + ANSWER_MARGIN_SECONDS + 1)
        yield* sql`update config_change set protocol = protocol || ${JSON.stringify({ committedAt: earlier })}::jsonb where id = ${id}`
        assert.deepStrictEqual(yield* overdue, [id])
      })
  )

  it.effect("begins in a job of release 0.1.0, whose memo does not say which changes it has seen", () =>
    Effect.gen(function* () {
      const { change: other, changes } = yield* makeChange("acc4")
      const sql = yield* SqlClient.SqlClient
      const [job] = yield* sql<{ id: number }>`insert into job (function_name, scheduled_by, status)
        values ('sync_devices', 'tester', 'RUNNING') returning id`
      const memo = yield* Schema.decodeUnknownEffect(SyncDevices.Memo)({ hostnames: ["acc4"], eventsSeen: 0 })
      const begin = changes.begin({
        change: { ...other, job_id: job?.id ?? 0 },
        conditions: { held: {}, isCertain: false, notAborting: true, notPaused: true, newestSeen: memo.changesSeen }
      })
      assert.strictEqual((yield* begin)._tag, "Taken", "the other job is under way")
      yield* sql`update job set status = 'FINISHED' where id = ${other.job_id}`
      assert.strictEqual((yield* begin)._tag, "Stored")
    })
  )
})
