/**
 * Hostnames, MAC addresses, IP addresses and networks: their spellings and comparisons, and the networks in which devices may
 * get the fleet's logins (docs/security.md#management-networks). Addresses are compared by value, so `2001:db8::1` and
 * `2001:db8:0::1` are the same.
 */
import { Option, Result, Schema } from "effect"
import { IpInterface, NetAddress } from "effect/net"

/** A network in a request, in the settings or in the database is missing or is not in CIDR notation. */
export class InvalidNetwork extends Schema.TaggedError<InvalidNetwork>()("InvalidNetwork", {
  message: Schema.String
}) {}

export type IpVersion = 4 | 6

/** The network around an address, first and last address included. */
export const Network = Schema.Struct({
  version: Schema.Literals([4, 6]),
  prefixLength: Schema.Int,
  /** The address as it was written, which need not be the first of the network. */
  address: Schema.BigInt,
  first: Schema.BigInt,
  last: Schema.BigInt
})
export type Network = typeof Network.Type

/** Addresses `first` to `last`, both included. */
export interface AddressRange {
  readonly version: IpVersion
  readonly first: bigint
  readonly last: bigint
}

/** Bits of an address. */
export const WIDTH: Readonly<Record<IpVersion, number>> = { 4: 32, 6: 128 }

const join = (parts: ReadonlyArray<number>, bits: bigint): bigint =>
  parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n)

const toBigInt = (address: NetAddress.IpAddress): bigint =>
  NetAddress.isIpv4Address(address)
    ? join(NetAddress.ipv4ToOctets(address), 8n)
    : join(NetAddress.ipv6ToSegments(address), 16n)

/** The value of an address; none when the text is not an address of this version. */
export const parseAddress = (version: IpVersion, text: string): Option.Option<bigint> => {
  const parsed: Result.Result<NetAddress.IpAddress, NetAddress.NetAddressError> =
    version === 4 ? NetAddress.ipv4FromString(text) : NetAddress.ipv6FromString(text)
  return Option.map(Result.getSuccess(parsed), toBigInt)
}

/** The text of an address, in the shortest form of its version. */
export const formatAddress = (version: IpVersion, value: bigint): string => {
  const bytes = Uint8Array.from({ length: WIDTH[version] / 8 }, (_, index) =>
    Number((value >> BigInt(WIDTH[version] - 8 * (index + 1))) & 0xffn)
  )
  return NetAddress.formatIp(
    version === 4 ? NetAddress.ipv4FromBytesUnsafe(bytes) : NetAddress.ipv6FromBytesUnsafe(bytes)
  )
}

/** `::ffff:0:0/96`: an IPv4 address in the spelling of IPv6, which is dialled as IPv4. */
const MAPPED = 0xffffn
const MAPPED_BITS = 96

export const isMapped = (value: bigint): boolean => value >> BigInt(WIDTH[4]) === MAPPED

/** An address in the form of `formatAddress`; an address that is mapped into IPv6 becomes IPv4, and any other text stays unchanged. */
export const plainAddress = (text: string): string => {
  const version: IpVersion = text.includes(":") ? 6 : 4
  return Option.match(parseAddress(version, text), {
    onNone: () => text,
    onSome: (value) =>
      version === 6 && isMapped(value)
        ? formatAddress(4, value & ((1n << BigInt(WIDTH[4])) - 1n))
        : formatAddress(version, value)
  })
}

/** The network of `10.0.6.1/24` or `10.0.6.0/24`; a length is required. */
export const parseNetwork = (cidr: string): Result.Result<Network, InvalidNetwork> =>
  Result.mapBoth(IpInterface.fromString(cidr, { prefix: "required" }), {
    onFailure: () => new InvalidNetwork({ message: `Invalid network: ${cidr}` }),
    onSuccess: ({ address, prefixLength }) => {
      const version: IpVersion = NetAddress.isIpv4Address(address) ? 4 : 6
      const value = toBigInt(address)
      const hostBits = BigInt(WIDTH[version] - prefixLength)
      const first = (value >> hostBits) << hostBits
      return { version, prefixLength, address: value, first, last: first + (1n << hostBits) - 1n }
    }
  })

/** `10.0.6.0/24` for every address in it. */
export const formatNetwork = ({ first, prefixLength, version }: Network): string =>
  `${formatAddress(version, first)}/${prefixLength}`

/** True when the network holds this address. */
export const containsAddress = (network: Network, text: string): boolean =>
  Option.exists(parseAddress(network.version, text), (value) => value >= network.first && value <= network.last)

/**
 * The addresses that hosts may have: without network and broadcast address for IPv4, without the anycast address of the routers
 * for IPv6. Networks of one or two addresses have no such addresses.
 */
export const hostAddresses = ({ first, last, version }: Network): AddressRange =>
  last - first < 2n ? { version, first, last } : { version, first: first + 1n, last: version === 4 ? last - 1n : last }

// Hostnames and MAC addresses: the two spellings by which the API, the settings repository and the DHCP server refer to a
// switch. See docs/api.md#hostnames and docs/api.md#texts-of-device-fields.

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

/** `08:00:27:5c:09:1f`, `0800.275c.091f` or plain hex to `0800275C091F`; none for any other text. */
export const normalizeMac = (value: string): Option.Option<string> => {
  const hex = value.replaceAll(/[:.-]/g, "").toUpperCase()
  return /^[0-9A-F]{12}$/.test(hex) ? Option.some(hex) : Option.none()
}

/** A MAC address in any of those spellings to `08:00:27:5C:09:1F`, as in answers; none for any other text. */
export const macWithColons = (value: string): Option.Option<string> =>
  Option.map(normalizeMac(value), (hex) => (hex.match(/../g) ?? []).join(":"))

// Where devices may be that get the fleet's logins (docs/security.md#management-networks): prefixes, and on demand the fabric
// prefixes of the settings repository. Any text except an address in them is outside.

/** The value of `MANAGEMENT_NETWORKS`. */
export interface ManagementNetworks {
  readonly networks: ReadonlyArray<Network>
  /** The prefixes of the settings' `underlay` count too. */
  readonly fromSettings: boolean
}

/**
 * The device may not get the login: its address is in none of the networks. Nothing was sent; `rule` is the setting that
 * forbids it, null before any network was named.
 */
export class AddressOutside extends Schema.TaggedError<AddressOutside>()("AddressOutside", {
  hostname: Schema.String,
  address: Schema.String,
  rule: Schema.NullOr(Schema.String)
}) {
  override get message() {
    if (this.rule === null) {
      return `nobody has said yet in which networks devices are, so no login is sent to ${this.hostname} at ${this.address}; run \`switchyard setup\`, or set MANAGEMENT_NETWORKS (docs/security.md#management-networks)`
    }
    return `the address ${this.address} of ${this.hostname} is outside of the management networks (${this.rule}), so the fleet's login is not sent there; give the device an address inside, or add its network to MANAGEMENT_NETWORKS`
  }
  get httpStatus() {
    return 400 as const
  }
  get refusal() {
    return [this.message]
  }
}

/** Represents the prefixes of the settings. */
const FROM_SETTINGS = "settings"

const managementPrefix = (text: string): Result.Result<Network, string> => {
  const cidr = text.includes("/") ? text : `${text}/${text.includes(":") ? WIDTH[6] : WIDTH[4]}`
  const wrong = `"${text}" is neither a prefix such as 10.0.0.0/8 or 2001:db8::/32 nor the word ${FROM_SETTINGS}`
  return Result.flatMap(
    Result.mapError(parseNetwork(cidr), () => wrong),
    (network) => {
      if (network.address !== network.first)
        return Result.fail(`"${text}" has bits behind its prefix: ${formatAddress(network.version, network.first)}?`)
      return network.version === 6 && network.prefixLength >= MAPPED_BITS && isMapped(network.first)
        ? Result.fail(`"${text}" is IPv4 in the spelling of IPv6: write it as IPv4`)
        : Result.succeed(network)
    }
  )
}

/** Reads a comma separated list of prefixes and the word `settings`. Fails with a sentence. */
export const parseManagementNetworks = (list: string): Result.Result<ManagementNetworks, string> =>
  Result.gen(function* () {
    const parts = list.split(",").map((part) => part.trim())
    const networks: Array<Network> = []
    for (const part of parts) if (part !== FROM_SETTINGS) networks.push(yield* managementPrefix(part))
    return { networks, fromSettings: parts.includes(FROM_SETTINGS) }
  })

/** The list in the environment, or nothing; an invalid list stops the start with its sentence. */
export const ManagementNetworksText = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (list: string) =>
        list === "" || Result.match(parseManagementNetworks(list), { onSuccess: () => true, onFailure: (why) => why })
    )
  )
)

/** Whether the address is in one of the networks. Names and other texts are not. */
export const isInside = (networks: ReadonlyArray<Network>, address: string): boolean => {
  const text = plainAddress(address)
  return networks.some((network) => containsAddress(network, text))
}
