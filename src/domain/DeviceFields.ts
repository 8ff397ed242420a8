/**
 * Checks and converts the fields of a device record (contract api-devices.md §3.2): all errors are collected, in the order
 * of the contract's table and in its words. Pure; what needs the database (unknown sites, taken names) is checked elsewhere.
 */
import { Option, Result } from "effect"
import { deviceStates } from "../../../machines/device/DeviceLifecycle.ts"
import { type DeviceFields, deviceTypeOf, platforms } from "../../domain/Device.ts"
import { isHostname, normalizeMac } from "../../domain/Hostname.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { isAddress, isFalsy, lengthOf, toInteger } from "../../domain/fields/Values.ts"

type Field<K extends keyof DeviceFields = keyof DeviceFields> = Result.Result<Pick<DeviceFields, K>, string>

const text =
  <K extends "description" | "platform" | "vendor" | "model" | "os_version">(field: K, max: number) =>
  (value: unknown): Result.Result<Partial<DeviceFields>, string> =>
    value === null || (typeof value === "string" && lengthOf(value) <= max)
      ? Result.succeed({ [field]: value })
      : Result.fail(`Invalid ${field} received.`)

const address =
  <K extends "management_ip" | "secondary_management_ip" | "infra_ip" | "dhcp_ip">(field: K) =>
  (value: unknown): Result.Result<Partial<DeviceFields>, string> => {
    if (isFalsy(value)) return Result.succeed({ [field]: null })
    return isAddress(value)
      ? Result.succeed({ [field]: value })
      : Result.fail(`Invalid ${field} received. Must be a valid IP address.`)
  }

const SITE_ERROR = "Invalid site_id recevied, must be an integer."

const hostname = (value: unknown): Field<"hostname"> =>
  isHostname(value) ? Result.succeed({ hostname: value }) : Result.fail("Invalid hostname received")

const siteId = (value: unknown): Field<"site_id"> =>
  value === null
    ? Result.succeed({ site_id: null })
    : Result.mapBoth(
        Result.fromOption(toInteger(value), () => SITE_ERROR),
        {
          onFailure: (error) => error,
          onSuccess: (site_id) => ({ site_id })
        }
      )

const serial = (value: unknown): Field<"serial"> => {
  if (value === null) return Result.succeed({ serial: null })
  const given = typeof value === "number" ? String(value) : value
  const upper = typeof given === "string" ? given.toUpperCase() : undefined
  return upper !== undefined && lengthOf(upper) <= 64
    ? Result.succeed({ serial: upper })
    : Result.fail("Invalid device serial received.")
}

const ztpMac = (value: unknown): Field<"ztp_mac"> => {
  if (value === null) return Result.succeed({ ztp_mac: null })
  const mac = typeof value === "string" ? normalizeMac(value) : Option.none<string>()
  return Option.match(mac, {
    onNone: () => Result.fail("Invalid device ztp_mac received."),
    onSome: (ztp_mac) => Result.succeed({ ztp_mac })
  })
}

const synchronized = (value: unknown): Field<"synchronized"> =>
  typeof value === "boolean"
    ? Result.succeed({ synchronized: value })
    : Result.fail("Invalid synchronization state received")

const state = (value: unknown): Field<"state"> => {
  const upper = typeof value === "string" ? value.toUpperCase() : ""
  const known = deviceStates.find((name) => name === upper)
  return known === undefined ? Result.fail("Invalid device state received.") : Result.succeed({ state: known })
}

const deviceType = (value: unknown): Field<"device_type"> => {
  const known = deviceTypeOf(value)
  return known === undefined ? Result.fail("Invalid device type") : Result.succeed({ device_type: known })
}

const port = (value: unknown): Field<"port"> =>
  isFalsy(value)
    ? Result.succeed({ port: null })
    : Option.match(toInteger(value), {
        onNone: () => Result.fail("Invalid port recevied, must be an integer."),
        onSome: (port) => Result.succeed({ port })
      })

/** Rules in the order in which their errors are reported. */
const RULES: Readonly<Record<string, (value: unknown) => Result.Result<Partial<DeviceFields>, string>>> = {
  hostname,
  site_id: siteId,
  description: text("description", 255),
  management_ip: address("management_ip"),
  secondary_management_ip: address("secondary_management_ip"),
  infra_ip: address("infra_ip"),
  dhcp_ip: address("dhcp_ip"),
  serial,
  ztp_mac: ztpMac,
  platform: text("platform", 64),
  vendor: text("vendor", 64),
  model: text("model", 64),
  os_version: text("os_version", 64),
  synchronized,
  state,
  device_type: deviceType,
  port
}

/** At creation every value but a known platform is answered with the list of those (contract §3.3), so none is an error here. */
const knownPlatform = (value: unknown): Result.Result<Partial<DeviceFields>, string> =>
  Result.succeed({ platform: platforms.find((name) => name === value) ?? null })

/** Columns that a client may send back but not set. */
const IGNORED: ReadonlySet<string> = new Set(["id", "oob_ip", "confhash", "last_seen", "site"])

const REQUIRED: ReadonlySet<string> = new Set(["hostname", "state", "device_type"])

/** What a body says about a device. `site` is the description of a site, when `site_id` is absent. */
export interface ParsedFields {
  readonly fields: Partial<DeviceFields>
  readonly errors: ReadonlyArray<string>
  readonly site: string | undefined
}

/** The text for a site that does not exist. */
export const UNKNOWN_SITE = SITE_ERROR

/** Reads all fields of a body. With `create`, the mandatory ones have to be there (platform is checked later). */
export const parseFields = (body: JsonObject, mode: "create" | "change"): ParsedFields => {
  const errors: Array<string> = []
  let fields: Partial<DeviceFields> = {}
  for (const [name, rule] of Object.entries(RULES)) {
    if (!Object.hasOwn(body, name)) {
      if (mode === "create" && REQUIRED.has(name)) errors.push(`Required field ${name} not found`)
      continue
    }
    const outcome = mode === "create" && name === "platform" ? knownPlatform(body[name]) : rule(body[name])
    if (Result.isSuccess(outcome)) fields = { ...fields, ...outcome.success }
    else errors.push(outcome.failure)
  }
  const site = Object.hasOwn(body, "site") ? body["site"] : undefined
  if (site !== undefined && site !== null && typeof site !== "string") errors.push("Invalid site received.")
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(RULES, name) && !IGNORED.has(name)) errors.push(`Unknown attribute '${name}' for device`)
  }
  return { fields, errors, site: typeof site === "string" && !Object.hasOwn(body, "site_id") ? site : undefined }
}
