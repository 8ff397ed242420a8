/**
 * The hosts that a site names in OUTBOUND_HOSTS (docs/security.md#outbound-hosts): names, names with `*.` before them, addresses and
 * prefixes. Pure.
 */
import { Schema } from "effect"
import { BlockList, isIP } from "node:net"
import { commaList } from "../fields/CommaList.ts"

interface Prefix {
  readonly address: string
  readonly length: number
  readonly family: "ipv4" | "ipv6"
}

const NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** What resolvers take for an address in another spelling, such as `0x7f.1`. */
const NUMERIC = /(?:^|\.)(?:\d+|0x[\da-f]*)$/

/** How such a list is written. */
export const RULE =
  "Expected names (images.example.org), names with *. before them, addresses or prefixes (10.0.0.0/24), separated by commas"

const prefixOf = (text: string): Prefix | undefined => {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const bits = length === undefined ? longest : Number(length)
  if (version === 0 || bits > longest || address.includes("%")) return undefined
  return { address, length: bits, family: version === 4 ? "ipv4" : "ipv6" }
}

/** A host as it is compared: without brackets and the dot at its end, in lower case. */
export const plainHost = (host: string): string =>
  host
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase()

const isEntry = (text: string): boolean =>
  prefixOf(text) !== undefined || (NAME.test(text) && !NUMERIC.test(text) && text.length <= 253)

/** A list of hosts, separated by commas; may be empty. */
export const OutboundNames = commaList(plainHost).pipe(
  Schema.check(Schema.makeFilter((items: ReadonlyArray<string>) => items.every(isEntry) || RULE))
)

export interface NamedHosts {
  /** Whether a name is one of them; nothing is said of addresses. */
  readonly hasName: (host: string) => boolean
  /** Whether an address lies in a prefix that is named and at least so long: one for everything names nothing in particular. */
  readonly hasAddress: (address: string, atLeast: { readonly ipv4: number; readonly ipv6: number }) => boolean
  readonly hasPrefixes: boolean
}

const matches = (entry: string, host: string): boolean =>
  entry.startsWith("*.") ? host.endsWith(entry.slice(1)) && host.length > entry.length - 1 : host === entry

/** What a list names. */
export const namedHosts = (items: ReadonlyArray<string>): NamedHosts => {
  const prefixes = items.flatMap((item) => prefixOf(item) ?? [])
  const names = items.filter((item) => prefixOf(item) === undefined)
  const lists = prefixes.map(({ address, family, length }) => {
    const list = new BlockList()
    list.addSubnet(address, length, family)
    return { family, length, list }
  })
  return {
    hasName: (host) => names.some((entry) => matches(entry, plainHost(host))),
    hasAddress: (address, atLeast) => {
      const family = isIP(address) === 4 ? "ipv4" : "ipv6"
      return lists.some(
        (one) => one.family === family && one.length >= atLeast[family] && one.list.check(address, family)
      )
    },
    hasPrefixes: prefixes.length > 0
  }
}
