/**
 * The body of device_init and device_initcheck (docs/provisioning.md#arguments). The fields stand in the order of the checks.
 */
import { Option, Result, Schema } from "effect"
import { DeviceType, deviceTypeOf } from "../Device.ts"
import { isNumber } from "../UniqueFields.ts"
import * as Body from "../fields/Body.ts"
import { type AbsentRule, depending, ignorable, otherwise, required, type Rule } from "../fields/Field.ts"
import { accept, convert, flag } from "../fields/Rules.ts"
import { has, own } from "../fields/Values.ts"
import { isHostname } from "../Hostname.ts"
import { nullAsAbsent } from "./RequestFields.ts"

const PAIR = "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified"
// No space after the first comma: the text is the one that clients know.
const NEIGHBORS = "Neighbors must be specified as either a list of hostnames,an empty list, or not specified at all"

const isInteger = (sent: unknown): sent is number => Number.isInteger(sent)

/** A key is refused when it is there without the other one, whatever its value. */
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

/** A number is only the name of a switch that has it already and is replaced. */
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
  /** Null: find out; empty: do not check. */
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

/** Arguments that only access switches may have are given for them alone. */
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

/** The body of device_initcheck: the same, and it says that it is about arguments. */
export const InitCheckRequest = Body.make(fields, {
  message: (sentences) => unusable(Body.firstOf(sentences)),
  together: (request) => [
    ...(request.device_type === "UNKNOWN" ? [UNKNOWN_TYPE] : []),
    ...Option.toArray(accessOnlyFault(request))
  ]
})
