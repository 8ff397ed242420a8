/**
 * The filter `get_config_section`: blocks of a device's configuration, found by their first line.
 */
import { fail } from "../Failure.ts"
import { spend } from "../Meter.ts"
import { softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { splitLines } from "../values/Text.ts"
import { regex } from "./Regex.ts"

/** How a platform's configuration shows which lines belong to a block. */
export interface SectionNotation {
  readonly sections: "indentation" | "braces"
  /** Lines that begin so are comments. */
  readonly comment: string
}

/** Does this line go on with a block that is `depth` braces deep? */
const belongs = ({ sections }: SectionNotation, line: string, depth: number): boolean =>
  sections === "indentation" ? /^\s/.test(line) : depth > 0

const braces = (line: string): number => (/\{\s*$/.test(line) ? 1 : /^\s*\}/.test(line) ? -1 : 0)

const section = (text: string, pattern: string, notation: SectionNotation): string => {
  const begins = regex(`^(?:${pattern})`)
  const kept: Array<string> = []
  let depth = 0
  let inside = false
  for (const line of splitLines(text)) {
    spend(4)
    const content = line.trimStart()
    if (content === "" || content.startsWith(notation.comment)) continue
    if (!belongs(notation, line, depth)) inside = begins.matches(line, 1).length > 0
    depth += braces(line)
    if (inside) kept.push(line.trimEnd())
  }
  return kept.join("\n")
}

/** The filter `get_config_section`, for the platforms of these names. */
export const sectionFilters = (notations: ReadonlyMap<string, SectionNotation>): Library =>
  library({
    "get_config_section(config, section, parser)": (args) => {
      const notation = notations.get(softText(args, 2))
      if (notation === undefined) return fail("ValueError", `no configuration parser for '${softText(args, 2)}'`)
      return section(softText(args, 0), softText(args, 1), notation)
    }
  })
