/**
 * The subject of each call: what it concerns, for callers with access to some devices only (docs/roles.md#callers-of-some-devices). The page
 * uses it too, so that it asks for nothing that would be refused. Pure.
 */
import { type CoveredCalls, coversCall, includes } from "./Glob.ts"

// The subject of each endpoint, for callers with access to some devices only (docs/roles.md#callers-of-some-devices). Every
// other endpoint concerns more than single devices, and is closed to them.

/**
 * `device`: the device in the path, a hostname or an id; the call reads it, changes its ports, or configures them as stored.
 * `wholeDevice`: the same, when more of it than its ports changes. `identity`: the same, when the identity of the switch in a
 * record changes. `devices`, `jobs`: a list without the others. `asked`: the handler checks as soon as it knows the devices.
 * `nothing`: no devices at all.
 */
export type Subject = "device" | "wholeDevice" | "identity" | "devices" | "jobs" | "asked" | "nothing"

const device = [
  "GET /device/:id",
  "GET /device/:hostname/actor",
  "GET /device/:hostname/audit",
  "GET /device/:hostname/blame",
  "GET /device/:hostname/checks",
  "GET /device/:hostname/config_blame",
  "GET /device/:hostname/config_diff",
  "GET /device/:hostname/configs",
  "GET /device/:hostname/generate_config",
  "GET /device/:hostname/host_key",
  "PUT /device/:hostname/interface_status",
  "GET /device/:hostname/interface_status",
  "GET /device/:hostname/interfaces",
  "PUT /device/:hostname/interfaces",
  "POST /device/:hostname/interfaces/preview",
  "GET /device/:hostname/interfaces_export",
  "GET /device/:hostname/lldp_neighbors",
  "GET /device/:hostname/lldp_neighbors_detail",
  "GET /device/:hostname/optics",
  "GET /device/:hostname/port_options",
  "GET /device/:hostname/port_readings",
  "GET /device/:hostname/previous_config",
  "GET /device/:hostname/readings",
  "GET /device/:hostname/running_config",
  "GET /device/:hostname/stackmember",
  "GET /device/:hostname/variables",
  "POST /device/:hostname/render",
  "POST /device_initcheck/:id",
  "POST /device_syncto/hostname/:hostname"
]

const wholeDevice = [
  "PUT /device/:id",
  "DELETE /device/:id",
  "POST /device/:hostname/apply_config",
  "POST /device/:hostname/previous_config",
  "PUT /device/:hostname/stackmember",
  "POST /device_init/:id",
  "PUT /new_devices/:id"
]

const identity = [
  "PUT /device/:hostname/host_key",
  "POST /device/:hostname/hostkey/approve",
  "POST /device/:hostname/trust"
]

const asked = [
  "POST /device_cert",
  "POST /device_drift",
  "POST /device_read_tables",
  "POST /device_syncto",
  "POST /device_update_facts",
  "POST /device_update_interfaces",
  "POST /firmware/upgrade",
  "POST /firmware/upgradecheck",
  "POST /interfaces/bulk",
  "GET /interfaces.csv",
  "POST /new_devices",
  "GET /job/:id",
  "GET /changes/:id/report",
  "GET /job/:id/audit",
  "GET /job/:id/checks",
  "GET /job/:id/diffs",
  "GET /job/:id/progress",
  "GET /job/:id/scope",
  "POST /job/:id/viewed",
  "GET /job/:id/upgrade",
  "PUT /job/:id",
  "POST /job/:id/approve",
  "POST /job/:id/reject",
  "POST /job/:id/revert",
  "GET /windows"
]

const nothing = [
  "GET /settings/model",
  "POST /settings/model",
  "GET /settings/model/:file",
  "POST /settings/model/:file",
  "GET /statecharts",
  "POST /forge/events",
  "GET /views",
  "POST /views",
  "DELETE /views/:id",
  "GET /system/version",
  "GET /repository/:name"
]

/** Endpoints about more than single devices, closed to callers of some. A new endpoint is in one of these lists; a test requires it. */
export const beyondDevices: ReadonlyArray<string> = [
  "GET /metrics",
  "POST /device",
  "GET /overview/history",
  "GET /device_synchistory",
  "POST /device_synchistory",
  "GET /onboarding",
  "POST /onboarding",
  "POST /onboarding/read",
  "POST /onboarding/manage",
  "GET /onboarding/distance",
  "GET /onboarding/history",
  "GET /onboarding/links",
  "POST /onboarding/links",
  "GET /onboarding/settings",
  "POST /onboarding/ports",
  "GET /linknets",
  "GET /linknet/:id",
  "POST /linknets",
  "PUT /linknet/:id",
  "DELETE /linknet/:id",
  "DELETE /linknets",
  "GET /mgmtdomains",
  "GET /mgmtdomain/:id",
  "POST /mgmtdomains",
  "PUT /mgmtdomain/:id",
  "DELETE /mgmtdomain/:id",
  "GET /learned_lines",
  "DELETE /learned_lines/:id",
  "GET /joblocks",
  "DELETE /joblocks",
  "POST /discover_device",
  "POST /device_discover",
  "GET /dhcp_leases",
  "POST /dhcp_leases",
  "GET /certificate_authority",
  "POST /certificate_authority",
  "GET /certificates",
  "GET /device_hostkeys",
  "POST /device_hostkeys/approve",
  "POST /certificate/:serial/revoke",
  "GET /firmware_versions",
  "GET /firmware_images",
  "GET /firmware",
  "POST /firmware",
  "GET /firmware/:filename",
  "DELETE /firmware/:filename",
  "POST /firmware/:filename/set-default",
  "GET /settings",
  "GET /settings/server",
  "GET /secrets",
  "GET /groups",
  "GET /groups/:name",
  "GET /groups/:name/os_versions",
  "GET /groups/:name/os_version",
  "GET /repository/:name/problems",
  "GET /repository/:name/commits",
  "GET /repository/:name/branches",
  "GET /repository/:name/files",
  "GET /repository/:name/file",
  "GET /repository/:name/lines",
  "POST /repository/:name/check",
  "PUT /repository/:name",
  "GET /proposals",
  "GET /proposals/:id",
  "POST /proposals",
  "DELETE /proposals/:id",
  "POST /proposals/:id/viewed",
  "GET /alerts",
  "GET /alerts/deliveries",
  "POST /alerts/:id/acknowledge",
  "POST /alerts/deliveries/:id/replay",
  "POST /alerts/replay",
  "POST /alerts/receivers/:name/test",
  "GET /alerts/mutes",
  "POST /alerts/mutes",
  "DELETE /alerts/mutes/:id",
  "GET /audit/chain",
  "GET /changes/reports/:sha256",
  "GET /system/findings",
  "GET /setup",
  "POST /setup/try",
  "PUT /setup",
  "GET /system/status",
  "GET /plugins",
  "PUT /plugins",
  "GET /auth/ways",
  "GET /auth/login",
  "GET /auth/auth",
  "POST /auth/refresh",
  "POST /auth/logout",
  "POST /auth/session",
  "DELETE /auth/session",
  "GET /auth/identity",
  "GET /auth/permissions",
  "GET /auth/explain",
  "GET /auth/who_may",
  "GET /auth/roles",
  "POST /auth",
  "GET /auth/tokens",
  "POST /auth/tokens",
  "DELETE /auth/tokens/:id",
  "GET /auth/users",
  "POST /auth/users",
  "PUT /auth/users/:name",
  "DELETE /auth/users/:name",
  "GET /auth/persons",
  "POST /auth/persons/withdraw",
  "POST /auth/persons/admit",
  "GET /approvals",
  "POST /approvals/:id/approve",
  "POST /approvals/:id/reject"
]

/** The subjects of endpoints, by method and path. */
export const subjectsOf: ReadonlyMap<string, Subject> = new Map<string, Subject>([
  ...device.map((endpoint) => [endpoint, "device"] as const),
  ...wholeDevice.map((endpoint) => [endpoint, "wholeDevice"] as const),
  ...identity.map((endpoint) => [endpoint, "identity"] as const),
  ...asked.map((endpoint) => [endpoint, "asked"] as const),
  ...nothing.map((endpoint) => [endpoint, "nothing"] as const),
  ["GET /devices", "devices"],
  ["GET /overview", "devices"],
  ["GET /attention", "devices"],
  ["GET /new_devices", "devices"],
  ["GET /topology", "devices"],
  ["GET /configs", "devices"],
  ["GET /checks", "devices"],
  ["GET /audit", "devices"],
  ["GET /events", "devices"],
  ["GET /find", "devices"],
  ["GET /jobs", "jobs"],
  ["GET /approvals/jobs", "jobs"]
])

/** The additional check next to the device in the path, where more than its ports changes. */
export const wholeSubjects: Readonly<Partial<Record<Subject, { readonly whole: true; readonly identity?: true }>>> = {
  wholeDevice: { whole: true },
  identity: { whole: true, identity: true }
}

/** The subject of an endpoint; `path` as defined, below the base, with or without rules for its parameters. */
export const subjectOf = (method: string, path: string): Subject | undefined =>
  subjectsOf.get(`${method} ${path.replaceAll(/\([^)]*\)/g, "")}`)

// What a caller may be offered, before the device of a call is known.

/** The limits of a permission to some devices or ports. */
interface Limited extends CoveredCalls {
  readonly groups?: ReadonlyArray<string> | undefined
  readonly device_types?: ReadonlyArray<string> | undefined
  readonly interfaces?: ReadonlyArray<string> | undefined
}

/** Calls about the caller themselves: every caller with a token may make them. */
const OWN = /^\/(?:auth\/(?:identity|permissions|explain|roles|tokens|ways|session)|approvals)(?:\/|$)/

/** Whether a call is about the caller themselves, which needs no permission. */
export const isAboutCaller = (path: string): boolean => OWN.test(path)

const patterns = [...subjectsOf].map(([name, subject]) => {
  const [method = "", path = ""] = name.split(" ", 2)
  return { method, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`), subject }
})

/**
 * Whether a permission allows a call for at least some of its subjects: false for a permission for some devices and a call about more than
 * single devices, or for one for some ports and a call that changes whole devices.
 */
export const offersCall = (permission: Limited, method: string, path: string): boolean => {
  if (!coversCall(permission, method, path)) return false
  const { device_types, groups, interfaces } = permission
  if (device_types === undefined && groups === undefined && interfaces === undefined) return true
  if (isAboutCaller(path)) return true
  return patterns.some(
    (one) =>
      one.method === method &&
      one.pattern.test(path) &&
      (interfaces === undefined || wholeSubjects[one.subject] === undefined)
  )
}

/** Whether a permission shows the access of everybody: persons, users, tokens, and what each may do (docs/roles.md#permissions). */
export const showsAccess = (permission: Limited): boolean =>
  permission.device_types === undefined &&
  permission.groups === undefined &&
  permission.interfaces === undefined &&
  includes(permission.rights ?? [], "audit") &&
  coversCall(permission, "GET", "/auth/persons")
