/** Changes of live runs, newest first, as other jobs look at them that want the same devices. */
import { PgClient } from "@effect/sql-pg"
import { Array, Context, Effect, Layer, type Option } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangePhase, ChangeRow } from "../../machines/change/ChangeRow.ts"
import type { JobStatus } from "../domain/Job.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGrouped, makeGroupedFind } from "./GroupedStatement.ts"
import { JOB_ENDED, JOB_UNFINISHED, UNFINISHED } from "./StatusConditions.ts"
import type { OurSession } from "../domain/DeviceActivity.ts"

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

// Changes of jobs that have ended which still want something: they have not come to their end, or the record of the job does
// not say what they came to. A healthy server leaves none; faults of the database or of processes do.

export interface LeftChange {
  readonly id: number
  readonly job_id: number
  readonly device_id: number
  readonly phase: ChangePhase
}

/** Records are looked at for so long after the end of their job: a missing one is found within seconds of a fault. */
const LOOKED_AT = "6 hours"

/** A record that is missing, waits, or says otherwise than the change. */
const UNRECORDED = `(r.job_id is null or r.waiting
  or (r.failed and c.phase in ('confirmed', 'unchanged')) or (not r.failed and c.phase in ('reverted', 'unknown'))
  or (r.failed and c.phase <> 'unknown' and strpos(r.job_tasks::text, $broken$) > 0))`

const makeLeftChanges = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const unfinished = sql.literal(UNFINISHED)
  const from = sql.literal(`from config_change c join job on job.id = c.job_id join device on device.id = c.device_id
    left join job_device r on r.job_id = c.job_id and r.hostname = device.hostname`)
  const hasEnded = sql.literal(`job.status in ${JOB_ENDED}`)

  const unrecorded = (broken: string) => {
    const [before = "", after = ""] = UNRECORDED.split("$broken$")
    return sql`${sql.literal(before)}${broken}${sql.literal(after)}`
  }

  return LeftChangeStore.of({
    find: Effect.fn("LeftChangeStore.find")(
      (broken: string) => sql<LeftChange>`
        select c.id, c.job_id, c.device_id, c.phase ${from} where ${hasEnded} and c.${unfinished}
        union
        select c.id, c.job_id, c.device_id, c.phase ${from} where ${hasEnded}
          and job.finish_time > now() - ${LOOKED_AT}::interval and not (c.${unfinished})
          and ${unrecorded(broken)} order by id`
    ),
    isUnrecorded: Effect.fn("LeftChangeStore.isUnrecorded")(function* (id: number, broken: string) {
      const rows = yield* sql`select 1 ${from} where c.id = ${id} and ${unrecorded(broken)}`
      return rows.length > 0
    }),
    isNewest: Effect.fn("LeftChangeStore.isNewest")(function* ({ device_id, id }: LeftChange) {
      const later = yield* sql`select 1 from config_change where device_id = ${device_id} and id > ${id} limit 1`
      return later.length === 0
    })
  })
})

/** What faults have left of changes. */
export class LeftChangeStore extends Context.Service<
  LeftChangeStore,
  {
    /** All of them; `broken` is what a record holds that was written without knowing what became of the change. */
    readonly find: (broken: string) => Effect.Effect<ReadonlyArray<LeftChange>, SqlError.SqlError>
    /** Whether the record does not say yet what the change came to. */
    readonly isUnrecorded: (id: number, broken: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Whether no later change was begun on its device, about which the older one says nothing. */
    readonly isNewest: (change: LeftChange) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/store/LeftChangeStore") {
  static readonly layer = Layer.effect(LeftChangeStore, makeLeftChanges)
}

// Candidates of ours that a look found on a switch although nobody works on them any more (docs/operations.md#doctor). What was seen may
// be gone a moment later, so only what cannot have been under way is kept: its job had ended before the look began, and no work on the
// device has moved since. All else is left to the next look.

/** What a device showed. */
export interface SeenSessions {
  /** The job that looks: it began before the device was read. */
  readonly job_id: number
  readonly device_id: number
  /** All that are ours. */
  readonly sessions: ReadonlyArray<OurSession>
}

/** Nobody can have been at this session while the device was read. */
const IS_LEFT = `not exists (select from job where job.id = seen.job
    and (job.status not in ${JOB_ENDED} or job.finish_time is null or job.finish_time >= look.start_time))
  and not exists (select from config_change c where c.device_id = look.device_id
    and (c.${UNFINISHED} or c.updated_at >= look.start_time))
  and not exists (select from device_operation o where o.device_id = look.device_id
    and (o.phase <> 'done' or o.updated_at >= look.start_time))`

const makeLeftSessions = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const forgetOthers = ({ device_id, sessions }: SeenSessions) => {
    const names = sessions.map(({ name }) => name)
    return sql`delete from left_session where device_id = ${device_id} and name <> all(${names}::text[])`
  }

  return LeftSessionStore.of({
    saw: Effect.fn("LeftSessionStore.saw")(function* (seen: SeenSessions) {
      yield* forgetOthers(seen)
      const { device_id, job_id, sessions } = seen
      if (sessions.length === 0) return
      yield* sql`insert into left_session (device_id, name, job_id, is_timed)
        select look.device_id, seen.name, seen.job, seen.state = 'timed'
        from jsonb_to_recordset(${sql.json(sessions)}) as seen (name text, job integer, state text)
        cross join (select start_time, ${device_id}::integer as device_id from job where id = ${job_id}) look
        where ${sql.literal(IS_LEFT)}
        on conflict (device_id, name) do update set is_timed = excluded.is_timed, last_seen = now()`
    }),
    forget: Effect.fn("LeftSessionStore.forget")((deviceId: number, name: string) =>
      Effect.asVoid(sql`delete from left_session where device_id = ${deviceId} and name = ${name}`)
    )
  })
})

/** Sessions that were left behind, as they were seen last. */
export class LeftSessionStore extends Context.Service<
  LeftSessionStore,
  {
    /** Keeps which of these were left behind, and forgets all others of the device. */
    readonly saw: (seen: SeenSessions) => Effect.Effect<void, SqlError.SqlError>
    /** It was removed. */
    readonly forget: (deviceId: number, name: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/LeftSessionStore") {
  static readonly layer = Layer.effect(LeftSessionStore, makeLeftSessions)
}
