/**
 * The file of allowed signers (docs/settings-repository.md#signed-commits): lines for SSH keys in the format of ssh-keygen(1), and OpenPGP
 * keys as armoured blocks. The lines are read here to refuse a malformed file at the start, and to leave out keys outside their validity;
 * the signatures themselves are verified by git. Pure.
 */
import { createHash } from "node:crypto"

/** An SSH key that may sign. Times are in milliseconds since 1970; null without a bound. */
interface SignerLine {
  readonly text: string
  readonly principals: string
  /** `SHA256:…`, as ssh-keygen shows it; that of the authority for a line with `cert-authority`. */
  readonly fingerprint: string
  readonly validAfter: number | null
  readonly validBefore: number | null
}

/** The content of a file. `problems` are sentences with the line; with any of them the file is not used. */
export interface AllowedSigners {
  readonly lines: ReadonlyArray<SignerLine>
  /** Armoured blocks of public OpenPGP keys. */
  readonly keys: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

const BEGIN = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
const END = "-----END PGP PUBLIC KEY BLOCK-----"
const KEY_TYPE = /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+$/

/** Splits at blanks outside double quotes; null with an open quote before the key. */
const wordsOf = (line: string): ReadonlyArray<string> | null => {
  const words: Array<string> = []
  let word = ""
  let isQuoted = false
  for (const letter of `${line} `) {
    if (letter === '"') isQuoted = !isQuoted
    if (isQuoted || !/\s/.test(letter)) word += letter
    else if (word !== "") {
      words.push(word)
      word = ""
    }
  }
  return isQuoted && words.length < 3 ? null : words
}

/** The options of a line: names, and values without their quotes. */
const optionsOf = (text: string): ReadonlyArray<readonly [name: string, value: string | null]> =>
  (text.match(/[^,="]+(?:="(?:[^"\\]|\\.)*"|=[^,]*)?/g) ?? []).map((option) => {
    const [, name = "", value] = /^([^=]+)(?:="?(.*?)"?)?$/.exec(option) ?? []
    return [name.toLowerCase(), value ?? null] as const
  })

const OPTIONS: ReadonlySet<string> = new Set(["cert-authority", "namespaces", "valid-after", "valid-before"])

/** YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS in the machine's zone, or with Z in UTC, as ssh-keygen reads it; null for anything else. */
export const signerTime = (text: string): number | null => {
  const match = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/i.exec(text)
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0))
  const time =
    match[7] === ""
      ? new Date(year, month - 1, day, hour, minute, second)
      : new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isReal =
    match[7] === ""
      ? time.getMonth() === month - 1 && time.getDate() === day
      : time.getUTCMonth() === month - 1 && time.getUTCDate() === day
  return isReal && hour < 24 && minute < 60 && second < 60 ? time.getTime() : null
}

/** The fingerprint of a key whose blob names its own type; null for anything else. */
const fingerprintOf = (type: string, base64: string): string | null => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  const blob = Buffer.from(base64, "base64")
  if (blob.length < 4) return null
  const length = blob.readUInt32BE(0)
  if (blob.subarray(4, 4 + length).toString("latin1") !== type) return null
  return `SHA256:${createHash("sha256").update(blob).digest("base64").replaceAll("=", "")}`
}

/** One line, or why it is none. */
const lineOf = (text: string): SignerLine | string => {
  const words = wordsOf(text)
  if (words === null) return "a quote is not closed"
  const [principals = "", ...rest] = words
  const hasOptions = !KEY_TYPE.test(rest[0] ?? "")
  const [type = "", base64 = ""] = hasOptions ? rest.slice(1) : rest
  if (!KEY_TYPE.test(type)) return "no SSH key: the format is PRINCIPALS [OPTIONS] TYPE KEY"
  const fingerprint = fingerprintOf(type, base64)
  if (fingerprint === null) return `no ${type} key follows its type`
  const times: Record<"valid-after" | "valid-before", number | null> = { "valid-after": null, "valid-before": null }
  for (const [name, value] of hasOptions ? optionsOf(rest[0] ?? "") : []) {
    if (!OPTIONS.has(name)) return `no option of allowed signers is named ${name.slice(0, 40)}`
    if (name !== "valid-after" && name !== "valid-before") continue
    const time = signerTime(value ?? "")
    if (time === null) return `${name} is no time such as 20260131 or 202601311200Z`
    times[name] = time
  }
  const { "valid-after": validAfter, "valid-before": validBefore } = times
  return { text, principals: principals.replaceAll('"', ""), fingerprint, validAfter, validBefore }
}

/** Reads a file of allowed signers. One without any key is a problem too, because nobody could sign. */
export const parseAllowedSigners = (content: string): AllowedSigners => {
  const lines: Array<SignerLine> = []
  const keys: Array<string> = []
  const problems: Array<string> = []
  let block: Array<string> | undefined
  let begun = 0
  for (const [index, raw] of content.split(/\r?\n/).entries()) {
    const text = raw.trim()
    if (block !== undefined) {
      block.push(text)
      if (text !== END) continue
      keys.push(`${block.join("\n")}\n`)
      block = undefined
    } else if (text === BEGIN) {
      block = [text]
      begun = index + 1
    } else if (text !== "" && !text.startsWith("#")) {
      const line = lineOf(text)
      if (typeof line === "string") problems.push(`line ${index + 1}: ${line}`)
      else lines.push(line)
    }
  }
  if (block !== undefined) problems.push(`line ${begun}: the OpenPGP block has no end`)
  if (problems.length === 0 && lines.length + keys.length === 0) problems.push("it has no key")
  return { lines, keys, problems }
}

/** The lines whose keys may sign at this moment. */
export const linesValidAt = ({ lines }: AllowedSigners, now: number): ReadonlyArray<SignerLine> =>
  lines.filter(
    ({ validAfter, validBefore }) =>
      (validAfter === null || validAfter <= now) && (validBefore === null || now < validBefore)
  )
