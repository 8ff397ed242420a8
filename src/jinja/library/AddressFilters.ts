/** Filters on IP addresses and networks. See docs/templates.md#filters. */
import { fail } from "../Failure.ts"
import { argument, integerArgument, library, type Library, softText } from "../values/Builtin.ts"
import { type Implementation, isInteger, isText, Native, textOf, type Value } from "../values/Value.ts"
import {
  type Address,
  addressAttribute,
  bitsOf,
  formatAddress,
  formatInterface,
  type Interface,
  interfaceAttribute,
  isInside,
  lastOf,
  lengthOfMask,
  maskOf,
  networkAttribute,
  networkOf,
  parseAddress,
  parseInterface,
  parseNetwork,
  plus,
  tryAddress
} from "./IpAddress.ts"

/** An address with its network, which prints as `10.0.0.5/24` and gives its parts by name. */
class InterfaceValue extends Native {
  readonly typeName = "IPInterface"
  private readonly entry: Interface

  constructor(entry: Interface) {
    super()
    this.entry = entry
  }

  repr(): string {
    const { version } = this.entry.address
    return `IPv${version}Interface('${formatInterface(this.entry)}')`
  }

  override str(): string {
    return formatInterface(this.entry)
  }

  override attribute(name: string): Value | undefined {
    return interfaceAttribute(this.entry, name)
  }

  override equals(other: Native): boolean {
    return other instanceof InterfaceValue && other.str() === this.str()
  }
}

const isAddress: Implementation = (args) => tryAddress(softText(args, 0)) !== undefined

const wrap: Implementation = (args) => {
  const value = argument(args, 0)
  if (isInteger(value)) return value
  const text = softText(args, 0)
  return tryAddress(text)?.version === 6 ? `[${text}]` : text
}

const increment: Implementation = (args) => {
  const text = softText(args, 0)
  const count = BigInt(integerArgument(args, 1))
  if (!text.includes("/")) return formatAddress(plus(parseAddress(text), count))
  const { address, length } = parseInterface(text)
  const next = plus(address, count)
  const network = networkOf({ address, length })
  if (!isInside(next, network)) {
    return fail("ValueError", `IP address ${formatAddress(next)} is not in network ${formatInterface(network)}`)
  }
  return formatInterface({ address: next, length })
}

const isofy: Implementation = (args) => {
  const prefix = softText(args, 1)
  if (prefix !== "" && !/^.{2}(\..{4})*?$/.test(prefix)) {
    return fail("ValueError", `${prefix} cannot be used as ISO prefix, please check formatting`)
  }
  const address = parseAddress(softText(args, 0))
  if (address.version !== 4) return fail("ValueError", `Expected 4 octets in ${softText(args, 0)}`)
  const digits = formatAddress(address)
    .split(".")
    .map((octet) => octet.padStart(3, "0"))
    .join("")
  const groups = digits.match(/.{4}/g)?.join(".") ?? ""
  return `${prefix === "" ? "" : `${prefix}.`}${groups}.00`
}

const embed: Implementation = (args) => {
  const network = parseNetwork(softText(args, 0))
  const host = parseAddress(softText(args, 1))
  if (network.address.version !== 6 || host.version !== 4)
    return fail("ValueError", "expected an IPv6 network and an IPv4 address")
  return new InterfaceValue({ address: plus(network.address, host.value), length: network.length })
}

const nth: Implementation = (args) => {
  const network = parseNetwork(softText(args, 0))
  const index = BigInt(integerArgument(args, 1))
  const address: Address = index < 0n ? plus(lastOf(network), index + 1n) : plus(network.address, index)
  if (!isInside(address, network)) return fail("IndexError", "Address out of range")
  return new InterfaceValue({ address, length: network.length })
}

const maskToLength: Implementation = (args) => {
  const text = softText(args, 0)
  const mask = tryAddress(text)
  const length = mask?.version === 4 ? lengthOfMask(mask.value) : undefined
  return length ?? fail("ValueError", `Subnet mask ${text} is not valid.`)
}

const lengthToMask: Implementation = (args) => {
  const length = integerArgument(args, 0)
  return length >= 0 && length <= 32
    ? formatAddress(maskOf(4, length))
    : fail("ValueError", "Parameter must be an integer between 0 and 32.")
}

const wildcard: Implementation = (args) => {
  const mask = parseAddress(softText(args, 0))
  if (mask.version !== 4 || lengthOfMask(mask.value) === undefined) {
    return fail("ValueError", `Subnet mask ${softText(args, 0)} is not valid.`)
  }
  return formatAddress({ version: 4, value: mask.value ^ 0xffffffffn })
}

const firstUsable: Implementation = (args) => {
  const network = networkOf(parseInterface(softText(args, 0)))
  const whole = bitsOf(network.address.version) - network.length <= 1
  return formatAddress(whole ? network.address : plus(network.address, 1n))
}

const peer: Implementation = (args) => {
  const text = softText(args, 0)
  const entry = parseInterface(text)
  const hosts = bitsOf(entry.address.version) - entry.length
  const network = networkOf(entry)
  if (hosts !== 1 && hosts !== 2) {
    return fail("ValueError", `${text} did not conform to IPv4 acceptable masks of 30 or 31, or IPv6 of 126 or 127`)
  }
  const [low, high] =
    hosts === 1 ? [network.address, lastOf(network)] : [plus(network.address, 1n), plus(network.address, 2n)]
  if (entry.address.value === low.value) return formatAddress(high)
  return entry.address.value === high.value
    ? formatAddress(low)
    : fail("ValueError", `${text} is not an IP address that has a peer`)
}

const shifted =
  (direction: bigint): Implementation =>
  (args) =>
    formatAddress(plus(parseAddress(softText(args, 0)), direction * BigInt(integerArgument(args, 1))))

const toHex: Implementation = (args) => {
  const { version, value } = parseAddress(softText(args, 0))
  return value.toString(16).padStart(bitsOf(version) / 4, "0")
}

const isWithin: Implementation = (args) => {
  const inner = parseInterface(softText(args, 0))
  const first = networkOf(inner)
  const wanted = argument(args, 1)
  const networks = Array.isArray(wanted) ? wanted : [wanted]
  return networks.some((item) => {
    const network = networkOf(parseInterface(isText(item) ? textOf(item) : ""))
    return isInside(first.address, network) && isInside(lastOf(first), network)
  })
}

const attributeText = (value: Value | undefined, name: string): Value =>
  value === undefined ? fail("AttributeError", `no attribute '${name}'`) : value

/** IP addresses. */
export const addressFilters: Library = library({
  "ipwrap(value)": wrap,
  "increment_ip(value, increment=1)": increment,
  "isofy_ipv4(value, prefix='')": isofy,
  "ipv4_to_ipv6(v6_network, v4_address)": embed,
  "get_interface(network, index)": nth,
  "is_ip(ip)": isAddress,
  "netmask_to_cidr(netmask)": maskToLength,
  "cidr_to_netmask(cidr)": lengthToMask,
  "netmask_to_wildcardmask(netmask)": wildcard,
  "get_first_usable(network)": firstUsable,
  "get_broadcast_address(network)": (args) => formatAddress(lastOf(networkOf(parseInterface(softText(args, 0))))),
  "get_peer_ip(interface)": peer,
  "ip_addition(ip, val)": shifted(1n),
  "ip_subtract(ip, val)": shifted(-1n),
  "ip_to_hex(ip)": toHex,
  "is_ip_within(ip, network)": isWithin,
  "ipaddress_address(ip, attr)": (args) =>
    attributeText(addressAttribute(parseAddress(softText(args, 0)), softText(args, 1)), softText(args, 1)),
  "ipaddress_interface(ip, attr)": (args) =>
    attributeText(interfaceAttribute(parseInterface(softText(args, 0)), softText(args, 1)), softText(args, 1)),
  "ipaddress_network(ip, attr)": (args) =>
    attributeText(networkAttribute(parseNetwork(softText(args, 0)), softText(args, 1)), softText(args, 1))
})
