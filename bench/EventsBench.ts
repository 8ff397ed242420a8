/**
 * Pages of a log of 10,000,000 events (EVENTS changes the number): of everything, a kind, a device, a job, a device and a rare kind, for an
 * administrator and for somebody who may see some of the devices. One request after the other; milliseconds until the answer, and
 * processor time of the server, because it is steadier. Also what the removal of a day costs.
 */
import { Console, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { answeringWithin } from "../src/store/AnswerTime.ts"
import { EventRetention } from "../src/store/EventStore.ts"
import { makeClient, percentile } from "./BenchClient.ts"
import { DEVICES, seed } from "./BenchFleet.ts"
import { startServer, usageOf } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { makeTokens } from "./BenchToken.ts"
import { row } from "./Measured.ts"

const BATCH = 1_000_000
const PAGES = 200
const DAYS = 7

// the globs are of 1,111 switches
const FILE = `roles:
  building: { extends: reader, interfaces: ["far1*:*"] }
`

const anyOf = (count: number): number => 1 + Math.floor(Math.random() * count)

/** The events of so many days, the oldest first; the indexes that rows could be without come afterwards. */
const fill = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ name: string; definition: string }>`select indexname as name, indexdef as definition
    from pg_indexes where tablename = 'event' and indexname <> 'event_pkey'`
  for (const { name } of indexes) yield* sql`drop index ${sql(name)}`
  // the events of the site itself are of today, and the oldest event is looked at first
  yield* sql`insert into event_removed (through) select max(id) from event`
  for (let first = 0; first < count; first += BATCH) {
    yield* sql`insert into event (transaction, at, kind, action, actor, way, address, device_id, hostname, job_id, is_audit, data)
      select '3', now() - make_interval(days => ${DAYS + 1}) * (1 - n / ${count}::float8),
        case when n % 5000 = 0 then 'drift' when n % 5 = 0 then 'job' when n % 7 = 0 then 'change' else 'device' end, 'updated',
        'server', 'server', null, 3 + n % ${DEVICES}, 'far' || 1 + n % ${DEVICES}, 1 + n / 2000, n % 20 = 0, '{"after": {"state": "MANAGED"}}'
      from generate_series(${first + 1}::integer, ${Math.min(first + BATCH, count)}::integer) n`
    yield* Console.log(`${first + BATCH} events`)
  }
  for (const { definition } of indexes) yield* sql`${sql.literal(definition)}`
  yield* sql`vacuum analyze event`
  yield* Console.log("indexes")
}, answeringWithin("1 hour"))

interface Question {
  readonly what: string
  readonly target: (count: number) => string
  readonly role?: string
}

const questions: ReadonlyArray<Question> = [
  { what: "everything", target: (count) => `/events?since=${anyOf(count)}` },
  { what: "one kind", target: (count) => `/events?kind=change&since=${anyOf(count)}` },
  { what: "a rare kind", target: (count) => `/events?kind=drift&since=${anyOf(count)}` },
  { what: "a device", target: () => `/events?device=${anyOf(DEVICES)}` },
  {
    what: "16 devices and a rare kind",
    target: (count) => `/events?device=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16&kind=drift&since=${anyOf(count)}`
  },
  { what: "everything of 1,111 devices", target: (count) => `/events?since=${anyOf(count)}`, role: "building" },
  {
    what: "a rare kind of 1,111 devices",
    target: (count) => `/events?kind=drift&since=${anyOf(count)}`,
    role: "building"
  }
]

/** The rows of the table for a log of so many events. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const folder = yield* folderOf
  mkdirSync(path.join(folder, "data"), { recursive: true })
  writeFileSync(path.join(folder, "data", "permissions.yml"), FILE)
  const { JWT_CERT, issue } = makeTokens(folder)
  const env = { ...environment(folder, 22), JWT_CERT, ROLES_CLAIM: "roles", EVENT_DAYS: "0" }
  const { database, pid, port } = yield* startServer(folder, env, yield* issue({ roles: ["administrator"] }))
  yield* Effect.provide(Effect.andThen(seed(), fill(count)), database)
  const measured = []
  for (const { role = "administrator", target, what } of questions) {
    const api = makeClient(port, yield* issue({ roles: [role] }))
    const times: Array<number> = []
    const read = Effect.promise(async () => {
      const { milliseconds, status } = await api.get(target(count))
      if (status !== 200) throw new Error(`${what}: ${status}`)
      return milliseconds
    })
    for (let page = 0; page < 20; page++) yield* read
    const before = usageOf(pid).seconds
    for (let page = 0; page < PAGES; page++) times.push(yield* read)
    const processor = ((usageOf(pid).seconds - before) * 1000) / PAGES
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
    const shown = `median ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${processor.toFixed(1)} ms of the server's processor`
    measured.push(row(`GET /events of ${count} events, 100 a page: ${what}`, "≤ 20 ms", shown, { p50, p99, processor }))
  }
  const begun = performance.now()
  const removed = yield* Effect.flatMap(EventRetention, (retention) => retention.remove(DAYS)).pipe(
    Effect.provide(Layer.provide(EventRetention.layer, database))
  )
  const seconds = (performance.now() - begun) / 1000
  const shown = `${removed} events in ${seconds.toFixed(0)} s, ${((seconds * 2_000_000) / Math.max(1, removed)).toFixed(0)} ms for 2,000`
  return [...measured, row("removal of the events of a day", "≤ 200 ms for 2,000", shown, { removed, seconds })]
}, Effect.scoped)
