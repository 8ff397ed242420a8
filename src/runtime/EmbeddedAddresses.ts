/**
 * IPv4 addresses inside IPv6 addresses: a host or router that translates or tunnels sends on what is written to such an address
 * to the IPv4 address in it. The forms are data, each with its source.
 */
import { NetAddress } from "effect/net"

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
export const embeddedAddresses = (address: NetAddress.Ipv6Address): ReadonlyArray<string> => {
  const segments = NetAddress.ipv6ToSegments(address)
  return FORMS.flatMap(({ addresses, isMet }) => (isMet(segments) ? addresses(segments) : []))
}
