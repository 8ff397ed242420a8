/**
 * Many months of live synchronizations on real switches of the lab, compressed: after each round everything becomes a month older and
 * retention works. The database is flat after its first period, and what is needed stays.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { JobRetention } from "../../../src/store/JobRetention.ts"
import { RetainedFigures } from "../../../src/store/RetainedFigures.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { type Ask, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { wantChange } from "../chaos/ManagedCampus.ts"

const NAMES = ["acc-1", "acc-2"]
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

/** Everything becomes 30 days older. */
const passMonth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const age = (table: string, ...columns: ReadonlyArray<string>) =>
    sql`update ${sql.literal(table)} set ${sql.literal(columns.map((column) => `${column} = ${column} - interval '30 days'`).join(", "))}`
  yield* sql`select set_config('switchyard.retention', 'on', true)`
  yield* age("job", "scheduled_time", "start_time", "finish_time")
  yield* age("job_device", "finished_at")
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
  it.live("keeps the database flat after the first period, and what is needed", () =>
    Effect.gen(function* () {
      const { boss, running, url } = yield* makeCampusWithRoles({ names: NAMES, roles, variables })
      const months: Array<Readonly<Record<string, number>>> = []
      const jobs: Array<number> = []
      yield* Effect.provide(
        Effect.gen(function* () {
          const store = yield* DeviceStore
          const retention = yield* JobRetention
          for (let month = 0; month < MONTHS; month++) {
            const devices = yield* Effect.forEach(NAMES, (name) => store.getByHostname(name))
            yield* wantChange(devices, `month ${month}`)
            yield* sync(boss, { dry_run: true })
            const { job, text } = yield* sync(boss, { dry_run: false })
            assert.include(text, '"outcome":"success"', text)
            jobs.push(job)
            yield* passMonth
            yield* retention.remove(settings)
            months.push({
              jobs: yield* count("job"),
              rows: yield* count("job_device"),
              configs: yield* count("job_device where brief_tasks is not null"),
              changes: yield* count("config_change")
            })
          }
          yield* Effect.flatMap(RetainedFigures, ({ look }) => look)
        }).pipe(Effect.provide(RetainedFigures.layer.pipe(Layer.provideMerge(JobRetention.layer)))),
        running
      )
      // after the fourth month nothing grows any more
      for (const month of months.slice(5)) assert.deepStrictEqual(month, months[4])
      const [first = 0] = jobs
      const gone = yield* boss("GET", `/job/${first}`)
      assert.strictEqual(gone.status, 404)
      assert.include(gone.text, `No job with id ${first} found`)
      assert.include(gone.text, "JOB_DAYS")

      const history = yield* boss("GET", `/device/${NAMES[0]}/configs`)
      assert.strictEqual(history.text.split('"has_config":true').length - 1, 2, history.text)

      // two of each device, and the dry run of the last month
      const told = yield* Effect.promise(() => fetch(`${url}/metrics`).then((answer) => answer.text()))
      assert.include(told, 'switchyard_retained_rows{kind="config"} 6')
      assert.match((yield* boss("GET", "/system/status")).text, /"kind":"job","rows":\d+,"bytes":\d+,"oldest":"20/)

      // the last job can be undone still
      const last = jobs.at(-1) ?? 0
      const undone = yield* boss("POST", `/job/${last}/revert`, { dry_run: false })
      assert.include(yield* ended(boss, jobIn(undone)), '"outcome":"success"')
    }).pipe(Effect.scoped)
  )
})
