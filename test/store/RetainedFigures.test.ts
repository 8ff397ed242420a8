/** The rounds of removal and counting: one replica of all does each. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { makeRetainedFigures } from "../../src/store/Retention.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const database = Layer.merge(ServerConfig.layerOf({}), TestDatabase)

const HOUR = 3600

describe("the figures of retained records", () => {
  it.live("are counted by one of simultaneous replicas, and again when the count is old", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { begin, look } = yield* makeRetainedFigures
      const replicas = Effect.map(
        Effect.all(
          Array.from({ length: 4 }, () => begin(HOUR)),
          { concurrency: 4 }
        ),
        (begun) => begun.filter((mine) => mine).length
      )
      assert.strictEqual(yield* replicas, 1)
      assert.strictEqual(yield* replicas, 0)
      yield* look
      assert.strictEqual(yield* replicas, 0)
      yield* sql`update retained set looked_at = looked_at - interval '2 hours'`
      assert.strictEqual(yield* replicas, 1)
    }).pipe(Effect.provide(database))
  )
})
