/**
 * Filters that apply filters and tests to elements: map, select, reject and their attribute forms.
 */
import { fail } from "../Failure.ts"
import { spend } from "../Meter.ts"
import type { Rendering } from "../runtime/Rendering.ts"
import { argument } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Builtin, Library } from "../values/Builtin.ts"
import { Dict } from "../values/Dict.ts"
import { cursorOf, truthy } from "../values/Iteration.ts"
import { repr, str } from "../values/Printing.ts"
import type { Cursor, Implementation, Value } from "../values/Value.ts"
import { getterFor } from "./Attributes.ts"
import type { Getter } from "./Attributes.ts"
import { lazily } from "./SequenceFilters.ts"

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
