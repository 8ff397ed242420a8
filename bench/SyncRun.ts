/** A sync job over the switches of the lab, posted to a server in a process of its own and watched until it has ended. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Client } from "./BenchClient.ts"
import { usageOf } from "./BenchServer.ts"

/** Milliseconds between two looks at the job. */
const LOOK_EVERY = 50

/** Seconds from the request to the end of the job, the processor time of the server meanwhile, and its most memory. */
export interface SyncRun {
  readonly seconds: number
  readonly processorSeconds: number
  readonly megabytes: number
}

/** The devices of a job, and other fields of its request. */
export type SyncOf = Readonly<Record<string, unknown>>

const ACCESS: SyncOf = { device_type: "ACCESS" }

/** Runs the job to its end, whatever that is; on all access switches if nothing else is said. */
export const runToEnd = Effect.fnUntraced(function* (api: Client, pid: number, dry_run: boolean, of: SyncOf = ACCESS) {
  const sql = yield* SqlClient.SqlClient
  const started = performance.now()
  const before = usageOf(pid).seconds
  const answer = yield* Effect.promise(() => api.post("/device_syncto", { ...of, dry_run, resync: true }))
  // without its own job, the one before would be looked at
  if (answer.status !== 200) return yield* Effect.die(new Error(`device_syncto: ${JSON.stringify(answer.body)}`))
  let status = "SCHEDULED"
  let megabytes = 0
  while (!["FINISHED", "EXCEPTION", "ABORTED"].includes(status)) {
    yield* Effect.sleep(LOOK_EVERY)
    const [job] = yield* sql<{ status: string }>`select status from job order by id desc limit 1`
    status = job?.status ?? ""
    megabytes = Math.max(megabytes, usageOf(pid).megabytes)
  }
  const seconds = (performance.now() - started) / 1000
  const processorSeconds = usageOf(pid).seconds - before
  return { status, run: { seconds, processorSeconds, megabytes } satisfies SyncRun }
})

/** The same; dies when it fails on one of them. */
export const runSync = Effect.fnUntraced(function* (api: Client, pid: number, dry_run: boolean, of?: SyncOf) {
  const sql = yield* SqlClient.SqlClient
  const { run, status } = yield* runToEnd(api, pid, dry_run, of)
  const [bad] = yield* sql<{ count: number; sample: string | null }>`
    select count(*)::int as count, min(job_tasks::text) as sample from job_device where failed`
  if (status !== "FINISHED" || bad?.count !== 0) {
    return yield* Effect.die(new Error(`job ${status}, ${bad?.count} failed: ${bad?.sample?.slice(-400)}`))
  }
  return run
})
