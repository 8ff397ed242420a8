/** Secrets in the database, and the change of the key under which everything there is sealed (docs/security.md#changing-the-key). */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SecretKey } from "../../src/runtime/SecretKey.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { makeStoredSecrets, SecretTexts } from "../../src/store/SecretStore.ts"
import { textsOfStatement } from "../../src/store/StoredTexts.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const OLD = "the old key of this installation, long enough"
const NEW = "the new key of this installation, long enough"

const storeWith = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(
    makeStoredSecrets,
    SecretKey.layer.pipe(
      Layer.provide(ServerConfig.layerOf(environment)),
      Layer.provide(NodeServices.layer),
      Layer.fresh
    ),
    { local: true }
  )

layer(TestDatabase, { excludeTestServices: true })("Secrets in the database", (it) => {
  it.effect("are sealed, listed without values, and survive a change of the key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* storeWith({ SECRET_KEY: OLD })
      yield* before.set("PASSWORD_MANAGED", "hunter2")
      yield* before.set("TEMPLATE_SECRET_SNMP", "public2")
      const [device] = yield* sql<{
        id: number
      }>`insert into device (hostname, state, device_type) values ('sw1', 'MANAGED', 'ACCESS') returning id`
      yield* sql`insert into proved_config (device_id, hash, config) values (${device?.id ?? 0}, 'x', 'hostname sw1')`
      const stored = JSON.stringify(yield* sql`select * from secret`)
      assert.notInclude(stored, "hunter2")
      assert.deepStrictEqual(
        (yield* before.list).map(({ name }) => name),
        ["PASSWORD_MANAGED", "TEMPLATE_SECRET_SNMP"]
      )

      const changing = yield* storeWith({ SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD })
      assert.isFalse(yield* changing.hasOthers)
      assert.deepStrictEqual(yield* changing.reseal, { sealed: 3, unreadable: 0 })
      assert.deepStrictEqual(yield* changing.reseal, { sealed: 0, unreadable: 0 })

      const after = yield* storeWith({ SECRET_KEY: NEW })
      assert.deepStrictEqual(
        [...(yield* after.all)],
        [
          ["PASSWORD_MANAGED", "hunter2"],
          ["TEMPLATE_SECRET_SNMP", "public2"]
        ]
      )
      assert.isTrue(yield* before.hasOthers)
      assert.match((yield* Effect.flip(before.all)).message, /PASSWORD_MANAGED .* another key/)
      assert.deepStrictEqual(yield* before.reseal, { sealed: 0, unreadable: 3 })
      yield* after.remove("PASSWORD_MANAGED")
      assert.match((yield* Effect.flip(after.remove("PASSWORD_MANAGED"))).message, /no secret PASSWORD_MANAGED/)
      assert.match((yield* Effect.flip(after.set("SECRET_KEY", "x"))).message, /SECRET_KEY/)
    })
  )

  it.effect("seals texts that are stored once again, and finds those under a key that it does not know", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [device] = yield* sql<{
        id: number
      }>`insert into device (hostname, state, device_type) values ('sw2', 'MANAGED', 'ACCESS') returning id`
      const textsWith = (environment: Readonly<Record<string, string>>) =>
        Effect.provide(
          SecretTexts,
          SecretTexts.layer.pipe(
            Layer.provide(SecretKey.layer),
            Layer.provide(ServerConfig.layerOf(environment)),
            Layer.provide(NodeServices.layer),
            Layer.fresh
          ),
          { local: true }
        )
      const old = yield* textsWith({ SECRET_KEY: OLD })
      const texts = textsOfStatement(sql, old)
      const reference = texts.refer("hostname sw2")
      yield* sql`with ${texts.stored()}given as (select ${reference}::text as config)
        insert into proved_config (device_id, hash, config) select ${device?.id ?? 0}::integer, 'x', config from given`
      const opened = (secrets: SecretTexts["Service"]) =>
        Effect.map(
          sql<{ text: string }>`select whole_text(config) as text from proved_config where config = ${reference}`,
          ([row]) => Option.getOrUndefined(secrets.open(row?.text ?? ""))
        )
      const renewed = yield* textsWith({ SECRET_KEY: NEW })
      assert.strictEqual(yield* opened(old), "hostname sw2")
      assert.strictEqual(yield* opened(renewed), undefined)
      assert.isTrue(yield* (yield* storeWith({ SECRET_KEY: NEW })).hasOthers)

      const changing = yield* storeWith({ SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD })
      assert.isFalse(yield* changing.hasOthers)
      assert.deepStrictEqual(yield* changing.reseal, { sealed: 1, unreadable: 0 })
      assert.deepStrictEqual(yield* changing.reseal, { sealed: 0, unreadable: 0 })
      assert.strictEqual(yield* opened(renewed), "hostname sw2")
      assert.isFalse(yield* (yield* storeWith({ SECRET_KEY: NEW })).hasOthers)
    })
  )
})
