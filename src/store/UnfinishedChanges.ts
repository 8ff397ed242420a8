/**
 * Changes that have not ended. Jobs that need the same devices find the changes of live runs here, newest first. Other unfinished changes
 * remain after faults and are cleaned up.
 */
import { PgClient } from "@effect/sql-pg"
import { Array, Effect, type Option } from "effect"
import type { SqlError } from "effect/sql"
import {
  type ChangePhase,
  type ChangeReason,
  type ChangeRow,
  failuresOfProof
} from "../../machines/change/ChangeRow.ts"
import type { JobStatus } from "../domain/Job.ts"
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
  /** Neither the change nor its job has ended. */
  readonly underWay: boolean
  /** The git commits of its job. */
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

/** The newest live change that a device committed, where its proof has failed. */
export interface FailedProof {
  readonly id: number
  readonly device_id: number
  readonly job_id: number
  readonly reason: ChangeReason
  /** The end of the change: ISO 8601 without a zone, UTC, whole seconds. */
  readonly since: string
  /** The git commits of its job. */
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

/** The phase and epoch that the next claim of a change must name. */
interface ChangePlace extends Pick<ChangeRow, "phase" | "epoch"> {
  readonly id: number
}

/** A job that is about to work on a device. */
interface JobOnDevice {
  readonly jobId: number
  readonly deviceId: number
}

/** What a job that waits for another one on a device looks at: its own status, and the newest live change of any job there. */
interface Outlook {
  readonly status: JobStatus
  readonly newest: LiveChange | null
}

/** The select list of a `LiveChange`. */
export const LIVE_CHANGE = `c.id, c.device_id, c.job_id, job.function_name, c.phase, job.settings_commit,
  job.templates_commit, c.${UNFINISHED} and job.status in ${JOB_UNFINISHED} as "underWay"`

/** Changes `c` of live runs with their jobs. */
export const LIVE_CHANGES = "config_change c join job on job.id = c.job_id where c.protocol ->> 'dryRun' = 'false'"

/** Live changes by device. */
export const makeLiveChanges = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const change = sql.literal(LIVE_CHANGE)
  const live = sql.literal(LIVE_CHANGES)

  const outlooks = Effect.fnUntraced(function* (asking: ReadonlyArray<JobOnDevice>) {
    const given = asking.map(({ deviceId, jobId }, place) => ({ place, device: deviceId, job: jobId }))
    const rows = yield* sql<Outlook & { readonly place: number }>`
      select place, own.status, to_jsonb(newest) as newest
      from jsonb_to_recordset(${sql.json(given)}) as given (place integer, device integer, job integer)
      join job own on own.id = given.job
      left join lateral (select ${change} from ${live} and c.device_id = given.device
        order by c.id desc limit 1) newest on true order by place`
    return rows.map(({ newest, status }) => ({ newest, status }))
  })

  return {
    newest: Effect.fn("ChangeStore.live.newest")((deviceId: number) =>
      Effect.map(
        sql<LiveChange>`select ${change} from ${live} and c.device_id = ${deviceId}
          order by c.id desc limit 1`,
        Array.head
      )
    ),
    failedProofs: Effect.fn("ChangeStore.live.failedProofs")(
      (deviceIds: ReadonlyArray<number>) => sql<FailedProof>`
        select newest.* from unnest(${deviceIds}::integer[]) as given (id) cross join lateral (
          select c.id, c.device_id, c.job_id, c.phase, c.protocol ->> 'reason' as reason, job.settings_commit, job.templates_commit,
            to_char(c.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as since
          from ${live} and c.device_id = given.id and c.phase <> 'discarded' order by c.id desc limit 1) newest
        where newest.phase in ('reverted', 'unknown') and newest.reason in ${sql.in(failuresOfProof)}`
    ),
    newestId: Effect.map(
      sql<{ id: number }>`select coalesce(max(id), 0) as id from config_change`,
      (rows) => rows[0]?.id ?? 0
    ),
    outlook: Effect.fn("ChangeStore.live.outlook")(makeGrouped(grouped, outlooks)),
    place: Effect.fn("ChangeStore.live.place")(
      makeGroupedFind(
        grouped,
        (ids) => sql<ChangePlace>`select id, phase, epoch from config_change where id = any(${ids}::integer[])`,
        ({ id }) => id
      )
    ),
    underWay: Effect.fn("ChangeStore.live.underWay")(
      (hostnames: ReadonlyArray<string>) => sql<LiveChange & { hostname: string }>`
        select newest.*, device.hostname from device cross join lateral (select ${change} from ${live} and c.device_id = device.id
          order by c.id desc limit 1) newest
        where device.hostname = any(${hostnames}::text[]) and "underWay" order by hostname`
    )
  } satisfies LiveChanges
})

/** The queries of live changes. */
export interface LiveChanges {
  /** The newest live change of a device. */
  readonly newest: (deviceId: number) => Effect.Effect<Option.Option<LiveChange>, SqlError.SqlError>
  /**
   * The failed proofs of these devices. A change that was discarded before its commit is no newer one: it has shown nothing.
   */
  readonly failedProofs: (
    deviceIds: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<FailedProof>, SqlError.SqlError>
  /** The id of the newest change. */
  readonly newestId: Effect.Effect<number, SqlError.SqlError>
  /** Simultaneous calls share a statement. The job must exist. */
  readonly outlook: (asking: JobOnDevice) => Effect.Effect<Outlook, SqlError.SqlError>
  /** The phase and epoch of a change of any run. Simultaneous calls share a statement. */
  readonly place: (id: number) => Effect.Effect<Option.Option<ChangePlace>, SqlError.SqlError>
  /** Live changes of unfinished jobs on these devices. */
  readonly underWay: (
    hostnames: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<LiveChange & { readonly hostname: string }>, SqlError.SqlError>
}

// Abandoned changes: the job has ended, but the change has not, or the job's record does not say how the change ended. Only faults of the
// database or of processes cause them.

export interface AbandonedRow {
  readonly id: number
  readonly job_id: number
  readonly device_id: number
  readonly phase: ChangePhase
}

/** Records are checked for this long after the end of their job; a missing record is found within seconds of a fault. */
const LOOKED_AT = "6 hours"

/** A record that is missing, waits, or contradicts the change. */
const UNRECORDED = `(r.job_id is null or r.waiting
  or (r.failed and c.phase in ('confirmed', 'unchanged')
    and coalesce(c.protocol ->> 'reason' not in ('checkFailed', 'checkUnread'), true)) or (not r.failed and c.phase in ('reverted', 'unknown'))
  or (r.failed and c.phase <> 'unknown' and strpos(r.job_tasks::text, $broken$) > 0))`

/** Finds changes that faults have left unfinished. */
export const makeAbandonedChanges = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const unfinished = sql.literal(UNFINISHED)
  const from = sql.literal(`from config_change c join job on job.id = c.job_id join device on device.id = c.device_id
    left join job_device r on r.job_id = c.job_id and r.hostname = device.hostname`)
  const hasEnded = sql.literal(`job.status in ${JOB_ENDED}`)

  const unrecorded = (broken: string) => {
    const [before = "", after = ""] = UNRECORDED.split("$broken$")
    return sql`${sql.literal(before)}${broken}${sql.literal(after)}`
  }

  return {
    /** All abandoned changes; `broken` is the text in a record that was written without knowing the result of the change. */
    find: Effect.fn("AbandonedChanges.find")(
      (broken: string) => sql<AbandonedRow>`
        select c.id, c.job_id, c.device_id, c.phase ${from} where ${hasEnded} and c.${unfinished}
        union
        select c.id, c.job_id, c.device_id, c.phase ${from} where ${hasEnded}
          and job.finish_time > now() - ${LOOKED_AT}::interval and not (c.${unfinished})
          and ${unrecorded(broken)} order by id`
    ),
    /** Whether the record does not hold the result of the change yet. */
    isUnrecorded: Effect.fn("AbandonedChanges.isUnrecorded")(function* (id: number, broken: string) {
      const rows = yield* sql`select 1 ${from} where c.id = ${id} and ${unrecorded(broken)}`
      return rows.length > 0
    }),
    /** Whether no later change was begun on its device. The older change says nothing about a later one. */
    isNewest: Effect.fn("AbandonedChanges.isNewest")(function* ({ device_id, id }: AbandonedRow) {
      const later = yield* sql`select 1 from config_change where device_id = ${device_id} and id > ${id} limit 1`
      return later.length === 0
    })
  }
})

// Abandoned candidate sessions: Switchyard's own sessions that a read found on a switch although no job works on them (docs/operations.md#doctor).
// A session may end a moment later, so a session is stored only if it cannot have been in use: its job had ended before the read began, and
// no work on the device has moved since. All other sessions wait for the next read.

/** The sessions that a device showed. */
interface SeenSessions {
  /** The job that reads: it began before the device was read. */
  readonly job_id: number
  readonly device_id: number
  /** All sessions of Switchyard. */
  readonly sessions: ReadonlyArray<OurSession>
}

/** No job can have used this session while the device was read. */
const IS_LEFT = `not exists (select from job where job.id = seen.job
    and (job.status not in ${JOB_ENDED} or job.finish_time is null or job.finish_time >= look.start_time))
  and not exists (select from config_change c where c.device_id = look.device_id
    and (c.${UNFINISHED} or c.updated_at >= look.start_time))
  and not exists (select from device_operation o where o.device_id = look.device_id
    and (o.phase <> 'done' or o.updated_at >= look.start_time))`

/** Abandoned sessions at the last read. */
export const makeAbandonedSessions = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const forgetOthers = ({ device_id, sessions }: SeenSessions) => {
    const names = sessions.map(({ name }) => name)
    return sql`delete from left_session where device_id = ${device_id} and name <> all(${names}::text[])`
  }

  return {
    /** Stores the abandoned ones of these sessions, and deletes all others of the device. */
    saw: Effect.fn("AbandonedSessions.saw")(function* (seen: SeenSessions) {
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
    /** The session was removed from the device. */
    forget: Effect.fn("AbandonedSessions.forget")((deviceId: number, name: string) =>
      Effect.asVoid(sql`delete from left_session where device_id = ${deviceId} and name = ${name}`)
    )
  }
})
