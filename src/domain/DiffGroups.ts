/**
 * Groups the differences of many devices by their content: devices that change the same lines below the same sections are one
 * group, wherever the lines are. Pure.
 */
import { type RiskRule, riskLevelOf, riskLevels, usualRisk } from "./ChangeRisk.ts"
import { Schema } from "effect"

/** A difference that several devices share exactly. */
export interface SharedDiff {
  readonly diff: string
  readonly hostnames: ReadonlyArray<string>
  /** The highest score of the devices; null without one. */
  readonly score: number | null
}

/** A changed line that makes a change risky, and its weight. */
export const RiskyLine = Schema.Struct({ line: Schema.String, weight: Schema.Finite }).annotate({
  identifier: "RiskyLine"
})
type RiskyLine = typeof RiskyLine.Type

export interface DiffGroup extends SharedDiff {
  /** The content of the change, as a text that is the same for the whole group. */
  readonly key: string
  readonly added: number
  readonly removed: number
  /** The riskiest lines, the worst first. */
  readonly risks: ReadonlyArray<RiskyLine>
}

const isHeader = (line: string): boolean => line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")
const isChanged = (line: string): boolean => line.startsWith("+") || line.startsWith("-")
const indentOf = (line: string): number => line.length - line.trimStart().length

/** The sections around a line by its indentation, as far as they are above it in these lines, and the indentation of the outermost one. */
const sectionsAbove = (
  lines: ReadonlyArray<string>,
  at: number,
  indentation: number
): { readonly sections: ReadonlyArray<string>; readonly indent: number } => {
  let indent = indentation
  const sections: Array<string> = []
  for (let index = at; index >= 0 && indent > 0; index--) {
    const line = lines[index] ?? ""
    if (line.trim() === "" || indentOf(line) >= indent) continue
    indent = indentOf(line)
    sections.unshift(line.trim())
  }
  return { sections, indent }
}

const withoutSigns = (hunk: ReadonlyArray<string>): ReadonlyArray<string> => hunk.map((line) => line.slice(1))

/** The sections that are open before a line of a hunk; null when the outermost section is not in the hunk. */
const sectionsOf = (lines: ReadonlyArray<string>, at: number): ReadonlyArray<string> | null => {
  const { indent, sections } = sectionsAbove(lines, at - 1, indentOf(lines[at] ?? ""))
  return indent === 0 ? sections : null
}

const hunksOf = (diff: string): ReadonlyArray<ReadonlyArray<string>> => {
  const hunks: Array<Array<string>> = [[]]
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) hunks.push([])
    else if (!isHeader(line)) hunks.at(-1)?.push(line)
  }
  return hunks.filter((hunk) => hunk.some(isChanged))
}

/** The content of a hunk; where the section of a line is not visible, its whole context counts. */
const keyOfHunk = (hunk: ReadonlyArray<string>): string => {
  const lines = withoutSigns(hunk)
  const changed = hunk.flatMap((line, at) => (isChanged(line) ? [{ line, sections: sectionsOf(lines, at) }] : []))
  if (changed.some(({ sections }) => sections === null)) return hunk.join("\n")
  return changed.map(({ line, sections }) => [...(sections ?? []), line].join(" / ")).join("\n")
}

const HUNK = /^@@ -(\d+)/
const PORT = /^interface (\S+)/
/** In braces a port stands below this line, under its name. */
export const PORTS = "interfaces {"
const NAMED = /^(?:[a-z]+: )*(\S+) \{$/

/** The port whose section this heading opens below that line. */
export const portOfHeading = (heading: string): string | undefined => NAMED.exec(heading)?.[1]

/** The port that lines with these sections around them belong to; undefined outside of ports. */
const portIn = (sections: ReadonlyArray<string>): string | undefined => {
  const [first, second = ""] = sections
  if (first === PORTS) return portOfHeading(second)
  const heading = sections.find((section) => PORT.test(section)) ?? ""
  return PORT.exec(heading)?.[1]
}

/**
 * The ports whose lines a difference changes, each once. `before` is the text that it changes: it tells the section of a line whose hunk
 * does not show it.
 */
export const portsTouched = (diff: string, before: string): ReadonlyArray<string> => {
  const known = before.split("\n")
  const ports = new Set<string>()
  for (const text of diff.split(/\n(?=@@ )/)) {
    const [head = "", ...rest] = text.split("\n")
    const first = Number(HUNK.exec(head)?.[1] ?? 1)
    const hunk = HUNK.test(head) ? rest : [head, ...rest]
    const lines = withoutSigns(hunk)
    for (const [at, line] of hunk.entries()) {
      if (!isChanged(line) || isHeader(line)) continue
      const shown = sectionsAbove(lines, at - 1, indentOf(lines[at] ?? ""))
      const around = sectionsAbove(known, first - 2, shown.indent)
      const port = portIn([...around.sections, ...shown.sections, line.slice(1).trim()])
      if (port !== undefined) ports.add(port)
    }
  }
  return [...ports]
}

/** The content of a difference, without positions. */
export const changeKey = (diff: string): string => hunksOf(diff).map(keyOfHunk).join("\n\n")

const RISKS = 5
/** Lines with less weight need no warning. */
const RISKY = 5

/** The rules that judge a changed line: a difference does not name its platform, so the line tells (`riskRulesOf` of the platforms). */
type RulesOfLine = (line: string) => ReadonlyArray<RiskRule>

const weightOf = (rules: ReadonlyArray<RiskRule>, line: string): number =>
  rules.find(([pattern]) => pattern.test(line))?.[1] ?? 1

const usual: RulesOfLine = () => usualRisk

/** The riskiest of these changed lines, the worst first. */
export const risksOf = (lines: ReadonlyArray<string>, rulesOf = usual): ReadonlyArray<RiskyLine> =>
  [...new Set(lines)]
    .map((line) => ({ line, weight: weightOf(rulesOf(line), line) }))
    .filter(({ weight }) => weight >= RISKY)
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, RISKS)

const highest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

// The risk in words: by the score, and by the riskiest line, which a score over many lines may hide.

export const Risk = Schema.Struct({
  level: Schema.Literals(riskLevels),
  /** What made it more than low: the riskiest line, or the number of lines; null for a low one. */
  reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ChangeRisk" })
export type Risk = typeof Risk.Type

/** The risk of a change; a missing score counts as high, because nobody has computed it. */
export const riskOf = ({ added, removed, risks, score }: Omit<DiffGroup, "diff" | "hostnames" | "key">): Risk => {
  const [worst] = risks
  const weight = worst?.weight ?? 0
  const lines = added + removed
  const level = score === null ? "high" : riskLevelOf(Math.max(score, weight))
  if (level === "low") return { level, reason: null }
  if (worst !== undefined && riskLevelOf(weight) !== "low") return { level, reason: worst.line }
  if (score === null) return { level, reason: "its score is not known" }
  return { level, reason: `${lines} ${lines === 1 ? "line changes" : "lines change"}` }
}

/** The groups: the highest score first, then the fewest devices first, because people overlook outliers. */
export const groupDiffs = (shared: ReadonlyArray<SharedDiff>, rulesOf = usual): ReadonlyArray<DiffGroup> =>
  [...Map.groupBy(shared, ({ diff }) => changeKey(diff))]
    .map(([key, alike]) => {
      const diff = alike[0]?.diff ?? ""
      const changed = diff.split("\n").filter((line) => isChanged(line) && !isHeader(line))
      return {
        key,
        diff,
        hostnames: alike.flatMap(({ hostnames }) => hostnames).toSorted(),
        score: alike.map(({ score }) => score).reduce(highest, null),
        added: changed.filter((line) => line.startsWith("+")).length,
        removed: changed.filter((line) => line.startsWith("-")).length,
        risks: risksOf(changed, rulesOf)
      }
    })
    .toSorted(
      (one, other) =>
        (other.score ?? 0) - (one.score ?? 0) ||
        one.hostnames.length - other.hostnames.length ||
        one.key.localeCompare(other.key)
    )

// The changes of a job or of a dry run, grouped, as `GET /job/<id>/diffs` answers.

const Group = Schema.Struct({
  /** The key of the group, which stays while its change stays the same. */
  key: Schema.String,
  /** The number of devices in it. */
  count: Schema.Int,
  /** Their names; the first hundred unless the caller asks for the group by its key. */
  hostnames: Schema.Array(Schema.String),
  /** The difference of one of them. */
  diff: Schema.String,
  added: Schema.Int,
  removed: Schema.Int,
  score: Schema.NullOr(Schema.Finite),
  /** The changed lines that are risky, the worst first. */
  risks: Schema.Array(RiskyLine),
  risk: Risk,
  /** Whether the caller has marked it as viewed. */
  viewed: Schema.Boolean
}).annotate({ identifier: "DiffGroup" })

export const JobDiffs = Schema.Struct({
  groups: Schema.Array(Group),
  /** Devices with a difference that matches, without a difference, and failed ones. */
  changed: Schema.Int,
  unchanged: Schema.Int,
  failed: Schema.Int,
  /** Devices whose differences are left out, because all of them together are too long. */
  left_out: Schema.Int
}).annotate({ identifier: "JobDiffs" })
export type JobDiffs = typeof JobDiffs.Type
