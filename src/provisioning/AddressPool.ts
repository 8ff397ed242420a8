/**
 * Choosing free addresses and subnets of a network: always the lowest free one, for IPv4 and IPv6 alike. Addresses are
 * counted as integers; texts are compared by value, so `2001:db8::1` and `2001:db8:0::1` are the same address.
 */
import { Option, Result } from "effect"
import { IpInterface, NetAddress } from "effect/net"
import { InvalidNetwork } from "./ProvisioningErrors.ts"

export type IpVersion = 4 | 6

/** The network around an address, first and last address included. */
export interface Network {
  readonly version: IpVersion
  readonly prefixLength: number
  /** The address as it was written, which need not be the first of the network. */
  readonly address: bigint
  readonly first: bigint
  readonly last: bigint
}

/** Addresses `first` to `last`, both included. */
export interface AddressRange {
  readonly version: IpVersion
  readonly first: bigint
  readonly last: bigint
}

const WIDTH: Readonly<Record<IpVersion, number>> = { 4: 32, 6: 128 }

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

/** Every address of a network, its first included: the pool of loopback addresses. */
export const allAddresses = ({ first, last, version }: Network): AddressRange => ({ version, first, last })

/**
 * The addresses that hosts may have: without network and broadcast address for IPv4, without the anycast address of the
 * routers for IPv6. Networks of one or two addresses have no such addresses to leave out.
 */
export const hostAddresses = ({ first, last, version }: Network): AddressRange =>
  last - first < 2n ? { version, first, last } : { version, first: first + 1n, last: version === 4 ? last - 1n : last }

/** The same range without its first `count` addresses; it may become empty. */
export const withoutFirst = (range: AddressRange, count: number): AddressRange => ({
  ...range,
  first: range.first + BigInt(count)
})

const valuesOf = (version: IpVersion, texts: Iterable<string>): ReadonlySet<bigint> => {
  const values = new Set<bigint>()
  for (const text of texts) {
    if (text.includes(":") !== (version === 6)) continue
    const value = parseAddress(version, text)
    if (Option.isSome(value)) values.add(value.value)
  }
  return values
}

/** The lowest address of the range that is not taken. Takes no longer than there are taken addresses. */
export const firstFree = (range: AddressRange, taken: Iterable<string>): Option.Option<string> => {
  const values = valuesOf(range.version, taken)
  for (let value = range.first; value <= range.last; value++) {
    if (!values.has(value)) return Option.some(formatAddress(range.version, value))
  }
  return Option.none()
}

/**
 * The lowest subnets of `prefixLength` that overlap none of the taken networks, at most `count` of them, in ascending order.
 */
export const freeSubnets = (
  network: Network,
  prefixLength: number,
  taken: Iterable<Network>,
  count: number
): ReadonlyArray<Network> => {
  const size = 1n << BigInt(WIDTH[network.version] - prefixLength)
  const blocks = [...taken]
    .filter((block) => block.version === network.version && block.first <= network.last && block.last >= network.first)
    .toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))
  const free: Array<Network> = []
  let next = 0
  let takenUpTo = network.first - 1n
  for (let at = network.first; free.length < count && at + size - 1n <= network.last; at += size) {
    const end = at + size - 1n
    for (let block = blocks[next]; block !== undefined && block.first <= end; block = blocks[++next]) {
      if (block.last > takenUpTo) takenUpTo = block.last
    }
    if (takenUpTo < at) {
      free.push({ version: network.version, prefixLength, address: at, first: at, last: end })
    }
  }
  return free
}
