/**
 * The values that templates work with. None, booleans and texts are JavaScript's own; a number is always an integer
 * (a bigint beyond 2^53) and floats are wrapped in `Float`, because Python prints and divides the two differently; a list
 * is an array. Everything else is a `Native`: an object that answers for itself what Python would ask of it. No
 * JavaScript property of a value can be reached from a template, only what the tables of methods and `Native` offer.
 */
import type { Rendering } from "../runtime/Rendering.ts"
import type { Dict } from "./Dict.ts"

/** A Python float. */
export class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** A Python tuple. */
export class Tuple {
  readonly items: ReadonlyArray<Value>
  constructor(items: ReadonlyArray<Value>) {
    this.items = items
  }
}

/** Text that has been escaped for HTML (what `e` and `tojson` return); it escapes plain text that is joined to it. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What an unknown name, key or attribute yields: empty when printed, an error when used further. */
export class Undefined {
  /** The sentence of the error when it is used. */
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** What an inline `if` without `else` yields when its test fails: printing nothing is what its author wants. */
export class Omitted extends Undefined {}

/** Keyword arguments of a call. */
export type Keywords = ReadonlyMap<string, Value>

/** Pulls values one after the other; undefined means that there are no more. */
export interface Cursor {
  next(): Value | undefined
}

/** Any other object. What a kind of object cannot do stays undefined, as in Python a missing special method. */
export abstract class Native {
  abstract readonly typeName: string
  /** Its `repr`. */
  abstract repr(): string
  /** Its `str`, when that differs from `repr`. */
  str(): string {
    return this.repr()
  }
  /** An attribute, or undefined if there is none. */
  attribute(_name: string): Value | undefined {
    return undefined
  }
  /** The item with this key or index, or undefined if there is none. */
  item(_key: Value): Value | undefined {
    return undefined
  }
  /** Begins an iteration; undefined if the object cannot be iterated. */
  cursor(): Cursor | undefined {
    return undefined
  }
  /** Number of elements; undefined if it has no length. */
  length(): number | undefined {
    return undefined
  }
  truth(): boolean {
    return true
  }
  /** Python's `==` with another object; by identity unless a kind of object says otherwise. */
  equals(other: Native): boolean {
    return this === other
  }
  get callable(): boolean {
    return false
  }
  call(_rendering: Rendering, _args: ReadonlyArray<Value>, _keywords: Keywords | undefined): Value | undefined {
    return undefined
  }
}

/** Any value of a template. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Markup
  | Undefined
  | Array<Value>
  | Tuple
  | Dict
  | Native

/** Computes a value from the values of the arguments; keyword arguments only where a signature asks for them. */
export type Implementation = (args: ReadonlyArray<Value>, rendering: Rendering) => Value

/** Is this an integer, booleans not among them? */
export const isInteger = (value: Value): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint"

/** Is this a text, escaped or not? */
export const isText = (value: Value): value is string | Markup => typeof value === "string" || value instanceof Markup

/** The characters of a text. */
export const textOf = (value: string | Markup): string => (typeof value === "string" ? value : value.text)

/** The elements of a list or tuple; undefined for all other values. */
export const elementsOf = (value: Value): ReadonlyArray<Value> | undefined =>
  Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined

/** A bigint as integer value: a number whenever it fits one exactly. */
export const fromBigInt = (value: bigint): number | bigint =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
