/** Configurations are stored once: by their hash, compressed and sealed, for as long as something refers to them. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import { pack } from "../../src/runtime/SecretKey.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
import { ConfigStore } from "../../src/store/ConfigStore.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { REFERENCE, SecretTexts } from "../../src/store/SecretStore.ts"
import { makeTextPacking } from "../../src/store/StoredTexts.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestSecrets } from "../support/TestStores.ts"

const stores = Layer.mergeAll(ConfigStore.layer, DeviceStore.layer, JobStore.layer).pipe(
  Layer.provideMerge(ChangeStore.layer),
  Layer.provideMerge(TestSecrets)
)

const SECRET = "hunter2hunter2"
const configOf = (name: string) =>
  `hostname ${name}\nusername admin secret ${SECRET}\n${Array.from({ length: 300 }, (_, n) => `vlan ${n + 2}\n`).join("")}`

const jobFor = Effect.gen(function* () {
  return yield* (yield* JobStore).insert({
    function_name: "sync_devices",
    scheduled_by: "tester",
    comment: null,
    ticket_ref: null,
    start_arguments: null,
    delaySeconds: 0
  })
})

const makeChange = Effect.fnUntraced(function* (hostname: string, candidate: string) {
  const changes = yield* ChangeStore
  const device = yield* (yield* DeviceStore).insert({ hostname, state: "MANAGED", device_type: "ACCESS" })
  const job_id = yield* jobFor
  const options = { mode: 0, dryRun: false, force: false, expectedHash: null, timerSeconds: null } as const
  const protocol = newChange({ ...options, sessionName: `job${job_id}` })
  const change = { job_id, device_id: device.id, protocol, candidate, load_mode: "replace" } as const
  return { changes, change, ...(yield* changes.findOrInsert(change)) }
})

const storedTexts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ bytes: number }>`select octet_length(packed) as bytes from stored_text order by hash`
})

/** Makes all stored texts older than the age at which unused ones are removed. */
const age = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update stored_text set stored_at = now() - interval '2 days'`
)

/** The round that moves old texts and removes unused ones. */
const removeUnused = Effect.flatMap(makeTextPacking, (packing) => packing.pack)

/** Waits until a session waits for a lock of another one. */
const someoneWaits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((yield* waits).length === 0) yield* Effect.sleep("5 millis")
})

const database = stores.pipe(Layer.provideMerge(Layer.fresh(TestDatabase)))

layer(database, { excludeTestServices: true })("A configuration of a change", (it) => {
  it.effect("is stored once as sealed bytes, whichever rows refer to it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const config = configOf("acc1")
      const { change, changes, id } = yield* makeChange("acc1", config)
      const from = { phase: change.protocol.phase, epoch: change.protocol.epoch }
      const row = { ...change.protocol, phase: "unchanged", candidateHash: "aa" } as const
      const proved = { hash: "aa", config, secrets: null }
      assert.isTrue(yield* changes.claim(id, { from, row }, null, { before: config, diff: "+vlan 2\n", proved }))
      const texts = yield* storedTexts
      assert.strictEqual(texts.length, 1)
      assert.isBelow(texts[0]?.bytes ?? 0, config.length / 2)
      const all = JSON.stringify([yield* sql`select * from config_change`, yield* sql`select * from proved_config`])
      assert.notInclude(all, SECRET)
      assert.isBelow(all.length, 2000)

      const found = Option.getOrThrow(yield* changes.get(id))
      assert.strictEqual(found.candidate, config)
      assert.strictEqual(found.protocol.diff, "+vlan 2\n")
      const stored = yield* (yield* ConfigStore).proved.of(change.device_id)
      assert.strictEqual(Option.getOrThrow(stored).config, config)
    })
  )

  it.effect("is found again by the same job", () =>
    Effect.gen(function* () {
      const { change, changes, id } = yield* makeChange("acc2", configOf("acc2"))
      const again = yield* changes.findOrInsert({ ...change, candidate: configOf("another") })
      assert.deepStrictEqual(again, { id, candidate: configOf("acc2") })
    })
  )
})

layer(database, { excludeTestServices: true })("A stored text", (it) => {
  it.effect("stays while a row refers to it, and a day after it was stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changes, id } = yield* makeChange("acc1", configOf("acc1"))
      yield* makeChange("acc2", configOf("acc2"))
      yield* age
      yield* makeChange("acc3", configOf("acc3"))
      yield* sql`delete from config_change where id <> ${id}`
      yield* removeUnused
      assert.strictEqual((yield* storedTexts).length, 2)
      yield* age
      yield* removeUnused
      assert.strictEqual((yield* storedTexts).length, 1)
      assert.strictEqual(Option.getOrThrow(yield* changes.get(id)).candidate, configOf("acc1"))
    })
  )

  it.effect("is not removed while another statement begins to refer to it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* makeChange("acc4", configOf("shared"))
      yield* sql`delete from config_change`
      yield* age
      const [isReferred, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const referring = yield* makeChange("acc5", configOf("shared")).pipe(
        Effect.tap(Deferred.succeed(isReferred, undefined)),
        Effect.tap(Deferred.await(mayCommit)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(isReferred)
      const removing = yield* Effect.forkChild(removeUnused)
      yield* someoneWaits
      yield* Deferred.succeed(mayCommit, undefined)
      const { changes, id } = yield* Fiber.join(referring)
      yield* Fiber.join(removing)
      assert.strictEqual(Option.getOrThrow(yield* changes.get(id)).candidate, configOf("shared"))
    })
  )

  it.effect("is stored anew if it is removed at the moment when a statement begins to refer to it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* makeChange("acc6", configOf("gone"))
      yield* sql`delete from config_change`
      yield* age
      const [isRemoved, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const removing = yield* sql`delete from stored_text`.pipe(
        Effect.tap(Deferred.succeed(isRemoved, undefined)),
        Effect.tap(Deferred.await(mayCommit)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(isRemoved)
      const referring = yield* Effect.forkChild(makeChange("acc7", configOf("gone")))
      yield* someoneWaits
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(removing)
      const { changes, id } = yield* Fiber.join(referring)
      assert.strictEqual(Option.getOrThrow(yield* changes.get(id)).candidate, configOf("gone"))
    })
  )

  it.effect("of an earlier release is still read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* SecretTexts
      const { changes, id } = yield* makeChange("acc8", "hostname acc8\n")
      yield* sql`insert into stored_text (hash, body) values ('old', ${secrets.seal(pack(configOf("old")))})`
      yield* sql`update config_change set candidate = ${`${REFERENCE}old`}, old_config = ${secrets.seal("hostname before\n")} where id = ${id}`
      assert.strictEqual(Option.getOrThrow(yield* changes.get(id)).candidate, configOf("old"))
      assert.deepStrictEqual(yield* changes.oldConfig(id), Option.some("hostname before\n"))
    })
  )
})
