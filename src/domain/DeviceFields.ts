/**
 * The fields that clients may write about a device (docs/api.md#texts-of-device-fields), about its stack members
 * (docs/api.md#stack-members) and about the reason why it became unsynchronized (docs/api.md#sync-history), with the rules in
 * the order and the words of the manual. Handlers check what needs the database, such as unknown sites and used names.
 */
import { Option, Result, Schema } from "effect"
import { type Device, DeviceState, deviceStates, DeviceType, deviceTypes, platforms } from "./Device.ts"
import { addressFields, isDeviceMac, isNumber, whyNoDeviceAddress } from "./DeviceIdentity.ts"
import * as Body from "./fields/Body.ts"
import { optional, otherwise, type Place, required, type Rule } from "./fields/Body.ts"
import { nearestName, shownName } from "./fields/KnownNames.ts"
import * as Rules from "./fields/Rules.ts"
import { boundedInteger, listOf, orNull } from "./fields/Rules.ts"
import { lengthOf, MAX_INTEGER, settingError, toInteger } from "./fields/Values.ts"
import { isHostname, macWithColons, normalizeMac, plainAddress } from "./Network.ts"
import { windowFaults, windowFields } from "./requests/RequestFields.ts"

const nullable = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

const text = (max: number) =>
  optional(
    nullable(`at most ${max} characters`),
    Rules.orNull(Rules.text(max, ({ key }) => `Invalid ${key} received.`))
  )

/** Stores IPv4 in the spelling of IPv6 as the IPv4 address that it means, and any other address as it was written. */
const asDialled = (text: string): string => {
  const plain = plainAddress(text)
  return plain.includes(":") ? text : plain
}

const address = optional(
  nullable("IPv4 or IPv6 address without prefix length"),
  Rules.falsyAsNull((sent, place) =>
    Result.map(
      Rules.address(({ key }) => `Invalid ${key} received. Must be a valid IP address.`)(sent, place),
      asDialled
    )
  )
)

/** The text for an unknown site. */
export const UNKNOWN_SITE = "Invalid site_id received, must be an integer."

const MAX_SERIAL = 64

/** A number becomes the text of its digits, nothing but spaces becomes null. */
const serial: Rule<string | null> = (sent, place) =>
  Rules.emptyAsNull(Rules.text(MAX_SERIAL, () => "Invalid device serial received."))(
    typeof sent === "number" ? String(sent) : typeof sent === "string" ? sent.trim().toUpperCase() : sent,
    place
  )

const NO_PORT = "Invalid port received, must be an integer"

/** A fraction is cut off, for compatibility. */
const port: Rule<number> = (sent) => {
  const number = typeof sent === "boolean" ? Option.none() : toInteger(sent)
  if (Option.isNone(number)) return Result.fail(`${NO_PORT}.`)
  return number.value < 1 || number.value > 65_535
    ? Result.fail(`${NO_PORT} from 1 to 65535.`)
    : Result.succeed(number.value)
}

const mac = Rules.convert(
  (sent) => (typeof sent === "string" ? normalizeMac(sent) : Option.none()),
  () => "Invalid device ztp_mac received."
)

const hostname = Rules.accept(isHostname, () => "Invalid hostname received")
const state = Rules.oneOf(deviceStates, () => "Invalid device state received.")
const type = Rules.oneOf(deviceTypes, () => "Invalid device type")
const missing = ({ key }: Place) => `Required field ${key} not found`

/** For a name that no driver or client knows the answer lists the known ones, if nothing else is wrong. */
const knownPlatform: Rule<(typeof platforms)[number] | null> = (sent) =>
  Result.succeed(platforms.find((name) => name === sent) ?? null)

const addressed = {
  site_id: optional(Schema.NullOr(Schema.Int), Rules.orNull(Rules.integer(() => UNKNOWN_SITE))),
  description: text(255),
  management_ip: address,
  secondary_management_ip: address,
  infra_ip: address,
  dhcp_ip: address,
  serial: optional(nullable("stored in upper case, without spaces around it"), serial),
  ztp_mac: optional(nullable("MAC address, with or without separators"), Rules.orNull(mac))
}

const described = {
  vendor: text(64),
  model: text(64),
  os_version: text(64),
  synchronized: optional(
    Schema.Boolean,
    Rules.flag(() => "Invalid synchronization state received")
  )
}

const last = {
  port: optional(Schema.NullOr(Schema.Int), Rules.falsyAsNull(port)),
  site: optional(
    nullable("description of a site, used when site_id is absent"),
    Rules.orNull(
      Rules.accept(
        (sent) => typeof sent === "string",
        () => "Invalid site received."
      )
    )
  )
}

const options = {
  unknownKey: (key: string, known: ReadonlySet<string>) => {
    const nearest = nearestName(key, known)
    return `Unknown attribute '${shownName(key)}' for device${nearest === undefined ? "" : `, did you mean ${nearest}?`}`
  },
  /** Columns that a client may send back but not set. */
  ignored: ["id", "oob_ip", "confhash", "last_seen", "manageable"]
}

/** The body of POST /device. An unknown platform becomes null. */
export const NewDevice = Body.make(
  {
    hostname: required(Schema.String, missing, hostname),
    ...addressed,
    platform: otherwise(Schema.NullOr(Schema.Literals(platforms)), null, knownPlatform, Schema.Literals(platforms)),
    ...described,
    state: required(DeviceState, missing, state),
    device_type: required(DeviceType, missing, type),
    ...last
  },
  options
)

/** The body of PUT /device/<id>: any subset. */
export const DeviceChange = Body.make(
  {
    hostname: optional(Schema.String, hostname),
    ...addressed,
    platform: text(64),
    ...described,
    state: optional(DeviceState, state),
    device_type: optional(DeviceType, type),
    ...last
  },
  options
)

type Identity = Partial<Pick<Device, "hostname" | "ztp_mac" | (typeof addressFields)[number]>>

/**
 * The body without values that no device can have: hostnames that are numbers, addresses such as 127.0.0.1, and MAC addresses
 * of groups. A client may send back the value that the record already has.
 */
export const withoutImpossible = <A extends { readonly [K in keyof Identity]?: Identity[K] | undefined }>(
  checked: Body.CheckedBody<A>,
  before: Device | null
): Body.CheckedBody<A> => {
  const fields: { readonly [K in keyof Identity]?: Identity[K] | undefined } = checked.fields
  const { hostname: name, ztp_mac } = fields
  let judged = checked
  if (name !== undefined && name !== before?.hostname && isNumber(name)) {
    judged = judged.refuse("hostname", `Invalid hostname received: ${name} is a number or an address`)
  }
  for (const field of addressFields) {
    const text = fields[field]
    if (text === null || text === undefined || text === before?.[field]) continue
    const why = whyNoDeviceAddress(text)
    if (Option.isSome(why)) {
      judged = judged.refuse(
        field,
        `Invalid ${field} received. Must be a valid IP address of a device, and ${text} is ${why.value}.`
      )
    }
  }
  if (typeof ztp_mac === "string" && ztp_mac !== before?.ztp_mac && !isDeviceMac(ztp_mac)) {
    const mac = Option.getOrElse(macWithColons(ztp_mac), () => ztp_mac)
    judged = judged.refuse("ztp_mac", `Invalid device ztp_mac received. ${mac} is no address of one interface.`)
  }
  return judged
}

/** The body of DELETE /device/<id>. */
export const DeviceDeletion = Body.make(
  {
    factory_default: otherwise(
      Schema.Boolean,
      false,
      Rules.flag(() => "Argument factory_default must be boolean")
    ),
    ...windowFields
  },
  { message: Body.firstOf, together: windowFaults }
)
export type DeviceDeletion = typeof DeviceDeletion.schema.Type

// A member of a switch stack, and the members that a client sends for a stack (docs/api.md#stack-members).

export const StackMember = Schema.Struct({
  member_no: Schema.NullOr(Schema.Int),
  hardware_id: Schema.String,
  priority: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "StackMember" })
export type StackMember = typeof StackMember.Type

const MAX_HARDWARE_ID = 64

const hardwareId: Rule<string> = (sent, { key }) => {
  if (typeof sent !== "string") return Result.fail(`${key}: Input should be a valid string`)
  if (sent === "") return Result.fail(`Value error, ${key} cannot be an empty string`)
  return lengthOf(sent) > MAX_HARDWARE_ID
    ? Result.fail(`${key}: String should have at most ${MAX_HARDWARE_ID} characters`)
    : Result.succeed(sent)
}

const number = orNull(
  boundedInteger({ min: 0, max: MAX_INTEGER }, (shouldBe, { key }) => `${key}: Input should be ${shouldBe}`)
)

const missingInMember = ({ key }: Place) => `${key}: Field required`

const SentMember = Body.make(
  {
    member_no: otherwise(Schema.NullOr(Schema.Int), null, number),
    hardware_id: required(Schema.String, missingInMember, hardwareId),
    priority: otherwise(Schema.NullOr(Schema.Int), null, number)
  },
  { identifier: "SentStackMember" }
)

const isDuplicated = (values: ReadonlyArray<unknown>): boolean => new Set(values).size < values.length

/** The whole stack of a device. Two members without a number collide, too; the first of two collisions is reported. */
export const SentStack = Body.make(
  {
    stackmembers: required(
      Schema.Array(StackMember),
      missingInMember,
      listOf(SentMember, {
        noList: "stackmembers: Input should be a valid list",
        noObject: "stackmembers: Input should be a valid dictionary"
      }),
      Schema.Array(SentMember.wire)
    )
  },
  {
    together: ({ stackmembers }) =>
      (["member_no", "hardware_id"] as const)
        .filter((key) => isDuplicated(stackmembers.map((member) => member[key])))
        .slice(0, 1)
        .map((key) => `Value error, ${key} must be unique for stackmembers belonging to the same device`)
  }
)

// Why a device became unsynchronized (docs/api.md#sync-history).

/** One event; `timestamp` is epoch seconds (UTC) with a fraction. */
export const SyncEvent = Schema.Struct({
  cause: Schema.String,
  timestamp: Schema.Finite,
  /** The user who noted it, under the name that clients know. */
  by: Schema.String,
  /** The user who noticed it: the same as `by`. */
  found_by: Schema.String,
  /** The user who made the change; null when unknown. */
  made_by: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.Int),
  /** Why the proof of the job's change failed, as a sentence; absent unless it did. */
  failed_proof: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SyncEvent" })
export type SyncEvent = typeof SyncEvent.Type

const MAX_TEXT = 255

const syncText: Rule<string> = (sent) => {
  if (typeof sent !== "string") return Result.fail("Input should be a valid string")
  return sent.length > MAX_TEXT
    ? Result.fail(`String should have at most ${MAX_TEXT} characters`)
    : Result.succeed(sent)
}

const NUMERIC = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

const syncNumber: Rule<number> = (sent) => {
  const value = typeof sent === "string" && NUMERIC.test(sent) ? Number(sent) : sent
  return typeof value === "number" && Number.isFinite(value)
    ? Result.succeed(value)
    : Result.fail("Input should be a valid number, unable to parse string as a number")
}

const given = required(Schema.String, () => "Field required", syncText)

/** The body of POST /device_synchistory; `timestamp` in epoch seconds (docs/api.md#sync-history). */
export const NewSyncEvent = Body.make(
  { hostname: given, cause: given, by: given, timestamp: optional(Schema.NullOr(Schema.Finite), orNull(syncNumber)) },
  // some manuals call the timestamp so
  { sentencesOf: settingError, ignored: ["time"] }
)
