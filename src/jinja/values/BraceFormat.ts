/**
 * Python's `'{} {0} {name.attribute[key]!r:>8}'.format(...)`.
 */
import { fail } from "../Failure.ts"
import { GrowingText, spend } from "../Meter.ts"
import type { Dict } from "./Dict.ts"
import { formatValue } from "./FormatSpec.ts"
import { ascii } from "./PercentFormat.ts"
import { repr, str, typeName } from "./Printing.ts"
import type { Value } from "./Value.ts"

/** How a field such as `{a.b[c]}` goes on from a value; undefined where there is nothing. */
export interface Steps {
  readonly attribute: (value: Value, name: string) => Value | undefined
  readonly item: (value: Value, key: Value) => Value | undefined
}

interface Source {
  readonly args: ReadonlyArray<Value>
  readonly keywords: Dict
  readonly steps: Steps
  automatic: number
}

/** `format.format(*args, **keywords)`. Fails with Python's errors. */
export const formatBraces = (format: string, args: ReadonlyArray<Value>, keywords: Dict, steps: Steps): string =>
  expand(format, { args, keywords, steps, automatic: 0 }, 2)

const expand = (format: string, source: Source, depth: number): string => {
  if (depth < 0) return fail("ValueError", "Max string recursion exceeded")
  const text = new GrowingText()
  let i = 0
  while (i < format.length) {
    const character = format.charAt(i)
    if ((character === "{" || character === "}") && format.charAt(i + 1) === character) {
      text.add(character)
      i += 2
    } else if (character === "{") {
      const end = closing(format, i)
      text.add(field(format.slice(i + 1, end), source, depth))
      i = end + 1
    } else if (character === "}") return fail("ValueError", "Single '}' encountered in format string")
    else {
      const end = plainEnd(format, i)
      text.add(format.slice(i, end))
      i = end
    }
  }
  return text.toString()
}

const plainEnd = (format: string, start: number): number => {
  let end = start + 1
  while (end < format.length && format.charAt(end) !== "{" && format.charAt(end) !== "}") end++
  spend(end - start)
  return end
}

const closing = (format: string, start: number): number => {
  spend(16)
  let open = 0
  for (let i = start; i < format.length; i++) {
    if (format.charAt(i) === "{") open++
    else if (format.charAt(i) === "}" && --open === 0) return i
    spend(1)
  }
  return fail(
    "ValueError",
    start === format.length - 1 ? "Single '{' encountered in format string" : "expected '}' before end of string"
  )
}

const field = (text: string, source: Source, depth: number): string => {
  const [, path = "", conversion, specification = ""] = /^([^!:]*)(?:!([^:]*))?(?::(.*))?$/s.exec(text) ?? []
  const value = lookUp(path, source)
  const spec = expand(specification, source, depth - 1)
  if (conversion === undefined) return formatValue(value, spec)
  if (conversion === "s") return formatValue(str(value), spec)
  if (conversion === "r") return formatValue(repr(value), spec)
  if (conversion === "a") return formatValue(ascii(repr(value)), spec)
  return fail("ValueError", `Unknown conversion specifier '${conversion}'`)
}

const lookUp = (path: string, source: Source): Value => {
  const [, first = "", rest = ""] = /^([^.[]*)(.*)$/s.exec(path) ?? []
  let value = firstValue(first, source)
  for (const [, attribute, key = ""] of rest.matchAll(/\.([^.[]+)|\[([^\]]*)\]/g)) {
    const next =
      attribute === undefined
        ? source.steps.item(value, /^\d+$/.test(key) ? Number(key) : key)
        : source.steps.attribute(value, attribute)
    value = next ?? noSuch(next, value, attribute, key)
  }
  return value
}

// None is a value, only undefined means that there is nothing.
const noSuch = (found: Value | undefined, value: Value, attribute: string | undefined, key: string): Value => {
  if (found === null) return null
  if (attribute === undefined) return fail("KeyError", repr(key))
  return fail("AttributeError", `'${typeName(value)}' object has no attribute '${attribute}'`)
}

const firstValue = (name: string, source: Source): Value => {
  if (name !== "" && !/^\d+$/.test(name)) {
    const value = source.keywords.getText(name)
    return value === undefined ? fail("KeyError", repr(name)) : value
  }
  const index = name === "" ? source.automatic++ : Number(name)
  const value = source.args[index]
  return value === undefined
    ? fail("IndexError", `Replacement index ${index} out of range for positional args tuple`)
    : value
}
