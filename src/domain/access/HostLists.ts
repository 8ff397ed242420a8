/**
 * Lists of hosts, addresses, prefixes and origins in settings, separated by commas, and whether something is in one
 * (docs/security.md#outbound-hosts). Pure.
 */
import { identity, Schema, SchemaGetter } from "effect"
import { BlockList, isIP } from "node:net"
import type { CheckHost } from "../checks/HttpQuestion.ts"

// Lists in settings: texts that commas separate.

/** The items without blanks around them, each converted by `read`; empty ones do not count, and the list may be empty. */
export const commaList = (read: (item: string) => string = identity) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(Schema.String), {
      decode: SchemaGetter.transform((list: string) =>
        list
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
          .map(read)
      ),
      encode: SchemaGetter.transform((items: ReadonlyArray<string>) => items.join(","))
    })
  )

interface Prefix {
  readonly address: string
  readonly length: number
  readonly family: "ipv4" | "ipv6"
}

const readPrefix = (text: string): Prefix | undefined => {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const bits = length === undefined ? longest : Number(length)
  return version === 0 || bits > longest
    ? undefined
    : { address, length: bits, family: version === 4 ? "ipv4" : "ipv6" }
}

const RULE = "Expected addresses or prefixes such as 10.0.0.7 or 10.0.0.0/24, separated by commas"

/** A list of addresses and prefixes, separated by commas; may be empty. */
export const AddressPrefixes = commaList().pipe(
  Schema.check(
    Schema.makeFilter((items: ReadonlyArray<string>) => items.every((item) => readPrefix(item) !== undefined) || RULE)
  )
)

/** The form of an address for comparisons: IPv4 that came over an IPv6 socket is IPv4. */
export const unmappedAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")

/** A check whether an address is in one of the prefixes; any other text is in none. */
export const makeContains = (prefixes: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const text of prefixes) {
    const prefix = readPrefix(text)
    if (prefix !== undefined) list.addSubnet(prefix.address, prefix.length, prefix.family)
  }
  return (text) => {
    const address = unmappedAddress(text)
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6")
  }
}

// Origins of web pages in settings, such as `https://ui.example.org,https://ui.example.org:8443`.

const readOrigin = (text: string): string => {
  try {
    const url = new URL(text)
    const isBare = url.pathname === "/" && url.search === "" && url.hash === "" && url.username === ""
    return isBare && /^https?:$/.test(url.protocol) ? url.origin : ""
  } catch {
    return ""
  }
}

const ORIGIN_RULE = "Expected origins such as https://ui.example.org, without a path, separated by commas"

/** A list of origins as browsers write them, separated by commas; may be empty. */
export const WebOrigins = commaList(readOrigin).pipe(
  Schema.check(Schema.makeFilter((origins: ReadonlyArray<string>) => !origins.includes("") || ORIGIN_RULE))
)

// Monitoring systems in settings, such as `https://prometheus.example.org=PROM,http://10.0.0.7:9090`.

const CHECK_RULE =
  "Expected origins such as https://prometheus.example.org, each with =NAME after it if CHECK_SECRET_NAME is sent there, separated by commas"

const readCheckOrigin = (text: string): string => {
  const [, url = "", secret] = /^([^=]+)(?:=([A-Z][A-Z0-9_]*))?$/.exec(text) ?? []
  const origin = readOrigin(url)
  return origin === "" || secret === undefined ? origin : `${origin}=${secret}`
}

const CheckOriginTexts = commaList(readCheckOrigin).pipe(
  Schema.check(Schema.makeFilter((origins: ReadonlyArray<string>) => !origins.includes("") || CHECK_RULE))
)

/** A list of origins with the names of their secrets; may be empty. */
export const CheckOrigins = CheckOriginTexts.pipe(
  Schema.decodeTo(Schema.Array(Schema.Struct({ origin: Schema.String, secret: Schema.NullOr(Schema.String) })), {
    decode: SchemaGetter.transform((texts: ReadonlyArray<string>) =>
      texts.map((text): CheckHost => {
        const [origin = "", secret = null] = text.split("=")
        return { origin, secret }
      })
    ),
    encode: SchemaGetter.transform((items: ReadonlyArray<CheckHost>) =>
      items.map(({ origin, secret }) => (secret === null ? origin : `${origin}=${secret}`))
    )
  })
)

// The hosts that a site names in OUTBOUND_HOSTS (docs/security.md#outbound-hosts): names, names that begin with `*.`, addresses
// and prefixes. Pure.

interface NamedPrefix {
  readonly address: string
  readonly length: number
  readonly family: "ipv4" | "ipv6"
}

const NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** Names that resolvers read as an address in another spelling, such as `0x7f.1`. */
const NUMERIC = /(?:^|\.)(?:\d+|0x[\da-f]*)$/

/** The format of such a list, for messages. */
export const NAMES_RULE =
  "Expected names (images.example.org), names with *. before them, addresses or prefixes (10.0.0.0/24), separated by commas"

const prefixOf = (text: string): NamedPrefix | undefined => {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const bits = length === undefined ? longest : Number(length)
  if (version === 0 || bits > longest || address.includes("%")) return undefined
  return { address, length: bits, family: version === 4 ? "ipv4" : "ipv6" }
}

/** The form of a host for comparisons: without brackets and the dot at its end, in lower case. */
export const plainHost = (host: string): string =>
  host
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase()

const isEntry = (text: string): boolean =>
  prefixOf(text) !== undefined || (NAME.test(text) && !NUMERIC.test(text) && text.length <= 253)

/** A list of hosts, separated by commas; may be empty. */
export const OutboundNames = commaList(plainHost).pipe(
  Schema.check(Schema.makeFilter((items: ReadonlyArray<string>) => items.every(isEntry) || NAMES_RULE))
)

interface NamedHosts {
  /** Whether a name is in the list; addresses are not checked. */
  readonly hasName: (host: string) => boolean
  /** Whether an address lies in a listed prefix of at least this length: a prefix for everything names nothing in particular. */
  readonly hasAddress: (address: string, atLeast: { readonly ipv4: number; readonly ipv6: number }) => boolean
  readonly hasPrefixes: boolean
}

const matches = (entry: string, host: string): boolean =>
  entry.startsWith("*.") ? host.endsWith(entry.slice(1)) && host.length > entry.length - 1 : host === entry

/** The names and prefixes of a list. */
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

// Addresses for sign-on in settings: the server gets keys from there, or sends tokens and codes there.

/** A URL on this machine, where no other party can listen. */
const isLocal = ({ hostname }: URL): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) || hostname.endsWith(".localhost")

const parseUrl = (text: string): URL | undefined => {
  try {
    const url = new URL(text)
    return url.username === "" && url.password === "" && url.hash === "" ? url : undefined
  } catch {
    return undefined
  }
}

/** Whether the traffic with this URL is protected against reading and changes on its way. */
export const isPrivate = (text: string): boolean => {
  const url = parseUrl(text)
  return url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && isLocal(url)))
}

/** `https://…`; on this machine, which may be the server's or a browser's, `http://…` too. */
export const PrivateUrl = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (text: string) => isPrivate(text) || "Expected a URL that begins with https:// (http:// on this machine only)"
    )
  )
)
