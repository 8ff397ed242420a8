/**
 * The scope of one permission of a role, and whether a call is within it (docs/roles.md#permissions). A permission allows a
 * call as a whole or not at all; no permission forbids anything. An unknown subject of a call counts as outside. Pure.
 */
import { Schema } from "effect"
import type { JsonObject } from "../fields/Values.ts"
import { callsMeant, includes, matchesGlob, matchesPath, missingRight } from "./Glob.ts"

const words = Schema.Array(Schema.String)
const names = Schema.optionalKey(words)

/** A permission as in the file. The first four fields are those of existing sites; the others narrow it further. */
export const Permission = Schema.Struct({
  /** Methods in capitals, or `*`. */
  methods: Schema.optionalKey(words),
  /** Globs of paths below `/api/v1.0`. */
  endpoints: Schema.optionalKey(words),
  /** Read by the web page only. */
  pages: Schema.optionalKey(words),
  /** Read by the web page only, except `emergency`, `skip_checks`, `trust`, `free_lines`, `spellings`, `audit` and `show_secrets` (docs/roles.md#permissions). */
  rights: Schema.optionalKey(words),
  /** Only these fields of a body, each with one of these values; `*` any. */
  fields: Schema.optionalKey(Schema.Record(Schema.String, words)),
  /** Only devices that are in one of these states before the call. */
  states: names,
  /** Only devices of one of these groups. */
  groups: names,
  /** Only devices of one of these types. */
  device_types: names,
  /** Only these ports, as globs `hostname:port`. */
  interfaces: names,
  /** Only jobs of these kinds, by the names of their functions. */
  jobs: names,
  /** False: jobs may only be dry runs. */
  live: Schema.optionalKey(Schema.Boolean),
  /** At most so many devices in one job. */
  max_devices: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(1)))),
  /** Live jobs wait for another person's approval. */
  approval: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Permission" })
export type Permission = typeof Permission.Type

/** The facts about a device that permissions need. */
export interface AskedDevice {
  readonly hostname: string
  readonly deviceType: string
  readonly groups: ReadonlyArray<string>
  /** Left out: unknown. */
  readonly state?: string
}

/** A call. A field that is left out is unknown, or the call has none. */
export interface Asked {
  readonly method: string
  /** Below `/api/v1.0`, without the query. */
  readonly path: string
  readonly devices?: ReadonlyArray<AskedDevice>
  readonly ports?: ReadonlyArray<{ readonly hostname: string; readonly port: string }>
  /** It works on a switch immediately, without a job. */
  readonly live?: true
  /** It continues outside of the windows of its devices. */
  readonly emergency?: true
  /** It leaves out the checks of its devices. */
  readonly skipChecks?: true
  readonly job?: { readonly name: string; readonly live: boolean }
  /** A group whose devices are selected when the job begins. */
  readonly group?: string
  /** It changes more of its devices than their ports or the configuration of these. */
  readonly whole?: true
  /** The fields of the body as they were sent, with any values. */
  readonly fields?: JsonObject
  /** It changes the identity of the switch in a record. */
  readonly identity?: true
  /** Why it needs the right `trust`: the server's use of the fleet's login, as a sentence without its end. */
  readonly trust?: string
  /** Fields of the body that add the caller's own lines to a configuration, or remove such lines. */
  readonly free?: ReadonlyArray<string>
  /** It concerns more than single devices. */
  readonly beyond?: true
}

/** An unknown device: it does not exist, or the caller must not see it. */
export const unknownDevice = (named: string): AskedDevice => ({ hostname: named, deviceType: "", groups: [] })

/** Whether a permission is only for some devices. */
export const isForSomeDevices = ({ device_types, groups, interfaces }: Permission): boolean =>
  device_types !== undefined || groups !== undefined || interfaces !== undefined

/** Whether a permission shows secrets in responses to its caller (docs/security.md#who-sees-secrets). */
export const showsSecrets = ({ rights = [] }: Permission): boolean => includes(rights, "show_secrets")

/** Whether a permission that covers a call allows it without a look at its subject. */
export const isWhole = (permission: Permission): boolean =>
  !isForSomeDevices(permission) &&
  permission.fields === undefined &&
  permission.states === undefined &&
  permission.jobs === undefined &&
  permission.live !== false &&
  permission.max_devices === undefined

/** Whether a permission allows everything: its holder may also assign themselves any right. */
export const isEverything = (permission: Permission): boolean =>
  isWhole(permission) &&
  permission.methods?.includes("*") === true &&
  permission.endpoints?.some((glob) => glob === "*" || glob === "**") === true &&
  permission.approval !== true

/** The part of a port glob that names the switch. */
const switchOf = (glob: string): string => glob.split(":", 1)[0] ?? ""

/** Whether a permission includes a device; of its ports, those that `interfaces` names. */
export const reaches = ({ device_types, groups, interfaces }: Permission, device: AskedDevice): boolean =>
  (interfaces === undefined || interfaces.some((glob) => matchesGlob(switchOf(glob), device.hostname))) &&
  (groups === undefined || groups.some((group) => group === "*" || device.groups.includes(group))) &&
  (device_types === undefined || includes(device_types, device.deviceType))

/** The form of a value for comparisons: texts without regard to case, as in fields with the names of states and types. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).toUpperCase()

const isOneOf = (values: ReadonlyArray<string>, value: unknown): boolean =>
  values.some((word) => word === "*" || word.toUpperCase() === textOf(value))

/** The most characters shown of a name that the caller chose. */
const MAX_SHOWN = 64

/** What a rule is about: in the order of the checks. `right` covers all rights that a call needs of its own. */
export type RefusedBy =
  | "path"
  | "method"
  | "right"
  | "beyond"
  | "device"
  | "whole"
  | "state"
  | "value"
  | "field"
  | "identity"
  | "group"
  | "port"
  | "job"
  | "live"
  | "count"

/**
 * The rule by which a permission does not allow a call, as the file has it. `about` is what does not fit: a name, a state, a right, or what
 * needs it.
 */
interface Broken {
  readonly by: RefusedBy
  /** A sentence without its end. */
  readonly rule: string
  readonly about?: ReadonlyArray<string>
}

export interface Obstacle extends Broken {
  /** How many rules the call has passed, so that the closest permission can be named. */
  readonly passed: number
}

type Check = (permission: Permission, asked: Asked) => Broken | undefined

const listed = (list: ReadonlyArray<string>): string => (list.length === 0 ? "nothing" : list.join(", "))

/** A right that the permission does not give, and why the call needs it. */
const lacking = ({ rights = [] }: Permission, right: string, why?: string): Broken => ({
  by: "right",
  about: [right, ...(why === undefined ? [] : [why])],
  rule: `rights: ${listed(rights)}; ${right} is not among them${why === undefined ? "" : `, and ${why}`}`
})

const checks: ReadonlyArray<Check> = [
  ({ endpoints = [] }, { method, path }) =>
    callsMeant(method, path).some((call) => matchesPath(endpoints, call.path))
      ? undefined
      : { by: "path", rule: `endpoints: ${listed(endpoints)}` },
  ({ endpoints = [], methods = [] }, { method, path }) =>
    callsMeant(method, path).some((call) => matchesPath(endpoints, call.path) && includes(methods, call.method))
      ? undefined
      : { by: "method", rule: `methods: ${listed(methods)}` },
  (permission, { method, path }) => {
    const right = missingRight(permission, method, path)
    return right === undefined ? undefined : lacking(permission, right)
  },
  (permission, { beyond }) =>
    beyond === true && isForSomeDevices(permission)
      ? { by: "beyond", rule: "only for some devices, and this is about more than single devices" }
      : undefined,
  (permission, { devices = [] }) => {
    const outside = devices.find((device) => !reaches(permission, device))
    if (outside === undefined) return undefined
    const { device_types, groups, interfaces } = permission
    const where = [
      ...(groups === undefined ? [] : [`groups: ${listed(groups)}`]),
      ...(device_types === undefined ? [] : [`device_types: ${listed(device_types)}`]),
      ...(interfaces === undefined ? [] : [`interfaces: ${listed(interfaces)}`])
    ]
    const { hostname } = outside
    return { by: "device", about: [hostname], rule: `${where.join(", ")}; ${hostname} is not among them` }
  },
  ({ interfaces }, { whole }) =>
    interfaces !== undefined && whole === true
      ? { by: "whole", rule: "only for some ports, and this changes whole devices" }
      : undefined,
  ({ states }, { devices = [] }) => {
    const outside = devices.find(({ state = "" }) => states !== undefined && !states.includes(state))
    if (outside === undefined) return undefined
    const { hostname, state } = outside
    return {
      by: "state",
      about: [hostname, ...(state === undefined ? [] : [state])],
      rule: `states: ${listed(states ?? [])}; ${hostname} is ${state ?? "in a state that is not known"}`
    }
  },
  ({ fields }, { fields: sent = {} }) => {
    if (fields === undefined) return undefined
    const key = Object.keys(sent).find(
      (name) => !Object.hasOwn(fields, name) || !isOneOf(fields[name] ?? [], sent[name])
    )
    if (key === undefined) return undefined
    if (Object.hasOwn(fields, key)) {
      const values = listed(fields[key] ?? [])
      return { by: "value", about: [key, values], rule: `fields: ${key} may be ${values}, and this is another value` }
    }
    const shown = key.slice(0, MAX_SHOWN)
    return { by: "field", about: [shown], rule: `fields: ${listed(Object.keys(fields))}; ${shown} is not among them` }
  },
  (permission, { identity }) =>
    identity === true && isForSomeDevices(permission) && !includes(permission.rights ?? [], "trust")
      ? {
          by: "identity",
          rule: "only for some devices, and this says which switch a record stands for, which needs the right trust"
        }
      : undefined,
  (permission, { trust }) =>
    trust === undefined || includes(permission.rights ?? [], "trust") ? undefined : lacking(permission, "trust", trust),
  (permission, { free = [] }) =>
    free.length === 0 || includes(permission.rights ?? [], "free_lines")
      ? undefined
      : lacking(
          permission,
          "free_lines",
          `${listed(free)} ${free.length === 1 ? "has" : "have"} lines of their own for the configuration`
        ),
  // the members of the group at the begin of the job are still unknown
  ({ device_types, groups, interfaces }, { group }) =>
    group === undefined || (device_types === undefined && interfaces === undefined && includes(groups ?? ["*"], group))
      ? undefined
      : { by: "group", rule: `only for some devices, and not for all of group ${group}, whatever will be in it` },
  ({ interfaces }, { ports = [] }) => {
    if (interfaces === undefined) return undefined
    const outside = ports.find(
      ({ hostname, port }) => !interfaces.some((glob) => matchesGlob(glob, `${hostname}:${port}`))
    )
    if (outside === undefined) return undefined
    const port = `${outside.hostname}:${outside.port}`
    return { by: "port", about: [port], rule: `interfaces: ${listed(interfaces)}; ${port} is not among them` }
  },
  ({ jobs }, { job }) =>
    job === undefined || jobs === undefined || includes(jobs, job.name)
      ? undefined
      : { by: "job", about: [job.name], rule: `jobs: ${listed(jobs)}` },
  (permission, { job, live }) =>
    (job?.live === true || live === true) && permission.live === false
      ? { by: "live", rule: "live: false, dry runs only" }
      : undefined,
  (permission, { emergency }) =>
    emergency === true && !includes(permission.rights ?? [], "emergency")
      ? lacking(permission, "emergency")
      : undefined,
  (permission, { skipChecks }) =>
    skipChecks === true && !includes(permission.rights ?? [], "skip_checks")
      ? lacking(permission, "skip_checks")
      : undefined,
  ({ max_devices }, { devices = [], job }) =>
    job !== undefined && max_devices !== undefined && devices.length > max_devices
      ? {
          by: "count",
          about: [String(devices.length)],
          rule: `max_devices: ${max_devices}, and these are ${devices.length}`
        }
      : undefined
]

/** The first rule of a permission that a call breaks; undefined when it allows the call. */
export const obstacleOf = (permission: Permission, asked: Asked): Obstacle | undefined => {
  for (const [passed, check] of checks.entries()) {
    const broken = check(permission, asked)
    if (broken !== undefined) return { passed, ...broken }
  }
  return undefined
}
