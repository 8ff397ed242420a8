/** What there is of a server after a day: memory, descriptors, files, and the rows of each table. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { MonthSite } from "./MonthSite.ts"
import { lookAtFolder, lookAtProcess, tellAfterCollecting } from "./ProcessSample.ts"

/** That old events of the audit went is told by one event for each batch, and a day may take one or two. */
const COUNTED: Readonly<Record<string, string>> = {
  event: "event where kind <> 'audit'",
  event_seal: "event_seal s where not exists (select from event e where e.id = s.event_id and e.kind = 'audit')"
}

const rowsOfTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select relname as name from pg_stat_user_tables order by relname`
  const rows: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = yield* sql<{
      count: number
    }>`select count(*)::integer as count from ${sql.literal(COUNTED[name] ?? name)}`
    rows[name] = row?.count ?? 0
  }
  return rows
})

const rounds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    text: string | null
  }>`select max(looked_at)::text as text from retained where kind = 'event'`
  return row?.text ?? ""
})

const nextRound = Effect.gen(function* () {
  const before = yield* rounds
  while ((yield* rounds) === before) yield* Effect.sleep("100 millis")
})

/** Waits until rounds of removal change nothing any more; yields the rows of each table. */
export const untilRemoved = Effect.gen(function* () {
  yield* nextRound
  for (let before = "", same = 0; ;) {
    yield* nextRound
    const rows = yield* rowsOfTables
    const text = JSON.stringify(rows)
    same = text === before ? same + 1 : 0
    if (same === 2) return rows
    before = text
  }
})

const databaseBytes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // as autovacuum does in the course of a day
  yield* sql`vacuum analyze`
  const [row] = yield* sql<{
    bytes: number
    connections: number
  }>`select pg_database_size(current_database())::float8 as bytes,
    (select count(*)::integer from pg_stat_activity where application_name = 'switchyard') as connections`
  return { database: row?.bytes ?? 0, connections: row?.connections ?? 0 }
})

/** Looks at everything; waits for removal before. */
export const takeSample = Effect.fnUntraced(function* ({ folders, server }: MonthSite) {
  const rows = yield* untilRemoved
  const database = yield* databaseBytes
  const { external, handles, heapUsed, timers } = yield* tellAfterCollecting(server.text())
  const figures = {
    heap: heapUsed,
    external,
    ...lookAtProcess(server.pid),
    timers,
    handles,
    ...database,
    ...lookAtFolder(folders.folder)
  }
  return { figures, rows }
})

export type MonthSample = Effect.Success<ReturnType<typeof takeSample>>
export type Figure = keyof MonthSample["figures"]
