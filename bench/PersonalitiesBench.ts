/**
 * A fleet of switches of all usual personalities in turn: one live sync in which every line is new, and a second one, which has to
 * find nothing to do on any of them. Figures are the numbers of devices that failed and that found something to do: both are
 * to be 0.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { runToEnd, type SyncRun } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

interface Counted {
  readonly run: SyncRun
  readonly failed: number
  /** Devices on which there was a difference. */
  readonly changed: number
  /** Names of some devices that failed, each with the end of what it says. */
  readonly samples: string
}

/** How the devices of the newest job have ended. */
const counted = Effect.fnUntraced(function* (run: SyncRun) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<Omit<Counted, "run">>`
    with ended as (select * from job_device where job_id = (select max(id) from job))
    select count(*) filter (where failed)::int as failed,
      count(*) filter (where jsonb_path_exists(job_tasks, '$[*] ? (@.diff != "")'))::int as changed,
      coalesce(string_agg(hostname || ' ' || right(job_tasks::text, 200), '; ') filter (where failed), '') as samples
    from ended`
  return { run, failed: -1, changed: -1, samples: "", ...found }
})

/** A live sync of `count` switches, and another one. */
const measure = Effect.fnUntraced(function* (count: number) {
  const lab = yield* startLab(count, COMMIT, "usual")
  const folder = yield* folderOf
  const { api, database, pid } = yield* startServer(folder, environment(folder, lab.port))
  const live = Effect.gen(function* () {
    const { run, status } = yield* runToEnd(api, pid, false)
    if (status !== "FINISHED") return yield* Effect.die(new Error(`job ${status}`))
    return yield* counted(run)
  })
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    return { first: yield* live, second: yield* live }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const { first, second } = yield* measure(count)
  const line = (what: string, budget: string, { changed, failed, run, samples }: Counted) =>
    row(
      what,
      budget,
      `${failed} failed, ${changed} found something to do, ${run.seconds.toFixed(1)} s${samples === "" ? "" : ` (${samples.slice(0, 400)})`}`,
      { devices: count, failed, changed, ...run }
    )
  const ofAll = `of ${count} devices of all usual personalities`
  return [
    line(`live sync ${ofAll}, every line new`, "0 failed", first),
    line(`live sync ${ofAll} once more`, "0 failed, 0 found something to do", second)
  ]
})
