/**
 * What each endpoint is about, for callers who may work on some devices only (docs/roles.md#callers-of-some-devices). What is not listed
 * is about more than single devices, and closed to them.
 */

/**
 * `device`: the device in the path, a hostname or an id; it is read, or its ports are changed, or configured as they are stored.
 * `wholeDevice`: the same, when more of it than its ports changes. `identity`: the same, when what says which switch a record stands for
 * changes. `devices`, `jobs`: a list, from which the others are left out. `asked`: the
 * handler asks as soon as it knows the devices. `nothing`: no devices at all.
 */
export type Subject = "device" | "wholeDevice" | "identity" | "devices" | "jobs" | "asked" | "nothing"

const device = [
  "GET /device/:id",
  "GET /device/:hostname/actor",
  "GET /device/:hostname/audit",
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
  "GET /device/:hostname/previous_config",
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
  "POST /device_init/:id"
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
  "POST /new_devices",
  "GET /job/:id",
  "GET /job/:id/audit",
  "GET /job/:id/diffs",
  "GET /job/:id/progress",
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
  "GET /system/version",
  "GET /repository/:name"
]

/** Endpoints about more than single devices, closed to callers of some. A new endpoint is in one of these lists; a test says so. */
export const beyondDevices: ReadonlyArray<string> = [
  "GET /metrics",
  "POST /device",
  "GET /device_synchistory",
  "POST /device_synchistory",
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
  "GET /joblocks",
  "DELETE /joblocks",
  "POST /discover_device",
  "POST /device_discover",
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
  "POST /firmware/upgradecheck",
  "GET /settings",
  "GET /settings/server",
  "GET /groups",
  "GET /groups/:name",
  "GET /groups/:name/os_versions",
  "GET /groups/:name/os_version",
  "GET /repository/:name/problems",
  "GET /repository/:name/commits",
  "GET /repository/:name/files",
  "GET /repository/:name/file",
  "POST /repository/:name/check",
  "PUT /repository/:name",
  "GET /alerts",
  "GET /alerts/deliveries",
  "POST /alerts/deliveries/:id/replay",
  "POST /alerts/replay",
  "POST /alerts/receivers/:name/test",
  "GET /alerts/mutes",
  "POST /alerts/mutes",
  "DELETE /alerts/mutes/:id",
  "GET /audit/chain",
  "GET /system/findings",
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

/** What endpoints are about, by method and path. */
export const subjectsOf: ReadonlyMap<string, Subject> = new Map<string, Subject>([
  ...device.map((endpoint) => [endpoint, "device"] as const),
  ...wholeDevice.map((endpoint) => [endpoint, "wholeDevice"] as const),
  ...identity.map((endpoint) => [endpoint, "identity"] as const),
  ...asked.map((endpoint) => [endpoint, "asked"] as const),
  ...nothing.map((endpoint) => [endpoint, "nothing"] as const),
  ["GET /devices", "devices"],
  ["GET /overview", "devices"],
  ["GET /new_devices", "devices"],
  ["GET /topology", "devices"],
  ["GET /audit", "devices"],
  ["GET /events", "devices"],
  ["GET /find", "devices"],
  ["GET /jobs", "jobs"]
])

/** What is asked beside the device in the path, where more than its ports changes. */
export const wholeSubjects: Readonly<Partial<Record<Subject, { readonly whole: true; readonly identity?: true }>>> = {
  wholeDevice: { whole: true },
  identity: { whole: true, identity: true }
}

/** What an endpoint is about; `path` as it is defined, behind the base, with or without rules for its parameters. */
export const subjectOf = (method: string, path: string): Subject | undefined =>
  subjectsOf.get(`${method} ${path.replaceAll(/\([^)]*\)/g, "")}`)
