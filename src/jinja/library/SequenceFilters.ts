/**
 * Filters on lists and mappings: picking, ordering, grouping and computing over elements, and applying other filters to them.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, spend } from "../Meter.ts"
import {
  argument,
  type Builtin,
  integerArgument,
  library,
  type Library,
  likeOriginal,
  softText,
  withAliases
} from "../values/Builtin.ts"
import { arithmetic } from "../values/Arithmetic.ts"
import {
  type Cursor,
  Dict,
  elementsOf,
  hashKey,
  type HashKey,
  type Implementation,
  isText,
  textOf,
  Tuple,
  Undefined,
  type Value
} from "../values/Value.ts"
import {
  compare,
  cursorOf,
  elements,
  equals,
  lengthOf,
  sorted,
  toArray,
  truthy,
  tryCursor
} from "../values/Protocols.ts"
import { DictView, iteratorOver, NamedTuple, Stream } from "../values/Objects.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { itemOf } from "../values/Access.ts"
import { occurrences } from "../values/Text.ts"
import type { Rendering } from "../runtime/Rendering.ts"

// The argument `attribute` of filters: a dotted path in which digits are indexes.

// Texts between separators, charged before they are made.
const piecesOf = (text: string, separator: string): ReadonlyArray<string> => {
  borrow(occurrences(text, separator) * 6)
  return text.split(separator)
}

/** The function with which a filter gets the relevant value of an element. */
type Getter = (item: Value) => Value

const pathOf = (attribute: Value): ReadonlyArray<Value> => {
  if (attribute === null) return []
  if (!isText(attribute)) return [attribute]
  return piecesOf(textOf(attribute), ".").map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** A getter for a path, or for the element itself if there is none; `fallback` replaces what is undefined. */
const getterFor = (attribute: Value, fallback: Value = null): Getter => {
  const path = pathOf(attribute)
  if (path.length === 0) return (item) => item
  return (item) => {
    spend(path.length)
    let value = item
    for (const part of path) {
      value = itemOf(value, part)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return value
  }
}

/** Getters for several paths with commas between them. */
const gettersFor = (attribute: Value): ReadonlyArray<Getter> =>
  isText(attribute) ? piecesOf(textOf(attribute), ",").map((part) => getterFor(part)) : [getterFor(attribute)]

/** Texts in lower case, other values unchanged: how filters compare unless the template makes case matter. */
const ignoreCase = (value: Value): Value => (isText(value) ? textOf(value).toLowerCase() : value)

/** The getter's value, in lower case unless case matters. */
const caseAware = (getter: Getter, caseSensitive: boolean): Getter =>
  caseSensitive ? getter : (item) => ignoreCase(getter(item))

// The filter `join`: printed elements with a separator between them.

/** `join(value, d, attribute)`. */
const joinFilter: Implementation = (args) => {
  const separator = softText(args, 1)
  const getter = getterFor(argument(args, 2))
  const cursor = cursorOf(argument(args, 0))
  const text = new GrowingText()
  let begun = false
  for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
    if (begun && separator !== "") text.add(separator)
    text.add(str(getter(item)))
    begun = true
  }
  return text.toString()
}

const flag = (args: ReadonlyArray<Value>, index: number): boolean => truthy(argument(args, index))

/** A generator whose beginning is put off until its first value is wanted, as in Python. */
const lazily = (begin: () => Cursor): Stream => {
  let cursor: Cursor | undefined
  // The generator, and the cursors behind its first value.
  allocate(48)
  return new Stream({ next: () => (cursor ??= begin()).next() })
}

const sort: Implementation = (args) => {
  const caseSensitive = flag(args, 2)
  const getters = gettersFor(argument(args, 3)).map((getter) => caseAware(getter, caseSensitive))
  return sorted(elements(argument(args, 0)), (item) => getters.map((getter) => getter(item)), flag(args, 1))
}

const dictSort: Implementation = (args) => {
  const dict = argument(args, 0)
  const by = argument(args, 2)
  if (by !== "key" && by !== "value") {
    return fail("FilterArgumentError", 'You can only sort by either "key" or "value"')
  }
  if (dict instanceof Undefined) return fail("UndefinedError", dict.message)
  if (!(dict instanceof Dict)) return fail("AttributeError", `'${typeName(dict)}' object has no attribute 'items'`)
  borrow(dict.size * 8)
  const pairs = Array.from(dict.items(), ({ key, value }) => new Tuple([key, value]))
  return sorted(pairs, caseAware(getterFor(by === "key" ? 0 : 1), flag(args, 1)), flag(args, 3))
}

const unique: Implementation = (args) => {
  const getter = caseAware(getterFor(argument(args, 2)), flag(args, 1))
  return lazily(() => {
    const cursor = cursorOf(argument(args, 0))
    const seen = new Set<HashKey>()
    return {
      next: () => {
        for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
          const key = hashKey(getter(item))
          if (seen.has(key)) continue
          allocate(4)
          seen.add(key)
          return item
        }
        return undefined
      }
    }
  })
}

const extreme =
  (better: "<" | ">"): Implementation =>
  (args) => {
    const getter = caseAware(getterFor(argument(args, 2)), flag(args, 1))
    const all = elements(argument(args, 0))
    const [first] = all
    if (first === undefined) return new Undefined("No aggregated item, sequence was empty.")
    let best = first
    let bestKey = getter(first)
    for (let i = 1; i < all.length; i++) {
      const item = all[i] ?? null
      const key = getter(item)
      if (compare(better, key, bestKey)) {
        best = item
        bestKey = key
      }
    }
    return best
  }

const groupBy: Implementation = (args) => {
  const [, attribute, fallback] = [0, 1, 2].map((index) => argument(args, index))
  const real = getterFor(attribute ?? null, fallback ?? null)
  const getter = caseAware(real, flag(args, 3))
  const groups: Array<{ readonly key: Value; readonly items: Array<Value> }> = []
  for (const item of sorted(elements(argument(args, 0)), getter, false)) {
    const key = getter(item)
    const last = groups.at(-1)
    if (last !== undefined && equals(last.key, key)) last.items.push(item)
    else {
      allocate(16)
      groups.push({ key, items: [item] })
    }
  }
  return groups.map(({ items }) => new NamedTuple(["grouper", "list"], [real(items[0] ?? null), items]))
}

const batch: Implementation = (args) => {
  const size = integerArgument(args, 1)
  const fill = argument(args, 2)
  return lazily(() => {
    const cursor = cursorOf(argument(args, 0))
    let next = cursor.next()
    return {
      next: () => {
        if (next === undefined) return undefined
        const row: Array<Value> = []
        for (; next !== undefined && (row.length < size || row.length === 0); next = cursor.next()) row.push(next)
        allocate(fill === null ? row.length : Math.max(size, row.length))
        if (fill !== null) for (let missing = size - row.length; missing > 0; missing--) row.push(fill)
        return row
      }
    }
  })
}

const slices: Implementation = (args) => {
  const count = integerArgument(args, 1)
  const fill = argument(args, 2)
  return lazily(() => {
    const items = toArray(argument(args, 0))
    if (count === 0) return fail("ZeroDivisionError", "integer division or modulo by zero")
    const size = Math.floor(items.length / count)
    const larger = items.length % count
    let index = 0
    return {
      next: () => {
        if (index >= count) return undefined
        const start = index * size + Math.min(index, larger)
        const row = items.slice(start, start + size + (index < larger ? 1 : 0))
        if (fill !== null && index >= larger) row.push(fill)
        index++
        allocate(row.length + 1)
        return row
      }
    }
  })
}

const reverseNames: Readonly<Record<string, string>> = {
  list: "list_reverseiterator",
  tuple: "reversed",
  dict: "dict_reversekeyiterator",
  range: "range_iterator",
  dict_keys: "dict_reversekeyiterator",
  dict_values: "dict_reversevalueiterator",
  dict_items: "dict_reverseitemiterator"
}

const isReversible = (value: Value): boolean => reverseNames[typeName(value)] !== undefined

const reverse: Implementation = (args) => {
  const value = argument(args, 0)
  if (isText(value)) {
    borrow(textOf(value).length * 5)
    return likeOriginal(value, Array.from(textOf(value)).toReversed().join(""))
  }
  if (tryCursor(value) === undefined) return fail("FilterArgumentError", "argument must be iterable")
  const items = toArray(value).toReversed()
  const name = reverseNames[typeName(value)]
  return name === undefined ? items : iteratorOver(items, name)
}

const first: Implementation = (args) => {
  const item = cursorOf(argument(args, 0)).next()
  return item === undefined ? new Undefined("No first item, sequence was empty.") : item
}

const last: Implementation = (args) => {
  const value = argument(args, 0)
  if (!isReversible(value) && !isText(value) && !(value instanceof Undefined)) {
    return fail("TypeError", `'${typeName(value)}' object is not reversible`)
  }
  const item = elements(value).at(-1)
  return item === undefined ? new Undefined("No last item, sequence was empty.") : item
}

const random: Implementation = (args) => {
  const value = argument(args, 0)
  const count = lengthOf(value)
  const items = elementsOf(value) ?? toArray(value)
  const item = items[Math.floor(Math.random() * count)]
  return item === undefined ? new Undefined("No random item, sequence was empty.") : item
}

const sum: Implementation = (args) => {
  const getter = getterFor(argument(args, 1))
  let total = argument(args, 2)
  if (isText(total)) return fail("TypeError", "sum() can't sum strings [use ''.join(seq) instead]")
  for (const item of elements(argument(args, 0))) total = arithmetic("+", total, getter(item))
  return total
}

const items: Implementation = (args) => {
  const value = argument(args, 0)
  return lazily(() => {
    if (value instanceof Undefined) return { next: () => undefined }
    if (!(value instanceof Dict)) return fail("TypeError", "Can only get item pairs from a mapping.")
    return new DictView(value, "dict_items").cursor()
  })
}

const list: Implementation = (args) => toArray(argument(args, 0))

/** Filters on lists and mappings. */
export const sequenceFilters: Library = withAliases(
  library({
    "sort(value, reverse=false, case_sensitive=false, attribute=none)": sort,
    "dictsort(value, case_sensitive=false, by='key', reverse=false)": dictSort,
    "unique(value, case_sensitive=false, attribute=none)": unique,
    "min(value, case_sensitive=false, attribute=none)": extreme("<"),
    "max(value, case_sensitive=false, attribute=none)": extreme(">"),
    "groupby(value, attribute, default=none, case_sensitive=false)": groupBy,
    "batch(value, linecount, fill_with=none)": batch,
    "slice(value, slices, fill_with=none)": slices,
    "reverse(value)": reverse,
    "first(seq)": first,
    "last(seq)": last,
    "random(seq)": random,
    "sum(iterable, attribute=none, start=0)": sum,
    "items(value)": items,
    "list(value)": list,
    "length(obj)": (args) => lengthOf(argument(args, 0)),
    "join(value, d='', attribute=none)": joinFilter
  }),
  { count: "length" }
)

// Filters that apply filters and tests to elements: map, select, reject and their attribute forms.

const nothing: Cursor = { next: () => undefined }

const rest = (args: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const values = args[1]
  return Array.isArray(values) ? values : []
}

const keywords = (args: ReadonlyArray<Value>): Map<string, Value> => {
  const given = args[2]
  const map = new Map<string, Value>()
  if (given instanceof Dict)
    for (const { key, value } of given.items()) if (typeof key === "string") map.set(key, value)
  return map
}

const named = (entries: Library, kind: string, name: Value): Builtin =>
  entries.get(str(name)) ?? fail("TemplateRuntimeError", `No ${kind} named ${repr(name)}.`)

// Applies a filter or test, named by the first of `args`, to an element.
const application = (
  entries: Library,
  kind: string,
  args: ReadonlyArray<Value>,
  given: Map<string, Value>,
  rendering: Rendering
): Getter => {
  const [name = null, ...others] = args
  const builtin = named(entries, kind, name)
  const options = given.size === 0 ? undefined : given
  return (item) => builtin.call(rendering, [item, ...others], options)
}

const mapper = (args: ReadonlyArray<Value>, rendering: Rendering): Getter => {
  const positional = rest(args)
  const given = keywords(args)
  const attribute = given.get("attribute")
  if (positional.length > 0) return application(rendering.surroundings.filters, "filter", positional, given, rendering)
  if (attribute === undefined) return fail("FilterArgumentError", "map requires a filter argument")
  const fallback = given.get("default")
  given.delete("attribute")
  given.delete("default")
  const [unexpected] = given.keys()
  if (unexpected !== undefined) fail("FilterArgumentError", `Unexpected keyword argument ${repr(unexpected)}`)
  return getterFor(attribute, fallback === undefined ? null : fallback)
}

const map: Implementation = (args, rendering) =>
  lazily(() => {
    const value = argument(args, 0)
    if (!truthy(value)) return nothing
    const change = mapper(args, rendering)
    const cursor = cursorOf(value)
    return {
      next: () => {
        const item = cursor.next()
        return item === undefined ? undefined : change(item)
      }
    }
  })

const chooser = (
  args: ReadonlyArray<Value>,
  byAttribute: boolean,
  rendering: Rendering
): ((item: Value) => boolean) => {
  const positional = rest(args)
  const [attribute] = positional
  if (byAttribute && attribute === undefined) {
    return fail("FilterArgumentError", "Missing parameter for attribute name")
  }
  const getter = byAttribute ? getterFor(attribute ?? null) : getterFor(null)
  const others = byAttribute ? positional.slice(1) : positional
  if (others.length === 0) return (item) => truthy(getter(item))
  const test = application(rendering.surroundings.tests, "test", others, keywords(args), rendering)
  return (item) => truthy(test(getter(item)))
}

const choose =
  (wanted: boolean, byAttribute: boolean): Implementation =>
  (args, rendering) =>
    lazily(() => {
      const value = argument(args, 0)
      if (!truthy(value)) return nothing
      const holds = chooser(args, byAttribute, rendering)
      const cursor = cursorOf(value)
      return {
        next: () => {
          for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
            spend(2)
            if (holds(item) === wanted) return item
          }
          return undefined
        }
      }
    })

/** map, select, reject, selectattr and rejectattr. */
export const functionFilters: Library = library({
  "map(value, *args, **keywords)": map,
  "select(value, *args, **keywords)": choose(true, false),
  "reject(value, *args, **keywords)": choose(false, false),
  "selectattr(value, *args, **keywords)": choose(true, true),
  "rejectattr(value, *args, **keywords)": choose(false, true)
})
