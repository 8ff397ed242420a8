/** The rows of a table of `FAULTS.md`: cells that end alike stand together. */
import type { Ending, FaultCase } from "../test/scenarios/chaos/FaultEndings.ts"

type Cell = Pick<FaultCase, "fault" | "place" | "ending">

interface Row {
  readonly fault: string
  /** The part of the change, such as `in the proof`; empty before the commit. */
  readonly part: string
  readonly steps: ReadonlyArray<string>
  readonly ending: Ending
}

const rowOf = ({ ending, fault, place }: Cell): Row => {
  const [part = "", step] = place.split(": ")
  return step === undefined ? { fault, part: "", steps: [part], ending } : { fault, part, steps: [step], ending }
}

const sameRow = (a: Row, b: Row): boolean =>
  a.fault === b.fault && a.part === b.part && JSON.stringify(a.ending) === JSON.stringify(b.ending)

/** Cells that end alike, beside each other in one row; the order is that of their first. */
const rows = (cases: ReadonlyArray<Cell>): ReadonlyArray<Row> =>
  cases.map(rowOf).reduce<ReadonlyArray<Row>>((found, next) => {
    const same = found.findIndex((row) => sameRow(row, next))
    return same < 0
      ? [...found, next]
      : found.map((row, index) => (index === same ? { ...row, steps: [...row.steps, ...next.steps] } : row))
  }, [])

/** `before a`, `after a`, `before b`, `c` → `before and after a; before b; c`. */
const together = (steps: ReadonlyArray<string>): string => {
  const places = new Map<string, Array<string>>()
  for (const step of steps) {
    const [, when = "", name = step] = /^(before|after) (?!and )(.*)$/.exec(step) ?? []
    places.set(name, [...(places.get(name) ?? []), ...(when === "" ? [] : [when])])
  }
  const groups = new Map<string, Array<string>>()
  for (const [name, whens] of places) {
    const when = whens.join(" and ")
    groups.set(when, [...(groups.get(when) ?? []), name])
  }
  return [...groups].map(([when, names]) => `${when} ${names.join(", ")}`.trim()).join("; ")
}

const configurations: Readonly<Record<Ending["runs"], string>> = {
  old: "old",
  new: "new",
  other: "the operator's configuration"
}

const said = ({ says }: Ending): string => (says.length === 0 ? "done" : says.map((part) => part.trim()).join(" … "))

const status = ({ done, event, later }: Ending): string =>
  done && event === undefined
    ? "synchronized"
    : event === undefined
      ? "as before"
      : `not synchronized (\`${event}\`)${later === true ? " after another look" : ""}`

const HEADINGS = ["Fault", "Where", "The switch runs", "After a restart it runs", "The job says", "Sync status"]

const cells = ({ ending, fault, part, steps }: Row): ReadonlyArray<string> => [
  fault,
  `${part === "" ? "" : `${part}: `}${together(steps)}`,
  configurations[ending.runs],
  configurations[ending.saved],
  said(ending),
  status(ending)
]

/** A row of a table. */
export const line = (texts: ReadonlyArray<string>): string => `| ${texts.join(" | ")} |`

/** The lines of a table with these cells, with its first columns only where the last ones are not told. */
export const faultRows = (cases: ReadonlyArray<Cell>, columns = HEADINGS.length): ReadonlyArray<string> => [
  line(HEADINGS.slice(0, columns)),
  line(Array.from({ length: columns }, () => "---")),
  ...rows(cases).map((row) => line(cells(row).slice(0, columns)))
]
