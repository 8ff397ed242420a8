/** Changes of live runs, newest first, as other jobs look at them that want the same devices. */
import { PgClient } from "@effect/sql-pg"
import { Array, Context, Effect, Layer, type Option } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangePhase, ChangeRow } from "../../machines/change/ChangeRow.ts"
import type { JobStatus } from "../domain/Job.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGrouped, makeGroupedFind } from "./GroupedStatement.ts"
import { JOB_UNFINISHED } from "./JobStatusSql.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

/** The newest change of a live run on a device. */
export interface LiveChange {
  readonly id: number
  readonly device_id: number
  readonly job_id: number
  readonly function_name: string
  readonly phase: ChangePhase
  /** It has not come to its end, and neither has its job. */
  readonly underWay: boolean
  /** Commits that its job works on. */
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

/** Where a change stands, as its next claim has to know it. */
export interface ChangePlace extends Pick<ChangeRow, "phase" | "epoch"> {
  readonly id: number
}

/** A job that is about to work on a device. */
export interface JobOnDevice {
  readonly jobId: number
  readonly deviceId: number
}

/** What a job has to know before it begins with a device: its own status, and the newest live change there, of any job. */
export interface Outlook {
  readonly status: JobStatus
  readonly newest: LiveChange | null
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const change = sql.literal(`c.id, c.device_id, c.job_id, job.function_name, c.phase, job.settings_commit,
    job.templates_commit, c.${UNFINISHED} and job.status in ${JOB_UNFINISHED} as "underWay"`)
  const live = sql.literal("config_change c join job on job.id = c.job_id")
  const isLive = sql.literal("c.protocol ->> 'dryRun' = 'false'")

  const outlooks = Effect.fnUntraced(function* (asking: ReadonlyArray<JobOnDevice>) {
    const given = asking.map(({ deviceId, jobId }, place) => ({ place, device: deviceId, job: jobId }))
    const rows = yield* sql<Outlook & { readonly place: number }>`
      select place, own.status, to_jsonb(newest) as newest
      from jsonb_to_recordset(${sql.json(given)}) as given (place integer, device integer, job integer)
      join job own on own.id = given.job
      left join lateral (select ${change} from ${live} where c.device_id = given.device and ${isLive}
        order by c.id desc limit 1) newest on true order by place`
    return rows.map(({ newest, status }) => ({ newest, status }))
  })

  return LiveChangeStore.of({
    newest: Effect.fn("LiveChangeStore.newest")((deviceId: number) =>
      Effect.map(
        sql<LiveChange>`select ${change} from ${live} where c.device_id = ${deviceId} and ${isLive}
          order by c.id desc limit 1`,
        Array.head
      )
    ),
    newestId: Effect.map(
      sql<{ id: number }>`select coalesce(max(id), 0) as id from config_change`,
      (rows) => rows[0]?.id ?? 0
    ),
    outlook: Effect.fn("LiveChangeStore.outlook")(makeGrouped(grouped, outlooks)),
    place: Effect.fn("LiveChangeStore.place")(
      makeGroupedFind(
        grouped,
        (ids) => sql<ChangePlace>`select id, phase, epoch from config_change where id = any(${ids}::integer[])`,
        ({ id }) => id
      )
    ),
    underWay: Effect.fn("LiveChangeStore.underWay")(
      (hostnames: ReadonlyArray<string>) => sql<LiveChange & { hostname: string }>`
        select * from (select distinct on (c.device_id) ${change}, device.hostname
          from ${live} join device on device.id = c.device_id
          where ${isLive} and device.hostname = any(${hostnames}::text[]) order by c.device_id, c.id desc) newest
        where "underWay" order by hostname`
    )
  })
})

/** Live changes by device. */
export class LiveChangeStore extends Context.Service<
  LiveChangeStore,
  {
    /** The newest live change of a device. */
    readonly newest: (deviceId: number) => Effect.Effect<Option.Option<LiveChange>, SqlError.SqlError>
    /** Number of the newest change of all. */
    readonly newestId: Effect.Effect<number, SqlError.SqlError>
    /** Many that ask at the same time share a statement. The job must exist. */
    readonly outlook: (asking: JobOnDevice) => Effect.Effect<Outlook, SqlError.SqlError>
    /** Where a change stands now, of whatever run. Many that ask at the same time share a statement. */
    readonly place: (id: number) => Effect.Effect<Option.Option<ChangePlace>, SqlError.SqlError>
    /** Live changes of jobs that have not ended, on these devices. */
    readonly underWay: (
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<LiveChange & { readonly hostname: string }>, SqlError.SqlError>
  }
>()("switchyard/store/LiveChangeStore") {
  static readonly layer = Layer.effect(LiveChangeStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
