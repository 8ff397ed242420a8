/** The lists as data: each field with its kind (`domain/ListFields.ts`) and the SQL expression of its values. */
import { noDevices, SCHEDULER } from "../../domain/Job.ts"
import {
  auditFields,
  deliveryFields,
  deviceFields,
  jobFields,
  type ListFields,
  mgmtDomainFields
} from "../../domain/ListFields.ts"
import { platforms } from "../../domain/platforms/Platforms.ts"
import type { Listable } from "../../store/Listing.ts"
import { DELIVERY_COLUMNS, DELIVERY_ROWS } from "../../store/AlertStore.ts"
import { AUDIT_COLUMNS, AUDIT_ROWS } from "../../store/EventStore.ts"
import { FAILED_TODAY, STANDINGS } from "../../store/FleetViews.ts"
import { deviceColumn } from "../../store/JobResults.ts"
import { jobsWithin } from "../../store/JobStore.ts"

/** The columns of a list: those of a table, and values of their own expressions. */
const columns = (fields: ListFields, table: string, own: Readonly<Record<string, string>> = {}): Listable["columns"] =>
  Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [name, { kind, sql: own[name] ?? `${table}.${name}` }])
  )

/** The columns that a search looks in. */
const SEARCHED = `concat_ws(' ', device.hostname, device.management_ip, device.secondary_management_ip, device.dhcp_ip, device.infra_ip,
  device.oob_ip, device.serial, device.ztp_mac, device.model, device.description)`

/** Platforms with a driver; their names need no quoting. */
const MANAGEABLE = platforms.filter(({ capabilities }) => capabilities !== null).map(({ name }) => `'${name}'`)

/** Devices; `select` is the store's. */
export const devices = (select: string): Listable => ({
  name: "devices",
  select,
  from: "device",
  columns: columns(deviceFields, "device", {
    ...STANDINGS,
    search: SEARCHED,
    manageable: `coalesce(device.platform in (${MANAGEABLE.join(", ")}), false)`,
    // no column: the devices of a group come with the filter (`makeGroupSearch` of `http/devices/DeviceHandlers.ts`)
    group: "null::text"
  }),
  natural: new Set(["hostname", "model", "os_version", "description"]),
  within: (sql, { hostnames }) => sql`device.hostname = any(${hostnames}::text[])`
})

/** What the server does by itself and what went well: a person has nothing to look at. */
const ROUTINE = `(job.scheduled_by = '${SCHEDULER}' and coalesce(job.outcome = 'success', false))`

/** Jobs that put configurations on devices, without their dry runs. */
const CHANGES = `(job.function_name in ('sync_devices', 'confirm_devices', 'revert_job', 'apply_config'))`

/** Jobs; `select` is the store's. */
export const jobs = (select: string): Listable => ({
  name: "jobs",
  select,
  from: "job",
  columns: columns(jobFields, "job", {
    finished_devices: deviceColumn("finished_devices"),
    failed_devices: deviceColumn("failed_devices"),
    counts: deviceColumn("counts"),
    ...Object.fromEntries(
      Object.keys(noDevices).map((name) => [`counts_${name}`, `((${deviceColumn("counts")} ->> '${name}')::int)`])
    ),
    // live jobs that push what a dry run has shown
    dry_run_job: "((job.start_arguments ->> 'dry_run_job')::int)",
    failed_today: FAILED_TODAY,
    routine: ROUTINE,
    changes: CHANGES,
    traceback: "(job.exception ->> 'traceback')"
  }),
  within: jobsWithin
})

/** Events of the audit. */
export const audit: Listable = {
  name: "audit",
  select: AUDIT_COLUMNS,
  from: AUDIT_ROWS,
  columns: columns(auditFields, "event", { at: "iso_time(event.at)" }),
  within: (sql, { hostnames }) => sql`event.hostname = any(${hostnames}::text[])`
}

/** Messages to receivers of alerts. */
export const deliveries: Listable = {
  name: "deliveries",
  select: DELIVERY_COLUMNS,
  from: DELIVERY_ROWS,
  columns: columns(deliveryFields, "delivery")
}

/** Management domains; `select` and `from` are the store's. */
export const mgmtdomains = (select: string, from: string): Listable => ({
  name: "mgmtdomains",
  select,
  from,
  columns: columns(mgmtDomainFields, "m")
})
