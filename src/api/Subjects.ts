/**
 * What each endpoint is about, for callers who may work on some devices only (docs/roles.md#callers-of-some-devices). What is not listed
 * is about more than single devices, and closed to them.
 */

/**
 * `device`: the device in the path, a hostname or an id. `devices`, `jobs`: a list, from which the others are left out. `asked`: the
 * handler asks as soon as it knows the devices. `nothing`: no devices at all.
 */
export type Subject = "device" | "devices" | "jobs" | "asked" | "nothing"

const device = [
  "GET /device/:id",
  "PUT /device/:id",
  "DELETE /device/:id",
  "GET /device/:hostname/actor",
  "POST /device/:hostname/apply_config",
  "GET /device/:hostname/generate_config",
  "GET /device/:hostname/host_key",
  "PUT /device/:hostname/host_key",
  "PUT /device/:hostname/interface_status",
  "GET /device/:hostname/interface_status",
  "GET /device/:hostname/interfaces",
  "PUT /device/:hostname/interfaces",
  "GET /device/:hostname/interfaces_export",
  "GET /device/:hostname/lldp_neighbors",
  "GET /device/:hostname/lldp_neighbors_detail",
  "GET /device/:hostname/previous_config",
  "POST /device/:hostname/previous_config",
  "GET /device/:hostname/running_config",
  "PUT /device/:hostname/stackmember",
  "GET /device/:hostname/stackmember",
  "POST /device_init/:id",
  "POST /device_initcheck/:id",
  "POST /device_syncto/hostname/:hostname"
]

const asked = [
  "POST /device_cert",
  "POST /device_drift",
  "POST /device_syncto",
  "POST /device_update_facts",
  "POST /device_update_interfaces",
  "POST /firmware/upgrade",
  "GET /job/:id",
  "PUT /job/:id",
  "POST /job/:id/approve",
  "POST /job/:id/reject",
  "POST /job/:id/revert"
]

const nothing = [
  "GET /settings/model",
  "POST /settings/model",
  "GET /settings/model/:file",
  "POST /settings/model/:file",
  "GET /system/version",
  "GET /repository/:name"
]

const subjects: ReadonlyMap<string, Subject> = new Map<string, Subject>([
  ...device.map((endpoint) => [endpoint, "device"] as const),
  ...asked.map((endpoint) => [endpoint, "asked"] as const),
  ...nothing.map((endpoint) => [endpoint, "nothing"] as const),
  ["GET /devices", "devices"],
  ["GET /jobs", "jobs"]
])

/** What an endpoint is about; `path` as it is defined, behind the base, with or without rules for its parameters. */
export const subjectOf = (method: string, path: string): Subject | undefined =>
  subjects.get(`${method} ${path.replaceAll(/\([^)]*\)/g, "")}`)
