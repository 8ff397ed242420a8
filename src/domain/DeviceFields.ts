/**
 * What clients may write about a device, with the rules in the order of the table there and in its words
 * (docs/api.md#texts-of-device-fields). What needs the database (unknown sites, taken names) is checked elsewhere.
 */
import { Option, Result, Schema } from "effect"
import { DeviceState, deviceStates, DeviceType, deviceTypes, platforms } from "./Device.ts"
import * as Body from "./fields/Body.ts"
import { optional, otherwise, type Place, required, type Rule } from "./fields/Field.ts"
import * as Rules from "./fields/Rules.ts"
import { isHostname, normalizeMac } from "./Hostname.ts"
import { windowFaults, windowFields } from "./requests/RequestFields.ts"

const nullable = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

const text = (max: number) =>
  optional(
    nullable(`at most ${max} characters`),
    Rules.orNull(Rules.text(max, ({ key }) => `Invalid ${key} received.`))
  )

const address = optional(
  nullable("IPv4 or IPv6 address without prefix length"),
  Rules.falsyAsNull(Rules.address(({ key }) => `Invalid ${key} received. Must be a valid IP address.`))
)

/** The text for a site that does not exist. */
export const UNKNOWN_SITE = "Invalid site_id received, must be an integer."

const MAX_SERIAL = 64

/** A number is taken as its digits. */
const serial: Rule<string> = (sent, place) =>
  Rules.text(MAX_SERIAL, () => "Invalid device serial received.")(
    typeof sent === "number" ? String(sent) : typeof sent === "string" ? sent.toUpperCase() : sent,
    place
  )

const mac = Rules.convert(
  (sent) => (typeof sent === "string" ? normalizeMac(sent) : Option.none()),
  () => "Invalid device ztp_mac received."
)

const hostname = Rules.accept(isHostname, () => "Invalid hostname received")
const state = Rules.oneOf(deviceStates, () => "Invalid device state received.")
const type = Rules.oneOf(deviceTypes, () => "Invalid device type")
const missing = ({ key }: Place) => `Required field ${key} not found`

/** A name that no driver or client knows is answered with the list of those that are, when nothing else is wrong. */
const knownPlatform: Rule<(typeof platforms)[number] | null> = (sent) =>
  Result.succeed(platforms.find((name) => name === sent) ?? null)

const addressed = {
  site_id: optional(Schema.NullOr(Schema.Int), Rules.orNull(Rules.integer(() => UNKNOWN_SITE))),
  description: text(255),
  management_ip: address,
  secondary_management_ip: address,
  infra_ip: address,
  dhcp_ip: address,
  serial: optional(nullable("stored in upper case"), Rules.orNull(serial)),
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
  port: optional(
    Schema.NullOr(Schema.Int),
    Rules.falsyAsNull(Rules.integer(() => "Invalid port received, must be an integer."))
  ),
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
  unknownKey: (key: string) => `Unknown attribute '${key}' for device`,
  /** Columns that a client may send back but not set. */
  ignored: ["id", "oob_ip", "confhash", "last_seen", "manageable"]
}

/** The body of POST /device. A platform that nobody knows is null. */
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
