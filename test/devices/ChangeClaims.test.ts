/** What a session may still send when the database does not name the owner of the change. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { claimOf } from "../../src/devices/ChangeRun.ts"
import { TAKEN_OVER, UNASKED } from "../../src/drivers/Driver.ts"
import { ProxiedDatabase } from "../support/TestDatabase.ts"
import { losses } from "../support/Silence.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
import { TestSecrets } from "../support/TestStores.ts"

const makeScene = Effect.gen(function* () {
  const { layer, proxy } = yield* ProxiedDatabase
  const database = yield* Layer.build(ChangeStore.layer.pipe(Layer.provide(TestSecrets), Layer.provideMerge(layer)))
  const scene = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into device (hostname, state, device_type, platform) values ('a1', 'MANAGED', 'ACCESS', 'eos')`
    yield* sql`insert into job (status, function_name) values ('RUNNING', 'sync_devices')`
    const [row] = yield* sql<{
      id: number
    }>`insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
      select job.id, device.id, 'loading', 3, '{}', '' from job, device returning id`
    const known = { written: { phase: "loading", epoch: 3 } as const, at: 0 }
    const { live: changes } = yield* ChangeStore
    const claim = (alone: boolean) => claimOf(changes, row?.id ?? 0, known, alone)
    const takeOver = sql`update config_change set epoch = 4`
    return { claim, known, proxy, takeOver }
  })
  return yield* Effect.provideContext(scene, database)
})

it.live("a replica without a database sends nothing, and continues when the change still belongs to it", () =>
  Effect.gen(function* () {
    const { claim, known, proxy, takeOver } = yield* makeScene
    const among = claim(false)
    assert.isNull(yield* among.ask)
    assert.isTrue(among.isFresh())
    for (const how of losses) {
      known.at = 0
      yield* proxy.lose(how)
      assert.strictEqual(yield* among.ask, UNASKED, how)
      assert.isFalse(among.isFresh())
      yield* proxy.restore
      assert.isNull(yield* among.ask)
    }
    yield* takeOver
    assert.strictEqual(yield* among.ask, TAKEN_OVER)
  }).pipe(Effect.scoped)
)

it.live("a session continues without the database if no other replica could take the change over", () =>
  Effect.gen(function* () {
    const { claim, proxy, takeOver } = yield* makeScene
    const only = claim(true)
    yield* takeOver
    assert.strictEqual(yield* only.ask, TAKEN_OVER)
    yield* proxy.lose("refused")
    assert.isNull(yield* only.ask)
  }).pipe(Effect.scoped)
)
