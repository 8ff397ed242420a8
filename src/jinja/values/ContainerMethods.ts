/**
 * The methods of lists, tuples and dicts, and the few of numbers.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, spend } from "../Meter.ts"
import type { Rendering } from "../runtime/Rendering.ts"
import { argument, integerArgument, optionalInteger } from "./Arguments.ts"
import { library } from "./Builtin.ts"
import type { Library } from "./Builtin.ts"
import { Dict } from "./Dict.ts"
import { equals, sorted } from "./Equality.ts"
import { cursorOf, drain, elements, toArray, truthy } from "./Iteration.ts"
import { DictView } from "./Objects.ts"
import { repr } from "./Printing.ts"
import { elementsOf, Float, Native, Tuple } from "./Value.ts"
import type { Implementation, Value } from "./Value.ts"

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
export const listMethods: Library = library({
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
export const tupleMethods: Library = library({
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
export const dictMethods: Library = library({
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
export const floatMethods: Library = library({
  "is_integer(self)": (args) => args[0] instanceof Float && Number.isInteger(args[0].value)
})

/** Methods of integers. */
export const integerMethods: Library = library({
  "bit_length(self)": (args) => {
    const value = args[0]
    if (typeof value !== "number" && typeof value !== "bigint") return 1
    checkTime()
    return value == 0 ? 0 : BigInt(value < 0 ? -value : value).toString(2).length
  }
})
