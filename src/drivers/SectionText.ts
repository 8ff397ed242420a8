/**
 * The section of a candidate around one of its lines, as a text of its own that can be loaded with the line and without it
 * (docs/changes.md#spellings). A line at the top level has all others there without lines below them as its section, because what
 * is typed without indentation looks the same. Pure.
 */
import { type BraceStatement, printBraces, readBraces, statementLine } from "../domain/BraceText.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { type PlacedLine, placeOf, statements } from "./MissingLines.ts"

/** A line with the texts and comments behind it. */
interface Unit extends PlacedLine {
  readonly text: string
  /** The outermost heading; the line itself at the top level. */
  readonly root: string
  hasBlock: boolean
}

const unitsOf = (platform: Platform, candidate: string): ReadonlyArray<Unit> => {
  const lines = candidate.split("\n")
  const found = [...statements(platform, candidate)]
  const open: Array<{ readonly indent: number; readonly unit: Unit }> = []
  return found.map(({ indent, line, lineNumber }, at) => {
    while (open.length > 0 && indent <= (open.at(-1)?.indent ?? -1)) open.pop()
    for (const { unit } of open) unit.hasBlock = true
    const text = lines.slice(lineNumber - 1, (found[at + 1]?.lineNumber ?? lines.length + 1) - 1).join("\n")
    const sections = open.map(({ unit }) => unit.line)
    const unit: Unit = { lineNumber, line, sections, text, root: sections[0] ?? line, hasBlock: false }
    open.push({ indent, unit })
    return unit
  })
}

/** Whether a line is this one, or below it. */
const isOf = (unit: PlacedLine, wanted: PlacedLine): boolean => `${placeOf(unit)}\n`.startsWith(`${placeOf(wanted)}\n`)

const firstWord = (line: string): string => line.split(" ", 1)[0] ?? ""

/** A section with one of its lines and without it. */
export interface SectionText {
  readonly whole: string
  /** Without the line, wherever it stands in the section, and without the lines below it. */
  readonly without: string
  /** The same two without later lines that begin with the same word, one of which may take its place; absent if there are none. */
  readonly alone?: { readonly whole: string; readonly without: string }
}

const written = (units: ReadonlyArray<Unit>): string => units.map(({ text }) => `${text}\n`).join("")

const withoutStatement = (
  statements: ReadonlyArray<BraceStatement>,
  wanted: PlacedLine
): ReadonlyArray<BraceStatement> =>
  statements
    .filter((one) => one.lineNumber !== wanted.lineNumber || statementLine(one) !== wanted.line)
    .map((one) => (one.below === null ? one : { ...one, below: withoutStatement(one.below, wanted) }))

/** In braces all statements of the section at the top belong together. */
const sectionInBraces = (candidate: string, wanted: PlacedLine): SectionText => {
  const root = wanted.sections[0] ?? wanted.line
  const section = readBraces(candidate).statements.filter((one) => statementLine(one) === root)
  return { whole: printBraces(section), without: printBraces(withoutStatement(section, wanted)) }
}

/** The section of the candidate around this line. */
export const sectionAround = (platform: Platform, candidate: string, wanted: PlacedLine): SectionText => {
  if (platform.configuration.sections === "braces") return sectionInBraces(candidate, wanted)
  const units = unitsOf(platform, candidate)
  const isInBlock = units.some(
    (unit) => unit.lineNumber === wanted.lineNumber && (unit.hasBlock || unit.sections.length > 0)
  )
  const root = wanted.sections[0] ?? wanted.line
  const section = units.filter((unit) =>
    isInBlock ? unit.root === root : unit.sections.length === 0 && !unit.hasBlock
  )
  const both = (kept: ReadonlyArray<Unit>) => ({
    whole: written(kept),
    without: written(kept.filter((unit) => !isOf(unit, wanted)))
  })
  const place = wanted.sections.join("\n")
  const kin = section.filter(
    (unit) =>
      unit.lineNumber > wanted.lineNumber &&
      unit.sections.join("\n") === place &&
      unit.line !== wanted.line &&
      firstWord(unit.line) === firstWord(wanted.line)
  )
  const others = section.filter((unit) => !kin.some((one) => isOf(unit, one)))
  return kin.length === 0 ? both(section) : { ...both(section), alone: both(others) }
}
