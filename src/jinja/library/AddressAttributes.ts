/**
 * The attributes of address, interface and network objects that templates ask for by name.
 */
import { bytesValue } from "../values/Bytes.ts"
import { fromBigInt } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"
import {
  bitsOf,
  formatAddress,
  formatInterface,
  isInside,
  lastOf,
  maskOf,
  networkOf,
  parseNetwork
} from "./IpAddress.ts"
import type { Address, Interface } from "./IpAddress.ts"

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
