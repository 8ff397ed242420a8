/**
 * Cuts an EOS configuration text into the units that are sent (docs/switch-dialogues.md#eos-loading-a-candidate and
 * docs/switch-dialogues.md#multi-line-inputs): comments and `end` are dropped, texts of known commands stay with them, mode
 * comments become the `comment` command. A line `EOF` that belongs to no known command ends the text of one before it.
 */
import { Result } from "effect"
import { openedInput } from "../../domain/ConfigLines.ts"
import { eos } from "../../domain/platforms/eos/Platform.ts"
import { type ConfigUnit, configUnit, type CutCandidate, type OpenText, type Rejection } from "../ssh/PromptLedger.ts"

const endOfText = "EOF"
// A terminal would act on these instead of taking them as text. Line ends are none: they are where the text is cut.
const controlCharacter = /[^\P{Cc}\t\n]/u

const linesIn = (text: string): ReadonlyArray<string> =>
  (text.includes("\r") ? text.replaceAll("\r\n", "\n") : text).split("\n")

const indexAfterTexts = (lines: ReadonlyArray<string>, start: number, texts: number): number | undefined => {
  let index = start
  for (let count = 0; count < texts; count++) {
    const end = lines.findIndex((line, at) => at >= index && line.trim() === endOfText)
    if (end < 0) return undefined
    index = end + 1
  }
  return index
}

const modeComment = (lines: ReadonlyArray<string>, start: number): ConfigUnit => {
  let next = start
  while (lines[next]?.trim().startsWith("!!") === true) next++
  const text = lines.slice(start, next).map((line) => line.trim().replace(/^!! ?/, ""))
  return configUnit(start + 1, "comment", [...text, endOfText])
}

const command = (lines: ReadonlyArray<string>, start: number, typed: string): Result.Result<ConfigUnit, string> => {
  const multiLine = openedInput(eos.configuration, typed)
  if (multiLine === undefined) return Result.succeed(configUnit(start + 1, typed))
  const next = indexAfterTexts(lines, start + 1, multiLine.texts)
  return next === undefined
    ? Result.fail(`% no line ${endOfText} ends the text of "${typed}"`)
    : Result.succeed(configUnit(start + 1, typed, lines.slice(start + 1, next)))
}

/** How many lines of the configuration text a unit takes; the `comment` command has one more than were given, and `EOF`. */
const linesOf = (unit: ConfigUnit, isModeComment: boolean): number => unit.text.length + (isModeComment ? -1 : 1)

const isSkipped = (typed: string): boolean =>
  typed === "" || typed === "end" || (typed.startsWith("!") && !typed.startsWith("!!"))

/** The units of a configuration text. Fails at the first line that could never be loaded. */
export const cutCandidate = (text: string): Result.Result<CutCandidate, Rejection> => {
  const lines = linesIn(text)
  // looked for in the whole text first, because it is rare
  const mayHoldControl = controlCharacter.test(text)
  const units: Array<ConfigUnit> = []
  const openTexts: Array<OpenText> = []
  /** The position after the last complete text. */
  let open = 1
  for (let index = 0; index < lines.length;) {
    const source = lines[index] ?? ""
    const typed = (source.includes("\t") ? source.replaceAll("\t", " ") : source).trim()
    if (isSkipped(typed)) {
      index++
      continue
    }
    const isModeComment = typed.startsWith("!!")
    const cut = isModeComment ? Result.succeed(modeComment(lines, index)) : command(lines, index, typed)
    if (Result.isFailure(cut)) return Result.fail({ unit: configUnit(index + 1, typed), answer: cut.failure })
    const unit = cut.success
    if (mayHoldControl && [unit.line, ...unit.text].some((line) => controlCharacter.test(line))) {
      const answer = "% a control character cannot be sent to a switch"
      return Result.fail({ unit: configUnit(index + 1, typed), answer })
    }
    units.push(unit)
    index += linesOf(unit, isModeComment)
    if (typed === endOfText) openTexts.push({ firstLine: open, lastLine: index })
    if (typed === endOfText || unit.text.length > 0) open = index + 1
  }
  return Result.succeed({ units, openTexts, lines })
}

/** Finds the first line of a unit in the given text; a line without a match is its own source. */
export const sourcesIn = (text: string): ((unit: ConfigUnit) => string) => {
  const lines = linesIn(text)
  return ({ line, lineNumber }) => lines[lineNumber - 1] ?? line
}

/** No other command begins with this word, and it occurs in no other section. */
const sectionStart = /^interface\s/

/**
 * Two parts of a text's units that may be sent one after the other from the top of the configuration mode: cut before the
 * interface that is nearest to the middle. The second is empty when there is none.
 */
export const halves = ({
  lines,
  openTexts,
  units
}: CutCandidate): readonly [ReadonlyArray<ConfigUnit>, ReadonlyArray<ConfigUnit>] => {
  const offCentre = (index: number) => Math.abs(index - units.length / 2)
  const mayCut = ({ line, lineNumber }: ConfigUnit) =>
    sectionStart.test(lines[lineNumber - 1] ?? line) && lineNumber > (openTexts.at(-1)?.lastLine ?? 0)
  const cut = units.reduce(
    (best, unit, index) => (mayCut(unit) && offCentre(index) < offCentre(best) ? index : best),
    0
  )
  return cut === 0 ? [units, []] : [units.slice(0, cut), units.slice(cut)]
}
