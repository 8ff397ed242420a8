/** Configurations are stored once: by their hash, compressed and sealed, for as long as something refers to them. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import { deviceResult, taskOk } from "../../src/domain/Job.ts"
import { pack } from "../../src/runtime/SecretKey.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
import { ConfigStore } from "../../src/store/ConfigStore.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { DerivedSecretStore, REFERENCE, SecretTexts } from "../../src/store/SecretStore.ts"
import { makeTextPacking } from "../../src/store/StoredTexts.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestSecrets } from "../support/TestStores.ts"

const stores = Layer.mergeAll(ConfigStore.layer, DerivedSecretStore.layer, DeviceStore.layer, JobStore.layer).pipe(
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

/** A finished device of a synchronization. */
const resultOf = (hostname: string, config: string, diff = "") => ({
  hostname,
  result: deviceResult([
    taskOk("push_sync_device"),
    taskOk("Generate device config", config),
    taskOk("Sync device config", null, diff)
  ]),
  reachedEnd: true,
  changed: true,
  score: 1
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The tasks of the device in the answer about the job. */
const answered = Effect.fnUntraced(function* (id: number, hostname: string) {
  const store = yield* JobStore
  const members: unknown = JSON.parse(`{${(yield* store.deviceResults([id], [])).get(id)}}`)
  const one: unknown = JSON.parse(`{${(yield* store.resultsAfter(id, "", 10, [])).map(({ text }) => text).join(",")}}`)
  assert.deepStrictEqual(one, members)
  return isObject(members) && isObject(members[hostname]) ? members[hostname]["job_tasks"] : undefined
})

layer(database, { excludeTestServices: true })("The result of a job on a device", (it) => {
  it.effect("refers to its configuration, is shown without secrets, and with them on request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* JobStore
      const derived = yield* DerivedSecretStore
      const config = `${configOf("acc1")}description derived-from-secret\n`
      const { change } = yield* makeChange("acc1", config)
      yield* derived.note(change.device_id, { values: ["derived-from-secret"], lines: [] })
      const id = change.job_id
      yield* store.addDevice(id, resultOf("acc1", config, "+description derived-from-secret\n"))
      const [row] = yield* sql<{ bytes: number }>`select pg_column_size(d)::integer as bytes from job_device d`
      assert.isBelow(row?.bytes ?? 0, 2000)
      const texts = yield* sql`select from stored_text`
      assert.strictEqual(texts.length, 2, "the configuration, and the tasks with the difference in clear")

      const shown = yield* answered(id, "acc1")
      const text = JSON.stringify(shown)
      assert.match(text, /username admin secret <hidden:[0-9a-f]{4}>/)
      assert.match(text, /\+description <hidden:[0-9a-f]{4}>/)
      assert.include(text, "vlan 301")
      assert.notInclude(text, SECRET)
      assert.notInclude(text, "derived-from-secret")
      assert.isAbove((yield* store.textBytes([id], [])).get(id) ?? 0, 3000)

      const clear = (yield* store.sealedTasks(id)).get("acc1")
      assert.deepStrictEqual(clear, resultOf("acc1", config, "+description derived-from-secret\n").result.job_tasks)

      // what was hidden stays so
      yield* sql`delete from device where hostname = 'acc1'`
      assert.deepStrictEqual(yield* answered(id, "acc1"), shown)
      const brief = yield* store.deviceResults([id], ["Generate device config"])
      assert.notInclude(brief.get(id) ?? "", "vlan 301")
    })
  )

  it.effect("without secrets is the same for everybody, and has a history", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* JobStore
      const { history } = yield* ConfigStore
      const { change } = yield* makeChange("acc2", "hostname acc2\n")
      yield* store.addDevice(change.job_id, resultOf("acc2", 'banner motd "$& $1"\nhostname acc2\n'))
      yield* sql`update job set status = 'FINISHED', finish_time = now() where id = ${change.job_id}`
      assert.include(
        JSON.stringify(yield* answered(change.job_id, "acc2")),
        JSON.stringify('banner motd "$& $1"\nhostname acc2\n')
      )
      assert.strictEqual((yield* store.sealedTasks(change.job_id)).size, 0)
      assert.deepInclude((yield* history.list("acc2", 5))[0], { job_id: change.job_id, has_config: true })
      const found = Option.getOrThrow(yield* history.find("acc2", { _tag: "Previous", count: 0 }))
      assert.strictEqual(found.config, 'banner motd "$& $1"\nhostname acc2\n')
      assert.strictEqual((yield* history.proved("acc2", 5))[0]?.config, found.config)
    })
  )

  it.effect("keeps its configuration as long as its row, and has none under a lost key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* JobStore
      const job = yield* jobFor
      yield* store.addDevice(job, resultOf("acc3", configOf("acc3")))
      const before = (yield* storedTexts).length
      yield* age
      yield* removeUnused
      assert.include(JSON.stringify(yield* answered(job, "acc3")), "vlan 301")
      yield* sql`update stored_text set packed = '\\x0123456789ab' || substring(packed from 7)`
      assert.deepInclude(Object.values(Object(yield* answered(job, "acc3")))[1], { failed: false, result: null })
      assert.strictEqual((yield* store.sealedTasks(job)).size, 0)
      yield* sql`delete from job_device where job_id = ${job}`
      yield* age
      yield* removeUnused
      assert.strictEqual((yield* storedTexts).length, before - 1)
    })
  )
})
