/**
 * Reads JSON into values of the engine with Python's eyes: `1` is an integer of any size and `1.0` a float, keys keep
 * their order, and `NaN` and `Infinity` are known.
 */
import { attempt, Fault, Position } from "./Failure.ts"
import type { Result } from "./Failure.ts"
import { Dict } from "./values/Dict.ts"
import { Float, fromBigInt } from "./values/Value.ts"
import type { Value } from "./values/Value.ts"

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
const deepest = 500

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
    if (depth > deepest) this.fail(`nested deeper than ${deepest}`)
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
