/**
 * What metrics ask of the database (docs/monitoring.md#cost): one grouped statement for each concern, none of which reads more than
 * devices, unfinished jobs, certificates, what waits for people and the list of connections.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** Devices that have all of these in common. */
export interface DeviceFigure {
  readonly state: string
  readonly device_type: string
  readonly synchronized: boolean
  readonly count: number
}

/** Unfinished jobs of a function; `age` are the seconds for which the oldest that is due waits, null when none does. */
export interface JobFigure {
  readonly function_name: string
  readonly status: string
  readonly count: number
  readonly age: number | null
}

export interface ConnectionFigure {
  readonly state: string
  readonly count: number
}

/** What there is of a kind that has an end (docs/operations.md#retention), as it was counted last. */
export interface RetainedFigure {
  readonly kind: string
  readonly rows: number
  /** Of its tables with their indexes; null for kinds that share the table of another one. */
  readonly bytes: number | null
  /** ISO 8601; null when there is none. */
  readonly oldest: string | null
  /** What is removed within a day. */
  readonly due: number
  readonly removed: number
  readonly looked_at: string
}

/** All figures of one moment. */
export interface Figures {
  readonly devices: ReadonlyArray<DeviceFigure>
  readonly jobs: ReadonlyArray<JobFigure>
  readonly connections: ReadonlyArray<ConnectionFigure>
  /** Seconds since 1970; null when no device has a certificate. */
  readonly certificateEnd: number | null
  readonly unreachable: number
  /** Messages of alerts that were given up. */
  readonly deadLetters: number
  /** None before a server has counted. */
  readonly retained: ReadonlyArray<RetainedFigure>
  /** The newest number of the log of events. */
  readonly newestEvent: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = sql<DeviceFigure>`select state, device_type, synchronized, count(*)::integer as count
    from device group by state, device_type, synchronized`
  // a job that waits for an approval or a window is not late
  const jobs = sql<JobFigure>`select function_name, status, count(*)::integer as count,
      extract(epoch from now() - min(scheduled_time) filter (where status = 'SCHEDULED' and scheduled_time <= now()
        and coalesce(waiting_for ->> 'reason', '') not in ('approval', 'window')))::float8 as age
    from job where status in ('SCHEDULED', 'RUNNING', 'ABORTING') group by function_name, status`
  const connections = sql<ConnectionFigure>`select coalesce(state, 'unknown') as state, count(*)::integer as count
    from pg_stat_activity where application_name = 'switchyard' and datname = current_database() group by state`
  const certificateEnd = sql<{ ends: number | null }>`select extract(epoch from min(ends))::float8 as ends from
    (select max(not_after) as ends from certificate join device on device.id = certificate.device_id
      where revoked_at is null group by device_id) newest`
  const retained = sql<RetainedFigure>`select kind, rows::float8 as rows, bytes::float8 as bytes, iso_time(oldest) as oldest, due::float8 as due, removed::float8 as removed,
      iso_time(looked_at) as looked_at from retained order by kind`
  const counts = sql<Pick<Figures, "unreachable" | "deadLetters" | "newestEvent">>`select
    (select count(*)::integer from device_unreachable) as unreachable,
    (select count(*)::integer from alert_delivery where state = 'dead') as "deadLetters",
    (select case when is_called then last_value else 0 end::float8 from event_id_seq) as "newestEvent"`
  return FleetFigures.of({
    read: Effect.all({
      devices,
      jobs,
      connections,
      retained,
      certificateEnd: Effect.map(certificateEnd, ([row]) => row?.ends ?? null),
      counts: Effect.map(counts, ([row]) => row ?? { unreachable: 0, deadLetters: 0, newestEvent: 0 })
    }).pipe(
      Effect.map(({ counts, ...figures }): Figures => ({ ...figures, ...counts })),
      Effect.withSpan("FleetFigures.read")
    )
  })
})

/** Counts of what the database holds. */
export class FleetFigures extends Context.Service<
  FleetFigures,
  { readonly read: Effect.Effect<Figures, SqlError.SqlError> }
>()("switchyard/store/FleetFigures") {
  static readonly layer = Layer.effect(FleetFigures, make)
}
