/**
 * The differences of many devices by what they change: those that change the same lines below the same sections are one group, wherever
 * the lines stand. Pure.
 */
import { usualRisk } from "./ChangeRisk.ts"
import { Schema } from "effect"

/** A difference that some devices share to the last character. */
export interface SharedDiff {
  readonly diff: string
  readonly hostnames: ReadonlyArray<string>
  /** The highest of the devices; null when none has one. */
  readonly score: number | null
}

/** A changed line that makes a change risky, and how much it counts. */
interface RiskyLine {
  readonly line: string
  readonly weight: number
}

export interface DiffGroup extends SharedDiff {
  /** What is changed, as a text that is the same for all of the group. */
  readonly key: string
  readonly added: number
  readonly removed: number
  /** The riskiest lines, the worst first. */
  readonly risks: ReadonlyArray<RiskyLine>
}

const isHeader = (line: string): boolean => line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")
const isChanged = (line: string): boolean => line.startsWith("+") || line.startsWith("-")
const indentOf = (line: string): number => line.length - line.trimStart().length

/** The sections that are open before a line of a hunk, by its indentation; null in front when the outermost is not in the hunk. */
const sectionsOf = (hunk: ReadonlyArray<string>, at: number): ReadonlyArray<string> | null => {
  let indent = indentOf((hunk[at] ?? "").slice(1))
  const sections: Array<string> = []
  for (let index = at - 1; index >= 0 && indent > 0; index--) {
    const line = (hunk[index] ?? "").slice(1)
    if (line.trim() === "" || indentOf(line) >= indent) continue
    indent = indentOf(line)
    sections.unshift(line.trim())
  }
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

/** What a hunk changes; where the section of a line is not to be seen, all that surrounds it counts. */
const keyOfHunk = (hunk: ReadonlyArray<string>): string => {
  const changed = hunk.flatMap((line, at) => (isChanged(line) ? [{ line, sections: sectionsOf(hunk, at) }] : []))
  if (changed.some(({ sections }) => sections === null)) return hunk.join("\n")
  return changed.map(({ line, sections }) => [...(sections ?? []), line].join(" / ")).join("\n")
}

/** What a difference changes, without where it stands. */
export const changeKey = (diff: string): string => hunksOf(diff).map(keyOfHunk).join("\n\n")

const RISKS = 5
/** Of lines that weigh less nobody needs to be warned. */
const RISKY = 5

const risksOf = (lines: ReadonlyArray<string>): ReadonlyArray<RiskyLine> =>
  [...new Set(lines)]
    .map((line) => ({ line, weight: usualRisk.find(([pattern]) => pattern.test(line))?.[1] ?? 1 }))
    .filter(({ weight }) => weight >= RISKY)
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, RISKS)

const highest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

/** The groups: those with the highest score first, of equal ones those with fewer devices, because outliers are what people overlook. */
export const groupDiffs = (shared: ReadonlyArray<SharedDiff>): ReadonlyArray<DiffGroup> =>
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
        risks: risksOf(changed)
      }
    })
    .toSorted(
      (one, other) =>
        (other.score ?? 0) - (one.score ?? 0) ||
        one.hostnames.length - other.hostnames.length ||
        one.key.localeCompare(other.key)
    )

// What a job changes, or would change, grouped: as `GET /job/<id>/diffs` answers.

const RiskyLineShown = Schema.Struct({ line: Schema.String, weight: Schema.Finite })

const Group = Schema.Struct({
  /** Names the group as long as its change is the same. */
  key: Schema.String,
  /** How many devices are in it. */
  count: Schema.Int,
  /** Their names; the first hundred unless the group is asked for by its key. */
  hostnames: Schema.Array(Schema.String),
  /** The difference of one of them. */
  diff: Schema.String,
  added: Schema.Int,
  removed: Schema.Int,
  score: Schema.NullOr(Schema.Finite),
  /** The changed lines that are risky, the worst first. */
  risks: Schema.Array(RiskyLineShown)
})

export const JobDiffs = Schema.Struct({
  groups: Schema.Array(Group),
  /** Devices with a difference that matches, without one, and that have failed. */
  changed: Schema.Int,
  unchanged: Schema.Int,
  failed: Schema.Int,
  /** Devices whose differences are left out, because all of them together are too long. */
  left_out: Schema.Int
}).annotate({ identifier: "JobDiffs" })
export type JobDiffs = typeof JobDiffs.Type
