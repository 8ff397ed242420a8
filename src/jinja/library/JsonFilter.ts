/**
 * The filter `tojson`: JSON with sorted keys, safe inside HTML, written as Python's json module writes it.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, spend } from "../Meter.ts"
import { argument } from "../values/Arguments.ts"
import { repeatText } from "../values/Arithmetic.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { Dict } from "../values/Dict.ts"
import { sorted } from "../values/Equality.ts"
import { floatRepr } from "../values/FloatText.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { elementsOf, Float, isInteger, isText, Markup, textOf } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"

const unicode = (unit: number): string => {
  allocate(2)
  spend(8)
  return `\\u${unit.toString(16).padStart(4, "0")}`
}

const quoted = (text: string): string => {
  borrow(text.length / 4)
  return JSON.stringify(text).replace(/[\x7f-\uffff<>&']/g, (character) =>
    character === "\x7f" ? character : unicode(character.charCodeAt(0))
  )
}

const floatJson = (value: number): string => {
  if (Number.isFinite(value)) return floatRepr(value)
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
}

const keyText = (key: Value): string => {
  if (isText(key)) return textOf(key)
  if (key === null || typeof key === "boolean" || isInteger(key) || key instanceof Float) return scalar(key)
  return fail("TypeError", `keys must be str, int, float, bool or None, not ${typeName(key)}`)
}

const scalar = (value: Value): string => {
  if (value === null) return "null"
  if (typeof value === "boolean") return value ? "true" : "false"
  if (isInteger(value)) return repr(value)
  if (value instanceof Float) return floatJson(value.value)
  if (isText(value)) return quoted(textOf(value))
  return fail("TypeError", `Object of type ${typeName(value)} is not JSON serializable`)
}

class Writer {
  private readonly indent: string | undefined
  private readonly open: Array<Value> = []
  private readonly text = new GrowingText()

  constructor(indent: string | undefined) {
    this.indent = indent
  }

  write(value: Value): string {
    this.value(value)
    return this.text.toString()
  }

  private add(text: string): void {
    this.text.add(text)
  }

  private value(value: Value): void {
    const items = elementsOf(value)
    if (items !== undefined) this.container(value, "[", "]", items, (item) => this.value(item))
    else if (value instanceof Dict) {
      this.container(
        value,
        "{",
        "}",
        sorted(value.keys(), (key) => key, false),
        (key) => {
          this.add(`${quoted(keyText(key))}: `)
          const item = value.get(key)
          this.value(item === undefined ? null : item)
        }
      )
    } else this.add(scalar(value))
  }

  private container(
    value: Value,
    left: string,
    right: string,
    parts: ReadonlyArray<Value>,
    one: (part: Value) => void
  ): void {
    spend(4 + this.open.length / 8)
    if (this.open.includes(value)) fail("ValueError", "Circular reference detected")
    this.add(left)
    this.open.push(value)
    parts.forEach((part, index) => {
      if (index > 0) this.add(this.indent === undefined ? ", " : ",")
      this.newLine()
      one(part)
    })
    this.open.pop()
    if (parts.length > 0) this.newLine()
    this.add(right)
  }

  private newLine(): void {
    if (this.indent !== undefined) this.add(`\n${repeatText(this.indent, this.open.length)}`)
  }
}

const indentOf = (value: Value): string | undefined => {
  if (value === null) return undefined
  if (isText(value)) return textOf(value)
  return typeof value === "number"
    ? repeatText(" ", value)
    : fail("TypeError", `indent must be an integer, not ${str(value)}`)
}

/** The filter `tojson`. */
export const jsonFilters: Library = library({
  "tojson(value, indent=none)": (args) => new Markup(new Writer(indentOf(argument(args, 1))).write(argument(args, 0)))
})
