/** Where secrets could be found: all columns of a database, all files of a folder, and the processes that a server has started. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as DatabaseClient from "../../../src/store/DatabaseClient.ts"
import { postmaster } from "../../support/PostgresProcesses.ts"

/** A text by the place where it was found. */
export type Found = readonly [place: string, text: string]

/** Every value of every table, by `table.column`. */
export const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ table: string; column: string }>`select c.table_name as table, c.column_name as column
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema not in ('pg_catalog', 'information_schema') and t.table_type = 'BASE TABLE'`
  const values: Array<Found> = []
  for (const { column, table } of columns) {
    const rows = yield* sql<{ value: string | null }>`select ${sql(column)}::text as value from ${sql(table)}`
    for (const { value } of rows) if (value !== null) values.push([`${table}.${column}`, value])
  }
  return values
})

/** The embedded database of a data folder, as its owner sees it. */
export const databaseOf = (dataDir: string) =>
  DatabaseClient.layer({
    host: "127.0.0.1",
    port: postmaster(dataDir)?.port ?? 0,
    username: "postgres",
    password: Redacted.make(readFileSync(path.join(dataDir, "database/postgres-password"), "utf8").trim()),
    database: "postgres",
    maxConnections: 1
  })

/** The files in a folder, by paths in it; `mode` contains the rights only. */
export interface Entry {
  readonly place: string
  readonly mode: number
  readonly isFolder: boolean
  /** One letter for each byte. */
  readonly text: string
}

/** All files and folders below a folder; those that go meanwhile are left out. */
export const entriesIn = (folder: string) =>
  Effect.promise(async () => {
    const found: Array<Entry> = []
    for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name)
      const place = path.relative(folder, file)
      if (!entry.isFile() && !entry.isDirectory()) continue
      const stat = await fs.stat(file).catch(() => undefined)
      if (stat === undefined) continue
      const isFolder = entry.isDirectory()
      const text = isFolder ? "" : await fs.readFile(file, "latin1").catch(() => "")
      found.push({ place, mode: stat.mode & 0o777, isFolder, text })
    }
    return found
  })

/** A process below the server. */
export interface Child {
  readonly pid: number
  /** Its command line, with a space between the words. */
  readonly words: string
  readonly environment: string
  /** The number of its user. */
  readonly uid: number
}

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8").replaceAll("\0", " ")
  } catch {
    // it has ended meanwhile
    return ""
  }
}

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)

/** All processes that this one has started, and those that they have. */
export const childrenOf = (server: number): ReadonlyArray<Child> => {
  const parents = new Map(
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0)
      .map((pid) => [pid, parentOf(pid)] as const)
  )
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0
    return parent === server || (parent > 1 && isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    pid,
    words: read(`/proc/${pid}/cmdline`).trim(),
    environment: read(`/proc/${pid}/environ`),
    uid: Number(/^Uid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? -1)
  }))
}
