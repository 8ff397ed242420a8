/** The pair of texts with which several routes report a field: which setting and value, and which rule it breaks. */
import { shown } from "./Values.ts"

/** `Validation error for setting <key>, bad value: <value>` and `Message: <rule>`. */
export const settingError = (key: string, value: unknown, rule: string): ReadonlyArray<string> => [
  `Validation error for setting ${key}, bad value: ${shown(value)}`,
  `Message: ${rule}`
]
