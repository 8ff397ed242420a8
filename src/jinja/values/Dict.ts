/**
 * A Python dict: ordered by insertion, with any hashable value as key, where keys that compare equal (1, 1.0 and true)
 * are one key. Entries hold the key as it was first written, because that is what printing shows.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, reserveText, spend } from "../Meter.ts"
import { Float, fromBigInt, Markup, Native, Tuple, Undefined } from "./Value.ts"
import type { Value } from "./Value.ts"

/** What stands for a key in the hash table. Texts stand for themselves unless they begin with U+0000. */
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

/** What stands for this value in a hash table: equal for values that Python holds equal. */
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
