/** What somebody looks for with one field (docs/api.md#find): what a text may mean, or why nothing can be found by it. Pure. */
import { Result } from "effect"
import { isIP } from "node:net"

/** All that a text may mean; a text without a meaning of its own is looked for in names. */
export interface FindQuestion {
  /** Without blanks around it. */
  readonly text: string
  /** Digits with which a MAC address begins, upper case, without anything between them. */
  readonly mac: string | null
  readonly ip: string | null
  readonly vlan: number | null
}

const LONGEST = 128
const SHORTEST = 2
const MAC_DIGITS = 12
const LAST_VLAN = 4094

const EMPTY =
  "q must be given: a MAC address or how it begins, an IP address, a serial number, a hostname, the description of a port, or a VLAN by id or name"

/** `00:50:56`, `00-50-5` and `0050.56aa`; digits alone are taken for an address when there are six of them, as a vendor has. */
const spellings = [
  /^[0-9a-f]{2}(?::[0-9a-f]{2})*(?::[0-9a-f]?)?$/i,
  // fewer are the name of a device, such as `ab-a1`
  /^[0-9a-f]{2}(?:-[0-9a-f]{2}){2,}(?:-[0-9a-f]?)?$/i,
  /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*(?:\.[0-9a-f]{0,3})?$/i,
  /^[0-9a-f]{6,12}$/i
]

const fourNumbers = /^\d+\.\d+\.\d+\.\d+$/

const macOf = (text: string): Result.Result<string | null, string> => {
  const isBare = /^[0-9a-f]+$/i.test(text)
  if (isBare ? text.length < 6 || text.length > MAC_DIGITS : !spellings.some((spelling) => spelling.test(text)))
    return Result.succeed(null)
  const digits = text.replaceAll(/[:.-]/g, "").toUpperCase()
  if (digits.length > MAC_DIGITS) {
    return Result.fail(`q is no MAC address: ${text} has ${digits.length} digits, and an address has ${MAC_DIGITS}`)
  }
  return Result.succeed(digits.length < 4 ? null : digits)
}

const ipOf = (text: string): Result.Result<string | null, string> => {
  if (isIP(text) > 0 && !text.includes("%")) return Result.succeed(text)
  return fourNumbers.test(text)
    ? Result.fail(`q is no IP address: each number of ${text} must be from 0 to 255, without zeros before it`)
    : Result.succeed(null)
}

const vlanOf = (text: string): Result.Result<number | null, string> => {
  const [, word, digits] = /^(vlan)?\s*(\d+)$/i.exec(text) ?? []
  if (digits === undefined) return Result.succeed(null)
  const id = Number(digits)
  if (id >= 1 && id <= LAST_VLAN) return Result.succeed(id)
  return word === undefined
    ? Result.succeed(null)
    : Result.fail(`q is no VLAN: ${digits} is not from 1 to ${LAST_VLAN}`)
}

const refusal = (text: string): string | undefined => {
  if (text === "") return EMPTY
  if (text.length > LONGEST) return `q must have at most ${LONGEST} characters`
  if (/\p{Cc}/u.test(text)) return "q must not have control characters"
  if (!/[\p{L}\p{N}]/u.test(text)) return "q has no letter and no digit, so nothing can be found by it"
  if (text.length < SHORTEST && !/^[1-9]$/.test(text)) return `q must have at least ${SHORTEST} characters`
  return undefined
}

/** The question of a text, or the sentence that refuses it. */
export const questionOf = (sent: string): Result.Result<FindQuestion, string> => {
  const text = sent.trim()
  const refused = refusal(text)
  if (refused !== undefined) return Result.fail(refused)
  return Result.gen(function* () {
    const ip = yield* ipOf(text)
    return { text, ip, mac: ip === null ? yield* macOf(text) : null, vlan: yield* vlanOf(text) }
  })
}
