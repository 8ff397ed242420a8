/**
 * Names of devices and how MAC addresses are written: the two spellings by which the API, the settings repository and the DHCP
 * server refer to a switch. See docs/api.md#hostnames and docs/api.md#texts-of-device-fields.
 */
import { Option, Schema } from "effect"

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** The database column holds this many characters, so a longer name is refused as invalid. */
const MAX_HOSTNAME_LENGTH = 64

/**
 * True for a hostname or FQDN: labels of 1–63 letters, digits and inner hyphens, 1–64 characters in all;
 * one trailing dot is allowed and not counted.
 */
export const isHostname = (value: unknown): value is string => {
  if (typeof value !== "string" || value.length > MAX_HOSTNAME_LENGTH) return false
  const name = value.endsWith(".") ? value.slice(0, -1) : value
  return name.length > 0 && name.split(".").every((label) => LABEL.test(label))
}

/** Two hostnames that are equal in this form cannot belong to two devices. */
export const comparableHostname = (hostname: string): string => hostname.replace(/\.+$/, "").toLowerCase()

export const isSameHostname = (one: string, other: string | undefined): boolean =>
  other !== undefined && comparableHostname(one) === comparableHostname(other)

/** A valid hostname; it is found by its exact spelling. */
export const Hostname = Schema.String.pipe(
  Schema.check(Schema.makeFilter((value: string) => isHostname(value) || "Expected a valid hostname"))
)

/** `08:00:27:5c:09:1f`, `0800.275c.091f` or plain hex to `0800275C091F`; none when it is not a MAC address. */
export const normalizeMac = (value: string): Option.Option<string> => {
  const hex = value.replaceAll(/[:.-]/g, "").toUpperCase()
  return /^[0-9A-F]{12}$/.test(hex) ? Option.some(hex) : Option.none()
}

/** A MAC address in any of those spellings to `08:00:27:5C:09:1F`, as answers have it; none when it is not one. */
export const macWithColons = (value: string): Option.Option<string> =>
  Option.map(normalizeMac(value), (hex) => (hex.match(/../g) ?? []).join(":"))
