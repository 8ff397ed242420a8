/**
 * `a.b`, `a['b']` and `a[1:2]`, and the methods of lists, tuples, dicts and numbers. A dot looks for a method of the type first and a key
 * second, brackets the other way round; a name that neither has is undefined. Only the tables named here can be reached: no property of a
 * JavaScript object.
 */
import { fail } from "../Failure.ts"
import {
  argument,
  BoundMethod,
  type Builtin,
  integerArgument,
  library,
  type Library,
  likeOriginal,
  optionalInteger,
  textArgument
} from "./Builtin.ts"
import { formatBraces } from "./BraceFormat.ts"
import {
  Dict,
  elementsOf,
  Float,
  type Implementation,
  isText,
  Markup,
  Native,
  textOf,
  Tuple,
  Undefined,
  type Value
} from "./Value.ts"
import { DictView, NamedTuple, Range } from "./Objects.ts"
import { repr, typeName } from "./Printing.ts"
import {
  characterAt,
  cursorOf,
  drain,
  elements,
  equals,
  notSliceable,
  sliceValue,
  sorted,
  toArray,
  truthy
} from "./Protocols.ts"
import { textMethods } from "./TextMethods.ts"
import { allocate, checkTime, spend } from "../Meter.ts"
import type { Rendering } from "../runtime/Rendering.ts"

// The methods of lists, tuples and dicts, and the few of numbers.

const list = (args: ReadonlyArray<Value>): Array<Value> => {
  const self = args[0]
  return Array.isArray(self) ? self : fail("TypeError", "descriptor requires a 'list' object")
}

const items = (args: ReadonlyArray<Value>): ReadonlyArray<Value> => elementsOf(argument(args, 0)) ?? []

const index: Implementation = (args) => {
  const all = items(args)
  const wanted = argument(args, 1)
  const from = optionalInteger(args, 2) ?? 0
  const to = optionalInteger(args, 3) ?? all.length
  const first = from < 0 ? Math.max(0, from + all.length) : from
  const last = to < 0 ? to + all.length : Math.min(to, all.length)
  for (let i = first; i < last; i++) {
    const item = all[i]
    if (item !== undefined && equals(item, wanted)) return i
  }
  const name = Array.isArray(args[0]) ? `${repr(wanted)} is not in list` : "tuple.index(x): x not in tuple"
  return fail("ValueError", name)
}

const count: Implementation = (args) => {
  const wanted = argument(args, 1)
  return items(args).filter((item) => equals(item, wanted)).length
}

const pop: Implementation = (args) => {
  const self = list(args)
  const at = integerArgument(args, 1)
  const position = at < 0 ? at + self.length : at
  const item = self[position]
  if (item === undefined)
    return fail("IndexError", self.length === 0 ? "pop from empty list" : "pop index out of range")
  if (position === self.length - 1) self.pop()
  else {
    spend(self.length)
    self.splice(position, 1)
  }
  return item
}

const remove: Implementation = (args) => {
  const self = list(args)
  const wanted = argument(args, 1)
  const at = self.findIndex((item) => equals(item, wanted))
  if (at < 0) return fail("ValueError", "list.remove(x): x not in list")
  spend(self.length / 8)
  self.splice(at, 1)
  return null
}

const insert: Implementation = (args) => {
  const self = list(args)
  allocate(1)
  spend(self.length / 8)
  self.splice(integerArgument(args, 1), 0, argument(args, 2))
  return null
}

const extend: Implementation = (args) => {
  const self = list(args)
  for (const item of toArray(argument(args, 1))) self.push(item)
  return null
}

const replaceAll = (self: Array<Value>, next: ReadonlyArray<Value>): null => {
  for (let i = 0; i < next.length; i++) self[i] = next[i] ?? null
  return null
}

const sort = (args: ReadonlyArray<Value>, rendering: Rendering): null => {
  const key = argument(args, 1)
  const self = list(args)
  const keyOf = (item: Value): Value =>
    key instanceof Native ? (key.call(rendering, [item], undefined) ?? null) : item
  return replaceAll(self, sorted(self, keyOf, truthy(argument(args, 2))))
}

/** Methods of lists. */
const listMethods: Library = library({
  "append(self, object)": (args) => {
    allocate(1)
    list(args).push(argument(args, 1))
    return null
  },
  "extend(self, iterable)": extend,
  "insert(self, index, object)": insert,
  "pop(self, index=-1)": pop,
  "remove(self, value)": remove,
  "index(self, value, start=none, stop=none)": index,
  "count(self, value)": count,
  "sort(self, key=none, reverse=false)": sort,
  "reverse(self)": (args) => {
    spend(list(args).length)
    list(args).reverse()
    return null
  },
  "copy(self)": (args) => toArray(list(args)),
  "clear(self)": (args) => {
    list(args).length = 0
    return null
  }
})

/** Methods of tuples. */
const tupleMethods: Library = library({
  "index(self, value, start=none, stop=none)": index,
  "count(self, value)": count
})

const dict = (args: ReadonlyArray<Value>): Dict => {
  const self = args[0]
  return self instanceof Dict ? self : fail("TypeError", "descriptor requires a 'dict' object")
}

const addPairs = (target: Dict, pairs: Value): void => {
  if (pairs instanceof Dict) {
    for (const key of pairs.keys()) target.set(key, pairs.get(key) ?? null)
    return
  }
  let position = 0
  const cursor = cursorOf(pairs)
  for (let pair = cursor.next(); pair !== undefined; pair = cursor.next()) {
    const parts = elements(pair)
    const [key, value] = parts
    if (key === undefined || value === undefined || parts.length !== 2) {
      return fail(
        "ValueError",
        `dictionary update sequence element #${position} has length ${parts.length}; 2 is required`
      )
    }
    target.set(key, value)
    position++
  }
}

/** Adds the pairs of a mapping or iterable, then the keyword arguments: Python's `dict.update`. */
export const updateDict = (target: Dict, pairs: Value | undefined, keywords: Value): void => {
  if (pairs !== undefined) addPairs(target, pairs)
  if (keywords instanceof Dict) for (const { key, value } of keywords.items()) target.set(key, value)
}

const onlyPositional = (args: ReadonlyArray<Value>, at: number): Value | undefined => {
  const rest = args[at]
  return Array.isArray(rest) ? rest[0] : undefined
}

const popKey: Implementation = (args) => {
  const key = argument(args, 1)
  const removed = dict(args).remove(key)
  if (removed !== undefined) return removed
  const fallback = onlyPositional(args, 2)
  return fallback === undefined ? fail("KeyError", repr(key)) : fallback
}

const popItem: Implementation = (args) => {
  const self = dict(args)
  const key = self.keys().at(-1)
  if (key === undefined) return fail("KeyError", "'popitem(): dictionary is empty'")
  return new Tuple([key, self.remove(key) ?? null])
}

const setDefault: Implementation = (args) => {
  const key = argument(args, 1)
  const known = dict(args).get(key)
  if (known !== undefined) return known
  dict(args).set(key, argument(args, 2))
  return argument(args, 2)
}

/** Methods of dicts. */
const dictMethods: Library = library({
  "items(self)": (args) => new DictView(dict(args), "dict_items"),
  "keys(self)": (args) => new DictView(dict(args), "dict_keys"),
  "values(self)": (args) => new DictView(dict(args), "dict_values"),
  "get(self, key, default=none)": (args) => {
    const value = dict(args).get(argument(args, 1))
    return value === undefined ? argument(args, 2) : value
  },
  "update(self, *pairs, **keywords)": (args) => {
    updateDict(dict(args), onlyPositional(args, 1), argument(args, 2))
    return null
  },
  "pop(self, key, *default)": popKey,
  "popitem(self)": popItem,
  "setdefault(self, key, default=none)": setDefault,
  "copy(self)": (args) => dict(args).copy(),
  "clear(self)": (args) => {
    dict(args).clear()
    return null
  },
  "fromkeys(self, iterable, value=none)": (args) =>
    Dict.of(drain(cursorOf(argument(args, 1))).map((key) => [key, argument(args, 2)] as const))
})

/** Methods of floats. */
const floatMethods: Library = library({
  "is_integer(self)": (args) => args[0] instanceof Float && Number.isInteger(args[0].value)
})

/** Methods of integers. */
const integerMethods: Library = library({
  "bit_length(self)": (args) => {
    const value = args[0]
    if (typeof value !== "number" && typeof value !== "bigint") return 1
    checkTime()
    return value == 0 ? 0 : BigInt(value < 0 ? -value : value).toString(2).length
  }
})

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
