/**
 * An upgrade from release 0.1.0 (`MakeFirstRelease.ts`), whose server was killed in the middle of a rollout: today's server starts on its
 * database, with commit timers running on the switches. The rollout and the scheduled jobs come to their ends, and earlier records can
 * still be read.
 */
import { assert, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseClient from "../../../src/store/DatabaseClient.ts"
import { makeClient } from "../../support/ApiClient.ts"
import * as Program from "../../support/Program.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"
import { debrisOn, stripped } from "../chaos/ManagedCampus.ts"
import * as Fixture from "./Fixture.ts"
import { JOINING, NAMES } from "./UpgradeSite.ts"

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

type Site = Effect.Success<ReturnType<typeof Fixture.load>>
type Api = ReturnType<typeof makeClient>

/** Reads the database while the server runs. */
const databaseOf = ({ url }: Site) =>
  Effect.map(Layer.build(DatabaseClient.layer({ url: Redacted.make(url), maxConnections: 1 })), (context) =>
    Effect.provideContext(SqlClient.SqlClient, context)
  ).pipe(Effect.flatten)

const upgrade = Effect.fnUntraced(function* ({ env }: Site) {
  const program = yield* Program.start(env)
  return { program, api: makeClient(yield* program.url) }
})

const jobsIn = (sql: SqlClient.SqlClient) =>
  sql<{ id: number; status: string; function_name: string; comment: string | null }>`
    select id, status, function_name, comment from job order by id`

const read = (api: Api, path: string) =>
  Effect.map(api.send("GET", path), ({ body, status }) => {
    assert.strictEqual(status, 200, `${path}: ${JSON.stringify(body)}`)
    return body.data
  })

/** Every switch runs and has saved the change, and its row and the record of the job say so. */
const rolledOut = Effect.fnUntraced(function* (site: Site, api: Api, moment: Fixture.Moment) {
  const job = yield* api.ended(site.jobId)
  assert.strictEqual(job.status, "FINISHED", JSON.stringify(job.exception))
  const rows = yield* api.devices("filter[device_type]=ACCESS&per_page=50")
  for (const name of NAMES) {
    const result = job.result?.devices?.[name]
    assert.strictEqual(result?.failed, false, `${name} ${JSON.stringify(result)}`)
    const device = yield* site.lab.get(name)
    assert.include(device.running(), `description moment ${moment}`, name)
    assert.strictEqual(stripped(device.startup()), stripped(device.running()), name)
    assert.deepStrictEqual(debrisOn(device), [], name)
    // what was committed before the kill is not committed again
    const times = device.commits().filter(({ kind }) => kind === "commitTimer" || kind === "commit").length
    assert.isAtMost(times, 1, name)
    assert.strictEqual(rows.find(({ hostname }) => hostname === name)?.["synchronized"], true, name)
  }
})

/** The switch that was joining has become MANAGED. */
const joined = Effect.fnUntraced(function* (site: Site, api: Api) {
  yield* Program.until(
    Effect.map(api.devices(`filter[hostname]=${JOINING.hostname}`), ([row]) => row?.["state"] === "MANAGED")
  )
  const device = yield* site.lab.get(JOINING.node)
  yield* Program.until(Effect.sync(() => debrisOn(device).length === 0))
})

for (const moment of ["all", "confirming"] as const) {
  const until = moment === "all" ? "while all devices wait for each other" : "while all are being confirmed"
  it.live(`A rollout that the 0.1.0 server had under way ${until} comes to its end, on each device once`, () =>
    Effect.gen(function* () {
      const site = yield* Fixture.load(moment)
      const { api } = yield* upgrade(site)
      yield* rolledOut(site, api, moment)
      const sql = yield* databaseOf(site)
      yield* Program.until(Effect.map(jobsIn(sql), (jobs) => jobs.every(({ status }) => ENDED.includes(status))))
      assert.deepStrictEqual(yield* sql`select * from joblock`, [])
    }).pipe(Effect.scoped)
  )
}

/** The API's answers about jobs that ended under the old release. */
const oldJobs = Effect.fnUntraced(function* (api: Api, before: Effect.Success<ReturnType<typeof jobsIn>>) {
  for (const { function_name, id, status } of before) {
    const job = yield* api.job(id)
    assert.strictEqual(job?.id, id)
    if (ENDED.includes(status)) assert.strictEqual(job?.status, status, `job ${id}`)
    yield* read(api, `/job/${id}/progress`)
    if (function_name.startsWith("sync_devices")) yield* read(api, `/job/${id}/diffs`)
  }
  const named = (comment: string) => before.find((job) => job.comment === comment)?.id ?? 0
  const { jobs } = yield* read(api, `/job/${named("one is away")}`)
  assert.deepInclude((jobs as ReadonlyArray<object>)[0], { outcome: "partial", failed_devices: ["lhv-acc15"] })
  const aborted = before.find(({ status }) => status === "ABORTED")?.id ?? 0
  const { jobs: stopped } = yield* read(api, `/job/${aborted}`)
  assert.deepInclude((stopped as ReadonlyArray<object>)[0], { outcome: "aborted", failed_devices: ["lhv-acc14"] })
  const dry = before.find(({ function_name }) => function_name === "sync_devices (dry_run)")?.id ?? 0
  const diffs = yield* read(api, `/job/${dry}/diffs`)
  assert.include(JSON.stringify(diffs), "description before everything")
})

/** The configurations that devices had under the old release. */
const oldConfigurations = Effect.fnUntraced(function* (api: Api) {
  for (const name of NAMES) {
    const { configs } = yield* read(api, `/device/${name}/configs`)
    const entries = configs as ReadonlyArray<{ readonly job_id: number; readonly has_config: boolean }>
    assert.isAbove(entries.length, 2, name)
    for (const { job_id } of entries.filter(({ has_config }) => has_config)) {
      const { config } = yield* read(api, `/device/${name}/previous_config?job_id=${job_id}`)
      assert.match(String(config), /description (before everything|one is away|moment each)/, `${name} job ${job_id}`)
    }
  }
  const blame = yield* read(api, `/device/lhv-acc10/config_blame`)
  assert.include(JSON.stringify(blame), "moment each")
})

/** Tokens of the site's issuer stay valid, those of another one do not. */
const oldTokens = Effect.fnUntraced(function* (site: Site) {
  const [issuer, other] = [makeIssuer("ES256"), makeIssuer("ES256")]
  const env = { ...site.env, JWT_ENABLED: "true", JWT_CERT: yield* keyFile(issuer) }
  const url = yield* Effect.flatMap(Program.start(env), (program) => program.url)
  const ask = (from: typeof issuer) =>
    Effect.flatMap(sign(from, { sub: "noc" }), (token) =>
      Effect.promise(() => fetch(`${url}/api/v1.0/devices`, { headers: { authorization: `Bearer ${token}` } }))
    )
  assert.strictEqual((yield* ask(issuer)).status, 200)
  assert.strictEqual((yield* ask(other)).status, 401)
})

/** Texts with secrets that are not sealed. */
const clearTexts = (sql: SqlClient.SqlClient) =>
  sql<{ name: string }>`
    select 'change ' || id as name from config_change, lateral (values (candidate), (old_config), (diff)) kept (text)
      where text like '%switchyard-example-hash%'
    union all select 'proved ' || hostname from proved_config join device on id = device_id where config like '%switchyard-example-hash%'`

it.live("A 0.1.0 site that is upgraded in the middle of a rollout loses nothing", () =>
  Effect.gen(function* () {
    const site = yield* Fixture.load("each")
    const sql = yield* databaseOf(site)
    const before = yield* jobsIn(sql)
    yield* sql`insert into interface (device_id, name, configtype, data)
      select id, 'Ethernet9', 'ACCESS_AUTO', '{"description": "desk secret 0 Xk7Tq2Lw"}' from device where hostname = 'lhv-dist1'`
    const { api, program } = yield* upgrade(site)
    yield* rolledOut(site, api, "each")
    // clear secrets of ports are sealed automatically, and no event shows them
    const sealed = sql`select from interface where name = 'Ethernet9' and data ->> 'description' like 'desk secret 0 <hidden:%'`
    while ((yield* sealed).length === 0) yield* Effect.sleep("100 millis")
    assert.lengthOf(yield* sql`select from event where data::text like '%Xk7Tq2Lw%'`, 0)
    yield* joined(site, api)
    yield* oldJobs(api, before)
    yield* oldConfigurations(api)

    // later writes are sealed, and older ones on request
    assert.deepStrictEqual(
      (yield* clearTexts(sql)).filter(({ name }) => name.startsWith("proved")),
      [{ name: "proved lhv-acc10" }]
    )
    const { code, text } = yield* Program.command(site.env, ["secret", "rotate"])
    assert.strictEqual(code, 0, text)
    assert.deepStrictEqual(yield* clearTexts(sql), [])

    // and can be taken back
    const undo = yield* api.run(`/job/${site.jobId}/revert`, { dry_run: true })
    assert.strictEqual(undo.status, "FINISHED", JSON.stringify(undo.exception))
    assert.include(JSON.stringify(undo.result), "one is away")
    const next = yield* api.run("/device_syncto", { device_type: "ACCESS", dry_run: true, resync: true })
    const failed = Object.entries(next.result?.devices ?? {}).filter(([, device]) => device.failed)
    assert.deepStrictEqual(failed, [])

    program.kill("SIGTERM")
    yield* program.ended
    yield* oldTokens(site)
  }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
)
