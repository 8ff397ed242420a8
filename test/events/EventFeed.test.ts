/** Followers of events: each committed event once, in order, whatever commits late, is rolled back or comes at the same time. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventFeed } from "../../src/events/EventFeed.ts"
import { DeviceStore, SyncEventStore } from "../../src/store/DeviceStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { EventStore } from "../../src/store/EventStore.ts"

const database = Layer.mergeAll(EventFeed.layer, DeviceStore.layer, SyncEventStore.layer).pipe(
  Layer.provideMerge(EventStore.layer),
  Layer.provideMerge(TestDatabase)
)

const write = (name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into event (kind, action, is_audit, data) values ('test', ${name}, false, '{}')`
  )

const until = (condition: () => boolean) => Effect.repeat(Effect.sleep("5 millis"), { until: condition })

/** The events from now on. */
const followed = Effect.gen(function* () {
  const feed = yield* EventFeed
  const heard: Array<{
    readonly id: number
    readonly action: string
    readonly kind: string
    readonly object: unknown
  }> = []
  const from = yield* feed.follow((events) => heard.push(...events))
  return { from, heard }
})

describe("the feed of events", () => {
  it.live("waits with newer events for an older transaction, and skips none of its events", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { complete } = (yield* EventStore).log
      const { heard } = yield* followed
      const begun = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        sql.withTransaction(
          Effect.all([write("old"), Deferred.succeed(begun, undefined), Deferred.await(mayEnd), write("old too")])
        )
      )
      yield* Deferred.await(begun)
      const before = yield* complete
      yield* write("new")
      assert.strictEqual(yield* complete, before)
      yield* (yield* EventFeed).flushed
      assert.deepEqual(heard, [])
      yield* Deferred.succeed(mayEnd, undefined)
      yield* until(() => heard.length === 3)
      assert.deepEqual(
        heard.map(({ action }) => action),
        ["old", "new", "old too"]
      )
    }).pipe(Effect.scoped, Effect.provide(database))
  )

  it.live("is not delayed by transactions without events", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { heard } = yield* followed
      const begun = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      yield* sql`create table other (id integer)`
      yield* Effect.forkChild(
        sql.withTransaction(
          Effect.all([sql`insert into other values (1)`, Deferred.succeed(begun, undefined), Deferred.await(mayEnd)])
        )
      )
      yield* Deferred.await(begun)
      yield* write("beside")
      yield* until(() => heard.length === 1)
      yield* Deferred.succeed(mayEnd, undefined)
    }).pipe(Effect.scoped, Effect.provide(database))
  )

  it.live(
    "delivers every committed event once and in order, from hundreds of parallel transactions with rollbacks",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { from, heard } = yield* followed
        const transaction = (number: number) =>
          sql
            .withTransaction(
              Effect.gen(function* () {
                for (let place = 0; place <= number % 4; place++) {
                  yield* write(`${number}.${place}`)
                  if (number % 3 === 0) yield* sql`select pg_sleep(0.005)`
                }
                if (number % 5 === 0) yield* Effect.fail("rolled back" as const)
              })
            )
            .pipe(
              Effect.catchIf(
                (error) => error === "rolled back",
                () => Effect.void
              )
            )
        yield* Effect.forEach(Array.from({ length: 400 }).keys(), transaction, { concurrency: 8, discard: true })
        const stored = yield* sql<{ id: number }>`select id::float8 as id from event where id > ${from} order by id`
        yield* until(() => heard.length >= stored.length)
        assert.deepEqual(
          heard.map(({ id }) => id),
          stored.map(({ id }) => id)
        )
      }).pipe(Effect.scoped, Effect.provide(database))
  )

  it.live("repeats nothing when a transaction began with an older number than the delivered ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { complete } = (yield* EventStore).log
      const { heard } = yield* followed
      const feed = yield* EventFeed
      const before = yield* complete
      for (const name of ["one", "two"]) yield* write(name)
      yield* feed.flushed
      // as one that has read the newest number and was held up before it said so
      const late = yield* sql.reserve
      yield* late.executeRaw(`select pg_advisory_lock_shared((20311::bigint << 48) | ${before})`, [])
      assert.strictEqual(yield* complete, before)
      yield* feed.flushed
      yield* late.executeRaw(`select pg_advisory_unlock_shared((20311::bigint << 48) | ${before})`, [])
      yield* write("three")
      yield* feed.flushed
      assert.deepEqual(
        heard.map(({ action }) => action),
        ["one", "two", "three"]
      )
    }).pipe(Effect.scoped, Effect.provide(database))
  )

  it.live("gives a device's record as it was after each change, also if only its last contact has moved", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* DeviceStore
      const { heard } = yield* followed
      const made = yield* devices.insert({ hostname: "acc-1", state: "MANAGED", device_type: "ACCESS" })
      yield* sql`update device set last_seen = '2026-03-02 09:11:27.5+00' where id = ${made.id}`
      const seen = yield* devices.get(made.id)
      const named = yield* devices.update(made.id, { state: "UNMANAGED", model: "x" })
      yield* sql`delete from device where id = ${made.id}`
      yield* until(() => heard.length >= 4)
      assert.deepEqual(
        heard.map(({ action, kind, object }) => ({ action, kind, object })),
        [
          { kind: "device", action: "created", object: { ...made } },
          { kind: "device", action: "updated", object: { ...seen } },
          { kind: "device", action: "state", object: { ...named } },
          { kind: "device", action: "deleted", object: { ...named } }
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(database))
  )
})
