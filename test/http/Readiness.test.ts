/** Whether the server is ready: it is while it is busy, and not where it cannot do its work. */
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Schema } from "effect"
import { MachineId, Snowflake } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { Readiness } from "../../src/http/system/Readiness.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"

const Report = Schema.Struct({
  status: Schema.String,
  checks: Schema.Array(Schema.Struct({ name: Schema.String, message: Schema.optionalKey(Schema.String) }))
})

const probe = Effect.gen(function* () {
  const { body, status } = yield* Effect.flatMap(ApiClient, (api) => api.send("GET", "/api/health/ready"))
  const { checks } = Schema.decodeUnknownSync(Report)(body)
  return { status, wrong: checks.filter(({ message }) => message !== undefined) }
})

/** Connections that the pool of a test has. */
const POOL = 8

/** An unread message of the job engine: of a job that was stored so many minutes ago. */
const store = Effect.fnUntraced(function* (minutes: number) {
  const sql = yield* SqlClient.SqlClient
  const timestamp = (yield* Clock.currentTimeMillis) - minutes * 60_000
  const id = String(Snowflake.make({ machineId: MachineId.make(1), sequence: 0, timestamp }))
  yield* sql`insert into cluster_messages (id, shard_id, entity_type, entity_id, kind, tag, payload, headers, request_id)
    values (${id}::text::bigint, 'default:9999', 'Nobody', '1', 0, 'run', '{}', '{}', ${id}::text::bigint)`
  return id
})
const remove = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from cluster_messages where id = ${id}::text::bigint`)

layer(SiteServer(), { excludeTestServices: true })("A server that is busy", (it) => {
  it.effect("is ready while jobs have all connections of the pool", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* probe, { status: 200, wrong: [] })
      const sql = yield* SqlClient.SqlClient
      const release = yield* Deferred.make<void>()
      const busy = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: POOL }), () => sql.withTransaction(Deferred.await(release)), {
          concurrency: "unbounded"
        })
      )
      // the report of the last probe counts for some seconds
      yield* Effect.sleep("5500 millis")
      assert.deepStrictEqual(yield* probe, { status: 200, wrong: [] })
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(busy)
    })
  )

  it.effect("is ready while old stored jobs are read, and not when no process reads one for a while", () =>
    Effect.gen(function* () {
      const { parts } = yield* Readiness
      const clock = yield* Clock.Clock
      let late = 0
      const millis = () => clock.currentTimeMillisUnsafe() + late
      const later: Clock.Clock = {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanos: clock.monotonicTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        sleep: (duration) => clock.sleep(duration)
      }
      const found = parts.find(({ name }) => name === "jobs")?.check ?? Effect.void
      const jobs = Effect.match(found, { onFailure: (why) => why, onSuccess: () => "able" }).pipe(
        Effect.provideService(Clock.Clock, later)
      )
      const first = yield* store(10)
      assert.strictEqual(yield* jobs, "able")
      late += 20_000
      assert.strictEqual(yield* jobs, "able")
      // it is read, and others come in its place: the engine works, however many there are
      yield* remove(first)
      const second = yield* store(9)
      late += 20_000
      assert.strictEqual(yield* jobs, "able")
      late += 31_000
      assert.strictEqual(yield* jobs, "work has been waiting for more than 30 seconds")
      yield* remove(second)
      assert.strictEqual(yield* jobs, "able")
    })
  )
})
