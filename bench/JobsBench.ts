/**
 * Jobs among ten thousand devices, on switches that commit without delay: how long one device takes from the request to
 * FINISHED, whether many jobs that are posted at once all run, and how many a second are accepted durably.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Client, forSeconds, percentile } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { type LabSwitch, startLab } from "./BenchLab.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { type Measured, row } from "./Measured.ts"

const SWITCHES = 200
/** Seconds for which jobs are posted, and connections that post them. */
const POSTING = 4
const CONNECTIONS = 16
/** Single runs: the first ones warm up. */
const SINGLE_RUNS = 9
const WARM_UP = 4

/** Starts a synchronization. */
export const post = async (api: Client, body: Readonly<Record<string, unknown>>): Promise<number> => {
  const answer = await api.post("/device_syncto", body)
  const id = Number(/"job_id":(\d+)/.exec(JSON.stringify(answer.body))?.[1])
  if (answer.status !== 200 || Number.isNaN(id)) throw new Error(JSON.stringify(answer.body))
  return id
}

const statusOf = async (api: Client, id: number): Promise<string> => {
  const { body } = await api.get(`/job/${id}`)
  return /"status":"([A-Z]+)","/.exec(JSON.stringify(body).replace('{"status":"success",', ""))?.[1] ?? ""
}

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

/** Seconds from the request of a live run to its end, as a client sees it that asks every 5 ms. */
const runOnce = async (api: Client, hostname: string): Promise<number> => {
  const started = performance.now()
  const id = await post(api, { hostname, dry_run: false, resync: true, force: true })
  for (;;) {
    const status = await statusOf(api, id)
    if (status === "FINISHED") return (performance.now() - started) / 1000
    if (ENDED.includes(status)) throw new Error(`job ${id} is ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const one = (api: Client, switches: ReadonlyArray<LabSwitch>) =>
  Effect.promise(async () => {
    const times: Array<number> = []
    for (const { name } of switches.slice(0, SINGLE_RUNS)) times.push(await runOnce(api, name))
    const seconds = percentile(times.slice(WARM_UP), 0.5)
    return row(
      "one device, 10,000 in the database: POST syncto → FINISHED, switch without delay",
      "≤ 0.5 s",
      `${seconds.toFixed(2)} s`,
      { seconds }
    )
  })

const counts = Effect.fnUntraced(function* (above: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ status: string; count: number }>`
    select status, count(*)::int as count from job where id > ${above} group by status`
  return new Map(rows.map(({ count, status }) => [status, count]))
})

const newest = Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
  Effect.map(sql<{ id: number }>`select coalesce(max(id), 0)::int as id from job`, ([found]) => found?.id ?? 0)
)

const together = Effect.fnUntraced(function* (api: Client, switches: ReadonlyArray<LabSwitch>) {
  const above = yield* newest
  const started = performance.now()
  const ids = yield* Effect.promise(() =>
    Promise.all(switches.map(({ name }) => post(api, { hostname: name, dry_run: true, resync: true })))
  )
  let states = yield* counts(above)
  while (["SCHEDULED", "RUNNING"].some((status) => states.has(status))) {
    yield* Effect.sleep("100 millis")
    states = yield* counts(above)
  }
  const seconds = (performance.now() - started) / 1000
  const finished = states.get("FINISHED") ?? 0
  return row(
    `${switches.length} jobs posted at once (dry runs of a device each)`,
    "all run, none lost",
    `${finished} of ${new Set(ids).size} FINISHED after ${seconds.toFixed(1)} s`,
    { posted: ids.length, finished, seconds }
  )
})

/** Their time comes after the bench, so that the figure is that of accepting them. */
const accepted = Effect.fnUntraced(function* (api: Client) {
  const above = yield* newest
  const goesOn = forSeconds(POSTING)
  const times: Array<number> = []
  const posting = async () => {
    while (goesOn()) {
      const started = performance.now()
      await post(api, { hostname: "far1", dry_run: true })
      times.push(performance.now() - started)
    }
  }
  yield* Effect.promise(() => Promise.all(Array.from({ length: CONNECTIONS }, posting)))
  const states = yield* counts(above)
  const lost = times.length - [...states.values()].reduce((sum, count) => sum + count, 0)
  const rate = times.length / POSTING
  const p99 = percentile(times, 0.99)
  return row(
    "job accepted durably",
    "≥ 300/s",
    `${rate.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms, ${lost} lost (client on the same cores)`,
    { rate, p99, lost }
  )
})

const running = Effect.gen(function* () {
  const lab = yield* startLab(SWITCHES, 0)
  const folder = yield* folderOf
  const { api, database } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches)
    return [yield* one(api, lab.switches), yield* together(api, lab.switches)]
  }).pipe(Effect.provide(database))
}).pipe(Effect.scoped)

const waiting = Effect.gen(function* () {
  const folder = yield* folderOf
  const { api, database } = yield* startServer(folder, { ...environment(folder, 22), JOB_DELAY: "3600" })
  return yield* Effect.andThen(seed(), accepted(api)).pipe(Effect.provide(database))
}).pipe(Effect.scoped)

/** The rows of the table. */
export const rows: Effect.Effect<ReadonlyArray<Measured>, unknown> = Effect.gen(function* () {
  return [...(yield* running), yield* waiting]
})
