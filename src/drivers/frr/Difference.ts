/**
 * The difference as frr-reload.py tells it, in the form that people and the score of a change read: added lines with a plus,
 * removed ones with a minus, below the sections that they belong to. It is no unified diff, because FRR gives no places.
 */

interface Edit {
  readonly section: ReadonlyArray<string>
  readonly line: string
}

const DELETES = "Lines To Delete"
const ADDS = "Lines To Add"
const logLine = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ /

/** Each edit is told with all sections around it, from the outermost; a line that is not indented begins the next one. */
const editsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Edit> => {
  const told: Array<Array<string>> = []
  for (const line of lines) {
    if (line.trim() === "") continue
    const last = told.at(-1)
    if (last === undefined || !/^\s/.test(line)) told.push([line.trimEnd()])
    else last.push(line.trimEnd())
  }
  return told.map((words) => ({ section: words.slice(0, -1), line: words.at(-1) ?? "" }))
}

/** What is taken away: the line whose `no` it is. */
const withoutNo = (line: string): string => {
  const indent = /^\s*/.exec(line)?.[0] ?? ""
  const words = line.slice(indent.length)
  return `${indent}${words.startsWith("no ") ? words.slice(3) : `no ${words}`}`
}

const shown = (edits: ReadonlyArray<Edit>, sign: string): ReadonlyArray<string> => {
  let before = ""
  return edits.flatMap(({ line, section }) => {
    const around = section.join("\n")
    const heading = around === before ? [] : section.map((outer) => ` ${outer}`)
    // a section that is new was just shown, and its lines follow
    before = section.length === 0 ? line : around
    return [...heading, `${sign}${line}`]
  })
}

const between = (lines: ReadonlyArray<string>, from: string, to: string): ReadonlyArray<string> => {
  const start = lines.indexOf(from)
  if (start < 0) return []
  const rest = lines.slice(start + 2)
  const end = rest.indexOf(to)
  return end < 0 ? rest : rest.slice(0, end)
}

/** The edits that lead from what runs to the candidate; empty when there are none. */
export const differenceOf = (told: string): string => {
  const lines = told.split("\n").filter((line) => !logLine.test(line))
  const removed = editsOf(between(lines, DELETES, ADDS)).map(({ line, section }) => ({
    section,
    line: withoutNo(line)
  }))
  return [...shown(removed, "-"), ...shown(editsOf(between(lines, ADDS, DELETES)), "+")].join("\n")
}
