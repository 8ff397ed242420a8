/**
 * Filters that take any value.
 */
import { attributeOf, ownAttributeOf } from "../values/Access.ts"
import { argument, softText } from "../values/Arguments.ts"
import { library, withAliases } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { truthy } from "../values/Iteration.ts"
import { Undefined } from "../values/Value.ts"
import type { Implementation } from "../values/Value.ts"

const fallback: Implementation = (args) => {
  const value = argument(args, 0)
  return value instanceof Undefined || (truthy(argument(args, 2)) && !truthy(value)) ? argument(args, 1) : value
}

const attr: Implementation = (args) => {
  const value = argument(args, 0)
  const name = softText(args, 1)
  const own = value instanceof Undefined ? attributeOf(value, name) : ownAttributeOf(value, name)
  return own === undefined ? new Undefined(`no attribute '${name}'`) : own
}

/** `default` and `attr`. */
export const commonFilters: Library = withAliases(
  library({
    "default(value, default_value='', boolean=false)": fallback,
    "attr(obj, name)": attr
  }),
  { d: "default" }
)
