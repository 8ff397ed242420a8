/**
 * A list of jobs that worked on thousands of devices, at a server with little memory: it is complete, and no other request waits for it.
 */
import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as http from "node:http"
import { dataFolder, start } from "../../support/Program.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"

const JOBS = 12
const DEVICES = 2_000
/** Characters of the configuration of each: the results of all are some 220 MB. */
const CONFIGURATION = 9_000
/** Megabytes of memory that the server's own objects may take. */
const LITTLE = 220

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into job (function_name, status, scheduled_by, start_time, finish_time, result)
    select 'sync_devices', 'FINISHED', 'tester', now(), now(), '{"_totals": {"selected_devices": 1}}' from generate_series(1, ${JOBS})`
  const tasks = `jsonb_build_array(
    jsonb_build_object('task_name', 'push_sync_device', 'result', '', 'diff', '', 'failed', false),
    jsonb_build_object('task_name', 'Generate device config', 'result', repeat('interface Ethernet ', ${CONFIGURATION} / 19),
      'diff', '', 'failed', false))`
  // their results are ignored
  yield* sql`set session_replication_role = replica`
  yield* sql`insert into job_device (job_id, hostname, failed, job_tasks, brief_tasks, reached_end, changed)
    select job.id, 'lhv-acc' || number, false, ${sql.literal(tasks)}, ${sql.literal(tasks)} - 1, true, true
    from job, generate_series(1, ${DEVICES}) number`
})

/** The length of the answer, how many devices are in it, its last characters, and whether it is whole. */
const read = (url: string) =>
  Effect.promise(
    () =>
      new Promise<{ status: number; bytes: number; devices: number; end: string }>((resolve, reject) => {
        http
          .get(url, (response) => {
            const found = { status: response.statusCode ?? 0, bytes: 0, devices: 0, end: "" }
            let rest = ""
            response.setEncoding("utf8")
            response.on("data", (text: string) => {
              found.bytes += text.length
              rest += text
              const parts = rest.split('"job_tasks"')
              found.devices += parts.length - 1
              rest = (parts.at(-1) ?? "").slice(-20)
              found.end = text.slice(-3)
            })
            response.once("end", () => resolve(found))
            response.once("error", reject)
          })
          .once("error", reject)
      })
  )

it.live("a list of large jobs is answered completely, in bounded memory", () =>
  Effect.gen(function* () {
    const url = yield* databaseUrl
    const program = yield* start({
      DATA_DIR: yield* dataFolder,
      DATABASE_URL: url,
      NODE_OPTIONS: `--max-old-space-size=${LITTLE}`
    })
    const base = `${yield* program.url}/api/v1.0`
    yield* Effect.provide(seed, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))

    const [all, again, one, brief] = yield* Effect.all(
      [
        read(`${base}/jobs`),
        read(`${base}/jobs?sort=id`),
        read(`${base}/job/1`),
        read(`${base}/jobs?filter_jobresult=config,diff`)
      ],
      { concurrency: "unbounded" }
    )
    for (const list of [all, again]) {
      assert.deepInclude(list, { status: 200, devices: JOBS * DEVICES, end: "]}}" }, program.text().slice(-2_000))
      assert.isAbove(list.bytes, JOBS * DEVICES * CONFIGURATION)
    }
    assert.deepInclude(one, { status: 200, devices: DEVICES, end: "]}}" })
    assert.deepInclude(brief, { status: 200, devices: JOBS * DEVICES, end: "]}}" })
    assert.isBelow(brief.bytes, all.bytes / 20)

    const record: unknown = yield* Effect.promise(() => fetch(`${base}/job/2`).then((answer) => answer.json()))
    const [job] = Object(record).data.jobs
    assert.deepStrictEqual(job.result._totals, { selected_devices: 1 })
    assert.strictEqual(Object.keys(job.result.devices).length, DEVICES)
    assert.deepStrictEqual(job.result.devices["lhv-acc7"].job_tasks[0], {
      diff: "",
      failed: false,
      result: "",
      task_name: "push_sync_device"
    })
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
