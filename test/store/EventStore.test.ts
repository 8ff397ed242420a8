import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Acting } from "../../src/domain/access/Identity.ts"
import { EventStore } from "../../src/store/EventStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const database = EventStore.layer.pipe(Layer.provideMerge(TestDatabase))

const indy = { name: "indy", way: "jwt", address: "192.0.2.7", job: null } as const

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select kind, action, actor, way, address, data from event order by id`
)

describe("the log of events", () => {
  it.effect("records the actor, and the server for its own actions", () =>
    Effect.gen(function* () {
      const events = yield* EventStore
      yield* events.append({ kind: "login", action: "refused", isAudit: true, data: { reason: "expired" } })
      yield* Effect.provideService(
        events.append({ kind: "token", action: "created", isAudit: true, data: {} }),
        Acting,
        indy
      )
      expect(yield* rows).toEqual([
        {
          kind: "login",
          action: "refused",
          actor: "server",
          way: "server",
          address: null,
          data: { reason: "expired" }
        },
        { kind: "token", action: "created", actor: "indy", way: "jwt", address: "192.0.2.7", data: {} }
      ])
    }).pipe(Effect.provide(database))
  )

  it.effect("loses an event with the change that it describes", () =>
    Effect.gen(function* () {
      const events = yield* EventStore
      const sql = yield* SqlClient.SqlClient
      const failing = Effect.andThen(
        events.append({ kind: "device", action: "created", isAudit: true, data: {} }),
        Effect.fail("it failed")
      )
      yield* Effect.ignore(sql.withTransaction(failing))
      expect(yield* rows).toEqual([])
    }).pipe(Effect.provide(database))
  )

  it.effect("is never changed", () =>
    Effect.gen(function* () {
      const events = yield* EventStore
      const sql = yield* SqlClient.SqlClient
      yield* events.append({ kind: "device", action: "created", isAudit: true, data: {} })
      for (const change of [sql`update event set actor = 'nobody'`, sql`delete from event`, sql`truncate event`]) {
        expect(String((yield* Effect.flip(change)).reason.cause)).toContain("events are never changed")
      }
      expect(yield* rows).toHaveLength(1)
    }).pipe(Effect.provide(database))
  )
})
