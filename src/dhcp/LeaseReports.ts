/**
 * The last report of each switch's lease. Leases that were refused, or have to wait, are shown to operators; a repeated report gets its
 * first answer again. Rows are kept for a day, because every lease is reported again at its renewal.
 */
import { Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Lease, LeaseQueue, LeaseReport } from "../domain/requests/LeaseRequests.ts"

/** Any person who can plug in a cable causes rows: the oldest are removed first. */
const MOST_ROWS = 10_000
const PRUNED_EVERY = "1 minute"

/** What became of a report. */
export type LeaseOutcome = Pick<Lease, "outcome" | "step" | "message">

/** The reports of leases. */
export interface LeaseReports {
  /** What became of this report, if it was decided already; one that had to wait is decided anew. */
  readonly repeated: (report: LeaseReport) => Effect.Effect<Option.Option<Lease>, SqlError.SqlError>
  /** Stores what became of a report, in place of that of an earlier lease of the switch. */
  readonly record: (report: LeaseReport, outcome: LeaseOutcome) => Effect.Effect<Lease, SqlError.SqlError>
  /** Leases that were refused or wait, the newest first. */
  readonly untaken: Effect.Effect<ReadonlyArray<Lease>, SqlError.SqlError>
  /** DHCP servers that had more leases to report than their last one. */
  readonly queues: Effect.Effect<ReadonlyArray<LeaseQueue>, SqlError.SqlError>
}

/** The reports in the database. */
export const makeLeaseReports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    "ztp_mac, dhcp_ip, platform, outcome, step, message, host, iso_time(since) as since, iso_time(reported_at) as reported_at"
  )
  const recent = sql.literal("reported_at > now() - interval '1 day'")

  const prune = yield* Effect.cachedWithTTL(
    sql`delete from dhcp_lease where not ${recent} or ztp_mac in
      (select ztp_mac from dhcp_lease order by reported_at desc offset ${MOST_ROWS})`,
    PRUNED_EVERY
  )

  return {
    repeated: Effect.fn("LeaseReports.repeated")(({ report, ztp_mac }: LeaseReport) =>
      report === null
        ? Effect.succeedNone
        : Effect.map(
            sql<Lease>`select ${columns} from dhcp_lease where ztp_mac = ${ztp_mac} and report = ${report} and outcome <> 'waits'`,
            ([row]) => Option.fromUndefinedOr(row)
          )
    ),
    record: Effect.fn("LeaseReports.record")(function* (sent: LeaseReport, { message, outcome, step }: LeaseOutcome) {
      yield* prune
      const { dhcp_ip, host, platform, report, waiting, ztp_mac } = sent
      const [row] = yield* sql<Lease>`
        insert into dhcp_lease as l (ztp_mac, dhcp_ip, platform, report, outcome, step, message, host, waiting)
        values (${ztp_mac}, ${dhcp_ip}, ${platform}, ${report}, ${outcome}, ${step}, ${message}, ${host}, ${waiting})
        on conflict (ztp_mac) do update set dhcp_ip = excluded.dhcp_ip, platform = excluded.platform, report = excluded.report,
          outcome = excluded.outcome, step = excluded.step, message = excluded.message, host = excluded.host,
          waiting = excluded.waiting, reported_at = now(),
          since = case when l.outcome = excluded.outcome then l.since else now() end
        returning ${columns}`
      return row ?? (yield* Effect.die(new Error(`the lease of ${ztp_mac} was not stored`)))
    }),
    untaken: Effect.withSpan(
      sql<Lease>`select ${columns} from dhcp_lease where outcome <> 'taken' and ${recent} order by reported_at desc, ztp_mac`,
      "LeaseReports.untaken"
    ),
    queues: Effect.withSpan(
      sql<LeaseQueue>`select host, waiting, iso_time(reported_at) as reported_at from (
          select distinct on (host) host, waiting, reported_at from dhcp_lease where ${recent} order by host, reported_at desc) newest
        where waiting > 0 order by host`,
      "LeaseReports.queues"
    )
  } satisfies LeaseReports
})
