/**
 * The check of an IPv4 interface address such as `10.0.0.1/24`, with its messages
 * (docs/settings-repository.md#interface-addresses).
 */

const MIN_PREFIX = 8
const MAX_PREFIX = 32
const MAX_PREFIX_WITH_NETWORK = 30

/** The reason why a text is no IPv4 address, in the words that operators know. */
const parseFault = (address: string): string | undefined => {
  if (address === "") return "Address cannot be empty"
  const octets = address.split(".")
  if (octets.length !== 4) return `Expected 4 octets in '${address}'`
  for (const octet of octets) {
    if (octet === "") return `Empty octet not permitted in '${address}'`
    if (!/^[0-9]+$/.test(octet)) return `Only decimal digits permitted in '${octet}' in '${address}'`
    if (octet.length > 3) return `At most 3 characters permitted in '${octet}' in '${address}'`
    if (octet !== "0" && octet.startsWith("0")) return `Leading zeros are not permitted in '${octet}' in '${address}'`
    if (Number(octet) > 255) return `Octet ${Number(octet)} (> 255) not permitted in '${address}'`
  }
  return undefined
}

/** A dotted quad as an unsigned number; the caller has checked the text. */
const toNumber = (address: string): number => address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0)

const invalid = (reason: string) => `Value error, Invalid IPv4 interface: ${reason}`

/**
 * Nothing when the text is a usable interface address in CIDR notation, else the message: prefix length 8 to 32, not
 * multicast and, up to length 30, neither the network's own address nor its broadcast address.
 */
export const interfaceAddressFault = (value: string): string | undefined => {
  const slash = value.indexOf("/")
  if (slash < 0) return invalid("Not a CIDR notation/no netmask")
  const address = value.slice(0, slash)
  const length = value.slice(slash + 1)
  const fault = parseFault(address)
  if (fault !== undefined) return invalid(fault.slice(0, 200))
  if (!/^[0-9]{1,2}$/.test(length) || Number(length) > MAX_PREFIX) {
    return `Value error, '${length.slice(0, 100)}' is not a valid netmask`
  }
  if (Number(length) < MIN_PREFIX) return invalid("Invalid prefix size")
  return hostFault(toNumber(address), Number(length))
}

const hostFault = (address: number, length: number): string | undefined => {
  const first = Math.floor(address / 2 ** 24)
  if (first >= 224 && first <= 239) return invalid("Multicast address is invalid")
  if (length > MAX_PREFIX_WITH_NETWORK) return undefined
  const size = 2 ** (32 - length)
  const host = address % size
  return host === 0 || host === size - 1 ? invalid("Invalid interface address") : undefined
}
