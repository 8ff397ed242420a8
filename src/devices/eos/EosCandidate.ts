/**
 * Cuts an EOS configuration text into the units that are sent (contract device-cli §3.6 variant B, §3.8): comments and
 * `end` are dropped, banners and certificates stay together, mode comments become the `comment` command.
 */
import { Result } from "effect"
import type { ConfigUnit, Rejection } from "../ssh/ConfigUnit.ts"
import { multiLineInputs } from "./EosPlatform.ts"

const endOfText = "EOF"
// A terminal would act on these instead of taking them as text.
const controlCharacter = /[^\P{Cc}\t]/u

const indexAfterTexts = (lines: ReadonlyArray<string>, start: number, texts: number): number | undefined => {
  let index = start
  for (let count = 0; count < texts; count++) {
    const end = lines.findIndex((line, at) => at >= index && line.trim() === endOfText)
    if (end < 0) return undefined
    index = end + 1
  }
  return index
}

interface Cut {
  readonly unit: ConfigUnit
  readonly next: number
}

const modeComment = (lines: ReadonlyArray<string>, start: number): Cut => {
  let next = start
  while (lines[next]?.trim().startsWith("!!") === true) next++
  const text = lines.slice(start, next).map((line) => line.trim().replace(/^!! ?/, ""))
  return {
    unit: { lineNumber: start + 1, source: lines[start] ?? "", input: ["comment", ...text, endOfText] },
    next
  }
}

const command = (lines: ReadonlyArray<string>, start: number): Result.Result<Cut, string> => {
  const source = lines[start] ?? ""
  const typed = source.replaceAll("\t", " ").trim()
  const unit = (next: number, input: ReadonlyArray<string>): Result.Result<Cut, string> =>
    Result.succeed({ unit: { lineNumber: start + 1, source, input }, next })
  const multiLine = multiLineInputs.find(({ opens }) => opens.test(typed))
  if (multiLine === undefined) return unit(start + 1, [typed])
  const next = indexAfterTexts(lines, start + 1, multiLine.texts)
  return next === undefined
    ? Result.fail(`% no line ${endOfText} ends the text of "${typed}"`)
    : unit(next, [typed, ...lines.slice(start + 1, next)])
}

/** The units of a configuration text. Fails at the first line that could never be loaded. */
export const cutCandidate = (text: string): Result.Result<ReadonlyArray<ConfigUnit>, Rejection> => {
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const units: Array<ConfigUnit> = []
  let index = 0
  while (index < lines.length) {
    const typed = lines[index]?.trim() ?? ""
    if (typed === "" || typed === "end" || (typed.startsWith("!") && !typed.startsWith("!!"))) {
      index++
      continue
    }
    const cut = typed.startsWith("!!") ? Result.succeed(modeComment(lines, index)) : command(lines, index)
    const unit: ConfigUnit = { lineNumber: index + 1, source: lines[index] ?? "", input: [typed] }
    if (Result.isFailure(cut)) return Result.fail({ unit, answer: cut.failure })
    if (cut.success.unit.input.some((line) => controlCharacter.test(line))) {
      return Result.fail({ unit, answer: "% a control character cannot be sent to a switch" })
    }
    units.push(cut.success.unit)
    index = cut.success.next
  }
  return Result.succeed(units)
}

/** Nothing else begins with this word, and it stands in no other section. */
const sectionStart = /^interface\s/

/**
 * Two parts that may be sent one after the other from the top of the configuration mode: cut before the interface that is
 * nearest to the middle. The second is empty when there is none.
 */
export const halves = (
  units: ReadonlyArray<ConfigUnit>
): readonly [ReadonlyArray<ConfigUnit>, ReadonlyArray<ConfigUnit>] => {
  const offCentre = (index: number) => Math.abs(index - units.length / 2)
  const cut = units.reduce(
    (best, { source }, index) => (sectionStart.test(source) && offCentre(index) < offCentre(best) ? index : best),
    0
  )
  return cut === 0 ? [units, []] : [units.slice(0, cut), units.slice(cut)]
}
