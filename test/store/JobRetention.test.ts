/** Old jobs and their records: which rows are removed, and which are still needed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { EventStore } from "../../src/store/EventStore.ts"
import { PersonStore } from "../../src/store/AccountStore.ts"
import { RequestApprovalStore } from "../../src/store/ApprovalStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TEST_KEY } from "../support/TestStores.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { makeJobRetention } from "../../src/store/Retention.ts"

const database = TestDatabase
const settings = {
  JOB_DAYS: 30,
  JOB_DEVICE_DAYS: 0,
  CHANGE_DAYS: 0,
  CONFIG_DAYS: 0,
  CONFIG_COUNT: 2,
  OPERATION_DAYS: 0
}

/** A job of a live synchronization that ended so many days ago; or, with another status, that has not ended. */
const addJob = Effect.fnUntraced(function* (daysAgo: number, status = "FINISHED", args: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const [job] = yield* sql<{
    id: number
  }>`insert into job (function_name, status, scheduled_time, finish_time, start_arguments)
    select 'sync_devices', ${status}, t, case when ${status} = 'FINISHED' then t end, ${JSON.stringify(args)}::text::jsonb
    from (select now() - make_interval(days => ${daysAgo}) as t) long_ago returning id`
  return job?.id ?? 0
})

const addConfig = (job: number, hostname: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into job_device (job_id, hostname, failed, reached_end, brief_tasks, job_tasks)
      values (${job}, ${hostname}, false, true, '[]', '[{"task_name": "Generate device config", "failed": false, "result": "x"}]')`
  )

const addChange = (job: number, device: number, phase: string, daysAgo: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (
      sql
    ) => sql`insert into config_change (job_id, device_id, phase, epoch, protocol, candidate, created_at, updated_at)
      select ${job}, ${device}, ${phase}, 1, '{}', 'x', t, t from (select now() - make_interval(days => ${daysAgo}) as t) long_ago`
  )

const addDevice = Effect.fnUntraced(function* (hostname: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: number }>`insert into device (hostname, state, device_type, platform)
    values (${hostname}, 'MANAGED', 'ACCESS', 'eos') returning id`
  return row?.id ?? 0
})

const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ id: number }>`select id from job order by id`).map(({ id }) => id)
})

describe("the retention of jobs", () => {
  it.live("removes old jobs, also one that another one led to, and keeps young ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const retention = yield* makeJobRetention
      const first = yield* addJob(40)
      const second = yield* addJob(40)
      const young = yield* addJob(10)
      yield* sql`update job set next_job_id = ${second} where id in (${first}, ${young})`
      assert.strictEqual(yield* retention.due(settings, "job"), 2)
      assert.strictEqual((yield* retention.remove(settings)).job, 2)
      assert.deepStrictEqual(yield* jobs, [young])
      assert.deepStrictEqual(yield* sql`select next_job_id from job`, [{ next_job_id: null }])
    }).pipe(Effect.provide(database))
  )

  it.live("keeps waiting jobs, those that they refer to, open ones, and the last configurations of each device", () =>
    Effect.gen(function* () {
      const retention = yield* makeJobRetention
      const acc = yield* addDevice("acc-1")
      const shown = yield* addJob(50)
      const waiting = yield* addJob(50, "SCHEDULED", { dry_run_job: shown })
      const running = yield* addJob(50, "RUNNING")
      const open = yield* addJob(50)
      yield* addChange(open, acc, "expiring", 50)
      const configs = yield* Effect.forEach([49, 48, 47], (days) =>
        Effect.tap(addJob(days), (id) => addConfig(id, "acc-1"))
      )
      yield* addConfig(yield* addJob(46), "a device that is gone")
      const removed = yield* retention.remove(settings)
      assert.deepStrictEqual(yield* jobs, [shown, waiting, running, open, ...configs.slice(1)])
      assert.deepStrictEqual(removed, { change: 0, config: 2, job_device: 2, operation: 0, job: 2 })
    }).pipe(Effect.provide(database))
  )

  it.live("keeps the newest confirmed change of a device, and the previous one in force", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const retention = yield* makeJobRetention
      const acc = yield* addDevice("acc-1")
      for (const phase of ["confirmed", "unchanged", "reverted", "confirmed", "reverted", "discarded"])
        yield* addChange(yield* addJob(40), acc, phase, 40)
      yield* retention.remove(settings)
      const left = yield* sql<{ phase: string }>`select phase from config_change order by id`
      assert.deepStrictEqual(
        left.map(({ phase }) => phase),
        ["unchanged", "confirmed", "discarded"]
      )
    }).pipe(Effect.provide(database))
  )

  it.live("is done by one replica at a time, reports no stripped rows, and keeps all with 0 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const retention = yield* makeJobRetention
      yield* addDevice("acc-1")
      for (let n = 0; n < 20; n++) yield* addConfig(yield* addJob(40), "acc-1")
      assert.strictEqual((yield* retention.remove({ ...settings, JOB_DAYS: 0 })).job, 0)
      const events = yield* sql`select id from event`
      const each = yield* Effect.all(
        Array.from({ length: 4 }, () => retention.remove(settings)),
        { concurrency: 4 }
      )
      const removed = [...each, yield* retention.remove(settings)].reduce((sum, { job }) => sum + job, 0)
      assert.strictEqual(removed, 18)
      assert.strictEqual((yield* sql`select id from event`).length, events.length)
    }).pipe(Effect.provide(database))
  )
})

const people = Layer.mergeAll(PersonStore.layer, RequestApprovalStore.layer).pipe(
  Layer.provide(EventStore.layer),
  Layer.provide(ServerConfig.layerOf(TEST_KEY)),
  Layer.provide(NodeServices.layer),
  Layer.provideMerge(TestDatabase)
)

describe("the retention of persons' records", () => {
  it.live("removes old ended requests, ends undecided ones, and keeps waiting ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { forget } = yield* RequestApprovalStore
      yield* sql`insert into request_approval (operation, method, path, sealed_body, asked_by, asked_person, asked_identity,
          expires_at, decision, decided_at)
        select name, 'POST', '/auth/users', 'sealed', 'ann', 'jwt: ann', '{}', now() + expires * interval '1 day', decision,
          case when decision is not null then now() + decided * interval '1 day' end
        from (values ('waits', 1, null, 0), ('late', -2, null, 0), ('long late', -40, null, 0), ('old', -39, 'approved', -40),
          ('young', -1, 'rejected', -2)) as given (name, expires, decision, decided)`
      const left = () =>
        Effect.map(
          sql<{ text: string }>`select operation || ' ' || coalesce(decision, '') || ' ' || (sealed_body <> '') as text
            from request_approval order by id`,
          (rows) => rows.map(({ text }) => text)
        )
      yield* forget(0)
      assert.deepEqual(yield* left(), [
        "waits  true",
        "late expired false",
        "long late expired false",
        "old approved true",
        "young rejected true"
      ])
      yield* forget(30)
      assert.deepEqual(yield* left(), ["waits  true", "late expired false", "young rejected true"])
    }).pipe(Effect.provide(people))
  )

  it.live(
    "forgets persons who were not seen for long and have nothing, and keeps withdrawn ones and owners of tokens",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { forget } = yield* PersonStore
        yield* sql`insert into person (key, way, name, roles, attributes, seen_at, withdrawn_at)
        select key, 'jwt', key, '{}', '{}', now() - seen * interval '1 day', case when is_withdrawn then now() end
        from (values ('gone', 400, false), ('here', 300, false), ('out', 400, true), ('holder', 400, false),
          ('former', 400, false)) as given (key, seen, is_withdrawn)`
        yield* sql`insert into api_token (name, hash, roles, created_by, expires_at, owner, revoked_at)
        select owner, owner, '{}', owner, now() + interval '1 day', owner, case when owner = 'former' then now() end
        from (values ('holder'), ('former')) as given (owner)`
        yield* forget(365)
        assert.deepEqual(
          (yield* sql<{ key: string }>`select key from person order by key`).map(({ key }) => key),
          ["here", "holder", "out"]
        )
      }).pipe(Effect.provide(people))
  )
})
