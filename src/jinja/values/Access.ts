/**
 * `a.b`, `a['b']` and `a[1:2]`. A dot looks for a method of the type first and a key second, brackets the other way
 * round; what neither finds is undefined. Only the tables named here can be reached: no property of a JavaScript object.
 */
import { fail } from "../Failure.ts"
import { argument, likeOriginal, textArgument } from "./Arguments.ts"
import { formatBraces } from "./BraceFormat.ts"
import { BoundMethod, library } from "./Builtin.ts"
import type { Builtin, Library } from "./Builtin.ts"
import { dictMethods, floatMethods, integerMethods, listMethods, tupleMethods } from "./ContainerMethods.ts"
import { Dict } from "./Dict.ts"
import { NamedTuple, Range } from "./Objects.ts"
import { repr, typeName } from "./Printing.ts"
import { characterAt, notSliceable, sliceValue } from "./Slicing.ts"
import { textMethods } from "./TextMethods.ts"
import { elementsOf, Float, isText, Markup, Native, textOf, Tuple, Undefined } from "./Value.ts"
import type { Value } from "./Value.ts"

const noMethods: Library = new Map()

const methodsOf = (value: Value): Library => {
  if (value instanceof Dict) return dictMethods
  if (Array.isArray(value)) return listMethods
  if (isText(value)) return allTextMethods
  if (value instanceof Tuple) return tupleMethods
  if (value instanceof Float) return floatMethods
  return typeof value === "number" || typeof value === "bigint" ? integerMethods : noMethods
}

/** The method of this name, not yet bound to the value; undefined if its type has none. */
export const methodOf = (value: Value, name: string): Builtin | undefined => methodsOf(value).get(name)

/** The names of all methods of a value's type. */
export const methodNames = (value: Value): ReadonlyArray<string> => [...methodsOf(value).keys()]

/** Do dicts have a method of this name? For all other names a dot on a dict is just a key. */
export const isMethodName = (name: string): boolean => dictMethods.has(name)

/** The attribute of a value, its keys aside; undefined if there is none. */
export const ownAttributeOf = (value: Value, name: string): Value | undefined => {
  if (value instanceof Native) return value.attribute(name)
  if (value instanceof NamedTuple && value.field(name) !== undefined) return value.field(name)
  const method = methodOf(value, name)
  return method === undefined ? undefined : new BoundMethod(value, method)
}

const indexOf = (key: Value): number | undefined =>
  typeof key === "number" ? key : typeof key === "boolean" ? Number(key) : undefined

// The item, or undefined for whatever Python would raise a lookup or type error for.
const ownItem = (value: Value, key: Value): Value | undefined => {
  if (value instanceof Dict) return Array.isArray(key) || key instanceof Dict ? undefined : value.get(key)
  if (value instanceof Native) return value.item(key)
  const index = indexOf(key)
  if (index === undefined) return undefined
  if (typeof value === "string") return characterAt(value, index)
  if (value instanceof Markup) {
    const character = characterAt(value.text, index)
    return character === undefined ? undefined : new Markup(character)
  }
  return elementsOf(value)?.at(index)
}

const describe = (value: Value): string => (value === null ? "None" : `${typeName(value)} object`)

const missing = (value: Value, key: Value): Undefined =>
  new Undefined(
    typeof key === "string"
      ? `'${describe(value)}' has no attribute ${repr(key)}`
      : `${describe(value)} has no element ${typeof key === "number" ? key : repr(key)}`
  )

/** `value.name`. Fails with UndefinedError on undefined. */
export const attributeOf = (value: Value, name: string): Value => {
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  const own = ownAttributeOf(value, name)
  if (own !== undefined) return own
  const item = ownItem(value, name)
  return item === undefined ? missing(value, name) : item
}

/** `value[key]`. Fails with UndefinedError on undefined. */
export const itemOf = (value: Value, key: Value): Value => {
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  const item = ownItem(value, key)
  if (item !== undefined) return item
  const own = isText(key) ? ownAttributeOf(value, textOf(key)) : undefined
  return own === undefined ? missing(value, key) : own
}

/** `value[start:stop:step]`; None for parts left out. */
export const sliceOf = (value: Value, start: Value, stop: Value, step: Value): Value => {
  if (value instanceof Range) return value.slice(start, stop, step)
  const slice = sliceValue(value, start, stop, step)
  return slice === undefined ? notSliceable(value) : slice
}

const formatMethod = library({
  "format(self, *values, **keywords)": (args) => {
    const [self = null, values, keywords] = args
    const named = keywords instanceof Dict ? keywords : new Dict()
    const steps = { attribute: ownAttributeOf, item: ownItem }
    return likeOriginal(self, formatBraces(textArgument(args, 0), Array.isArray(values) ? values : [], named, steps))
  },
  "format_map(self, mapping)": (args) => {
    const mapping = argument(args, 1)
    const steps = { attribute: ownAttributeOf, item: ownItem }
    return formatBraces(textArgument(args, 0), [], mapping instanceof Dict ? mapping : new Dict(), steps)
  }
})

const allTextMethods: Library = new Map([...textMethods, ...formatMethod])
