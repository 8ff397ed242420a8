/**
 * The filter `render_as_jinja`: a text rendered as a template with the current variables and those given.
 */
import { allocate } from "../Meter.ts"
import { Context, HandedNames } from "../runtime/Context.ts"
import { argument, softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { Dict } from "../values/Dict.ts"
import type { Implementation, Value } from "../values/Value.ts"

const render: Implementation = (args, rendering) => {
  const source = softText(args, 0)
  const given = argument(args, 1)
  const locals = new Map<string, Value>()
  if (given instanceof Dict)
    for (const { key, value } of given.items()) if (typeof key === "string") locals.set(key, value)
  allocate(source.length * 4)
  const outer = rendering.context
  return rendering.enterFile(() => {
    const template = rendering.surroundings.compileText("text given to render_as_jinja", source)
    const context = new Context(template, new HandedNames(outer, locals))
    return rendering.capture(() => template.run(context, rendering))
  })
}

/** The filter `render_as_jinja`. */
export const templateFilters: Library = library({ "render_as_jinja(text, **variables)": render })
