/**
 * How the device keeps secrets: passwords as crypt hashes, keys in the reversible form `$9$` with a random salt. What is given in one
 * of these forms is kept as it is; clear text becomes another spelling with each load. The hash is the lab's own, the form `$9$` is
 * the device's.
 */
import { hash, randomBytes, randomInt } from "node:crypto"
import type { ValueType } from "./Grammar.ts"

const FAMILIES = ["QzF3n6/9CAtpu0O", "B1IREhcSyrleKvMW8LXx", "7N-dVbwsY2g4oaJZGUDj", "iHkq.mPf5T"] as const
const LETTERS = FAMILIES.join("")
const WEIGHTS: ReadonlyArray<ReadonlyArray<number>> = [
  [1, 4, 32],
  [1, 16, 32],
  [1, 8, 32],
  [1, 64],
  [1, 32],
  [1, 4, 16, 128],
  [1, 32, 64]
]

/** How many random letters follow a salt. */
const fillers = (salt: string): number => 3 - FAMILIES.findIndex((family) => family.includes(salt))

const place = (letter: string): number => LETTERS.indexOf(letter)

/** A clear text in the form `$9$`, with this salt or a random one. */
export const obfuscated = (clear: string, salt = LETTERS.charAt(randomInt(LETTERS.length))): string => {
  const random = Array.from({ length: fillers(salt) }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("")
  let before = salt
  let written = ""
  for (const [index, byte] of [...Buffer.from(clear, "latin1")].entries()) {
    const weights = WEIGHTS[index % WEIGHTS.length] ?? []
    let rest = byte
    const gaps: Array<number> = []
    for (const weight of weights.toReversed()) {
      gaps.unshift(Math.floor(rest / weight))
      rest %= weight
    }
    for (const gap of gaps) {
      before = LETTERS.charAt((place(before) + gap + 1) % LETTERS.length)
      written += before
    }
  }
  return `$9$${salt}${random}${written}`
}

/** The clear text behind the form `$9$`; undefined if it is none. */
export const clearOf = (shown: string): string | undefined => {
  const salt = shown.charAt(3)
  if (!shown.startsWith("$9$") || place(salt) < 0) return undefined
  let letters = shown.slice(4 + fillers(salt))
  let before = salt
  const bytes: Array<number> = []
  for (let index = 0; letters !== ""; index++) {
    const weights = WEIGHTS[index % WEIGHTS.length] ?? []
    if (letters.length < weights.length) return undefined
    let byte = 0
    for (const [at, weight] of weights.entries()) {
      const letter = letters.charAt(at)
      byte += (((place(letter) - place(before) + LETTERS.length) % LETTERS.length) - 1) * weight
      before = letter
    }
    bytes.push(byte & 255)
    letters = letters.slice(weights.length)
  }
  return Buffer.from(bytes).toString("latin1")
}

const hashed = (password: string, salt: string) => `$6$${salt}$${hash("sha512", `${salt}:${password}`, "base64url")}`

/** Whether the hash is that of the password. Only for hashes that the lab has made. */
export const isHashOf = (shown: string, password: string): boolean => {
  const [, kind, salt = ""] = shown.split("$")
  return kind === "6" && shown === hashed(password, salt)
}

/** A value as the device keeps it. */
export const kept = (type: ValueType, given: string): string => {
  if (/^\$\d\$/.test(given) || given.startsWith("<") || given.startsWith("/*")) return given
  if (type === "secret") return obfuscated(given)
  return type === "password" ? hashed(given, randomBytes(6).toString("base64url")) : given
}
