/**
 * The fields by which clients filter and sort lists (docs/api.md#lists), with the kind that decides how a value is read. The
 * queries are made from them (`http/listing/Lists.ts`), and so are the parameters in the API document.
 */
import { deviceStates } from "../../machines/device/DeviceEvents.ts"
import { deviceTypes } from "./Device.ts"
import { jobOutcomes, jobStatuses } from "./Job.ts"

/** Decides how values of a field are read and compared. */
export type FieldKind =
  | "text"
  | "integer"
  | "boolean"
  | "datetime"
  | "json"
  /** Stored as 12 hexadecimal digits; an exact value may have any notation. */
  | "mac"
  | { readonly oneOf: ReadonlyArray<string> }

/** The fields of a list by name. */
export type ListFields = Readonly<Record<string, FieldKind>>

/** True for fields of which a part can be looked for. */
export const hasContains = (kind: FieldKind): boolean => kind === "text" || kind === "json" || kind === "mac"

/** A type that existing clients offer as a filter. No device has it, so the list is empty instead of an error. */
const OFFERED = "FIREWALL"

export const deviceFields = {
  unsynchronized_by: "text",
  drifted: "boolean",
  unreachable: "boolean",
  in_change: "boolean",
  search: "text",
  manageable: "boolean",
  group: "text",
  id: "integer",
  site_id: "integer",
  port: "integer",
  hostname: "text",
  description: "text",
  management_ip: "text",
  secondary_management_ip: "text",
  dhcp_ip: "text",
  infra_ip: "text",
  oob_ip: "text",
  ztp_mac: "mac",
  serial: "text",
  platform: "text",
  vendor: "text",
  model: "text",
  os_version: "text",
  confhash: "text",
  synchronized: "boolean",
  state: { oneOf: deviceStates },
  device_type: { oneOf: [...deviceTypes, OFFERED] },
  last_seen: "datetime"
} as const satisfies ListFields

export const jobFields = {
  id: "integer",
  status: { oneOf: jobStatuses },
  scheduled_time: "datetime",
  start_time: "datetime",
  finish_time: "datetime",
  function_name: "text",
  scheduled_by: "text",
  comment: "text",
  ticket_ref: "text",
  settings_commit: "text",
  templates_commit: "text",
  next_job_id: "integer",
  change_score: "integer",
  outcome: { oneOf: jobOutcomes },
  result: "json",
  exception: "json",
  start_arguments: "json",
  finished_devices: "json",
  failed_devices: "json",
  counts: "json",
  counts_devices: "integer",
  counts_succeeded: "integer",
  counts_failed: "integer",
  counts_changed: "integer",
  dry_run_job: "integer",
  failed_today: "boolean",
  routine: "boolean",
  changes: "boolean",
  traceback: "text"
} as const satisfies ListFields

export const auditFields = {
  id: "integer",
  at: "text",
  device_id: "integer",
  job_id: "integer",
  kind: "text",
  action: "text",
  actor: "text",
  way: "text",
  address: "text",
  hostname: "text"
} as const satisfies ListFields

export const deliveryFields = {
  id: "text",
  alert_id: "integer",
  attempts: "integer",
  created_at: "datetime",
  ended_at: "datetime",
  rule: "text",
  receiver: "text",
  action: "text",
  state: "text",
  answer: "text"
} as const satisfies ListFields

export const mgmtDomainFields = {
  id: "integer",
  device_a_id: "integer",
  device_b_id: "integer",
  site_id: "integer",
  vlan: "integer",
  ipv4_gw: "text",
  ipv6_gw: "text",
  device_a_ip: "text",
  device_b_ip: "text",
  description: "text",
  esi_mac: "text"
} as const satisfies ListFields
