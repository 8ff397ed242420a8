/**
 * How a switch keeps the secrets that it is given: a clear one of a user becomes a hash with a salt of its own, a clear or
 * obfuscated key becomes type 7 with another salt, so that no two loads of one line look alike. The obfuscation is the lab's
 * own; a hash that is given stays as it is.
 */
import { hash, randomBytes, randomInt } from "node:crypto"

const USER = /^(\s*(?:username \S+ .*?\bsecret|enable (?:secret|password)) )(?:0 )?(\S+)$/
const KEY =
  /^(\s*(?:(?:radius|tacacs)-server .*?\bkey|ntp authentication-key \d+ (?:md5|sha\d*)|neighbor \S+ password|key) )(?:(0|7) )?(\S+)$/

const SALTS = 256
const digits = (value: string, by: number) =>
  value.replaceAll(/[\da-f]/gi, (digit) => ((Number.parseInt(digit, 16) + by) & 15).toString(16).toUpperCase())

const obfuscated = (body: string): string => {
  const salt = randomInt(SALTS)
  return `${salt.toString(16).padStart(2, "0").toUpperCase()}${digits(body, salt)}`
}

/** What stands behind a value of type 7: hexadecimal, the same for each of its forms. */
export const clearOf = (value: string): string => digits(value.slice(2), -Number.parseInt(value.slice(0, 2), 16))

const hashed = (password: string, salt: string) => `$6$${salt}$${hash("sha512", `${salt}:${password}`, "base64url")}`

/** Whether the hash is that of the password. Only for hashes that the lab has made. */
export const isHashOf = (shown: string, password: string): boolean => {
  const [, kind, salt = ""] = shown.split("$")
  return kind === "6" && shown === hashed(password, salt)
}

const keyLine = (before: string, kind: string | undefined, value: string): string | undefined => {
  if (kind !== "7") return `${before}7 ${obfuscated(Buffer.from(value).toString("hex"))}`
  return /^[\da-f]{4,}$/i.test(value) ? `${before}7 ${obfuscated(clearOf(value))}` : undefined
}

/** A typed line as the switch keeps it; a line without such a secret stays as it is. */
export const salted = (line: string): string => {
  const [, user, password] = USER.exec(line) ?? []
  if (user !== undefined && password !== undefined) {
    return `${user}sha512 ${hashed(password, randomBytes(6).toString("base64url"))}`
  }
  const [, key, kind, value] = KEY.exec(line) ?? []
  return key === undefined || value === undefined ? line : (keyLine(key, kind, value) ?? line)
}

/** The same for each line of a text. */
export const saltedText = (text: string): string => text.split("\n").map(salted).join("\n")
