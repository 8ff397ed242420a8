/** What is asked of the database for findings (`domain/findings/Findings.ts`): one statement for each concern, over what is not at its end. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { CertificateFact } from "../domain/Certificate.ts"
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
import { ServerConfig } from "../ServerConfig.ts"
import { DISPUTES } from "./UniqueFieldStore.ts"
import { JOB_ENDED, JOB_UNFINISHED } from "./JobStatusSql.ts"
import { WAITING } from "./JobWaitingColumn.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

/** Findings of each kind that are shown; a hundred of them are one fault. */
const MOST = 100
const ENDING_DAYS = 30
const DEAD_ROWS = 100_000
const TIMERS_RUN = "1 hour"

const seconds = (moment: string) => `extract(epoch from now() - ${moment})::float8`

const make = Effect.gen(function* () {
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

  // a timer that was seen long ago has most likely run out, and nobody has looked since
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

  // an hour: a change of the clock makes no token longer
  const tokens = sql<TokenFact>`select id, name, created_by, iso_time(created_at) as created_at,
      ceil(extract(epoch from expires_at - created_at) / 86400)::integer as days, owner is null and not is_machine as is_nobodys
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

  /** Between the two readings of our clock the database has read its own. */
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
  return FindingFacts.of({ read })
})

/** Facts of one moment. */
export class FindingFacts extends Context.Service<
  FindingFacts,
  { readonly read: Effect.Effect<Omit<Facts, "disk" | "tls">, SqlError.SqlError> }
>()("switchyard/store/FindingFacts") {
  static readonly layer = Layer.effect(FindingFacts, make).pipe(Layer.provide(RepositoryStore.layer))
}
