/** Lists of hostnames in requests. */
import { Result } from "effect"
import { isHostname } from "../Hostname.ts"
import type { Rule } from "../fields/Field.ts"
import { shown } from "../fields/Values.ts"

/** The longest list. */
export const MAX_NAMES = 1000

/** A list of 1 to 1000 hostnames, each once. */
export const namesRule: Rule<ReadonlyArray<string>> = (sent, { key }) => {
  const names: ReadonlyArray<unknown> = Array.isArray(sent) ? sent : []
  if (names.length === 0 || names.length > MAX_NAMES) {
    return Result.fail(`${key} must be a list of 1 to ${MAX_NAMES} hostnames`)
  }
  const hostnames = names.filter(isHostname)
  const wrong = names.find((name) => !isHostname(name))
  return hostnames.length === names.length
    ? Result.succeed([...new Set(hostnames)])
    : Result.fail(`${key}: '${shown(wrong)}' is not a valid hostname`)
}
