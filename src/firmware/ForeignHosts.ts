/**
 * Which hosts the server may fetch from on behalf of a caller. A URL that leads to this machine itself (by any address of any
 * interface) or to its link (cloud metadata, neighbours' consoles) is refused, whatever its name resolves to and also where an
 * IPv4 address is hidden in an IPv6 address: the address that was checked is the one that is dialled, so that a name cannot
 * change its meaning in between.
 */
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { networkInterfaces } from "node:os"
import { lookupAll } from "../runtime/NameLookup.ts"
import { embeddedAddresses } from "./EmbeddedAddresses.ts"

const blocked = new BlockList()
blocked.addSubnet("0.0.0.0", 8, "ipv4")
blocked.addSubnet("127.0.0.0", 8, "ipv4")
blocked.addSubnet("169.254.0.0", 16, "ipv4")
blocked.addSubnet("224.0.0.0", 4, "ipv4")
blocked.addSubnet("255.255.255.255", 32, "ipv4")
blocked.addSubnet("::", 127, "ipv6")
blocked.addSubnet("fe80::", 10, "ipv6")
blocked.addSubnet("fec0::", 10, "ipv6")
blocked.addSubnet("ff00::", 8, "ipv6")
// a site's own translator may lead anywhere, and how it hides addresses is not known (RFC 8215)
blocked.addSubnet("64:ff9b:1::", 48, "ipv6")
// metadata of clouds, beside those at 169.254.169.254
blocked.addAddress("fd00:ec2::254", "ipv6")
blocked.addAddress("168.63.129.16", "ipv4")
blocked.addAddress("100.100.100.200", "ipv4")
blocked.addAddress("192.0.0.192", "ipv4")

const withoutZone = (address: string): string => address.replace(/%.*$/, "")

/** The addresses of all interfaces as they are now. */
const ownAddresses = (): BlockList => {
  const own = new BlockList()
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    own.addAddress(withoutZone(address), family === "IPv4" ? "ipv4" : "ipv6")
  }
  return own
}

/** The address itself and those that it stands for. */
const meanings = (address: string): ReadonlyArray<string> => {
  const parsed = NetAddress.ipFromString(address)
  return Result.isSuccess(parsed) && NetAddress.isIpv6Address(parsed.success)
    ? [address, ...embeddedAddresses(parsed.success)]
    : [address]
}

/** True for addresses of this machine, link-local, unspecified and multicast ones, also when hidden in an IPv6 address. */
export const isLocal = (written: string): boolean => {
  const address = withoutZone(written)
  if (isIP(address) === 0) return true
  const own = ownAddresses()
  return meanings(address).some((meaning) => {
    const family = isIP(meaning) === 4 ? "ipv4" : "ipv6"
    return blocked.check(meaning, family) || own.check(meaning, family)
  })
}

/** An address that may not be fetched from. */
export class LocalAddressRefused extends Error {
  constructor(host: string) {
    super(`${host} is an address of this machine or of its link; FIRMWARE_ALLOW_LOCAL=true permits it`)
  }
}

/** True when the URL's host is written as an address that is local. Names are checked when they are resolved. */
export const isLocalLiteral = (url: URL): boolean => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  return isIP(host) !== 0 && isLocal(host)
}

/** Resolves names as the system does and fails for those that have a local address. */
export const lookupForeign: LookupFunction = (hostname, options, callback) => {
  lookupAll(hostname, options, ({ addresses, error }) => {
    if (error !== null) return callback(error, [])
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => isLocal(address))) {
      return callback(new LocalAddressRefused(hostname), [])
    }
    return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family)
  })
}
