/** The chain of the audit: direct changes of its rows in the database are detected, and the row is named. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditChain } from "../../src/access/AuditChain.ts"
import { of, SecretKey } from "../../src/runtime/SecretKey.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const chain = AuditChain.layer.pipe(
  Layer.provide(Layer.succeed(SecretKey, of(Buffer.alloc(32, 7)))),
  Layer.provideMerge(TestDatabase)
)

/** So many events, one in ten of them not part of the audit. */
const events = (count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into event (kind, action, actor, hostname, is_audit, data)
      select 'device', 'updated', 'indy', 'sw' || n, n % 10 <> 0, jsonb_build_object('after', jsonb_build_object('description', 'room ' || n))
      from generate_series(1, ${count}::integer) n`
  )

/** As the superuser can: nothing that guards the table acts, and it is undone after `work`. */
const tampered = <A, E, R>(statement: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const inside = Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`${sql.literal(statement)}`
      return yield* Effect.flip(Effect.flip(Effect.flatMap(work, (found) => Effect.fail({ found }))))
    })
    const failed = yield* Effect.flip(sql.withTransaction(inside))
    return typeof failed === "object" && failed !== null && "found" in failed ? failed.found : yield* Effect.die(failed)
  })

/** Seals until so many events are; transactions of other databases on the same server hold it up. */
const sealed = Effect.fnUntraced(function* (count: number) {
  const { seal } = yield* AuditChain
  let total = yield* seal
  while (total < count) total += yield* Effect.delay(seal, "20 millis")
  return total
})

layer(chain, { excludeTestServices: true })("The chain of the audit", (it) => {
  it.effect("verifies 10,000 events, and names an event that was changed by a byte, removed or inserted", () =>
    Effect.gen(function* () {
      const { verify } = yield* AuditChain
      yield* events(10_000)
      assert.strictEqual(yield* sealed(9000), 9000)
      assert.deepInclude(yield* verify, { checked: 9000, eventId: null, problem: null, removed: 0 })
      for (const [statement, eventId, problem] of [
        [`update event set actor = 'indz' where id = 4321`, "4321", "event 4321 or its seal was changed"],
        [`update event set hostname = 'sw1x' where id = 1`, "1", "event 1 or its seal was changed"],
        [
          `update event set at = at + interval '1 microsecond' where id = 9999`,
          "9999",
          "event 9999 or its seal was changed"
        ],
        [
          `update event set data = '{"after": {"description": "room 5001 "}}' where id = 5001`,
          "5001",
          "event 5001 or its seal was changed"
        ],
        [`update event set is_audit = false where id = 77`, "77", "event 77 or its seal was changed"],
        [
          `update event_seal set hash = case when starts_with(hash, 'x') then 'y' else 'x' end || substr(hash, 2) where event_id = 7654`,
          "7654",
          "event 7654 or its seal was changed"
        ],
        [`delete from event where id = 6543`, "6543", "event 6543 is missing"],
        [
          `with gone as (delete from event where id = 6543) delete from event_seal where event_id = 6543`,
          "6544",
          "seals are missing between event 6542 and event 6544"
        ],
        [`update event set is_audit = true where id = 510`, "510", "event 510 was inserted: it has no seal"]
      ] as const) {
        assert.deepInclude(yield* tampered(statement, verify), { eventId, problem }, statement)
      }
      assert.strictEqual((yield* verify).problem, null)
    })
  )

  it.effect("continues from its anchor when old events are removed, and reports the removal", () =>
    Effect.gen(function* () {
      const { forget, verify } = yield* AuditChain
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* forget(1), 0)
      assert.isAbove(yield* forget(0), 8000)
      yield* events(10)
      yield* sealed(9)
      const [oldest] = yield* sql<{ at: string }>`select iso_time(min(at)) as at from event
        where is_audit and id in (select event_id from event_seal)`
      const verdict = yield* verify
      assert.strictEqual(verdict.problem, null)
      assert.isAbove(verdict.removed, 8000)
      assert.strictEqual(verdict.since, oldest?.at)
      const [removed] = yield* sql`select kind, action from event where kind = 'audit' limit 1`
      assert.deepEqual(removed, { kind: "audit", action: "removed" })
    })
  )

  it.effect("stays valid while old events are removed from its beginning", () =>
    Effect.gen(function* () {
      const { forget, verify } = yield* AuditChain
      const sql = yield* SqlClient.SqlClient
      yield* events(100)
      // those that stay
      yield* sql`insert into event (at, kind, action, is_audit, data)
        select now() + interval '1 day', 'device', 'updated', true, '{}' from generate_series(1, 10)`
      yield* sealed(100)
      const waits = Effect.map(
        sql<{
          waits: boolean
        }>`select exists (select from pg_locks where not granted and relation = 'event_seal'::regclass) as waits`,
        ([row]) => row?.waits === true
      )
      const held = yield* Deferred.make<void>()
      const checking = yield* Effect.forkChild(Effect.andThen(Deferred.await(held), verify))
      yield* Effect.gen(function* () {
        yield* sql`lock table event_seal in access exclusive mode`
        yield* Deferred.succeed(held, undefined)
        // it has read where the chain begins, and is held up at its first seals
        while (!(yield* waits)) yield* Effect.sleep("20 millis")
        assert.isAbove(yield* forget(0), 80)
      }).pipe(sql.withTransaction)
      assert.strictEqual((yield* Fiber.join(checking)).problem, null)
    })
  )
})
