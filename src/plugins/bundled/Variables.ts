/** Reads the variables of the bundled plugins; what is missing or of a wrong form is told by its name, and never by its value. */
import { final, isRecord } from "./HttpJson.ts"

type Variables = Readonly<Record<string, unknown>>

const wrong = (name: string, form: string) => final(`the variable ${name} must be ${form}`)

/** A text; numbers count as one. Without a fallback it must be given. */
export const text = (vars: Variables, name: string, fallback?: string): string => {
  const value = vars[name] ?? fallback
  if (typeof value === "number") return String(value)
  if (typeof value === "string" && (value !== "" || fallback !== undefined)) return value
  throw wrong(name, "a text")
}

export const flag = (vars: Variables, name: string, fallback: boolean): boolean => {
  const value = vars[name] ?? fallback
  if (typeof value === "boolean") return value
  throw wrong(name, "true or false")
}

/** A list of texts; one text is a list of one. */
export const texts = (vars: Variables, name: string, fallback: ReadonlyArray<string>): ReadonlyArray<string> => {
  const value = vars[name] ?? fallback
  if (typeof value === "string") return [value]
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value
  throw wrong(name, "a list of texts")
}

/** Texts by names. */
export const table = (vars: Variables, name: string): Readonly<Record<string, string>> => {
  const value = vars[name] ?? {}
  if (!isRecord(value)) throw wrong(name, "a table of texts")
  return Object.fromEntries(Object.keys(value).map((key) => [key, text(value, key, "")]))
}

/** One of these words. */
export const oneOf = <const A extends string>(
  vars: Variables,
  name: string,
  words: readonly [A, ...ReadonlyArray<A>]
): A => {
  const value = vars[name] ?? words[0]
  const found = words.find((word) => word === value)
  if (found === undefined) throw wrong(name, `one of ${words.join(", ")}`)
  return found
}

/** The address of a system, without a slash at its end. */
export const address = (vars: Variables, name: string): string => {
  const value = text(vars, name)
  if (!/^https?:\/\/[^\s/]/.test(value) || !URL.canParse(value)) throw wrong(name, "an http(s) URL")
  return value.replace(/\/+$/, "")
}
