/**
 * Compares a candidate with a running configuration line by line. EOS shows the lines that it took as they were typed,
 * except defaults, which it hides, and values that it writes differently; so what is shown was taken, and only the rest has
 * to be asked for.
 */
import { Option, Result } from "effect"
import type { ConfigUnit } from "../ssh/ConfigUnit.ts"
import { cutCandidate } from "./EosCandidate.ts"

/** A unit with the units of the sections that it stands in, outermost first. */
interface Placed {
  readonly unit: ConfigUnit
  readonly sections: ReadonlyArray<ConfigUnit>
  /** The texts of all of them: equal for equal lines in equal sections. */
  readonly key: string
}

const indentOf = ({ source }: ConfigUnit): number => source.length - source.trimStart().length

/** Sections are told by indentation, as EOS writes it and templates are written. */
const place = (units: ReadonlyArray<ConfigUnit>): ReadonlyArray<Placed> => {
  let open: ReadonlyArray<Placed> = []
  return units.map((unit) => {
    open = open.filter((section) => indentOf(section.unit) < indentOf(unit))
    const parent = open.at(-1)
    const placed: Placed = {
      unit,
      sections: open.map((section) => section.unit),
      key: `${parent === undefined ? "" : `${parent.key}\u0000`}${unit.input.join("\n")}`
    }
    open = [...open, placed]
    return placed
  })
}

const text = (units: ReadonlyArray<ConfigUnit>): string =>
  units.map(({ input, source }) => [source, ...input.slice(1)].join("\n")).join("\n")

/** A `comment` command stands for a mode comment, which has no form that could be sent as it was written. */
const isModeComment = ({ unit }: Placed): boolean => unit.source.trim().startsWith("!!")

/** See `Driver.notShown`. */
export const notShown = (candidate: string, running: string): Option.Option<string> => {
  const [wanted, shown] = [cutCandidate(candidate), cutCandidate(running)]
  if (Result.isFailure(wanted) || Result.isFailure(shown)) return Option.none()
  const ours = place(wanted.success)
  const theirs = new Set(place(shown.success).map(({ key }) => key))
  const known = new Set(ours.map(({ key }) => key))
  if ([...theirs].some((key) => !known.has(key))) return Option.none()
  const missing = ours.filter(({ key }) => !theirs.has(key))
  if (missing.some(isModeComment)) return Option.none()
  return Option.some(text([...new Set(missing.flatMap(({ sections, unit }) => [...sections, unit]))]))
}
