/**
 * Filters with regular expressions, as the Python package netutils has them: the pattern is the filtered value.
 */
import { fail } from "../Failure.ts"
import { GrowingText } from "../Meter.ts"
import { integerArgument, softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { Tuple } from "../values/Value.ts"
import type { Implementation, Value } from "../values/Value.ts"
import { regex } from "./Regex.ts"
import type { Regex, RegexMatch } from "./Regex.ts"

const reference = /\\(?:(\d{1,2})|g<(\w+)>|([^]))/g

const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" }

// Writes the replacement of a match, with \1 and \g<name> filled in.
const expand = (text: GrowingText, template: string, match: RegexMatch, compiled: Regex): void => {
  let position = 0
  for (const found of template.matchAll(reference)) {
    const [whole, number, name, letter] = found
    text.add(template.slice(position, found.index))
    position = found.index + whole.length
    if (letter !== undefined) text.add(letters[letter] ?? whole)
    else {
      const index = number ?? (name !== undefined && /^\d+$/.test(name) ? name : compiled.names.get(name ?? ""))
      if (index === undefined || Number(index) >= match.groups.length) {
        fail("ValueError", `invalid group reference in ${template}`)
      }
      text.add(match.groups[Number(index)] ?? "")
    }
  }
  text.add(template.slice(position))
}

const substitute: Implementation = (args) => {
  const compiled = regex(softText(args, 0))
  const template = softText(args, 1)
  const text = softText(args, 2)
  const most = integerArgument(args, 3)
  const result = new GrowingText()
  let position = 0
  for (const match of compiled.matches(text, most > 0 ? most : Infinity)) {
    result.add(text.slice(position, match.start))
    expand(result, template, match, compiled)
    position = match.end
  }
  result.add(text.slice(position))
  return result.toString()
}

const search: Implementation = (args) => {
  const [match] = regex(softText(args, 0)).matches(softText(args, 1), 1)
  return match?.groups[0] ?? null
}

const findAll: Implementation = (args) =>
  regex(softText(args, 0))
    .matches(softText(args, 1), Infinity)
    .map(({ groups }): Value => {
      const [whole = "", ...inner] = groups.map((group) => group ?? "")
      const [only] = inner
      return only === undefined ? whole : inner.length === 1 ? only : new Tuple(inner)
    })

/** Regular expressions. */
export const regexFilters: Library = library({
  "regex_sub(pattern, repl, string, count=0)": substitute,
  "regex_search(pattern, string)": search,
  "regex_findall(pattern, string)": findAll
})
