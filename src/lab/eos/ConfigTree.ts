/**
 * A switch configuration as a tree of lines, and its printed form. A tree lives only while somebody edits; at rest a
 * configuration is its printed text, which costs a tenth of the memory when thousands of switches share a process.
 */
import { minorOf, rankOf } from "./ConfigOrder.ts"
import { remembered } from "../Remembered.ts"

/** One line; `children` when it opened a section, `body` when it was followed by a text up to `EOF`. */
export interface Entry {
  text: string
  children: Map<string, Entry> | undefined
  body: ReadonlyArray<string> | undefined
}

/** The top level of an empty configuration. */
export const empty = (): Entry => ({ text: "", children: new Map(), body: undefined })

/** The text as `show running-config` prints it, without the header lines and without `end`. */
export const render = (root: Entry): string => {
  const lines: Array<string> = []
  let previous = -1
  let closed = true
  for (const { entry, rank } of ordered(root)) {
    if (rank !== previous || isBlock(entry) || !closed) lines.push("!")
    renderEntry(entry, "", lines)
    previous = rank
    closed = !isBlock(entry)
  }
  if (lines.length > 0) lines.push("!")
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

const isBlock = (entry: Entry) => entry.children !== undefined || entry.body !== undefined

const placeOf = remembered((text) => ({ rank: rankOf(text), minor: minorOf(text) }))

const ordered = (root: Entry) =>
  [...(root.children?.values() ?? [])]
    .map((entry) => ({ entry, ...placeOf(entry.text) }))
    .toSorted((a, b) => a.rank - b.rank || a.minor - b.minor)

const renderEntry = (entry: Entry, indent: string, lines: Array<string>) => {
  lines.push(indent + entry.text)
  if (entry.body !== undefined) lines.push(...entry.body, "EOF")
  if (entry.children === undefined) return
  const inner = `${indent}   `
  const nested: Array<Entry> = []
  for (const child of entry.children.values()) {
    if (child.children === undefined) renderEntry(child, inner, lines)
    else nested.push(child)
  }
  for (const child of nested) {
    lines.push(`${inner}!`)
    renderEntry(child, inner, lines)
  }
}
