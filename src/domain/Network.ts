/**
 * Networks and addresses as integers, for IPv4 and IPv6 alike. Texts are compared by value, so `2001:db8::1` and
 * `2001:db8:0::1` are the same address.
 */
import { Option, Result, Schema } from "effect"
import { IpInterface, NetAddress } from "effect/net"

/** A network in a request, in the settings or in the database is missing or is no network in CIDR notation. */
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

/** The value of an address; none when the text is no address of this version. */
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
export const MAPPED_BITS = 96

export const isMapped = (value: bigint): boolean => value >> BigInt(WIDTH[4]) === MAPPED

/** An address in the one form that `formatAddress` gives it, one that is mapped into IPv6 as IPv4; what is no address stays as it is. */
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
 * The addresses that hosts may have: without network and broadcast address for IPv4, without the anycast address of the
 * routers for IPv6. Networks of one or two addresses have no such addresses to leave out.
 */
export const hostAddresses = ({ first, last, version }: Network): AddressRange =>
  last - first < 2n ? { version, first, last } : { version, first: first + 1n, last: version === 4 ? last - 1n : last }
