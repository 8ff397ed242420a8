/** Old events: which are removed, what stays, and what the table takes while days come and go. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventStore, makeEventRetention } from "../../src/store/EventStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const database = Layer.mergeAll(EventStore.layer).pipe(Layer.provideMerge(TestDatabase))

/** Events of one day that ended so many hours ago; each of so many is part of the audit. */
const writeDay = Effect.fnUntraced(function* (count: number, hoursAgo: number, audit = 100) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into event (at, kind, action, device_id, hostname, job_id, is_audit, data, object)
    select now() - make_interval(hours => ${hoursAgo}) - interval '24 hours' * (1 - n / ${count}::float8), 'device', 'updated', n % 500,
      'acc-' || n % 500, n % 50, n % ${audit} = 0, jsonb_build_object('key', n), jsonb_build_object('text', repeat('x', 400))
    from generate_series(1, ${count}) n`
})

const count = (where: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      count: number
    }>`select count(*)::integer as count from event where ${sql.literal(where)}`
    return row?.count ?? 0
  })

describe("the retention of events", () => {
  it.live("removes old events outside the audit, reports the limit, and keeps the rest", () =>
    Effect.gen(function* () {
      const retention = yield* makeEventRetention
      const { pages } = yield* EventStore
      const sql = yield* SqlClient.SqlClient
      yield* writeDay(5000, 8 * 24)
      yield* writeDay(1000, 24)
      const [edge] = yield* sql<{
        id: number
      }>`select max(id)::float8 as id from event where at < now() - interval '7 days'`
      assert.strictEqual(yield* retention.remove(7), 4950)
      assert.strictEqual(yield* count("at < now() - interval '7 days' and not is_audit"), 0)
      assert.strictEqual(yield* count("is_audit"), 60)
      assert.strictEqual(yield* count("at > now() - interval '7 days'"), 1000)
      assert.strictEqual((yield* pages.bounds).removed, edge?.id)
      assert.strictEqual(yield* retention.remove(7), 0)
    }).pipe(Effect.provide(database))
  )

  it.live("is done by one replica at a time", () =>
    Effect.gen(function* () {
      const retention = yield* makeEventRetention
      yield* writeDay(10_000, 8 * 24)
      const removed = yield* Effect.all(
        Array.from({ length: 4 }, () => retention.remove(7)),
        { concurrency: 4 }
      )
      const total = (yield* retention.remove(7)) + removed.reduce((sum, one) => sum + one, 0)
      assert.strictEqual(total, 9900)
    }).pipe(Effect.provide(database))
  )

  it.live("keeps the table as large as after the first day", () =>
    Effect.gen(function* () {
      const retention = yield* makeEventRetention
      const sql = yield* SqlClient.SqlClient
      const sizes: Array<number> = []
      for (let day = 0; day < 5; day++) {
        // hours of one day, each with its removal, compressed
        for (let part = 0; part < 6; part++) {
          yield* writeDay(4000, 8 * 24, 4001)
          yield* retention.remove(7)
          // the automatic work of the database server after so many deleted rows
          yield* sql`vacuum event`
        }
        const [row] = yield* sql<{ size: number }>`select pg_total_relation_size('event')::float8 as size`
        sizes.push(row?.size ?? 0)
      }
      const [first = 0, ...later] = sizes
      // rows that another session may still see are left for the next time
      assert.isBelow(Math.min(...later.slice(1)), first * 1.2, sizes.join(", "))
      for (const size of later) assert.isBelow(size, first * 3, sizes.join(", "))
      const [options] = yield* sql<{
        reloptions: ReadonlyArray<string>
      }>`select reloptions from pg_class where oid = 'event'::regclass`
      assert.include(options?.reloptions ?? [], "autovacuum_vacuum_threshold=50000")
    }).pipe(Effect.provide(database))
  )
})
