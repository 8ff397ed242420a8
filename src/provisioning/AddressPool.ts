/** Choosing free addresses and subnets of a network: always the lowest free one, for IPv4 and IPv6 alike. */
import { Option } from "effect"
import {
  type AddressRange,
  formatAddress,
  type IpVersion,
  type Network,
  parseAddress,
  WIDTH
} from "../domain/Network.ts"

/** Every address of a network, its first included: the pool of loopback addresses. */
export const allAddresses = ({ first, last, version }: Network): AddressRange => ({ version, first, last })

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
