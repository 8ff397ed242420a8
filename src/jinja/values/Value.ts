/**
 * The values that templates work with. None, booleans and texts are JavaScript's own; a number is always an integer (a bigint
 * beyond 2^53) and floats are wrapped in `Float`, because Python prints and divides the two differently; a list is an array.
 * Everything else is a `Native`: an object that implements Python's protocols itself. No JavaScript property of a value can be
 * reached from a template, only what the tables of methods and `Native` offer.
 */
import type { Rendering } from "../runtime/Rendering.ts"
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, reserveText, spend } from "../Meter.ts"

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

/** The value of an unknown name, key or attribute: empty when printed, an error when used further. */
export class Undefined {
  /** The sentence of the error when it is used. */
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** The value of an inline `if` without `else` when its test fails: its author wants to print nothing. */
export class Omitted extends Undefined {}

/** Keyword arguments of a call. */
export type Keywords = ReadonlyMap<string, Value>

/** Pulls values one after the other; undefined means that there are no more. */
export interface Cursor {
  next(): Value | undefined
}

/** Any other object. An operation that a kind of object lacks stays undefined, as in Python a missing special method. */
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

/** Is this an integer, and no boolean? */
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

// A Python dict: ordered by insertion, with any hashable value as key, where keys that compare equal (1, 1.0 and true)
// are one key. Entries hold the key as it was first written, because that is what printing shows.

/** The form of a key in the hash table. Texts stand for themselves unless they begin with U+0000. */
export type HashKey = string | number | bigint | null | Native

interface Entry {
  readonly key: Value
  value: Value
}

/** An ordered mapping, mutable and shared by reference. */
export class Dict {
  private readonly entries = new Map<HashKey, Entry>()

  /** Number of keys. */
  get size(): number {
    return this.entries.size
  }

  /** The value of a text key; undefined if there is none. The quick way for attributes. */
  getText(key: string): Value | undefined {
    return this.entries.get(key.charCodeAt(0) === 0 ? `\0s${key}` : key)?.value
  }

  /** The value of a key; undefined if there is none. Fails with TypeError for unhashable keys. */
  get(key: Value): Value | undefined {
    return this.entries.get(hashKey(key))?.value
  }

  has(key: Value): boolean {
    return this.entries.has(hashKey(key))
  }

  set(key: Value, value: Value): void {
    const hash = hashKey(key)
    const entry = this.entries.get(hash)
    if (entry !== undefined) entry.value = value
    else {
      allocate(8)
      this.entries.set(hash, { key, value })
    }
  }

  /** Removes a key and returns its value; undefined if it was not there. */
  remove(key: Value): Value | undefined {
    const hash = hashKey(key)
    const value = this.entries.get(hash)?.value
    this.entries.delete(hash)
    return value
  }

  clear(): void {
    this.entries.clear()
  }

  /** Keys with their values, in order. Live: entries added meanwhile are met too. */
  items(): IterableIterator<Entry> {
    return this.entries.values()
  }

  /** All keys at this moment. */
  keys(): Array<Value> {
    borrow(this.entries.size)
    return Array.from(this.entries.values(), (entry) => entry.key)
  }

  copy(): Dict {
    const copy = new Dict()
    for (const entry of this.items()) copy.set(entry.key, entry.value)
    return copy
  }

  /** A dict of these pairs; later ones win. */
  static of(pairs: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict()
    for (const [key, value] of pairs) dict.set(key, value)
    return dict
  }
}

/** The form of this value in a hash table: equal for values that Python holds equal. */
export const hashKey = (key: Value): HashKey => {
  if (typeof key === "string") return key.charCodeAt(0) === 0 ? `\0s${key}` : key
  if (typeof key === "number" || typeof key === "bigint" || key === null) return key
  if (typeof key === "boolean") return key ? 1 : 0
  if (key instanceof Float) return hashFloat(key.value)
  if (key instanceof Tuple) return hashTuple(key)
  if (key instanceof Markup) return hashKey(key.text)
  if (key instanceof Undefined) return "\0u"
  if (key instanceof Native) return key
  return fail("TypeError", `unhashable type: '${Array.isArray(key) ? "list" : "dict"}'`)
}

const hashFloat = (value: number): HashKey =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? fromBigInt(BigInt(value)) : value + 0

const hashTuple = (key: Tuple): HashKey => {
  const text = new GrowingText()
  for (const item of key.items) text.add(encodeElement(item))
  return `\0t${text}`
}

const identities = new WeakMap<Native, number>()
let identityCount = 0

const identityOf = (native: Native): number => {
  const known = identities.get(native)
  if (known !== undefined) return known
  identities.set(native, ++identityCount)
  return identityCount
}

// One element of a tuple key, with its type and length in front so that no two tuples share a text.
const encodeElement = (item: Value): string => {
  const hash = hashKey(item)
  const text = hash instanceof Native ? `o${identityOf(hash)}` : `${typeof hash === "string" ? "s" : "n"}${hash}`
  reserveText(text.length)
  spend(2)
  return `${text.length}:${text}`
}
