/**
 * The filter `join`: printed elements with a separator between them.
 */
import { GrowingText } from "../Meter.ts"
import { argument, softText } from "../values/Arguments.ts"
import { cursorOf } from "../values/Iteration.ts"
import { str } from "../values/Printing.ts"
import type { Implementation } from "../values/Value.ts"
import { getterFor } from "./Attributes.ts"

/** `join(value, d, attribute)`. */
export const joinFilter: Implementation = (args) => {
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
