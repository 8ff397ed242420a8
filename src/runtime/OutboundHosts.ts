/**
 * The hosts to which the server may connect on behalf of others (docs/security.md#outbound-hosts): for images that callers name, and for
 * receivers of alerts. The machine itself (any address of any interface), its link (cloud metadata, consoles of neighbours) and private
 * networks must be named in the settings, whatever a name resolves to, and also if an IPv6 address contains such an IPv4 address. The
 * connection uses the address that was checked, so that a name cannot change its meaning in between.
 */
import { Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { networkInterfaces } from "node:os"
import { lookupAll } from "./NameLookup.ts"
import { namedHosts, plainHost } from "../domain/access/HostLists.ts"

// IPv4 addresses inside IPv6 addresses: a host or router that translates or tunnels forwards packets for such an address to the IPv4
// address in it. The forms are data, each with its source.

type Segments = NetAddress.Ipv6Segments

/** Two segments as an IPv4 address; inverted in Teredo. */
const pair = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`

interface Form {
  readonly isMet: (segments: Segments) => boolean
  readonly addresses: (segments: Segments) => ReadonlyArray<string>
}

const last = (segments: Segments): ReadonlyArray<string> => [pair(segments[6], segments[7])]

const startsWith =
  (...prefix: ReadonlyArray<number>) =>
  (segments: Segments): boolean =>
    prefix.every((segment, index) => segments[index] === segment)

const FORMS: ReadonlyArray<Form> = [
  // ::ffff:0:0/96, mapped (RFC 4291)
  { isMet: startsWith(0, 0, 0, 0, 0, 0xffff), addresses: last },
  // ::/96, compatible, deprecated (RFC 4291)
  { isMet: startsWith(0, 0, 0, 0, 0, 0), addresses: last },
  // ::ffff:0:0:0/96, translated (RFC 2765)
  { isMet: startsWith(0, 0, 0, 0, 0xffff, 0), addresses: last },
  // 64:ff9b::/96, NAT64 (RFC 6052)
  { isMet: startsWith(0x64, 0xff9b, 0, 0, 0, 0), addresses: last },
  // 2002::/16, 6to4 (RFC 3056)
  { isMet: startsWith(0x2002), addresses: (segments) => [pair(segments[1], segments[2])] },
  // 2001::/32, Teredo: its server, and its client inverted (RFC 4380)
  {
    isMet: startsWith(0x2001, 0),
    addresses: (segments) => [pair(segments[2], segments[3]), pair(segments[6] ^ 0xffff, segments[7] ^ 0xffff)]
  },
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d, ISATAP (RFC 5214)
  { isMet: (segments) => (segments[4] & 0xfcff) === 0 && segments[5] === 0x5efe, addresses: last }
]

/** The IPv4 addresses that an IPv6 address may stand for. */
const embeddedAddresses = (address: NetAddress.Ipv6Address): ReadonlyArray<string> => {
  const segments = NetAddress.ipv6ToSegments(address)
  return FORMS.flatMap(({ addresses, isMet }) => (isMet(segments) ? addresses(segments) : []))
}

/** Unspecified, link-local and multicast addresses, and translators that may lead anywhere. */
const link = new BlockList()
link.addSubnet("0.0.0.0", 8, "ipv4")
link.addSubnet("169.254.0.0", 16, "ipv4")
link.addSubnet("224.0.0.0", 4, "ipv4")
link.addSubnet("255.255.255.255", 32, "ipv4")
link.addAddress("::", "ipv6")
link.addSubnet("fe80::", 10, "ipv6")
link.addSubnet("fec0::", 10, "ipv6")
link.addSubnet("ff00::", 8, "ipv6")
// a site's own translator may lead anywhere, and its way of hiding addresses is unknown (RFC 8215)
link.addSubnet("64:ff9b:1::", 48, "ipv6")

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** Metadata of clouds. */
const metadata = new BlockList()
metadata.addAddress("169.254.169.254", "ipv4")
metadata.addAddress("169.254.170.2", "ipv4")
metadata.addAddress("fd00:ec2::254", "ipv6")
metadata.addAddress("168.63.129.16", "ipv4")
metadata.addAddress("100.100.100.200", "ipv4")
metadata.addAddress("192.0.0.192", "ipv4")

/** Networks that are not of the internet (RFC 1918, 4193, 6598, 2544, 6890, 5737, 3849). */
const inner = new BlockList()
for (const [network, length] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["198.18.0.0", 15],
  ["192.0.0.0", 24],
  ["240.0.0.0", 4]
] as const)
  inner.addSubnet(network, length, "ipv4")
inner.addSubnet("fc00::", 7, "ipv6")

const withoutZone = (address: string): string => address.replace(/%.*$/, "")

/** The present addresses of all interfaces. */
const ownAddresses = (): BlockList => {
  const own = new BlockList()
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    own.addAddress(withoutZone(address), family === "IPv4" ? "ipv4" : "ipv6")
  }
  return own
}

/** The address itself and those that it stands for. */
const meanings = (address: string): ReadonlyArray<string> => {
  // it looks as if 0.0.0.1 were hidden in it
  if (loopback.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")) return [address]
  const parsed = NetAddress.ipFromString(address)
  return Result.isSuccess(parsed) && NetAddress.isIpv6Address(parsed.success)
    ? [address, ...embeddedAddresses(parsed.success)]
    : [address]
}

type Place = "metadata" | "link" | "own" | "private" | "public"

const placeOf = (address: string, own: BlockList): Place => {
  const family = isIP(address) === 4 ? "ipv4" : "ipv6"
  if (metadata.check(address, family)) return "metadata"
  if (link.check(address, family)) return "link"
  if (loopback.check(address, family) || own.check(address, family)) return "own"
  return inner.check(address, family) ? "private" : "public"
}

/** True for addresses of this machine, link-local, unspecified and multicast ones, also when hidden in an IPv6 address. */
export const isLocal = (written: string): boolean => {
  const address = withoutZone(written)
  if (isIP(address) === 0) return true
  const own = ownAddresses()
  return meanings(address).some((meaning) => !["private", "public"].includes(placeOf(meaning, own)))
}

/** The length that a prefix needs to name an address at such a place: a whole network is never meant to name cloud metadata. */
const NAMING: Readonly<Record<Place, { readonly ipv4: number; readonly ipv6: number }>> = {
  metadata: { ipv4: 32, ipv6: 128 },
  link: { ipv4: 16, ipv6: 10 },
  own: { ipv4: 8, ipv6: 8 },
  private: { ipv4: 8, ipv6: 7 },
  public: { ipv4: 0, ipv6: 0 }
}

const WORDS: Readonly<Record<Place, string>> = {
  metadata: "an address of this machine or of its link",
  link: "an address of this machine or of its link",
  own: "an address of this machine or of its link",
  private: "in a private network",
  public: "no host that is named"
}

/** A host to which the server must not connect. */
export class HostRefused extends Error {}

/** The allowed hosts for one purpose. */
interface OutboundRules {
  /** OUTBOUND_HOSTS; none if it is not set, in which case every host of the internet is allowed. */
  readonly hosts: Option.Option<ReadonlyArray<string>>
  /** Hosts that the server's own settings name. */
  readonly trusted: ReadonlyArray<string>
  /** This machine is allowed. */
  readonly allowOwn: boolean
  /** Its link is allowed. */
  readonly allowLink: boolean
  /** If OUTBOUND_HOSTS is not set, this machine and private networks are allowed, because files of administrators name them. */
  readonly allowPrivate: boolean
}

export interface OutboundGuard {
  /** Why a host is not allowed, as far as its name shows; an allowed name is checked again when it is resolved. */
  readonly refusalOf: (host: string) => string | undefined
  /** Resolves names as the system does and fails for those that lead to a forbidden address. */
  readonly lookup: LookupFunction
  /**
   * Why another system, which resolves the name itself, must not be sent there: a name that the site does not name must resolve here to
   * addresses that the guard allows.
   */
  readonly refusalForOthers: (host: string) => Effect.Effect<string | undefined>
}

/** The guard of these rules. */
export const makeOutboundGuard = ({
  allowLink,
  allowOwn,
  allowPrivate,
  hosts,
  trusted
}: OutboundRules): OutboundGuard => {
  const isOpen = Option.isNone(hosts)
  const named = namedHosts(Option.getOrElse(hosts, () => []))
  const ours = new Set(trusted.map(plainHost))

  const isAllowed = (host: string, address: string, place: Place): boolean => {
    if (named.hasAddress(address, NAMING[place])) return true
    switch (place) {
      case "metadata":
        return false
      case "link":
        return allowLink
      case "own":
        // FIRMWARE_URL often names this machine, for switches: callers must not reach its other ports through that
        return allowOwn || (isOpen && allowPrivate)
      case "private":
        return ours.has(host) || (isOpen && allowPrivate)
      case "public":
        return isOpen || ours.has(host) || named.hasName(host)
    }
  }

  const refusalAt = (written: string, found: ReadonlyArray<string>): string | undefined => {
    const host = plainHost(written)
    const own = ownAddresses()
    for (const address of found.map(withoutZone)) {
      for (const meaning of isIP(address) === 0 ? [] : meanings(address)) {
        const place = placeOf(meaning, own)
        // an address that hides another one is itself named where the other is
        if (isAllowed(host, meaning, place)) continue
        const where = place === "public" ? "is" : host === address ? "is" : `leads to ${address}, which is`
        const local = place === "own" || place === "link" ? "; FIRMWARE_ALLOW_LOCAL=true permits it for images" : ""
        return `${written} ${where} ${WORDS[place]} (OUTBOUND_HOSTS)${local}`
      }
      if (isIP(address) === 0) return `${written} leads to no address`
    }
    return undefined
  }

  const refusalOf = (written: string): string | undefined => {
    const host = plainHost(written)
    if (isIP(withoutZone(host)) !== 0) return refusalAt(written, [host])
    if (host === "localhost" || host.endsWith(".localhost")) return refusalAt(written, ["127.0.0.1"])
    const mayBe = isOpen || ours.has(host) || named.hasName(host) || named.hasPrefixes
    return mayBe ? undefined : `${written} is no host that is named (OUTBOUND_HOSTS)`
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    lookupAll(hostname, options, ({ addresses, error }) => {
      if (error !== null) return callback(error, [])
      const [first] = addresses
      if (first === undefined) return callback(new HostRefused(`${hostname} has no address`), [])
      const refusal = refusalAt(
        hostname,
        addresses.map(({ address }) => address)
      )
      if (refusal !== undefined) return callback(new HostRefused(refusal), [])
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family)
    })
  }

  const refusalForOthers = (written: string): Effect.Effect<string | undefined> => {
    const host = plainHost(written)
    const refusal = refusalOf(host)
    const isNamed = ours.has(host) || named.hasName(host) || isIP(withoutZone(host)) !== 0
    if (refusal !== undefined || isNamed) return Effect.succeed(refusal)
    return Effect.callback((resume) =>
      lookup(host, { all: true }, (error) => {
        if (error === null) return resume(Effect.undefined)
        if (error instanceof HostRefused) return resume(Effect.succeed(error.message))
        // a name of the internet may be known there only
        return resume(
          Effect.succeed(
            isOpen ? undefined : `${written} is no host that is named, and has no address (OUTBOUND_HOSTS)`
          )
        )
      })
    )
  }

  return { refusalOf, lookup, refusalForOthers }
}

const hostOf = (url: string): ReadonlyArray<string> => (URL.canParse(url) ? [new URL(url).hostname] : [])

/** The settings that limit where others may send the server. */
export interface OutboundSettings {
  readonly OUTBOUND_HOSTS: Option.Option<ReadonlyArray<string>>
  readonly FIRMWARE_URL: Option.Option<string>
  readonly HTTPD_URL: string
  readonly FIRMWARE_ALLOW_LOCAL: boolean
  readonly SECURE_DEFAULTS: boolean
}

/** The hosts that callers may name as sources of images: without OUTBOUND_HOSTS none in a new installation, and any in an older one. */
export const hostsForCallers = ({
  OUTBOUND_HOSTS,
  SECURE_DEFAULTS
}: Pick<OutboundSettings, "OUTBOUND_HOSTS" | "SECURE_DEFAULTS">): Option.Option<ReadonlyArray<string>> =>
  Option.orElse(OUTBOUND_HOSTS, () => (SECURE_DEFAULTS ? Option.some<ReadonlyArray<string>>([]) : Option.none()))

/** For images that callers name: the settings themselves name the hosts of FIRMWARE_URL and of an external HTTPD_URL. */
export const imageGuard = (
  { FIRMWARE_ALLOW_LOCAL, FIRMWARE_URL, HTTPD_URL, ...named }: OutboundSettings,
  ownUrl: string
): OutboundGuard =>
  makeOutboundGuard({
    hosts: hostsForCallers(named),
    trusted: [...Option.toArray(FIRMWARE_URL).flatMap(hostOf), ...(HTTPD_URL === ownUrl ? [] : hostOf(HTTPD_URL))],
    allowOwn: FIRMWARE_ALLOW_LOCAL,
    allowLink: FIRMWARE_ALLOW_LOCAL,
    allowPrivate: false
  })

/** For addresses from which switches fetch files: usually this machine. */
export const switchGuard = ({
  FIRMWARE_URL,
  HTTPD_URL,
  ...named
}: Omit<OutboundSettings, "FIRMWARE_ALLOW_LOCAL">): OutboundGuard =>
  makeOutboundGuard({
    hosts: hostsForCallers(named),
    trusted: [...Option.toArray(FIRMWARE_URL), HTTPD_URL].flatMap(hostOf),
    allowOwn: true,
    allowLink: false,
    allowPrivate: true
  })

/** For receivers of alerts: files of administrators name them, also where OUTBOUND_HOSTS does not. */
export const receiverGuard = ({ OUTBOUND_HOSTS }: Pick<OutboundSettings, "OUTBOUND_HOSTS">): OutboundGuard =>
  makeOutboundGuard({ hosts: OUTBOUND_HOSTS, trusted: [], allowOwn: false, allowLink: false, allowPrivate: true })

/** For the forge, which the server's own settings name. */
export const forgeGuard = ({ OUTBOUND_HOSTS }: Pick<OutboundSettings, "OUTBOUND_HOSTS">, url: string): OutboundGuard =>
  makeOutboundGuard({
    hosts: OUTBOUND_HOSTS,
    trusted: hostOf(url),
    allowOwn: false,
    allowLink: false,
    allowPrivate: true
  })
