/** Calls of the API as data: the call that a method and path mean, the devices that it concerns, and its types for clients. */
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Api, BASE } from "./Api.ts"
import type { Schema } from "effect"

// The subject of each endpoint, for callers with access to some devices only (docs/roles.md#callers-of-some-devices). Every
// other endpoint concerns more than single devices, and is closed to them.

/**
 * `device`: the device in the path, a hostname or an id; the call reads it, changes its ports, or configures them as stored.
 * `wholeDevice`: the same, when more of it than its ports changes. `identity`: the same, when the identity of the switch in a
 * record changes. `devices`, `jobs`: a list without the others. `asked`: the handler checks as soon as it knows the devices.
 * `nothing`: no devices at all.
 */
type Subject = "device" | "wholeDevice" | "identity" | "devices" | "jobs" | "asked" | "nothing"

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
  "POST /firmware/upgradecheck",
  "POST /interfaces/bulk",
  "GET /interfaces.csv",
  "POST /new_devices",
  "GET /job/:id",
  "GET /job/:id/audit",
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

/** A call: its subject (nothing for calls that are closed to callers of some devices), and the value of its parameter. */
export interface Call {
  readonly subject: Subject | undefined
  readonly parameter: string | undefined
}

interface Route {
  readonly method: string
  readonly pattern: RegExp
  readonly subject: Subject | undefined
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/:\w+(\([^)]*\))?/g, (_, rule) => (rule === undefined ? "([^/]+)" : "(\\d+)"))}$`)

/** Paths without a parameter first, since the router prefers them. */
const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      const behind = path.slice(BASE.length)
      found.push({ method, pattern: patternOf(behind), subject: subjectOf(method, behind) })
    }
  })
  return found.toSorted((a, b) => Number(a.pattern.source.includes("(")) - Number(b.pattern.source.includes("(")))
})()

/** The call for a method and a path below the base; none for an unknown endpoint. */
export const callOf = (method: string, path: string): Call | undefined => {
  for (const { method: own, pattern, subject } of routes) {
    const match = own === method ? pattern.exec(path) : null
    if (match !== null) return { subject, parameter: match[1] }
  }
  return undefined
}

// The calls of the API by method and path, as types only: the page and the command line are checked against them.

type Groups = typeof Api extends HttpApi.HttpApi<string, infer G> ? G : never
type Endpoint = HttpApiGroup.Endpoints<Groups>

/** The path below `/api/v1.0`, without the patterns of its parameters. */
type Shown<Path extends string> = Path extends `/api/v1.0${infer Rest}`
  ? Shown<Rest>
  : Path extends `${infer Before}(${string})${infer After}`
    ? `${Before}${Shown<After>}`
    : Path

type ByName = { [E in Endpoint as `${E["method"]} ${Shown<E["path"]>}`]: E }

/** `GET /devices`, `PUT /device/:id` and so on. */
export type CallName = keyof ByName

type BodyOf<S> = S extends { readonly schema: infer Inner extends Schema.Top; readonly headers: unknown }
  ? Inner["Type"]
  : S extends Schema.Top
    ? S["Type"]
    : never

/** The answer of a call. The records of the API are plain JSON: the values that handlers return are those on the wire. */
export type Answer<Name extends CallName> = BodyOf<ByName[Name]["~Success"]>

/** The data in the envelope of an answer. */
export type Data<Name extends CallName> = Answer<Name> extends { readonly data: infer D } ? D : Answer<Name>

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type Parameters<Name extends string> = { readonly [P in ParameterNames<Name>]: string | number }
