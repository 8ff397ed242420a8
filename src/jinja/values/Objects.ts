/**
 * The objects that expressions make: generators, ranges, views of dicts and namespaces.
 */
import { fail } from "../Failure.ts"
import { borrow, exceed, limits, spend } from "../Meter.ts"
import { type Cursor, Dict, isInteger, Native, Tuple, type Value } from "./Value.ts"
import { cursorOver, cursorOverDict, equals, select } from "./Protocols.ts"
import { repr, typeName } from "./Printing.ts"

/** A generator: yields its values once, is always true, and has neither length nor items. */
export class Stream extends Native {
  readonly typeName: string
  private readonly source: Cursor

  constructor(source: Cursor, typeName = "generator") {
    super()
    this.source = source
    this.typeName = typeName
  }

  repr(): string {
    return `<${this.typeName} object>`
  }

  override cursor(): Cursor {
    return this.source
  }
}

/** Python's range: its numbers are computed, not stored. */
export class Range extends Native {
  readonly typeName = "range"
  readonly start: number
  readonly stop: number
  readonly step: number
  readonly count: number

  constructor(start: number, stop: number, step: number) {
    super()
    this.start = start
    this.stop = stop
    this.step = step
    this.count = Math.max(0, Math.ceil((stop - start) / step))
    if (this.count > limits().range) {
      exceed("range", `range of ${this.count} elements is longer than ${limits().range}`)
    }
  }

  repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? "" : `, ${this.step}`})`
  }

  at(index: number): number | undefined {
    const position = index < 0 ? index + this.count : index
    return position >= 0 && position < this.count ? this.start + position * this.step : undefined
  }

  override item(key: Value): Value | undefined {
    return typeof key === "number" ? this.at(key) : undefined
  }

  slice(start: Value, stop: Value, step: Value): Range {
    const selection = select(start, stop, step, this.count)
    return new Range(
      this.start + selection.start * this.step,
      this.start + selection.stop * this.step,
      this.step * selection.step
    )
  }

  override cursor(): Cursor {
    let index = 0
    return {
      next: () => {
        spend(1)
        return this.at(index < this.count ? index++ : this.count)
      }
    }
  }

  override length(): number {
    return this.count
  }

  override truth(): boolean {
    return this.count > 0
  }

  override equals(other: Native): boolean {
    return (
      other instanceof Range &&
      other.count === this.count &&
      (this.count === 0 || (other.start === this.start && (this.count === 1 || other.step === this.step)))
    )
  }
}

const picks = {
  dict_keys: (key: Value): Value => key,
  dict_values: (_key: Value, value: Value): Value => value,
  dict_items: (key: Value, value: Value): Value => new Tuple([key, value])
}

/** The result of `keys()`, `values()` and `items()`: a live view of the dict. */
export class DictView extends Native {
  readonly typeName: keyof typeof picks
  private readonly dict: Dict

  constructor(dict: Dict, typeName: keyof typeof picks) {
    super()
    this.dict = dict
    this.typeName = typeName
  }

  repr(): string {
    borrow(this.dict.size * 6)
    const items: Array<Value> = Array.from(this.dict.items(), ({ key, value }) => picks[this.typeName](key, value))
    return `${this.typeName}(${repr(items)})`
  }

  override cursor(): Cursor {
    return cursorOverDict(this.dict, picks[this.typeName])
  }

  override length(): number {
    return this.dict.size
  }

  override truth(): boolean {
    return this.dict.size > 0
  }

  override equals(other: Native): boolean {
    if (this === other) return true
    if (!(other instanceof DictView) || this.typeName === "dict_values" || other.typeName !== this.typeName)
      return false
    if (other.dict.size !== this.dict.size) return false
    for (const { key, value } of this.dict.items()) {
      const there = other.dict.get(key)
      if (there === undefined || (this.typeName === "dict_items" && !equals(value, there))) return false
    }
    return true
  }
}

/** The result of `namespace()`: names that loops and blocks may set. */
export class Namespace extends Native {
  readonly typeName = "Namespace"
  readonly names: Dict

  constructor(names: Dict) {
    super()
    this.names = names
  }

  repr(): string {
    return `<Namespace ${repr(this.names)}>`
  }

  override attribute(name: string): Value | undefined {
    return this.names.getText(name)
  }

  override item(_key: Value): Value | undefined {
    return undefined
  }
}

/** A tuple whose elements have names too, such as the groups of `groupby`. */
export class NamedTuple extends Tuple {
  private readonly fields: ReadonlyArray<string>

  constructor(fields: ReadonlyArray<string>, items: ReadonlyArray<Value>) {
    super(items)
    this.fields = fields
  }

  /** The element of this name; undefined if there is none. */
  field(name: string): Value | undefined {
    return this.items[this.fields.indexOf(name)]
  }
}

/** An iterator over an array under Python's name for it, such as `list_reverseiterator`. */
export const iteratorOver = (items: ReadonlyArray<Value>, name: string): Stream => new Stream(cursorOver(items), name)

/** Python's `range(...)`. */
export const makeRange = (args: ReadonlyArray<Value>): Range => {
  const numbers = args.map((value) => {
    if (typeof value === "boolean") return Number(value)
    if (isInteger(value)) return Number(value)
    return fail("TypeError", `'${typeName(value)}' object cannot be interpreted as an integer`)
  })
  const [first = 0, second, step = 1] = numbers
  const [start, stop] = second === undefined ? [0, first] : [first, second]
  if (step === 0) return fail("ValueError", "range() arg 3 must not be zero")
  return new Range(start, stop, step)
}
