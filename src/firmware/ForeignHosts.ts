/**
 * Which hosts the server may fetch from on behalf of a caller. A URL that leads to this machine itself or to its link (cloud
 * metadata, neighbours' consoles) is refused, whatever its name resolves to: the address that was checked is the one that is
 * dialled, so that a name cannot change its meaning in between.
 */
import * as dns from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"

const blocked = new BlockList()
blocked.addSubnet("0.0.0.0", 8, "ipv4")
blocked.addSubnet("127.0.0.0", 8, "ipv4")
blocked.addSubnet("169.254.0.0", 16, "ipv4")
blocked.addSubnet("224.0.0.0", 4, "ipv4")
blocked.addSubnet("255.255.255.255", 32, "ipv4")
blocked.addSubnet("::", 127, "ipv6")
blocked.addSubnet("fe80::", 10, "ipv6")
blocked.addSubnet("ff00::", 8, "ipv6")
blocked.addAddress("fd00:ec2::254", "ipv6")

/** True for loopback, link-local, unspecified and multicast addresses, also when written as IPv4 inside IPv6. */
export const isLocal = (address: string): boolean => {
  const family = isIP(address)
  return family === 0 || blocked.check(address, family === 4 ? "ipv4" : "ipv6")
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
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => isLocal(address))) {
      return callback(new LocalAddressRefused(hostname), [])
    }
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
  })
}
