/** Rules of links that a client sends (contract api-rest.md §3.4, §3.5). Pure. */
import { Option, Result } from "effect"
import type { Linknet } from "../../domain/Linknet.ts"
import { formatNetwork, hostAddresses, type Network, parseAddress, parseNetwork } from "../../domain/Network.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { settingError } from "../../domain/fields/SettingErrors.ts"
import { has, lengthOf, MAX_INTEGER, own, shown, toInteger } from "../../domain/fields/Values.ts"

const MAX_PORT = 64
const MAX_DESCRIPTION = 255
const DOTTED_QUAD = /^\d{1,3}(\.\d{1,3}){3}$/

/** An IPv4 network as text, a /32 when no length is given; or the reason why it is none, in the reference's words. */
export const parseIpv4Network = (value: unknown): Result.Result<Network, string> => {
  const text = shown(value)
  const [address = "", mask] = text.split("/", 2)
  if (!DOTTED_QUAD.test(address) || Option.isNone(parseAddress(4, address))) {
    return Result.fail(`Expected 4 octets in '${address}'`)
  }
  if (mask !== undefined && (!/^\d{1,2}$/.test(mask) || Number(mask) > 32)) {
    return Result.fail(`'${mask}' is not a valid netmask`)
  }
  return parseNetwork(`${address}/${mask ?? "32"}`).pipe(
    Result.mapError(({ message }) => message),
    Result.filterOrFail(
      ({ address: given, first }) => given === first,
      () => `${text} has host bits set`
    )
  )
}

/** The name of a port: a text, or a number as text. */
export const portName = (value: unknown): Option.Option<string> => {
  const name = typeof value === "number" ? String(value) : value
  return typeof name === "string" && name !== "" && lengthOf(name) <= MAX_PORT ? Option.some(name) : Option.none()
}

/** Fields that a PUT may set, converted. */
export type LinknetPatch = Partial<
  Pick<
    Linknet,
    "ipv4_network" | "device_a_ip" | "device_b_ip" | "device_a_port" | "device_b_port" | "description" | "site_id"
  >
>

const VALUE_ERROR = "Value error,"
const emptyToNull = (value: unknown): unknown => (value === "" ? null : value)

const networkError = (value: unknown): string | undefined => {
  const parsed = typeof value === "string" ? parseIpv4Network(value) : Result.fail("")
  if (Result.isFailure(parsed)) {
    return `${VALUE_ERROR} Invalid ipv4_network received. Must be IPv4 network address with mask`
  }
  const { prefixLength } = parsed.success
  return prefixLength < 29 || prefixLength > 31
    ? `${VALUE_ERROR} Bad prefix length ${prefixLength} for linknet network`
    : undefined
}

const addressError = (value: unknown, network: unknown): string | undefined => {
  if (value === null) return undefined
  if (network === null) return `${VALUE_ERROR} ipv4_network must be set`
  const address = typeof value === "string" ? parseAddress(4, value) : Option.none<bigint>()
  const parsed = typeof network === "string" ? parseIpv4Network(network) : Result.fail("")
  if (Option.isNone(address) || Result.isFailure(parsed)) return `${VALUE_ERROR} Invalid device IP or ipv4_network`
  const { first, last } = hostAddresses(parsed.success)
  return address.value < first || address.value > last
    ? `${VALUE_ERROR} device IP must be part of ipv4_network`
    : undefined
}

/** Both texts of each address that does not fit the network; equal ones are reported for end b alone. */
const addressErrors = (network: unknown, a: unknown, b: unknown): ReadonlyArray<string> => {
  const ofA = addressError(a, network)
  const ofB =
    addressError(b, network) ??
    (a !== null && a === b ? `${VALUE_ERROR} device_a_ip and device_b_ip can not be the same` : undefined)
  return [
    ...(ofA === undefined ? [] : settingError("device_a_ip", a, ofA)),
    ...(ofB === undefined ? [] : settingError("device_b_ip", b, ofB))
  ]
}

const fieldErrors = (body: JsonObject): ReadonlyArray<string> => {
  const ports = (["device_a_port", "device_b_port"] as const).flatMap((key) =>
    has(body, key) && Option.isNone(portName(body[key]))
      ? settingError(key, body[key], `String should have 1 to ${MAX_PORT} characters`)
      : []
  )
  const description = own(body, "description") ?? null
  const tooLong = typeof description !== "string" || lengthOf(description) > MAX_DESCRIPTION
  const site = own(body, "site_id") ?? null
  return [
    ...ports,
    ...(description !== null && tooLong
      ? settingError("description", description, `String should have at most ${MAX_DESCRIPTION} characters`)
      : []),
    ...(site !== null && Option.isNone(toInteger(site))
      ? settingError("site_id", site, "Input should be a valid integer")
      : [])
  ]
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The network with its length, as it is stored. */
const canonical = (value: unknown): string | null => {
  const parsed = value === null ? Result.fail("") : parseIpv4Network(value)
  return Result.isSuccess(parsed) ? formatNetwork(parsed.success) : null
}

/**
 * The changes of a body over the stored link, or both texts of every field that is wrong; a bad network is then the only
 * error. Keys that cannot be set are ignored.
 */
export const parseLinknetPatch = (
  stored: Linknet,
  body: JsonObject
): Result.Result<LinknetPatch, ReadonlyArray<string>> => {
  const value = (key: "ipv4_network" | "device_a_ip" | "device_b_ip"): unknown =>
    emptyToNull(has(body, key) ? (body[key] ?? null) : stored[key])
  const [network, a, b] = [value("ipv4_network"), value("device_a_ip"), value("device_b_ip")]
  const wrong = network === null ? undefined : networkError(network)
  if (wrong !== undefined) return Result.fail(settingError("ipv4_network", network, wrong))
  const errors = [...addressErrors(network, a, b), ...fieldErrors(body)]
  if (errors.length > 0) return Result.fail(errors)
  const port = (key: "device_a_port" | "device_b_port") =>
    has(body, key) ? { [key]: Option.getOrElse(portName(body[key]), () => stored[key]) } : {}
  const site = own(body, "site_id") ?? null
  return Result.succeed({
    ipv4_network: canonical(network),
    device_a_ip: text(a),
    device_b_ip: text(b),
    ...port("device_a_port"),
    ...port("device_b_port"),
    ...(has(body, "description") ? { description: text(body["description"]) } : {}),
    ...(has(body, "site_id")
      ? { site_id: site === null ? null : Option.getOrElse(toInteger(site), () => MAX_INTEGER) }
      : {})
  })
}
