/**
 * Figures of the database for metrics (docs/monitoring.md#cost), health and findings: one grouped statement for each concern. They read only
 * devices, unfinished jobs, certificates, open approvals and the list of connections.
 */
import { Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../ServerConfig.ts"
import type { DatabaseFact, Facts } from "../domain/findings/Findings.ts"
import type {
  ChangeFact,
  DisputeFact,
  JobFact,
  LockFact,
  OverlapFact,
  SessionFact,
  TokenFact
} from "../domain/findings/WorkFindings.ts"
import { DISPUTES } from "./DeviceIdentifiers.ts"
import { JOB_ENDED, JOB_UNFINISHED, UNFINISHED, WAITING } from "./StatusConditions.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import type { CertificateFact } from "../domain/Certificate.ts"

/** The number of devices that share these values. */
interface DeviceFigure {
  readonly state: string
  readonly device_type: string
  readonly synchronized: boolean
  readonly count: number
}

/** Unfinished jobs of a function; `age` is the wait of the oldest due job in seconds, null if none waits. */
interface JobFigure {
  readonly function_name: string
  readonly status: string
  readonly count: number
  readonly age: number | null
}

interface ConnectionFigure {
  readonly state: string
  readonly count: number
}

/** The last count of a kind of record with a retention period (docs/operations.md#retention). */
interface RetainedFigure {
  readonly kind: string
  readonly rows: number
  /** The size of its tables with their indexes; null for kinds that share the table of another kind. */
  readonly bytes: number | null
  /** ISO 8601; null if there are no records. */
  readonly oldest: string | null
  /** Records that will be removed within a day. */
  readonly due: number
  readonly removed: number
  readonly looked_at: string
}

/** All figures of one moment. */
export interface Figures {
  readonly devices: ReadonlyArray<DeviceFigure>
  readonly jobs: ReadonlyArray<JobFigure>
  readonly connections: ReadonlyArray<ConnectionFigure>
  /** Seconds since 1970; null if no device has a certificate. */
  readonly certificateEnd: number | null
  readonly unreachable: number
  /** Alert messages whose delivery has failed for good. */
  readonly deadLetters: number
  /** Empty before the first count of a server. */
  readonly retained: ReadonlyArray<RetainedFigure>
  /** The newest number of the log of events. */
  readonly newestEvent: number
}

/** Counts of devices, jobs and other records. */
export const makeFleetFigures = Effect.gen(function* () {
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
  return {
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
  }
})

// Figures of the database itself and of the replicas.

interface DatabaseFigure {
  readonly version: string
  readonly size_bytes: number
  readonly schema_version: number
}

export interface ReplicaFigure {
  readonly address: string
  readonly is_healthy: boolean
  readonly heard_seconds: number
}

/** Figures about database and replicas. */
export const makeServerFigures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { CLUSTER_HOST } = yield* ServerConfig
  const database = Effect.map(
    sql<DatabaseFigure>`select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database())::float8 as size_bytes,
      (select max(migration_id)::integer from switchyard_migrations) as schema_version`,
    ([row]) => row ?? null
  )
  // the table exists once a server has been part of a cluster
  const replicas = sql<ReplicaFigure>`select address, healthy as is_healthy,
      greatest(extract(epoch from now()::timestamp - last_heartbeat), 0)::float8 as heard_seconds
    from cluster_runners order by address`
  return {
    database,
    /** Empty if the server works alone. */
    replicas: Option.isSome(CLUSTER_HOST) ? replicas : Effect.succeed([])
  }
})

// Facts for findings (`domain/findings/Findings.ts`): one statement for each concern, over records that have not ended.

/** The largest number of findings of each kind; a hundred of them mean one fault. */
const MOST = 100
const ENDING_DAYS = 30
const DEAD_ROWS = 100_000
const TIMERS_RUN = "1 hour"

const seconds = (moment: string) => `extract(epoch from now() - ${moment})::float8`

/** Facts of one moment. */
export const makeFindingFacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const repositories = yield* RepositoryStore
  const { API_TOKEN_DAYS } = yield* ServerConfig
  const ended = `job.status in ${JOB_ENDED}`

  const jobs = sql<JobFact>`${sql.literal(`select id, function_name, status, reason, iso_time(moved) as since,
      ${seconds("moved")} as quiet, ${seconds("coalesce(alive_at, moved)")} as unserved
    from (select job.id, job.function_name, job.status, job.alive_at, (${WAITING}) ->> 'reason' as reason,
        case when job.status = 'SCHEDULED' then job.scheduled_time else greatest(job.start_time,
          (select max(finished_at) from job_device d where d.job_id = job.id),
          (select max(updated_at) from config_change c where c.job_id = job.id),
          (select max(updated_at) from device_operation o where o.job_id = job.id),
          (job.pause ->> 'since')::timestamptz) end as moved
      from job where job.status in ${JOB_UNFINISHED}) job
    where moved < now() - interval '1 minute' order by id limit ${MOST}`)}`

  const changes = sql<ChangeFact>`${sql.literal(`select device.hostname, c.job_id, c.phase, ${ended} as job_ended,
      iso_time(c.updated_at) as since, ${seconds("c.updated_at")} as quiet,
      extract(epoch from now() - to_timestamp((c.protocol ->> 'committedAt')::float8 / 1000)
        - make_interval(secs => (c.protocol ->> 'timerSeconds')::float8))::float8 as overdue
    from config_change c join device on device.id = c.device_id join job on job.id = c.job_id
    where (c.${UNFINISHED} or c.phase = 'unknown')
      and not exists (select from config_change later where later.device_id = c.device_id and later.id > c.id)
    order by c.id limit ${MOST}`)}`

  // a timer that was seen long ago has most likely ended, and the device was not read since
  const sessions = sql<SessionFact>`${sql.literal(`select device.hostname, array_agg(l.name order by l.name) as names, l.is_timed,
      iso_time(min(l.first_seen)) as since, ${seconds("max(l.last_seen)")} as seen
    from left_session l join device on device.id = l.device_id left join job on job.id = l.job_id
    where device.state = 'MANAGED' and (job.id is null or ${ended})
      and (not l.is_timed or l.last_seen > now() - interval '${TIMERS_RUN}')
      and not exists (select from config_change c where c.device_id = l.device_id and c.${UNFINISHED})
    group by device.hostname, l.is_timed order by device.hostname, l.is_timed limit ${MOST}`)}`

  const locks = sql<LockFact>`${sql.literal(`select joblock.name, joblock.job_id, ${ended} as job_ended,
      iso_time(joblock.start_time) as since, ${seconds("joblock.start_time")} as held
    from joblock join job on job.id = joblock.job_id order by name limit ${MOST}`)}`

  const disputes = sql<DisputeFact>`${sql.literal(`${DISPUTES} order by d.id limit ${MOST}`)}`

  const overlaps = sql<OverlapFact>`${sql.literal(`select own.network::text as network, owner_name(own.owner, own.owner_id) as owner,
      other.network::text as other_network, owner_name(other.owner, other.owner_id) as other
    from network_claim own join network_claim other on other.network && own.network and not other.excused
    where own.excused order by own.owner, own.owner_id limit ${MOST}`)}`

  // an hour of tolerance: a change of the clock does not make a token valid for longer
  const tokens = sql<TokenFact>`select id, name, created_by, iso_time(created_at) as created_at,
      ceil(extract(epoch from expires_at - created_at) / 86400)::integer as days, owner is null and not is_machine as is_ownerless
    from api_token where revoked_at is null and expires_at > now()
      and ((owner is null and not is_machine) or expires_at - created_at > make_interval(days => ${API_TOKEN_DAYS}::integer, hours => 1))
    order by id limit ${MOST}`

  const certificates = sql<CertificateFact>`${sql.literal(`select hostname, iso_time(ends) as ends,
      extract(epoch from ends - now())::float8 as left
    from (select device.hostname, max(not_after) as ends from certificate join device on device.id = certificate.device_id
      where revoked_at is null group by device.hostname) newest
    where ends < now() + interval '${ENDING_DAYS} days' order by ends limit ${MOST}`)}`

  const database = sql<Omit<DatabaseFact, "bloated">>`select
      (select age(datfrozenxid)::float8 from pg_database where datname = current_database()) as age,
      coalesce((select max(extract(epoch from now() - xact_start))::float8 from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()), 0) as oldest_transaction`

  const bloated = sql<
    DatabaseFact["bloated"][number]
  >`select relname::text as table, n_dead_tup::float8 as dead, n_live_tup::float8 as live
    from pg_stat_user_tables where n_dead_tup > ${DEAD_ROWS} and n_dead_tup > n_live_tup order by n_dead_tup desc limit ${MOST}`

  const deadLetters = Effect.map(
    sql<{ count: number }>`select count(*)::integer as count from alert_delivery where state = 'dead'`,
    ([row]) => row?.count ?? 0
  )

  /** The clock of the database is read between two readings of this process's clock. */
  const clock = Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const [row] = yield* sql<{ at: number }>`select extract(epoch from clock_timestamp())::float8 as at`
    const after = yield* Clock.currentTimeMillis
    const at = (row?.at ?? 0) * 1000
    return at > after ? (at - after) / 1000 : at < before ? (at - before) / 1000 : 0
  })

  const read = Effect.all({
    jobs,
    changes,
    sessions,
    locks,
    disputes,
    overlaps,
    tokens,
    certificates,
    database,
    bloated,
    clock,
    dead_letters: deadLetters,
    restored: Effect.map(repositories.restored, Option.getOrNull)
  }).pipe(
    Effect.map(({ bloated: tables, database: [found], ...facts }): Omit<Facts, "disk" | "tls"> => ({
      ...facts,
      database: { age: found?.age ?? 0, oldest_transaction: found?.oldest_transaction ?? 0, bloated: tables }
    })),
    Effect.withSpan("FindingFacts.read")
  )
  return {
    read
  }
})
