/**
 * Values of the engine made from values of JavaScript, such as a YAML reader gives them, and from JSON text. Maps keep their order and
 * their keys of any type. A number without a fraction is an integer; wrap it in `Float` if the source wrote it as a float.
 */
import { attempt, fail, Fault, Position, type Result } from "./Failure.ts"
import { Dict, Float, fromBigInt, Markup, Native, Tuple, Undefined, type Value } from "./values/Value.ts"

const deepest = 200

const fromDate = (date: Date): string => {
  const [day = "", time = ""] = date.toISOString().split("T")
  return time.startsWith("00:00:00.000") ? day : `${day} ${time.slice(0, 8)}`
}

const fromNumber = (value: number): Value => {
  if (Number.isSafeInteger(value)) return value + 0
  return new Float(value)
}

const fromObject = (value: object, depth: number): Value => {
  if (depth > deepest) return fail("ValueError", `variables are nested deeper than ${deepest}`)
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, depth + 1))
  if (Object.getPrototypeOf(value) === Object.prototype) return fromRecord(value, depth)
  if (value instanceof Map) return fromPairs(value, depth)
  if (value instanceof Set) return Array.from<unknown, Value>(value, (item) => convert(item, depth + 1))
  if (value instanceof Date) return fromDate(value)
  if (value instanceof Dict || value instanceof Float || value instanceof Tuple || value instanceof Markup) return value
  if (value instanceof Native || value instanceof Undefined) return value
  if (Object.getPrototypeOf(value) === null) return fromRecord(value, depth)
  return fail("TypeError", "variables may hold plain data only")
}

const fromRecord = (record: object, depth: number): Dict => {
  const dict = new Dict()
  for (const [key, value] of Object.entries(record)) {
    if (value !== undefined) dict.set(key, convert(value, depth + 1))
  }
  return dict
}

const fromPairs = (pairs: Iterable<readonly [unknown, unknown]>, depth: number): Dict => {
  const dict = new Dict()
  for (const [key, value] of pairs) {
    if (value !== undefined) dict.set(keyOf(convert(key, depth + 1)), convert(value, depth + 1))
  }
  return dict
}

// A list as key, which YAML allows, becomes a tuple.
const keyOf = (key: Value): Value => (Array.isArray(key) ? new Tuple(key) : key)

const convert = (value: unknown, depth: number): Value => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return fromNumber(value)
    case "bigint":
      return fromBigInt(value)
    case "undefined":
      return null
    case "object":
      return value === null ? null : fromObject(value, depth)
    default:
      return fail("TypeError", `variables may not hold a ${typeof value}`)
  }
}

/** Converts a value, throwing `Fault` where that is impossible. For use inside the engine. */
export const convertValue = (value: unknown): Value => convert(value, 0)

/** Converts a value of JavaScript. Fails with TypeError for functions and the like, with ValueError for endless nesting. */
export const toValue = (value: unknown): Result<Value> =>
  attempt(
    () => convert(value, 0),
    () => new Position("variables", 1, 1)
  )

// Reads JSON into values of the engine as Python does: `1` is an integer of any size and `1.0` a float, keys keep their order, and
// `NaN` and `Infinity` are known.

const blanks = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const string = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy
const words: ReadonlyArray<readonly [string, Value]> = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", new Float(NaN)],
  ["Infinity", new Float(Infinity)],
  ["-Infinity", new Float(-Infinity)]
]
const deepestJson = 500

class Reader {
  private readonly file: string
  private readonly text: string
  private index = 0

  constructor(file: string, text: string) {
    this.file = file
    this.text = text
  }

  get here(): Position {
    const before = this.text.slice(0, this.index)
    const line = before.split("\n").length
    return new Position(this.file, line, this.index - before.lastIndexOf("\n"))
  }

  document(): Value {
    const value = this.value(0)
    if (this.index < this.text.length) this.fail("more text after the end of the JSON value")
    return value
  }

  private fail(message: string): never {
    throw new Fault("ValueError", message, this.here)
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.index
    const match = pattern.exec(this.text)
    if (match !== null) this.index += match[0].length
    return match
  }

  private skip(character: string): boolean {
    this.take(blanks)
    if (this.text.charAt(this.index) !== character) return false
    this.index++
    this.take(blanks)
    return true
  }

  private value(depth: number): Value {
    if (depth > deepestJson) this.fail(`nested deeper than ${deepestJson}`)
    this.take(blanks)
    const value = this.bare(depth)
    this.take(blanks)
    return value
  }

  private bare(depth: number): Value {
    if (this.skip("{")) return this.object(depth)
    if (this.skip("[")) return this.array(depth)
    if (this.text.charAt(this.index) === '"') return this.string()
    for (const [word, value] of words) {
      if (this.text.startsWith(word, this.index)) {
        this.index += word.length
        return value
      }
    }
    const match = this.take(number)
    if (match === null) return this.fail("expected a JSON value")
    const [text, fraction, exponent] = match
    return fraction === undefined && exponent === undefined ? fromBigInt(BigInt(text)) : new Float(Number(text))
  }

  private string(): string {
    const match = this.take(string)
    if (match === null) return this.fail("a string that is not closed or holds a character that must be escaped")
    const parsed: unknown = JSON.parse(match[0])
    return typeof parsed === "string" ? parsed : ""
  }

  private array(depth: number): Value {
    const items: Array<Value> = []
    if (this.skip("]")) return items
    do items.push(this.value(depth + 1))
    while (this.skip(","))
    return this.skip("]") ? items : this.fail("expected ',' or ']'")
  }

  private object(depth: number): Value {
    const dict = new Dict()
    if (this.skip("}")) return dict
    do {
      if (this.text.charAt(this.index) !== '"') this.fail("expected a key in double quotes")
      const key = this.string()
      if (!this.skip(":")) this.fail("expected ':'")
      dict.set(key, this.value(depth + 1))
    } while (this.skip(","))
    return this.skip("}") ? dict : this.fail("expected ',' or '}'")
  }
}

/** Reads a JSON text; `file` is its name in error messages. Fails with ValueError, with line and column. */
export const parseJson = (file: string, text: string): Result<Value> => {
  const reader = new Reader(file, text)
  return attempt(
    () => reader.document(),
    () => reader.here
  )
}
