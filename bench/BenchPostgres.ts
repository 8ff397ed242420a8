/** What PostgreSQL has taken: processor time of all its processes (on Linux), statements, transactions and what it wrote. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

/** Flags of a PostgreSQL that counts statements. */
export const COUNTING: ReadonlyArray<string> = ["-c", "shared_preload_libraries=pg_stat_statements"]

/** Numbers of a process: its parent, its processor time, and that of its children that have ended; undefined when it has ended. */
const processOf = (pid: string) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")
    const fields = stat.split(" ").map(Number)
    const seconds = (from: number) => ((fields[from] ?? 0) + (fields[from + 1] ?? 0)) / 100
    return { parent: fields[1] ?? 0, own: seconds(11), ended: seconds(13) }
  } catch {
    // it has ended since its name was read
    return undefined
  }
}

/** Seconds of processor time of the server in this folder, with all processes that it has begun; NaN where the system does not say. */
export const processorSeconds = (dataDir: string): number => {
  if (process.platform !== "linux") return Number.NaN
  const postmaster = Number(readFileSync(path.join(dataDir, "postmaster.pid"), "utf8").split("\n")[0])
  let sum = 0
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const found = processOf(pid)
    if (Number(pid) === postmaster) sum += (found?.own ?? 0) + (found?.ended ?? 0)
    else if (found?.parent === postmaster) sum += found.own
  }
  return sum
}

/** Sums since the server has started, of everybody's statements. */
export interface Work {
  readonly statements: number
  readonly transactions: number
  readonly writtenBytes: number
}

/** What the database has done so far. */
export const work = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create extension if not exists pg_stat_statements`
  const [found] = yield* sql<Work>`
    select (select sum(calls)::float8 from pg_stat_statements) as statements,
      (select sum(xact_commit)::float8 from pg_stat_database) as transactions,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "writtenBytes"`
  return found ?? { statements: 0, transactions: 0, writtenBytes: 0 }
})
