/**
 * Rewrites device addresses when dialling (`SSH_ADDRESS_MAP`), for a management network behind NAT and for the lab, whose
 * switches listen on 127.a.b.c for 10.a.b.c. A rule replaces the prefix and keeps the host part.
 */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** One rule: an address in `from` is dialled at the same host part of `to`. */
export interface AddressRule {
  readonly from: IpNetwork.IpNetwork
  readonly to: IpNetwork.IpNetwork
}

/** Rules, longest prefix first. */
export type AddressMap = ReadonlyArray<AddressRule>

const network = (text: string, rule: string): Result.Result<IpNetwork.IpNetwork, string> =>
  Result.mapError(
    IpNetwork.fromString(text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`),
    () => `"${text}" in the address rule "${rule}" is not a network such as 10.0.0.0/8 without host bits`
  )

const parseRule = (rule: string): Result.Result<AddressRule, string> => {
  const sides = rule.split("=").map((side) => side.trim())
  const [left, right] = sides
  if (sides.length !== 2 || left === undefined || right === undefined) {
    return Result.fail(`the address rule "${rule}" is not of the form 10.0.0.0/8=127.0.0.0/8`)
  }
  return Result.flatMap(network(left, rule), (from) =>
    Result.flatMap(network(right, rule), (to) => {
      if (NetAddress.familyOf(from.address) !== NetAddress.familyOf(to.address)) {
        return Result.fail(`the address rule "${rule}" mixes IPv4 and IPv6`)
      }
      return from.prefixLength === to.prefixLength
        ? Result.succeed({ from, to })
        : Result.fail(`the two prefixes of the address rule "${rule}" differ in length`)
    })
  )
}

/** Parses comma separated rules such as `10.0.0.0/8=127.0.0.0/8`. Empty text: no rules. Fails with a sentence. */
export const parse = (text: string): Result.Result<AddressMap, string> => {
  const rules: Array<AddressRule> = []
  for (const part of text.split(",").map((rule) => rule.trim())) {
    if (part === "") continue
    const rule = parseRule(part)
    if (Result.isFailure(rule)) return Result.fail(rule.failure)
    rules.push(rule.success)
  }
  return Result.succeed(rules.toSorted((a, b) => b.from.prefixLength - a.from.prefixLength))
}

const octets = (address: NetAddress.IpAddress): ReadonlyArray<number> =>
  NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)

const replacePrefix = (address: NetAddress.IpAddress, to: IpNetwork.IpNetwork): string => {
  const prefix = octets(to.address)
  const bytes = Uint8Array.from(octets(address), (octet, index) => {
    const bits = Math.min(8, Math.max(0, to.prefixLength - index * 8))
    const mask = (0xff << (8 - bits)) & 0xff
    return ((prefix[index] ?? 0) & mask) | (octet & ~mask & 0xff)
  })
  return NetAddress.formatIp(
    bytes.length === 4 ? NetAddress.ipv4FromBytesUnsafe(bytes) : NetAddress.ipv6FromBytesUnsafe(bytes)
  )
}

/** The address to dial for a device's address. Names and addresses without a rule stay as they are. */
export const rewrite = (map: AddressMap, address: string): string => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return address
  const rule = map.find(({ from }) => IpNetwork.contains(from, parsed.success))
  return rule === undefined ? address : replacePrefix(parsed.success, rule.to)
}
