/** Lists of addresses and prefixes in settings, such as `127.0.0.0/8,::1`, and whether an address is in one. */
import { Schema } from "effect"
import { BlockList, isIP } from "node:net"
import { commaList } from "../fields/CommaList.ts"

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

/** An address as it is compared: IPv4 that came over an IPv6 socket is IPv4. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")

/** A check whether an address is in one of the prefixes; a text that is no address is in none. */
export const makeContains = (prefixes: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const text of prefixes) {
    const prefix = readPrefix(text)
    if (prefix !== undefined) list.addSubnet(prefix.address, prefix.length, prefix.family)
  }
  return (text) => {
    const address = plainAddress(text)
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6")
  }
}
