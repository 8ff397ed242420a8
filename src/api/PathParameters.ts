/** Parameters in paths that more than one group has. */
import * as Parameter from "../domain/fields/Parameter.ts"

/** The device of a path by its hostname. */
export const hostname = { hostname: Parameter.hostname("Invalid hostname specified") }
