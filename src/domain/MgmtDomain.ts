/**
 * A management domain: the VLAN and gateway that a pair of devices gives the access switches below it, and what clients may write about
 * it (docs/api.md#management-domains). Handlers check whether devices and sites exist.
 */
import { Option, Result, Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { optional, type Rule } from "./fields/Body.ts"
import * as Rules from "./fields/Rules.ts"
import { isAddress, lengthOf, settingError, shown } from "./fields/Values.ts"
import { formatAddress, type IpVersion, isHostname, isMapped, parseNetwork } from "./Network.ts"
import { whyNoDeviceAddress } from "./DeviceIdentity.ts"

export const MgmtDomain = Schema.Struct({
  id: Schema.Int,
  ipv4_gw: Schema.NullOr(Schema.String),
  ipv6_gw: Schema.NullOr(Schema.String),
  device_a_id: Schema.Int,
  device_a_ip: Schema.NullOr(Schema.String),
  device_b_id: Schema.Int,
  device_b_ip: Schema.NullOr(Schema.String),
  site_id: Schema.NullOr(Schema.Int),
  vlan: Schema.NullOr(Schema.Int),
  description: Schema.NullOr(Schema.String),
  esi_mac: Schema.NullOr(Schema.String)
})
export type MgmtDomain = typeof MgmtDomain.Type

/** The values of a new management domain. */
export type NewMgmtDomain = Omit<MgmtDomain, "id">

// The fields that clients may write about a management domain, with the rules of the manual and both texts for each invalid
// field (docs/api.md#management-domains). Handlers check whether devices and sites exist.

const VLAN = "Numeric 802.1Q VLAN ID, 1-4095"
const nullableText = Schema.NullOr(Schema.String)
const nullableInteger = Schema.NullOr(Schema.Int)

const PREFIXES: Readonly<Record<IpVersion, readonly [shortest: number, longest: number]>> = {
  4: [17, 30],
  6: [64, 125]
}

/** `255.255.255.0` as 24; undefined for anything else. */
const lengthOfMask = (mask: string): number | undefined => {
  const octets = mask.split(".").map(Number)
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(mask) || octets.some((octet) => octet > 255)) return undefined
  const bits = octets.map((octet) => octet.toString(2).padStart(8, "0")).join("")
  return /^1*0*$/.test(bits) ? bits.indexOf("0") % 32 : undefined
}

const withLength = (text: string, version: IpVersion): string => {
  const [address = "", mask] = text.split("/", 2)
  if (mask === undefined) return `${address}/${version === 4 ? 32 : 128}`
  const length = version === 4 ? lengthOfMask(mask) : undefined
  return length === undefined ? text : `${address}/${length}`
}

/** The address of a gateway with the length of its network. */
const gateway =
  (version: IpVersion): Rule<string> =>
  (sent, { key }) => {
    if (typeof sent !== "string") return Result.fail("Input should be a valid string")
    const parsed = parseNetwork(withLength(sent, version))
    if (Result.isFailure(parsed) || parsed.success.version !== version) {
      return Result.fail(`Value error, Invalid ${key} received. Must be correct IPv${version} address with mask`)
    }
    const { address, first, last, prefixLength } = parsed.success
    if (version === 6 && isMapped(address)) {
      return Result.fail(`Value error, Invalid ${key} received. It is an IPv4 address`)
    }
    const why = whyNoDeviceAddress(formatAddress(version, address))
    if (Option.isSome(why)) {
      return Result.fail(`Value error, Invalid ${key} received. ${formatAddress(version, address)} is ${why.value}`)
    }
    if (address === first) return Result.fail("Value error, Specify gateway address, not subnet address")
    if (address === last) return Result.fail("Value error, Specify gateway address, not broadcast address")
    const [shortest, longest] = PREFIXES[version]
    return prefixLength < shortest || prefixLength > longest
      ? Result.fail(`Value error, Bad prefix length ${prefixLength} for management network`)
      : Result.succeed(`${formatAddress(version, address)}/${prefixLength}`)
  }

const text = (max: number) =>
  optional(
    nullableText,
    Rules.emptyAsNull((sent) => {
      if (typeof sent !== "string") return Result.fail("Input should be a valid string")
      return lengthOf(sent) > max ? Result.fail(`String should have at most ${max} characters`) : Result.succeed(sent)
    })
  )

const address = optional(
  nullableText,
  Rules.emptyAsNull(
    Rules.accept(
      (sent): sent is string => isAddress(sent) && Option.isNone(whyNoDeviceAddress(sent)),
      () => "Value error, Must be a valid IP address"
    )
  )
)

const id = Rules.integer(() => "Input should be a valid integer")
const device = optional(Schema.Int, (sent, place) => id(sent === null ? undefined : sent, place))

/** Fields that both routes take. */
const common = {
  vlan: optional(
    nullableInteger,
    Rules.orNull(
      Rules.boundedInteger({ min: 1, max: 4095 }, (shouldBe) => `Input should be ${shouldBe}, field should be: ${VLAN}`)
    )
  ),
  ipv4_gw: optional(nullableText, Rules.emptyAsNull(gateway(4))),
  ipv6_gw: optional(nullableText, Rules.emptyAsNull(gateway(6))),
  description: text(255)
}

/** The hostname of a member, converted to text before the rule is applied. */
const member = optional(Schema.String, (sent, { key }) => {
  const hostname = shown(sent)
  return isHostname(hostname) ? Result.succeed(hostname) : Result.fail(`Invalid hostname for ${key}: ${hostname}`)
})

const MEMBERS: ReadonlyArray<string> = ["device_a", "device_b"]

/** The body of POST /mgmtdomains: two devices by hostname. The route reports missing fields in one sentence. */
export const MgmtDomainBody = Body.make(
  { device_a: member, device_b: member, ...common },
  {
    sentencesOf: (key, sent, sentence) => (MEMBERS.includes(key) ? [sentence] : settingError(key, sent, sentence)),
    ignored: ["id", "device_a_id", "device_b_id", "device_a_ip", "device_b_ip", "site_id", "esi_mac"]
  }
)

/** The body of PUT /mgmtdomain/<id>: any subset. Keys of a record that cannot be set have no effect. */
export const MgmtDomainChange = Body.make(
  {
    ...common,
    esi_mac: text(12),
    device_a_ip: address,
    device_b_ip: address,
    site_id: optional(nullableInteger, Rules.orNull(id)),
    device_a_id: device,
    device_b_id: device
  },
  { sentencesOf: settingError, ignored: ["id", "device_a", "device_b"] }
)
