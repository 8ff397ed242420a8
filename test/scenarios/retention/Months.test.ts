/**
 * Many months of live synchronizations on real switches of the lab, compressed: after each round everything becomes a month older and
 * retention works. The database is flat after its first period, and what is needed stays.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { REFERENCE, SecretTexts } from "../../../src/store/SecretStore.ts"
import { makeJobRetention, makeRetainedFigures } from "../../../src/store/Retention.ts"
import { makeTextPacking } from "../../../src/store/StoredTexts.ts"
import { clearTasks, type ConfigColumns, withConfig } from "../../../src/store/DeviceTasks.ts"
import { SecretKey } from "../../../src/runtime/SecretKey.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { type Ask, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { wantChange } from "../chaos/ManagedCampus.ts"

const NAMES = ["acc-1", "acc-2"]
/** Bytes that the texts of all jobs and changes take. */
const textBytes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ bytes: number }>`select ((select sum(pg_column_size(candidate)
      + coalesce(pg_column_size(old_config), 0) + coalesce(pg_column_size(diff), 0)) from config_change)
    + (select coalesce(sum(pg_column_size(sealed_tasks)), 0) from job_device)
    + (select coalesce(sum(coalesce(octet_length(packed), pg_column_size(body)) + 80), 0) from stored_text))::float8 as bytes`
  return row?.bytes ?? 0
})

const MONTHS = 9
const roles = "roles:\n  administrator:\n    permissions:\n      - methods: ['*']\n        endpoints: ['*']\n"
const variables = {
  JOB_DAYS: "100",
  JOB_DEVICE_DAYS: "0",
  CHANGE_DAYS: "40",
  CONFIG_DAYS: "40",
  CONFIG_COUNT: "2",
  OPERATION_DAYS: "40"
}
const settings = {
  JOB_DAYS: 100,
  JOB_DEVICE_DAYS: 0,
  CHANGE_DAYS: 40,
  CONFIG_DAYS: 40,
  CONFIG_COUNT: 2,
  OPERATION_DAYS: 40
}

/** Stores the texts in the rows themselves, as earlier releases did. */
const likeEarlierRelease = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* SecretTexts
  const sealed = (text: string | null) => (text === null ? null : secrets.seal(Option.getOrThrow(secrets.open(text))))
  const changes = yield* sql<{
    id: number
    candidate: string
    old_config: string | null
    diff: string | null
  }>`select id, whole_text(candidate) as candidate, whole_text(old_config) as old_config, whole_text(diff) as diff from config_change`
  for (const { candidate, diff, id, old_config } of changes) {
    yield* sql`update config_change set candidate = ${sealed(candidate)}, old_config = ${sealed(old_config)}, diff = ${sealed(diff)}
      where id = ${id}`
  }
  yield* sql`select set_config('switchyard.retention', 'on', true)`
  const rows = yield* sql<
    ConfigColumns & { job_id: number; hostname: string; job_tasks: string; sealed_tasks: string | null }
  >`
    select job_id, hostname, job_tasks::text as job_tasks, whole_text(sealed_tasks) as sealed_tasks, whole_text(config) as config,
      config_hidden from job_device`
  for (const row of rows) {
    const tasks = JSON.stringify(Option.getOrThrow(clearTasks(secrets, row)))
    yield* sql`update job_device set job_tasks = ${withConfig(secrets, row.job_tasks, row)}::text::jsonb, config = null, config_hidden = null,
      sealed_tasks = ${secrets.seal(tasks)} where job_id = ${row.job_id} and hostname = ${row.hostname}`
  }
}).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)))

/** Everything becomes 30 days older. */
const passMonth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const age = (table: string, ...columns: ReadonlyArray<string>) =>
    sql`update ${sql.literal(table)} set ${sql.literal(columns.map((column) => `${column} = ${column} - interval '30 days'`).join(", "))}`
  yield* sql`select set_config('switchyard.retention', 'on', true)`
  yield* age("job", "scheduled_time", "start_time", "finish_time")
  yield* age("job_device", "finished_at")
  yield* age("stored_text", "stored_at")
  yield* age("config_change", "created_at", "updated_at")
  yield* age("device_operation", "created_at", "updated_at")
}).pipe((effect) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect)))

const count = Effect.fnUntraced(function* (of: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`select count(*)::integer as count from ${sql.literal(of)}`
  return row?.count ?? 0
})

const sync = Effect.fnUntraced(function* (ask: Ask, body: object) {
  const job = jobIn(yield* ask("POST", "/device_syncto", { all: true, ...body }))
  return { job, text: yield* ended(ask, job) }
})

describe("retention over many months", () => {
  it.live("keeps the database flat after the first period, and the required rows", () =>
    Effect.gen(function* () {
      const { boss, running, url } = yield* makeCampusWithRoles({ names: NAMES, roles, variables })
      const months: Array<Readonly<Record<string, number>>> = []
      const jobs: Array<number> = []
      let packed = 1
      /** The API's answers about a job and its configurations. */
      const told = (id: number) =>
        Effect.forEach(
          [
            `/job/${id}`,
            `/job/${id}/diffs`,
            `/device/${NAMES[0]}/previous_config?job_id=${id}`,
            `/device/${NAMES[0]}/config_blame?of=${id}`,
            `/device/${NAMES[0]}/config_diff?from=${id}&to=generated`
          ],
          (path) => boss("GET", path)
        )
      yield* Effect.provide(
        Effect.gen(function* () {
          const store = yield* DeviceStore
          const retention = yield* makeJobRetention
          const packing = yield* makeTextPacking
          for (let month = 0; month < MONTHS; month++) {
            const devices = yield* Effect.forEach(NAMES, (name) => store.getByHostname(name))
            yield* wantChange(devices, `month ${month}`)
            yield* sync(boss, { dry_run: true })
            const { job, text } = yield* sync(boss, { dry_run: false })
            assert.include(text, '"outcome":"success"', text)
            jobs.push(job)
            for (let again = month === 0 ? 0 : 3; again < 3; again++)
              yield* sync(boss, { dry_run: false, resync: true })
            yield* passMonth
            const once = yield* told(job)
            if (month === 0) yield* likeEarlierRelease
            const before = yield* textBytes
            const shown = yield* told(job)
            assert.deepStrictEqual(shown, once)
            for (const answer of shown) assert.strictEqual(answer.status, 200, answer.text)
            yield* packing.pack
            assert.deepStrictEqual(yield* told(job), shown)
            assert.strictEqual(yield* count(`config_change where not starts_with(candidate, '${REFERENCE}')`), 0)
            if (month === 0) packed = (yield* textBytes) / before
            yield* retention.remove(settings)
            months.push({
              jobs: yield* count("job"),
              rows: yield* count("job_device"),
              configs: yield* count("job_device where brief_tasks is not null"),
              texts: yield* count("stored_text"),
              changes: yield* count("config_change")
            })
          }
          yield* Effect.flatMap(makeRetainedFigures, ({ look }) => look)
        }).pipe(Effect.provide(SecretTexts.layer.pipe(Layer.provideMerge(SecretKey.layer)))),
        running
      )
      // after the fourth month nothing grows any more
      for (const month of months.slice(5)) assert.deepStrictEqual(month, months[4])
      // what did not change is stored once
      assert.isBelow(packed, 0.4)
      const [first = 0] = jobs
      const gone = yield* boss("GET", `/job/${first}`)
      assert.strictEqual(gone.status, 404)
      assert.include(gone.text, `No job with id ${first} found`)
      assert.include(gone.text, "JOB_DAYS")

      const history = yield* boss("GET", `/device/${NAMES[0]}/configs`)
      assert.strictEqual(history.text.split('"has_config":true').length - 1, 2, history.text)

      // two of each device, and the dry run of the last month
      const metrics = yield* Effect.promise(() => fetch(`${url}/metrics`).then((answer) => answer.text()))
      assert.include(metrics, 'switchyard_retained_rows{kind="config"} 6')
      assert.match((yield* boss("GET", "/system/status")).text, /"kind":"job","rows":\d+,"bytes":\d+,"oldest":"20/)

      // the last job can be undone still
      const last = jobs.at(-1) ?? 0
      const undone = yield* boss("POST", `/job/${last}/revert`, { dry_run: false })
      assert.include(yield* ended(boss, jobIn(undone)), '"outcome":"success"')
    }).pipe(Effect.scoped)
  )
})
