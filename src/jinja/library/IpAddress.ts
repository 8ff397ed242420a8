/**
 * IP addresses and networks of both families as numbers, read and written as Python's ipaddress module does it, with the attributes that
 * templates ask for by name.
 */
import { fail } from "../Failure.ts"
import { fromBigInt, Native, type Value } from "../values/Value.ts"

// Python's bytes for templates: a value that prints as `b'\n\x00'`.

const escapes: ReadonlyMap<number, string> = new Map([
  [9, "\\t"],
  [10, "\\n"],
  [13, "\\r"],
  [92, "\\\\"]
])

class Bytes extends Native {
  readonly typeName = "bytes"
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
  }

  repr(): string {
    const quote = this.bytes.includes(39) && !this.bytes.includes(34) ? '"' : "'"
    const inner = Array.from(this.bytes, (byte) => {
      if (byte === 39 && quote === "'") return "\\'"
      const known = escapes.get(byte)
      if (known !== undefined) return known
      return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`
    })
    return `b${quote}${inner.join("")}${quote}`
  }

  override item(key: Value): Value | undefined {
    return typeof key === "number" ? this.bytes.at(key) : undefined
  }

  override length(): number {
    return this.bytes.length
  }

  override truth(): boolean {
    return this.bytes.length > 0
  }
}

/** Bytes as a value. */
const bytesValue = (bytes: Uint8Array): Value => new Bytes(bytes)

/** An address. */
export interface Address {
  readonly version: 4 | 6
  readonly value: bigint
}

/** An address with the length of its network's prefix. */
export interface Interface {
  readonly address: Address
  readonly length: number
}

/** Number of bits of an address. */
export const bitsOf = (version: 4 | 6): number => (version === 4 ? 32 : 128)

const parseV4 = (text: string): bigint | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4) return undefined
  let value = 0n
  for (const part of parts) {
    // Leading zeros are refused because some programs read them as octal.
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
    value = (value << 8n) | BigInt(part)
  }
  return value
}

const parseGroups = (text: string): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups: Array<number> = []
  for (const part of text.split(":")) {
    if (!/^[\da-f]{1,4}$/i.test(part)) return undefined
    groups.push(parseInt(part, 16))
  }
  return groups
}

// The last 32 bits may be written as an IPv4 address.
const withoutDots = (text: string): string | undefined => {
  const match = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (match === null) return text
  const value = parseV4(match[2] ?? "")
  return value === undefined ? undefined : `${match[1]}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

const parseV6 = (text: string): bigint | undefined => {
  const [head = "", tail, more] = (withoutDots(text) ?? "").split("::")
  if (more !== undefined) return undefined
  const left = parseGroups(head)
  const right = tail === undefined ? [] : parseGroups(tail)
  if (left === undefined || right === undefined) return undefined
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...left, ...Array.from({ length: missing }, () => 0), ...right]
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n)
}

/** Reads an address; undefined if the text is none. */
export const tryAddress = (text: string): Address | undefined => {
  const v4 = parseV4(text)
  if (v4 !== undefined) return { version: 4, value: v4 }
  const v6 = text.includes(":") && text.length < 50 ? parseV6(text) : undefined
  return v6 === undefined ? undefined : { version: 6, value: v6 }
}

/** Reads an address. Fails with ValueError. */
export const parseAddress = (text: string): Address =>
  tryAddress(text) ?? fail("ValueError", `'${text}' does not appear to be an IPv4 or IPv6 address`)

// A prefix as length, or for IPv4 as netmask or wildcard mask.
const parseLength = (text: string, version: 4 | 6): number | undefined => {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= bitsOf(version) ? Number(text) : undefined
  const mask = version === 4 ? parseV4(text) : undefined
  return mask === undefined ? undefined : (lengthOfMask(mask) ?? lengthOfMask(mask ^ 0xffffffffn))
}

/** The prefix length of an IPv4 netmask; undefined if its ones are not in front. */
export const lengthOfMask = (mask: bigint): number | undefined => {
  const digits = mask.toString(2).padStart(32, "0")
  return /^1*0*$/.test(digits) ? digits.replaceAll("0", "").length : undefined
}

/** Reads an address with prefix; without one it is a host's. Fails with ValueError. */
export const parseInterface = (text: string): Interface => {
  const [host = "", prefix, more] = text.split("/")
  const address = tryAddress(host)
  const wrong = (): never => fail("ValueError", `'${text}' does not appear to be an IPv4 or IPv6 interface`)
  if (address === undefined || more !== undefined) return wrong()
  const length = prefix === undefined ? bitsOf(address.version) : parseLength(prefix, address.version)
  return length === undefined ? wrong() : { address, length }
}

const hostMask = (network: Interface): bigint => (1n << BigInt(bitsOf(network.address.version) - network.length)) - 1n

/** The network that an interface is in. */
export const networkOf = ({ address, length }: Interface): Interface => ({
  address: { version: address.version, value: address.value & ~hostMask({ address, length }) },
  length
})

/** The last address of the network. */
export const lastOf = (network: Interface): Address => ({
  version: network.address.version,
  value: network.address.value | hostMask(network)
})

/** Reads a network. Fails with ValueError, also when bits behind the prefix are set. */
export const parseNetwork = (text: string): Interface => {
  const network = parseInterface(text)
  return networkOf(network).address.value === network.address.value
    ? network
    : fail("ValueError", `${text} has host bits set`)
}

/** Is the address in the network? */
export const isInside = (address: Address, network: Interface): boolean =>
  address.version === network.address.version &&
  address.value >= network.address.value &&
  address.value <= lastOf(network).value

/** An address so many further on. Fails with ValueError beyond the ends of the family. */
export const plus = (address: Address, count: bigint): Address => {
  const value = address.value + count
  if (value < 0n || value >= 1n << BigInt(bitsOf(address.version))) {
    const rest =
      value < 0n
        ? "is not permitted as an IP address"
        : `(>= 2**${bitsOf(address.version)}) is not permitted as an IP address`
    return fail("ValueError", `${value} ${rest}`)
  }
  return { version: address.version, value }
}

const formatV4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")

// The longest run of zero groups, the first of equals, becomes "::"; a single zero group does not.
const formatV6 = (value: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  const text = groups.join(":")
  const runs = [...text.matchAll(/(?<![\da-f])0(?::0)+(?![\da-f])/g)]
  const longest = runs.reduce((best, run) => (run[0].length > best.length ? run[0] : best), "")
  if (longest === "") return text
  const at = text.indexOf(longest, runs.find((run) => run[0] === longest)?.index)
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + longest.length).replace(/^:/, "")}`
}

/** An address as text, compressed. */
export const formatAddress = ({ version, value }: Address): string =>
  version === 4 ? formatV4(value) : formatV6(value)

/** An address with prefix length as text. */
export const formatInterface = (entry: Interface): string => `${formatAddress(entry.address)}/${entry.length}`

/** The netmask of a prefix length. */
export const maskOf = (version: 4 | 6, length: number): Address => {
  const bits = BigInt(bitsOf(version))
  const all = (1n << bits) - 1n
  return { version, value: all ^ (all >> BigInt(length)) }
}

// The attributes of address, interface and network objects that templates ask for by name.

const exploded = ({ version, value }: Address): string =>
  version === 4
    ? formatAddress({ version, value })
    : (value.toString(16).padStart(32, "0").match(/.{4}/g)?.join(":") ?? "")

const reversed = ({ version, value }: Address): string => {
  if (version === 4) return `${formatAddress({ version, value }).split(".").toReversed().join(".")}.in-addr.arpa`
  return `${[...value.toString(16).padStart(32, "0")].toReversed().join(".")}.ip6.arpa`
}

const packed = ({ version, value }: Address): Value =>
  bytesValue(Buffer.from(value.toString(16).padStart(bitsOf(version) / 4, "0"), "hex"))

const within = (address: Address, networks: ReadonlyArray<string>): boolean =>
  networks.some((network) => isInside(address, parseNetwork(network)))

const multicast = ["224.0.0.0/4", "ff00::/8"]
const loopback = ["127.0.0.0/8", "::1/128"]
const linkLocal = ["169.254.0.0/16", "fe80::/10"]
const unspecified = ["0.0.0.0/32", "::/128"]
const privateUse = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/29",
  "192.0.0.170/31",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "240.0.0.0/4",
  "255.255.255.255/32",
  "::1/128",
  "::/128",
  "::ffff:0:0/96",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "fc00::/7",
  "fe80::/10"
]
const shared = ["100.64.0.0/10"]

/** An attribute of an address; undefined if it has none of this name. */
export const addressAttribute = (address: Address, name: string): Value | undefined => {
  switch (name) {
    case "compressed":
      return formatAddress(address)
    case "exploded":
      return exploded(address)
    case "packed":
      return packed(address)
    case "reverse_pointer":
      return reversed(address)
    case "version":
      return address.version
    case "max_prefixlen":
      return bitsOf(address.version)
    case "is_multicast":
      return within(address, multicast)
    case "is_loopback":
      return within(address, loopback)
    case "is_link_local":
      return within(address, linkLocal)
    case "is_unspecified":
      return within(address, unspecified)
    case "is_private":
      return within(address, privateUse)
    case "is_global":
      return !within(address, privateUse) && !within(address, shared)
    default:
      return undefined
  }
}

/** An attribute of an address with prefix. */
export const interfaceAttribute = (entry: Interface, name: string): Value | undefined => {
  switch (name) {
    case "ip":
      return formatAddress(entry.address)
    case "network":
      return formatInterface(networkOf(entry))
    case "with_prefixlen":
    case "compressed":
      return formatInterface(entry)
    default:
      return maskAttribute(entry, name) ?? addressAttribute(entry.address, name)
  }
}

const maskAttribute = (entry: Interface, name: string): Value | undefined => {
  const { version } = entry.address
  const mask = maskOf(version, entry.length)
  const hostMask = { version, value: mask.value ^ ((1n << BigInt(bitsOf(version))) - 1n) }
  switch (name) {
    case "netmask":
      return formatAddress(mask)
    case "hostmask":
      return formatAddress(hostMask)
    case "with_netmask":
      return `${formatAddress(entry.address)}/${formatAddress(mask)}`
    case "with_hostmask":
      return `${formatAddress(entry.address)}/${formatAddress(hostMask)}`
    default:
      return undefined
  }
}

/** An attribute of a network. */
export const networkAttribute = (network: Interface, name: string): Value | undefined => {
  switch (name) {
    case "network_address":
      return formatAddress(network.address)
    case "broadcast_address":
      return formatAddress(lastOf(network))
    case "prefixlen":
      return network.length
    case "num_addresses":
      return fromBigInt(lastOf(network).value - network.address.value + 1n)
    case "with_prefixlen":
    case "compressed":
      return formatInterface(network)
    default:
      return maskAttribute(network, name) ?? addressAttribute(network.address, name)
  }
}
