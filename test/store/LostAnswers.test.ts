/** Writes of accepted work whose answer is lost are done again: what they say must not be said twice, nor be denied. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { waitingForDatabase } from "../../src/store/DatabaseClient.ts"
import { DeviceStore, SyncEventStore } from "../../src/store/DeviceStore.ts"
import { OperationStore } from "../../src/store/OperationStore.ts"
import { StruckDatabase, withLostAnswer } from "../support/StruckDatabase.ts"

const stores = Layer.mergeAll(DeviceStore.layer, OperationStore.layer, SyncEventStore.layer)

// all of a test waits for the database, because the end of a connection that was struck may be noticed later
layer(Layer.provideMerge(stores, StruckDatabase), { excludeTestServices: true })("A lost answer", (it) => {
  it.effect("does not duplicate the cause of being out of sync", () =>
    Effect.gen(function* () {
      const events = yield* SyncEventStore
      const append = events.append(["acc1"], { cause: "confighash", by: "tester", job_id: null })
      assert.isTrue(Exit.isSuccess(yield* withLostAnswer(append)))
      assert.strictEqual((yield* events.byHostname("acc1")).get("acc1")?.length, 1)
    }).pipe(waitingForDatabase)
  )

  it.effect("does not mark an ended operation as taken over", () =>
    Effect.gen(function* () {
      const operations = yield* OperationStore
      const { id: device_id } = yield* (yield* DeviceStore).insert({
        hostname: "acc1",
        state: "MANAGED",
        device_type: "ACCESS"
      })
      const operation = yield* operations.begin({
        device_id,
        job_id: null,
        kind: "bounce",
        phase: "lowering",
        detail: {}
      })
      const end = operations.claim(operation, "done")
      assert.deepStrictEqual(yield* withLostAnswer(end), Exit.succeed(true))
      assert.isFalse(yield* operations.claim({ ...operation, epoch: operation.epoch - 1 }, "done"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`update device_operation set epoch = epoch + 1`
      assert.isFalse(yield* end, "another one comes too late")
    }).pipe(waitingForDatabase)
  )
})
