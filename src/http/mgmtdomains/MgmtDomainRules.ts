/** Rules of the fields of a management domain (contract api-devices.md §12): converted, or reported with both texts. Pure. */
import { Option, Result } from "effect"
import { formatAddress, type IpVersion, parseNetwork } from "../../domain/Network.ts"
import type { NewMgmtDomain } from "../../domain/MgmtDomain.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { settingError } from "../../domain/fields/SettingErrors.ts"
import { has, isAddress, lengthOf, toInteger } from "../../domain/fields/Values.ts"

type Checked = Result.Result<string | number | null, string>

const VLAN = "Numeric 802.1Q VLAN ID, 1-4095"
const described = (rule: string) => Result.fail(`Input should be ${rule}, field should be: ${VLAN}`)

const vlan = (value: unknown): Checked => {
  if (value === null) return Result.succeed(null)
  const number = typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value
  if (typeof number === "string") return described("a valid integer, unable to parse string as an integer")
  if (typeof number !== "number") return described("a valid integer")
  if (!Number.isInteger(number)) return described("a valid integer, got a number with a fractional part")
  if (number > 4095) return described("less than 4096")
  return number < 1 ? described("greater than 0") : Result.succeed(number)
}

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

const gateway =
  (version: IpVersion) =>
  (value: unknown): Checked => {
    if (value === null || value === "") return Result.succeed(null)
    if (typeof value !== "string") return Result.fail("Input should be a valid string")
    const parsed = parseNetwork(withLength(value, version))
    if (Result.isFailure(parsed) || parsed.success.version !== version) {
      const name = `ipv${version}_gw`
      return Result.fail(`Value error, Invalid ${name} received. Must be correct IPv${version} address with mask`)
    }
    const { address, first, last, prefixLength } = parsed.success
    if (address === first) return Result.fail("Value error, Specify gateway address, not subnet address")
    if (address === last) return Result.fail("Value error, Specify gateway address, not broadcast address")
    const [shortest, longest] = PREFIXES[version]
    return prefixLength < shortest || prefixLength > longest
      ? Result.fail(`Value error, Bad prefix length ${prefixLength} for management network`)
      : Result.succeed(`${formatAddress(version, address)}/${prefixLength}`)
  }

const text =
  (max: number) =>
  (value: unknown): Checked => {
    if (value === null || value === "") return Result.succeed(null)
    if (typeof value !== "string") return Result.fail("Input should be a valid string")
    return lengthOf(value) > max ? Result.fail(`String should have at most ${max} characters`) : Result.succeed(value)
  }

const address = (value: unknown): Checked => {
  if (value === null || value === "") return Result.succeed(null)
  return isAddress(value) ? Result.succeed(value) : Result.fail("Value error, Must be a valid IP address")
}

const reference =
  (nullable: boolean) =>
  (value: unknown): Checked => {
    if (value === null && nullable) return Result.succeed(null)
    return Result.fromOption(
      value === null ? Option.none<number>() : toInteger(value),
      () => "Input should be a valid integer"
    )
  }

/** Rules of the fields that both routes take, in the order in which errors are reported. */
export const COMMON_RULES = { vlan, ipv4_gw: gateway(4), ipv6_gw: gateway(6), description: text(255) } as const

/** Rules of the fields that PUT takes. */
export const CHANGE_RULES = {
  ...COMMON_RULES,
  esi_mac: text(12),
  device_a_ip: address,
  device_b_ip: address,
  site_id: reference(true),
  device_a_id: reference(false),
  device_b_id: reference(false)
} as const

type Rules = Readonly<Partial<Record<keyof NewMgmtDomain, (value: unknown) => Checked>>>

/** The fields of a body by these rules, and both texts of each that is wrong; keys without a rule are ignored. */
export const parseDomainFields = (
  body: JsonObject,
  rules: Rules
): { readonly fields: Partial<NewMgmtDomain>; readonly errors: ReadonlyArray<string> } => {
  const errors: Array<string> = []
  let fields: Partial<NewMgmtDomain> = {}
  for (const [key, rule] of Object.entries(rules)) {
    if (!has(body, key)) continue
    const outcome = rule(body[key])
    if (Result.isSuccess(outcome)) fields = { ...fields, [key]: outcome.success }
    else errors.push(...settingError(key, body[key], outcome.failure))
  }
  return { fields, errors }
}
