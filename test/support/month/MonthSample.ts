/** The resources of a server after a day: memory, descriptors, files, and the rows of each table. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MonthSite } from "./MonthSite.ts"
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import * as path from "node:path"

// The data of the operating system and the process itself about a server. Linux only.

const Told = Schema.fromJsonString(
  Schema.Struct({
    heapUsed: Schema.Finite,
    external: Schema.Finite,
    timers: Schema.Finite,
    handles: Schema.Finite
  })
)
const Message = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    result: Schema.optionalKey(
      Schema.Struct({ result: Schema.optionalKey(Schema.Struct({ value: Schema.optionalKey(Schema.String) })) })
    )
  })
)
const QUESTION = `(() => { const found = process.getActiveResourcesInfo(); const { heapUsed, external } = process.memoryUsage()
  const timers = found.filter((kind) => kind === "Timeout").length
  return JSON.stringify({ heapUsed, external, timers, handles: found.length - timers }) })()`

/** Collects garbage in the process of this inspector, and asks it for bytes of memory, timers and handles. */
export const tellAfterCollecting = (log: string) =>
  Effect.callback<typeof Told.Type>((resume) => {
    const [url = ""] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(log) ?? []
    const socket = new WebSocket(url)
    const send = (id: number) =>
      socket.send(
        JSON.stringify(
          id < 3
            ? { id, method: "HeapProfiler.collectGarbage" }
            : { id, method: "Runtime.evaluate", params: { expression: QUESTION, returnByValue: true } }
        )
      )
    socket.addEventListener("open", () => send(1))
    socket.addEventListener("message", ({ data }) => {
      const { id = 0, result } = Schema.decodeSync(Message)(String(data))
      if (id < 3) return send(id + 1)
      socket.addEventListener("close", () =>
        resume(Effect.succeed(Schema.decodeSync(Told)(result?.result?.value ?? "")))
      )
      return socket.close()
    })
  })

const kindOf = (link: string) => (link.startsWith("socket:") ? "sockets" : "descriptors")

/** Open sockets, other open descriptors, threads, and resident memory in bytes. */
export const lookAtProcess = (pid: number) => {
  const counts = { sockets: 0, descriptors: 0 }
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      counts[kindOf(readlinkSync(`/proc/${pid}/fd/${name}`))] += 1
    } catch {
      // closed since its name was read
    }
  }
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const numberOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1])
  return { ...counts, threads: numberOf("Threads"), rss: numberOf("VmRSS") * 1024 }
}

/** Files below a folder and their bytes; those of git's objects apart. */
export const lookAtFolder = (folder: string) => {
  const found = { files: 0, bytes: 0, objects: 0, objectBytes: 0 }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const size = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
    const isObject = entry.parentPath.includes(`${path.sep}objects`)
    found[isObject ? "objects" : "files"] += 1
    found[isObject ? "objectBytes" : "bytes"] += size
  }
  return found
}

/** One event for each batch reports the removal of old audit events, and a day may take one or two. */
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
