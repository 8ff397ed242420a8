/**
 * Fields that several requests have: notes, windows, start times, and the selectors of managed devices. The first selector in
 * the body wins (docs/changes.md#synchronize).
 */
import { Option, Result, Schema } from "effect"
import { depending, ignorable, otherwise, type Place, type Rule } from "../fields/Body.ts"
import { accept, lenient } from "../fields/Rules.ts"
import { has, isObject, MAX_INTEGER, parseHostname, shown } from "../fields/Values.ts"
import { isHostname } from "../Network.ts"
import { DeviceType, deviceTypeOf } from "../Device.ts"

const isText = (sent: unknown): sent is string => typeof sent === "string"
const isFlag = (sent: unknown): sent is boolean => typeof sent === "boolean"
const isCount = (sent: unknown): sent is number =>
  typeof sent === "number" && Number.isInteger(sent) && sent >= 1 && sent <= MAX_INTEGER

/** A boolean; a value of another type counts as absent. */
export const flagOr = (fallback: boolean) => otherwise(Schema.Boolean, fallback, lenient(isFlag, fallback))

/** True, or absent: every other value counts as absent. */
export const onlyTrue = ignorable(Schema.Boolean, (sent) => Result.succeed(sent === true ? sent : undefined))

/** A user's note about a job, null when it is absent or not text; the database cuts it to its columns. */
const note = otherwise(Schema.NullOr(Schema.String), null, lenient(isText, null), Schema.String)
export const notes = { comment: note, ticket_ref: note }

/** A hostname; the refusal quotes the sent value. */
export const hostnameRule: Rule<string> = (sent) => parseHostname(sent)

/** The name of a group. Its existence is checked later, so any value is accepted, as its text. */
export const groupRule: Rule<string> = (sent) => Result.succeed(shown(sent))

/** Null counts as absent. */
export const nullAsAbsent =
  <A>(rule: Rule<A>): Rule<A | undefined> =>
  (sent, place) =>
    sent === null ? Result.succeed(undefined) : rule(sent, place)

/** An integer of 1 or more. */
export const count = accept(isCount, ({ key }) => `${key} must be an integer of 1 or more`)

/** The most characters of a reason in the database. */
const MAX_REASON = 255
const isReason = (sent: unknown): sent is string =>
  typeof sent === "string" && sent.trim() !== "" && sent.length <= MAX_REASON

/** How a live job follows the windows of its devices (docs/windows.md#jobs). */
export const windowFields = {
  wait_for_window: ignorable(Schema.Boolean, nullAsAbsent(accept(isFlag, () => "wait_for_window must be a boolean"))),
  emergency: ignorable(
    Schema.String,
    nullAsAbsent(accept(isReason, () => `emergency must be a reason of 1 to ${MAX_REASON} characters`))
  )
}

const skipRule: Rule<string> = (sent) => {
  const reason = isObject(sent) && Object.keys(sent).length === 1 ? sent["reason"] : undefined
  return isReason(reason)
    ? Result.succeed(reason)
    : Result.fail(`skip_checks must be {reason} with a reason of 1 to ${MAX_REASON} characters`)
}

/** Leaves out the checks of the devices of a live job; needs the right `skip_checks` (docs/checks.md#leaving-checks-out). */
export const skipField = {
  skip_checks: ignorable(Schema.String, nullAsAbsent(skipRule), Schema.Struct({ reason: Schema.String }))
}

/** The key as an argument of a job. */
export const skipArgument = ({ skip_checks }: { readonly skip_checks?: string }) =>
  skip_checks === undefined ? {} : { skip_checks }

interface WindowFields {
  readonly wait_for_window?: boolean
  readonly emergency?: string
}

/** The refusal of the combination. */
export const windowFaults = ({ emergency, wait_for_window }: WindowFields): ReadonlyArray<string> =>
  emergency !== undefined && wait_for_window === true ? ["emergency cannot be combined with wait_for_window"] : []

/** The keys as arguments of a job. */
export const windowArguments = ({ emergency, wait_for_window }: WindowFields): WindowFields => ({
  ...(wait_for_window === true ? { wait_for_window } : {}),
  ...(emergency === undefined ? {} : { emergency })
})

/** The name of an action, in upper case; any value is accepted, as its text. */
export const actionRule: Rule<string> = (sent) => Result.succeed(shown(sent).toUpperCase())

/** `YYYY-MM-DD HH:MM:SS` without a zone is UTC; with a `T` a zone must follow, because ISO 8601 without one is local time. */
const START =
  /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2})|T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2}))$/

/** Minutes east of UTC of `Z`, `+02:00` or `-0330`; NaN for an invalid zone. */
const zoneMinutes = (zone: string): number => {
  if (zone === "Z") return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  const isReal = hours < 14 || (hours === 14 && minutes === 0)
  return isReal && minutes < 60 ? (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) : Number.NaN
}

/** A valid time, `YYYY-MM-DD HH:MM:SS` in UTC or ISO 8601 with a zone, as milliseconds since 1970. */
export const startRule: Rule<number> = (sent) => {
  const [, date = "", plain, zoned = "", zone = "Z"] = (typeof sent === "string" ? START.exec(sent) : null) ?? []
  const clock = plain ?? zoned
  const local = Date.parse(`${date}T${clock}Z`)
  const isReal = !Number.isNaN(local) && new Date(local).toISOString().startsWith(`${date}T${clock.slice(0, 8)}`)
  const time = isReal ? Math.floor(local) - zoneMinutes(zone) * 60_000 : Number.NaN
  return Number.isNaN(time) ? Result.fail("Invalid date format, should be: %Y-%m-%d %H:%M:%S") : Result.succeed(time)
}

// Lists of hostnames in requests.

/** The longest list. */
export const MAX_NAMES = 1000

/** A list of 1 to 1000 hostnames, each once. */
export const namesRule: Rule<ReadonlyArray<string>> = (sent, { key }) => {
  const names: ReadonlyArray<unknown> = Array.isArray(sent) ? sent : []
  if (names.length === 0 || names.length > MAX_NAMES) {
    return Result.fail(`${key} must be a list of 1 to ${MAX_NAMES} hostnames`)
  }
  const hostnames = names.filter(isHostname)
  const wrong = names.find((name) => !isHostname(name))
  return hostnames.length === names.length
    ? Result.succeed([...new Set(hostnames)])
    : Result.fail(`${key}: '${shown(wrong)}' is not a valid hostname`)
}

// The keys by which requests select managed devices (docs/changes.md#synchronize). The first key in the body wins; the others
// are ignored, whatever their value.

/** A selection of managed devices; `sent` is the type as the client wrote it. */
export type DeviceTarget =
  | { readonly _tag: "Hostname"; readonly hostname: string }
  | { readonly _tag: "Hostnames"; readonly hostnames: ReadonlyArray<string> }
  | { readonly _tag: "DeviceType"; readonly device_type: DeviceType; readonly sent: string }
  | { readonly _tag: "Group"; readonly group: string }
  | { readonly _tag: "All" }

const ORDER = ["hostname", "hostnames", "device_type", "group"]

const isSelected = ({ body }: Place): boolean => ORDER.some((name) => has(body, name))

/** A selector is ignored when a key before it selects the devices. */
const whenItCounts =
  <A>(rule: Rule<A>): Rule<A | undefined> =>
  (sent, place) =>
    ORDER.find((name) => has(place.body, name)) === place.key ? rule(sent, place) : Result.succeed(undefined)

const TypeSent = Schema.Struct({ device_type: DeviceType, sent: Schema.String })

const typeRule: Rule<typeof TypeSent.Type> = (value) => {
  const sent = shown(value)
  const device_type = deviceTypeOf(sent)
  return device_type === undefined
    ? Result.fail(`Invalid device type '${sent}' specified`)
    : Result.succeed({ device_type, sent })
}

/** The selectors; without any, the request selects all managed devices. */
export const selectors = {
  hostname: ignorable(Schema.String, whenItCounts(hostnameRule)),
  hostnames: ignorable(Schema.Array(Schema.String), whenItCounts(namesRule)),
  device_type: ignorable(TypeSent, whenItCounts(typeRule), Schema.Literals(["ACCESS", "DIST", "CORE"])),
  group: ignorable(Schema.String, whenItCounts(groupRule))
}

/** The selectors of a request that must contain `all: true` to select all; `none` is the refusal without a selector. */
export const explicitSelectors = (none: string) => ({
  ...selectors,
  all: depending(
    Schema.Boolean,
    (place) => (isSelected(place) ? Result.succeed(Option.none()) : Result.fail(none)),
    (sent, place) => (sent === true || isSelected(place) ? Result.succeed(sent === true) : Result.fail(none))
  )
})

/** The selectors of a decoded body. */
interface DeviceSelectors {
  readonly hostname?: string
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: typeof TypeSent.Type
  readonly group?: string
}

/** The devices that a body selects. */
export const targetOf = ({ device_type, group, hostname, hostnames }: DeviceSelectors): DeviceTarget => {
  if (hostname !== undefined) return { _tag: "Hostname", hostname }
  if (hostnames !== undefined) return { _tag: "Hostnames", hostnames }
  if (device_type !== undefined) return { _tag: "DeviceType", ...device_type }
  return group === undefined ? { _tag: "All" } : { _tag: "Group", group }
}

/** The device or group of a body as arguments of its job; a hostname wins over a group. */
export const hostnameOrGroup = ({ group, hostname }: Pick<DeviceSelectors, "hostname" | "group">) => {
  if (hostname !== undefined) return { hostname }
  return group === undefined ? {} : { group }
}
