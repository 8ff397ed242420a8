import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Engine from "../../../src/Engine.ts"
import { forgetExecutions } from "../../../src/jobs/engine/Retention.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import * as Logging from "../../../src/runtime/Logging.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { InitStep2 } from "../../../src/domain/jobs/InitJobs.ts"

const config = ServerConfig.layerOf({
  DATA_DIR: "/nonexistent",
  SECRET_KEY: "k".repeat(32),
  JWT_ENABLED: "false",
  JOB_RECORD_DAYS: "7",
  LOG_LEVEL: "Fatal"
})
const server = Engine.layer.pipe(
  Layer.provide(Logging.layer),
  Layer.provideMerge(config),
  Layer.provideMerge(TestDatabase)
)

layer(server, { excludeTestServices: true })("EngineRecords", (it) => {
  it.effect("deletes the engine's messages of jobs that ended a week ago, and keeps their records", () =>
    Effect.gen(function* () {
      const engine = yield* JobEngine
      const sql = yield* SqlClient.SqlClient
      const start = Effect.flatMap(
        engine.start(InitStep2, { device_id: 4711, iteration: 1 }, { user: "tester" }),
        engine.ended
      )
      const old = yield* start
      const recent = yield* start
      const messages = sql<{ count: number }>`select count(*)::int as count from cluster_messages`
      const replies = sql<{ count: number }>`select count(*)::int as count from cluster_replies`
      // the engine acknowledges the end of an execution a moment after the job's row says so
      yield* Effect.sleep("500 millis")
      const before = (yield* messages)[0]?.count ?? 0
      assert.isAbove(before, 0)
      yield* sql`update job set finish_time = now() - interval '8 days' where id = ${old.id}`
      assert.strictEqual(yield* forgetExecutions, 1)
      assert.strictEqual((yield* messages)[0]?.count, before / 2)
      assert.strictEqual(yield* forgetExecutions, 0)
      assert.isAbove((yield* replies)[0]?.count ?? 0, 0)
      assert.strictEqual((yield* sql`select 1 from job where id in (${old.id}, ${recent.id})`).length, 2)
      // those of a job that retention has removed
      yield* sql`delete from job where id = ${recent.id}`
      assert.strictEqual(yield* forgetExecutions, 1)
      assert.strictEqual((yield* messages)[0]?.count, 0)
      assert.strictEqual((yield* replies)[0]?.count, 0)
    })
  )

  it.effect("runs all of many simultaneous jobs, and loses none", () =>
    Effect.gen(function* () {
      const engine = yield* JobEngine
      const ids = yield* Effect.forEach(
        Array.from({ length: 60 }),
        () => engine.start(InitStep2, { device_id: 4711, iteration: 1 }, { user: "tester" }),
        { concurrency: 20 }
      )
      const ended = yield* Effect.forEach(ids, engine.ended, { concurrency: "unbounded" })
      assert.lengthOf(new Set(ids), 60)
      assert.deepEqual([...new Set(ended.map((job) => job.status))], ["EXCEPTION"])
    })
  )
})
