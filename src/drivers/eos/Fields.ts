/**
 * Fields of JSON answers as switches really give them (docs/switch-dialogues.md#fields-that-are-not-there): a release lacks a
 * field or calls it otherwise, and a virtual switch has no serial number. A reader asks for a field by the names that it has
 * had. What is not there is null, and is remarked where it is missed.
 */
import { Schema } from "effect"

/** An object of a JSON answer. */
export type Json = Readonly<Record<string, unknown>>

/** Any JSON object, for `readJson`. */
export const AnyObject = Schema.Record(Schema.String, Schema.Unknown)

/** Whether this is an object, and no list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The names of a field: today's first, then what other releases call it. */
export type Names = readonly [string, ...ReadonlyArray<string>]

/** What stands where there is nothing to say. */
const nothing = /^(?:|n\/?a|none|unknown|not (?:available|set))$/i

/** The first of these fields that is a text with something in it, without blanks around it. */
export const textIn = (object: Json, names: Names): string | null => {
  for (const name of names) {
    const value = object[name]
    if (typeof value === "string" && !nothing.test(value.trim())) return value.trim()
  }
  return null
}

/** The first of these fields that is a number; one that is written as a text counts. */
export const numberIn = (object: Json, names: Names): number | null => {
  for (const name of names) {
    const value = object[name]
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    if (typeof number === "number" && Number.isFinite(number)) return number
  }
  return null
}

/** The first of these fields that is an object. */
export const objectIn = (object: Json, names: Names): Json | null => {
  for (const name of names) {
    const value = object[name]
    if (isObject(value)) return value
  }
  return null
}

/** Places that a remark names. */
const SHOWN = 3

/** What an answer does not say, field by field. */
export class Missing {
  readonly #command: string
  readonly #places = new Map<string, Array<string>>()

  /** `command` is what was asked. */
  constructor(command: string) {
    this.#command = command
  }

  /** Remarks that the field is not there; `place` is the port, in an answer about many. */
  add([name]: Names, place?: string): void {
    const places = this.#places.get(name) ?? []
    this.#places.set(name, places)
    if (place !== undefined) places.push(place)
  }

  /** The value; one that is null is remarked. */
  seen<A>(value: A | null, names: Names, place?: string): A | null {
    if (value === null) this.add(names, place)
    return value
  }

  /** A sentence for each field. */
  get remarks(): ReadonlyArray<string> {
    return [...this.#places].map(([field, places]) => {
      const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : ""
      const where = places.length === 0 ? "" : ` at ${places.slice(0, SHOWN).join(", ")}${more}`
      return `"${this.#command}" gives no ${field}${where}`
    })
  }
}
