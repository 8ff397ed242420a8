/** The records of earlier releases about devices after their database is migrated, and later. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import proved from "../../src/store/migrations/0053_proved.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** The record's expectation, the proof, and the expectation afterwards. */
const rows = [
  ["restored", "of the sync before", "of the restore", "of the restore"],
  ["synchronized", "same", "same", "same"],
  ["upgraded", null, "before the upgrade", null],
  ["never proved", null, null, null],
  ["sealed under a key that is gone", "old", null, "old"]
] as const

it.effect(
  "expects the last proved configuration of a device, except after an upgrade, and follows each new proof",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop trigger expect_proved on proved_config`
      yield* sql`drop function expect_proved`
      for (const [hostname, expected, hash] of rows) {
        const [device] = yield* sql<{
          id: number
        }>`insert into device (hostname, state, device_type, platform, confhash)
        values (${hostname}, 'MANAGED', 'ACCESS', 'eos', ${expected}) returning id`
        if (hash !== null) {
          yield* sql`insert into proved_config (device_id, hash, config) values (${device?.id ?? 0}, ${hash}, '')`
        }
      }
      const hashes = Effect.map(
        sql<{ hostname: string; confhash: string | null }>`select hostname, confhash from device order by id`,
        (found) => found.map(({ confhash, hostname }) => [hostname, confhash])
      )
      yield* proved
      assert.deepStrictEqual(
        yield* hashes,
        rows.map(([hostname, , , afterwards]) => [hostname, afterwards])
      )
      yield* sql`insert into proved_config (device_id, hash, config) select id, 'anew', '' from device
      on conflict (device_id) do update set hash = excluded.hash`
      assert.deepStrictEqual(
        yield* hashes,
        rows.map(([hostname]) => [hostname, "anew"])
      )
    }).pipe(Effect.provide(TestDatabase))
)
