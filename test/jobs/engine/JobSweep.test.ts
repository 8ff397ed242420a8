/** Jobs whose execution was lost, and locks whose job has ended: a running server finds them automatically. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

const engine = Engine.layer.pipe(
  Layer.provideMerge(ServerConfig.layerOf({ DATA_DIR: "/nonexistent", SECRET_KEY: "k".repeat(32) })),
  Layer.provideMerge(TestDatabase)
)

/** The row of a lost execution: no heartbeat for a minute. */
const lostJob = Effect.fnUntraced(function* (status: "SCHEDULED" | "RUNNING" | "ABORTING") {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    id: number
  }>`insert into job (status, function_name, scheduled_by, scheduled_time, alive_at,
      start_arguments) values (${status}, 'update_facts', 'tester', now() - interval '1 minute',
      now() - interval '1 minute', '{"hostname": "nobody"}') returning id`
  return row?.id ?? 0
})

it.live("restarts abandoned jobs, and removes the locks of ended jobs", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { attempts } = yield* JobScheduleStore
    const lost = yield* Effect.forEach(["SCHEDULED", "RUNNING", "ABORTING"] as const, lostJob)
    yield* sql`insert into job (status, function_name, finish_time) values ('FINISHED', 'sync_devices', now())`
    yield* sql`insert into joblock (job_id, name) select max(id), 'devices' from job`
    const ended = yield* Effect.forEach(lost, (id) => Effect.flatMap(JobEngine, (found) => found.ended(id)))
    assert.deepStrictEqual(
      ended.map(({ exception, status }) => [status, exception?.type]),
      [
        ["EXCEPTION", "ValueError"],
        ["EXCEPTION", "ValueError"],
        ["EXCEPTION", "ValueError"]
      ]
    )
    assert.deepStrictEqual(yield* Effect.forEach(lost, attempts.current), [1, 1, 1])
    while ((yield* (yield* JobScheduleStore).locks.all).length > 0) yield* Effect.sleep("100 millis")
  }).pipe(Effect.provide(engine), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
)
