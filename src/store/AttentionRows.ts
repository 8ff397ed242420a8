/** The facts behind what needs a person now (docs/api.md#attention), of the devices that a caller may see. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { DeviceSince, EndingCertificate, FailingRollout } from "../domain/Attention.ts"
import type { AlertEvent } from "../domain/events/alerts/AlertMessage.ts"
import type { DeviceType } from "../domain/Device.ts"
import { NOT_STARTED } from "../domain/Job.ts"
import { OPEN } from "./AlertStore.ts"
import { FAILED_TODAY, SINCE_STATE, STANDINGS, UNSYNCHRONIZED } from "./FleetViews.ts"
import { jobsWithin } from "./JobStore.ts"
import { devicesWithin, type Within } from "./Listing.ts"

/** A device with what its cables need. */
interface CabledDevice {
  readonly id: number
  readonly hostname: string
  readonly device_type: DeviceType
  readonly platform: string | null
  readonly neighbours_read: string | null
}

/** An alert that was sent, with its events. */
interface SentAlert {
  readonly rule: string
  readonly level: string
  readonly title: string | null
  readonly count: number
  readonly since: string
  readonly events: ReadonlyArray<AlertEvent>
}

/** Kinds of events that have entries of their own. */
const OWN_KINDS = ["reachability", "drift", "certificate", "repository", "job"]

/** Functions of jobs that roll out. */
const ROLLOUTS = "('sync_devices', 'apply_config', 'revert_job', 'device_upgrade')"

export const makeAttentionRows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rollouts = sql.literal(ROLLOUTS)

  return {
    silent: Effect.fn("AttentionRows.silent")(
      (within: Within | undefined) => sql<DeviceSince>`select device.hostname, iso_time(u.since) as since
        from device_unreachable u join device on device.id = u.device_id where ${devicesWithin(sql, within)}`
    ),
    /** All devices, for the cables between them. */
    cabled: Effect.withSpan(
      sql<CabledDevice>`select device.id, device.hostname, device.device_type, device.platform,
        iso_time(heard.heard_at) as neighbours_read from device left join heard on heard.device_id = device.id
        order by device.id`,
      "AttentionRows.cabled"
    ),
    rollouts: Effect.fn("AttentionRows.rollouts")((within: Within | undefined) => {
      const seen = within === undefined ? sql`true` : jobsWithin(sql, within)
      return sql<FailingRollout>`
        with recent as materialized (
          select job.id, job.comment, job.memo, job.status in ('RUNNING', 'ABORTING') as is_running from job
          where job.function_name in ${rollouts}
            and (job.status in ('RUNNING', 'ABORTING') or ${sql.literal(FAILED_TODAY)}) and ${seen}),
        failures as (
          select recent.id, d.hostname, d.finished_at from recent join job_device d on d.job_id = recent.id
          where d.failed and not starts_with(coalesce(d.job_tasks -> 0 ->> 'result', ''), ${NOT_STARTED})
            and (recent.is_running or (
              exists (select from device where device.hostname = d.hostname and ${sql.literal(UNSYNCHRONIZED)})
              and not exists (select from job_device n join job later on later.id = n.job_id where n.hostname = d.hostname
                and n.job_id > recent.id and later.function_name in ${rollouts}))))
        select recent.id as job_id, recent.comment, recent.is_running, iso_time(min(failures.finished_at)) as since,
          jsonb_agg(failures.hostname) as failed,
          (select count(*)::integer from (
            select hostname from job_device where job_id = recent.id
            union select jsonb_array_elements_text(case when jsonb_typeof(recent.memo -> 'hostnames') = 'array'
              then recent.memo -> 'hostnames' else '[]' end)) chosen) as total
        from recent join failures on failures.id = recent.id
        group by recent.id, recent.comment, recent.memo, recent.is_running order by recent.id desc`
    }),
    changed: Effect.fn("AttentionRows.changed")(
      (within: Within | undefined) => sql<DeviceSince>`select device.hostname,
        (select iso_time(to_timestamp(min(e.happened_at))) from sync_event e
          where e.hostname = device.hostname and e.cause = 'drift') as since
        from device where ${sql.literal(STANDINGS.drifted)} and ${devicesWithin(sql, within)}`
    ),
    waiting: Effect.fn("AttentionRows.waiting")(
      (within: Within | undefined) => sql<DeviceSince>`select device.hostname,
        ${sql.literal(SINCE_STATE)} as since
        from device where device.state in ('DHCP_BOOT', 'DISCOVERED') and ${devicesWithin(sql, within)}
          and not exists (select from ignored_device i where i.device_id = device.id)`
    ),
    certificates: Effect.fn("AttentionRows.certificates")(
      (days: number) => sql<EndingCertificate>`select device.hostname, iso_time(newest.not_after) as until,
          newest.not_after <= now() as has_ended
        from device cross join lateral (select max(not_after) as not_after from certificate
          where device_id = device.id and revoked_at is null) newest
        where device.state = 'MANAGED' and newest.not_after < now() + make_interval(days => ${days})`
    ),
    /** Alerts that are open and that nobody has acknowledged. */
    alerts: Effect.withSpan(
      sql<SentAlert>`select rule, level, title, count, events, iso_time(opened_at) as since from alert
        where ${sql.literal(OPEN)} and acknowledged_at is null and level <> 'info'
          and coalesce(events -> 0 ->> 'kind', '') <> all(${OWN_KINDS}::text[])`,
      "AttentionRows.alerts"
    )
  }
})
