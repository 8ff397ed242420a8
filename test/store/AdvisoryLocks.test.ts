/** The database's advisory locks: works that have nothing to do with each other do not wait for each other. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { locks } from "../../src/store/DatabaseClient.ts"
import { makeEventRetention } from "../../src/store/EventStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { makeUnknownDevices } from "../../src/store/DeviceIdentifiers.ts"

const database = TestDatabase

/** Does this while another connection holds the lock. */
const beside = Effect.fnUntraced(function* <A, E, R>(lock: number, work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void>()
  const over = yield* Deferred.make<void>()
  const holder = yield* sql`select pg_advisory_xact_lock_shared(${lock})`.pipe(
    Effect.andThen(Deferred.succeed(held, undefined)),
    Effect.andThen(Deferred.await(over)),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(held)
  const done = yield* work
  yield* Deferred.succeed(over, undefined)
  yield* Fiber.join(holder)
  return done
})

describe("the advisory locks", () => {
  it("have a number each", () => {
    assert.strictEqual(new Set(Object.values(locks)).size, Object.keys(locks).length)
  })

  it.live("let old events be removed while the audit is sent to a slow receiver", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { remove } = yield* makeEventRetention
      yield* sql`insert into event (at, kind, action, is_audit, data)
        select now() - interval '8 days', 'device', 'updated', false, '{}' from generate_series(1, 10)`
      assert.strictEqual(yield* beside(locks.auditSending, remove(7)), 10)
    }).pipe(Effect.provide(database))
  )

  it.live("let an unknown switch be counted while a plugin is called", () =>
    Effect.gen(function* () {
      const { lastHour } = yield* makeUnknownDevices
      assert.strictEqual((yield* beside(locks.plugins, lastHour)).count, 0)
    }).pipe(Effect.provide(database))
  )
})
