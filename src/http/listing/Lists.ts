/** The lists as data: each field with its kind. */
import { deviceTypes } from "../../domain/Device.ts"
import { jobOutcomes, jobStatuses, noDevices } from "../../domain/Job.ts"
import { platforms } from "../../domain/platforms/Platforms.ts"
import type { ColumnKind, Listable } from "../../store/Listing.ts"
import { deviceStates } from "../../../machines/device/DeviceEvents.ts"
import { DELIVERY_COLUMNS, DELIVERY_ROWS } from "../../store/AlertStore.ts"
import { AUDIT_COLUMNS, AUDIT_ROWS } from "../../store/EventStore.ts"
import { FAILED_TODAY, STANDINGS } from "../../store/FleetViews.ts"
import { deviceColumn } from "../../store/JobResults.ts"
import { jobsWithin } from "../../store/JobStore.ts"

const columns = (table: string, kinds: Readonly<Record<string, ColumnKind>>): Listable["columns"] =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { sql: `${table}.${name}`, kind }]))

const texts = (names: ReadonlyArray<string>): Readonly<Record<string, ColumnKind>> =>
  Object.fromEntries(names.map((name) => [name, "text"]))

/** The columns that a search looks in. */
const SEARCHED = `concat_ws(' ', device.hostname, device.management_ip, device.secondary_management_ip, device.dhcp_ip, device.infra_ip,
  device.oob_ip, device.serial, device.ztp_mac, device.model, device.description)`

/** Platforms with a driver; their names need no quoting. */
const MANAGEABLE = platforms.filter(({ capabilities }) => capabilities !== null).map(({ name }) => `'${name}'`)

/** A type that existing clients offer as a filter. No device has it, so the list is empty instead of an error. */
const OFFERED = "FIREWALL"

/** Devices; `select` is the store's. */
export const devices = (select: string): Listable => ({
  name: "devices",
  select,
  from: "device",
  columns: {
    ...STANDINGS,
    search: { sql: SEARCHED, kind: "text" },
    manageable: { sql: `coalesce(device.platform in (${MANAGEABLE.join(", ")}), false)`, kind: "boolean" },
    // no column: the devices of a group come with the filter (`makeGroupSearch` of `http/devices/DeviceHandlers.ts`)
    group: { sql: "null::text", kind: "text" },
    ...columns("device", {
      id: "integer",
      site_id: "integer",
      port: "integer",
      ...texts([
        "hostname",
        "description",
        "management_ip",
        "secondary_management_ip",
        "dhcp_ip",
        "infra_ip",
        "oob_ip"
      ]),
      ztp_mac: "mac",
      ...texts(["serial", "platform", "vendor", "model", "os_version", "confhash"]),
      synchronized: "boolean",
      state: { oneOf: deviceStates },
      device_type: { oneOf: [...deviceTypes, OFFERED] },
      last_seen: "datetime"
    })
  },
  within: (sql, { hostnames }) => sql`device.hostname = any(${hostnames}::text[])`
})

/** Jobs; `select` is the store's. */
export const jobs = (select: string): Listable => ({
  name: "jobs",
  select,
  from: "job",
  columns: {
    ...columns("job", {
      id: "integer",
      status: { oneOf: jobStatuses },
      scheduled_time: "datetime",
      start_time: "datetime",
      finish_time: "datetime",
      ...texts(["function_name", "scheduled_by", "comment", "ticket_ref"]),
      ...texts(["settings_commit", "templates_commit"]),
      next_job_id: "integer",
      change_score: "integer",
      outcome: { oneOf: jobOutcomes },
      result: "json",
      exception: "json",
      start_arguments: "json"
    }),
    finished_devices: { sql: deviceColumn("finished_devices"), kind: "json" },
    failed_devices: { sql: deviceColumn("failed_devices"), kind: "json" },
    counts: { sql: deviceColumn("counts"), kind: "json" },
    ...Object.fromEntries(
      Object.keys(noDevices).map((name) => [
        `counts_${name}`,
        { sql: `((${deviceColumn("counts")} ->> '${name}')::int)`, kind: "integer" as const }
      ])
    ),
    // live jobs that push what a dry run has shown
    dry_run_job: { sql: "((job.start_arguments ->> 'dry_run_job')::int)", kind: "integer" },
    failed_today: { sql: FAILED_TODAY, kind: "boolean" },
    traceback: { sql: "(job.exception ->> 'traceback')", kind: "text" }
  },
  within: jobsWithin
})

/** Events of the audit. */
export const audit: Listable = {
  name: "audit",
  select: AUDIT_COLUMNS,
  from: AUDIT_ROWS,
  columns: {
    ...columns("event", {
      id: "integer",
      device_id: "integer",
      job_id: "integer",
      ...texts(["kind", "action", "actor", "way", "address", "hostname"])
    }),
    at: { sql: "iso_time(event.at)", kind: "text" }
  },
  within: (sql, { hostnames }) => sql`event.hostname = any(${hostnames}::text[])`
}

/** Messages to receivers of alerts. */
export const deliveries: Listable = {
  name: "deliveries",
  select: DELIVERY_COLUMNS,
  from: DELIVERY_ROWS,
  columns: columns("delivery", {
    alert_id: "integer",
    attempts: "integer",
    created_at: "datetime",
    ended_at: "datetime",
    ...texts(["id", "rule", "receiver", "action", "state", "answer"])
  })
}

/** Management domains; `select` and `from` are the store's. */
export const mgmtdomains = (select: string, from: string): Listable => ({
  name: "mgmtdomains",
  select,
  from,
  columns: columns("m", {
    id: "integer",
    device_a_id: "integer",
    device_b_id: "integer",
    site_id: "integer",
    vlan: "integer",
    ...texts(["ipv4_gw", "ipv6_gw", "device_a_ip", "device_b_ip", "description", "esi_mac"])
  })
})
