/** Bodies of requests that report, check and initialise new switches, one or several (docs/provisioning.md). */
import { Option, Result, Schema } from "effect"
import { DeviceType, deviceTypeOf } from "../Device.ts"
import { isDeviceMac, isNumber, whyNoDeviceAddress } from "../DeviceIdentity.ts"
import * as Body from "../fields/Body.ts"
import { type AbsentRule, depending, ignorable, otherwise, required, type Rule } from "../fields/Body.ts"
import { accept, address, convert, flag } from "../fields/Rules.ts"
import { nameHint } from "../fields/KnownNames.ts"
import { has, isObject, type JsonObject, own } from "../fields/Values.ts"
import { isHostname, normalizeMac } from "../Network.ts"
import { nullAsAbsent } from "./RequestFields.ts"

const PAIR = "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified"
// No space after the first comma: clients know this text.
const NEIGHBORS = "Neighbors must be specified as either a list of hostnames,an empty list, or not specified at all"

const isInteger = (sent: unknown): sent is number => Number.isInteger(sent)

/** A key is refused without the other one, whatever its value. */
const withTheOther =
  (other: string) =>
  <A>(rule: Rule<A>): Rule<A> =>
  (sent, place) =>
    has(place.body, other) ? rule(sent, place) : Result.fail(PAIR)

const neitherWithout =
  (other: string): AbsentRule =>
  ({ body }) =>
    has(body, other) ? Result.fail(PAIR) : Result.succeed(Option.none())

const neighborsRule: Rule<ReadonlyArray<string> | null> = (sent) => {
  if (sent === null) return Result.succeed(null)
  if (!Array.isArray(sent)) return Result.fail(NEIGHBORS)
  const hostnames = sent.filter(isHostname)
  return hostnames.length === sent.length
    ? Result.succeed(hostnames)
    : Result.fail("Invalid hostname specified in neighbor list")
}

/** A number is only the name of an existing switch that is to be replaced. */
const newName =
  (sentence: string): Rule<string> =>
  (sent, { body }) =>
    isHostname(sent) && (!isNumber(sent) || own(body, "replace_hostname") === true)
      ? Result.succeed(sent)
      : Result.fail(sentence)

const fields = {
  hostname: required(
    Schema.String,
    () => "POST data must include new 'hostname'",
    newName("Provided hostname is not valid")
  ),
  device_type: required(
    DeviceType,
    () => "POST data must include 'device_type'",
    convert(
      (sent) => Option.fromUndefinedOr(deviceTypeOf(sent)),
      () => "Invalid 'device_type' provided"
    ),
    Schema.Literals(["ACCESS", "DIST", "CORE"])
  ),
  mlag_peer_id: depending(
    Schema.Int,
    neitherWithout("mlag_peer_hostname"),
    withTheOther("mlag_peer_hostname")(accept(isInteger, () => "'mlag_peer_id' must be an integer"))
  ),
  mlag_peer_hostname: depending(
    Schema.String,
    neitherWithout("mlag_peer_id"),
    withTheOther("mlag_peer_id")(newName("Provided 'mlag_peer_hostname' is not valid"))
  ),
  /** Null: find the neighbours; empty: do not check. */
  neighbors: otherwise(Schema.NullOr(Schema.Array(Schema.String)), null, neighborsRule),
  replace_hostname: ignorable(
    Schema.Boolean,
    nullAsAbsent(flag(() => "'replace_hostname' must be a boolean")),
    Schema.NullOr(Schema.Boolean)
  )
}

/** The body of device_init. */
export const InitRequest = Body.make(fields, { message: Body.firstOf })
export type InitRequest = typeof InitRequest.schema.Type

/** Arguments for access switches only are passed on for them only. */
export const accessOnlyFault = ({
  device_type,
  mlag_peer_id,
  replace_hostname
}: Pick<InitRequest, "device_type" | "mlag_peer_id" | "replace_hostname">): Option.Option<string> =>
  device_type !== "ACCESS" && (mlag_peer_id !== undefined || replace_hostname === true)
    ? Option.some("MLAG peers and replacement are for device_type ACCESS only")
    : Option.none()

const unusable = (sentence: string): string => `Error parsing arguments: ${sentence}`
const UNKNOWN_TYPE = "Invalid 'device_type' provided"

/** The body of device_initcheck: the same, with messages about arguments. */
export const InitCheckRequest = Body.make(fields, {
  isLenient: true,
  message: (sentences) => unusable(Body.firstOf(sentences)),
  together: (request) => [
    ...(request.device_type === "UNKNOWN" ? [UNKNOWN_TYPE] : []),
    ...Option.toArray(accessOnlyFault(request))
  ]
})

// The body by which a DHCP server's hook reports a switch that booted (docs/provisioning.md#discovery).

const NO_ADDRESS = "Invalid dhcp_ip received. Must be a valid IP address."

export const missing = ({ key }: { readonly key: string }) => `POST data must include '${key}'`

export const toMac = (sent: unknown) =>
  typeof sent === "string" ? Option.filter(normalizeMac(sent), isDeviceMac) : Option.none()

export const deviceAddress: Rule<string> = (sent, place) =>
  Result.filterOrFail(
    address(() => NO_ADDRESS)(sent, place),
    (text) => Option.isNone(whyNoDeviceAddress(text)),
    () => NO_ADDRESS
  )

/** Missing fields are reported before invalid ones. */
const withAddress =
  (rule: Rule<string>): Rule<string> =>
  (sent, place) =>
    has(place.body, "dhcp_ip") ? rule(sent, place) : Result.fail(missing({ key: "dhcp_ip" }))

export const DiscoverRequest = Body.make(
  {
    ztp_mac: required(Schema.String, missing, withAddress(convert(toMac, () => "Invalid device ztp_mac received."))),
    dhcp_ip: required(Schema.String, missing, deviceAddress)
  },
  { identifier: "DiscoverDeviceRequest", message: Body.firstOf }
)
export type DiscoverRequest = typeof DiscoverRequest.schema.Type

// The body of a request that initialises several switches (docs/provisioning.md#several-at-once): every line is checked before
// any switch is begun.

/** One line: a switch, and its new role. */
export const InitLine = Schema.Struct({
  /** Normalised, or null. */
  mac: Schema.NullOr(Schema.String),
  serial: Schema.NullOr(Schema.String),
  hostname: Schema.String,
  device_type: Schema.Literals(["ACCESS", "DIST", "CORE"]),
  replace_hostname: Schema.Boolean
})
export type InitLine = typeof InitLine.Type

const SentLine = Schema.Struct({
  hostname: Schema.String,
  device_type: Schema.String,
  mac: Schema.optionalKey(Schema.String),
  serial: Schema.optionalKey(Schema.String),
  replace_hostname: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "InitLine" })

/** More at once would start more jobs than a person can follow. */
const MOST = 200

/** The message about a line, counted from 1. */
export const onLine = (index: number, field: string, sentence: string): string =>
  `line ${index + 1}: ${field}: ${sentence}`

const textAt = (line: JsonObject, key: string): string | null => {
  const sent = line[key]
  return typeof sent === "string" && sent.trim() !== "" ? sent.trim() : null
}

const isIdentity = (key: string) => key === "mac" || key === "serial"

/** The fields of a line besides its identity. `onLine` names the key. */
const LineRole = Body.make(fields, {
  unknownKey: (key, known) => `there is no such field${nameHint(key, [...known, "mac", "serial"])}`
})

const checkLine = (sent: unknown, index: number): Result.Result<InitLine, ReadonlyArray<string>> => {
  if (!isObject(sent)) return Result.fail([onLine(index, "devices", "should be an object")])
  const checked = LineRole.check(Object.fromEntries(Object.entries(sent).filter(([key]) => !isIdentity(key))))
  const wrong = [...checked.refusals].flatMap(([field, sentences]) =>
    sentences.map((sentence) => onLine(index, field, sentence))
  )
  const [mac, serial] = [textAt(sent, "mac"), textAt(sent, "serial")]
  const normal = mac === null ? null : Option.getOrNull(normalizeMac(mac))
  if (mac === null && serial === null) wrong.push(onLine(index, "mac", "mac or serial must be specified"))
  if (mac !== null && (normal === null || !isDeviceMac(normal)))
    wrong.push(onLine(index, "mac", `${mac} is no MAC address`))
  if (Result.isFailure(checked.complete) || wrong.length > 0) return Result.fail(wrong)
  const { device_type, hostname, replace_hostname = false } = checked.complete.success
  const fault = accessOnlyFault(checked.complete.success)
  if (device_type === "UNKNOWN") return Result.fail([onLine(index, "device_type", "Invalid 'device_type' provided")])
  if (Option.isSome(fault)) return Result.fail([onLine(index, "device_type", fault.value)])
  return Result.succeed({ mac: normal, serial, hostname, device_type, replace_hostname })
}

const NONE = `devices should be a list of 1 to ${MOST} objects with hostname, device_type and mac or serial`

const twice = (lines: ReadonlyArray<InitLine>, field: "hostname" | "mac" | "serial") =>
  lines.flatMap((line, index) => {
    const value = line[field]
    const first = lines.findIndex((each) => each[field] === value)
    return value === null || first === index ? [] : [onLine(index, field, `${value} is on line ${first + 1} already`)]
  })

const linesRule: Rule<ReadonlyArray<InitLine>> = (sent) => {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MOST) return Result.fail(NONE)
  const checked = sent.map(checkLine)
  const wrong = checked.flatMap((line) => (Result.isFailure(line) ? line.failure : []))
  const lines = checked.flatMap((line) => (Result.isSuccess(line) ? [line.success] : []))
  if (wrong.length > 0) return Result.fail(wrong)
  const repeated = (["hostname", "mac", "serial"] as const).flatMap((field) => twice(lines, field))
  return repeated.length > 0 ? Result.fail(repeated) : Result.succeed(lines)
}

/** The lines of a list; all mistakes are reported together. */
export const InitListRequest = Body.make({
  devices: required(Schema.Array(InitLine), () => NONE, linesRule, Schema.Array(SentLine))
})
export type InitListRequest = typeof InitListRequest.schema.Type

// The body of a request that ignores a new switch (docs/provisioning.md#ignoring-a-switch).

const COMMENT = 255

/** Whether the switch is ignored from now on; `comment` says why. */
export const IgnoreRequest = Body.make({
  ignored: required(
    Schema.Boolean,
    () => "ignored must be specified",
    flag(() => "ignored should be true or false")
  ),
  comment: ignorable(Schema.String, (sent) =>
    typeof sent === "string" && sent.length <= COMMENT
      ? Result.succeed(sent)
      : Result.fail(`comment should be a text of at most ${COMMENT} characters`)
  )
})
export type IgnoreRequest = typeof IgnoreRequest.schema.Type
