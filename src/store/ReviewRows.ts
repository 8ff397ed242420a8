/** What the review of a job reads, and the groups of differences that a person has marked as viewed (docs/changes.md#review). */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { ON_UPLINK } from "./FleetViews.ts"

interface LinkEnd {
  readonly hostname: string
  readonly port: string
}

/** Machines that were not seen for so long count no more. */
const SEEN_WITHIN = "7 days"

/** So many of the last changes tell how long one takes. */
const LAST_CHANGES = 500

export const makeReviewRows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const onUplink = sql.literal(ON_UPLINK)

  return {
    /** Devices of a dry run that have changed since, or should: by an event, or by the change of another job than its own push. */
    outdated: Effect.fn("ReviewRows.outdated")((dryRun: number) =>
      Effect.map(
        sql<{ hostname: string }>`select d.hostname from job_device d join job shown on shown.id = d.job_id
          where d.job_id = ${dryRun} and not d.failed and (
            exists (select from sync_event e where e.hostname = d.hostname
              and e.id > (shown.pinned ->> 'eventsSeen')::bigint)
            or exists (select from config_change c join device on device.id = c.device_id join job on job.id = c.job_id
              where device.hostname = d.hostname and c.job_id > ${dryRun} and c.phase = 'confirmed'
                and job.start_arguments ->> 'dry_run_job' is distinct from ${String(dryRun)}))`,
        (rows) => rows.map(({ hostname }) => hostname)
      )
    ),
    /** Ports of these devices that lead to other switches, as links and interfaces are planned. */
    linkEnds: Effect.fn("ReviewRows.linkEnds")(
      (hostnames: ReadonlyArray<string>) => sql<LinkEnd>`
        with chosen as (select id, hostname from device where hostname = any(${hostnames}::text[]))
        select hostname, device_a_port as port from linknet join chosen on chosen.id = device_a_id
        union select hostname, device_b_port from linknet join chosen on chosen.id = device_b_id
        union select hostname, interface.name from interface join chosen on chosen.id = interface.device_id
          where configtype in ('ACCESS_UPLINK', 'ACCESS_DOWNLINK', 'MLAG_PEER')`
    ),
    /** Machines on access ports of these devices; null if the tables of none of them were read. */
    machines: Effect.fn("ReviewRows.machines")((hostnames: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ machines: number | null }>`
          with chosen as (select id from device where hostname = any(${hostnames}::text[]))
          select case when exists (select from tables_read join chosen on chosen.id = device_id) then (
            select count(distinct m.mac)::integer from mac_entry m join chosen on chosen.id = m.device_id
              left join station_port p on p.device_id = m.device_id and p.port = m.port
            where m.last_seen > now() - ${SEEN_WITHIN}::interval and not ${onUplink}) end as machines`,
        ([row]) => row?.machines ?? null
      )
    ),
    /** The description of the site of each of these devices that has one. */
    sites: Effect.fn("ReviewRows.sites")((hostnames: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ site: string }>`select coalesce(nullif(site.description, ''), 'site ' || site.id) as site
          from device join site on site.id = device.site_id where hostname = any(${hostnames}::text[])`,
        (rows) => rows.map(({ site }) => site)
      )
    ),
    /** The median time of the last changes of configurations, in seconds; null without any. */
    secondsOfChange: Effect.withSpan(
      Effect.map(
        sql<{ seconds: number | null }>`select percentile_cont(0.5) within group (order by seconds)::float8 as seconds
          from (select extract(epoch from d.finished_at - c.created_at) as seconds
            from config_change c join device on device.id = c.device_id
              join job_device d on d.job_id = c.job_id and d.hostname = device.hostname
            where c.phase = 'confirmed' order by c.id desc limit ${LAST_CHANGES}) last`,
        ([row]) => row?.seconds ?? null
      ),
      "ReviewRows.secondsOfChange"
    ),
    /** The keys of the groups that this person has marked. */
    viewed: Effect.fn("ReviewRows.viewed")((jobId: number, person: string) =>
      Effect.map(
        sql<{ key: string }>`select key from viewed_group where job_id = ${jobId} and person = ${person}`,
        (rows) => new Set(rows.map(({ key }) => key))
      )
    ),
    /** Marks groups, or takes the marks back. */
    mark: Effect.fn("ReviewRows.mark")(
      (jobId: number, person: string, keys: ReadonlyArray<string>, isViewed: boolean) =>
        Effect.asVoid(
          isViewed
            ? sql`insert into viewed_group (job_id, person, key)
                select ${jobId}, ${person}, key from unnest(${keys}::text[]) key on conflict do nothing`
            : sql`delete from viewed_group where job_id = ${jobId} and person = ${person} and key = any(${keys}::text[])`
        )
    )
  }
})
