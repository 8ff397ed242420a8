/** Reads the Markdown that the manual is written in: headings, paragraphs, lists, tables, code. Pure. */
import { anchorOf } from "./anchors.ts"

export type Block =
  | { readonly type: "heading"; readonly level: number; readonly text: string; readonly anchor: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | {
      readonly type: "table"
      readonly head: ReadonlyArray<string>
      readonly rows: ReadonlyArray<ReadonlyArray<string>>
    }
  | {
      readonly type: "list"
      /** The first number; null for a list without numbers. */
      readonly start: number | null
      readonly items: ReadonlyArray<ReadonlyArray<Block>>
    }

const FENCE = /^(```+|~~~+)/
const HEADING = /^(#{1,6}) +(.*)$/
const ITEM = /^(?:[-*]|(\d+)\.) +/
const RULE = /^\|? *:?-+:? *(\|.*)?$/

/** The cells of a row; `\|` is no border. */
export const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^\s*\|/, "")
    .replace(/(?<!\\)\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const indentOf = (line: string): number => line.length - line.trimStart().length
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** A parsed part, and the line behind it. */
interface Read {
  readonly block: Block
  readonly next: number
}

const readCode = (lines: ReadonlyArray<string>, from: number, fence: string): Read => {
  const end = lines.findIndex((line, index) => index > from && line.trim().startsWith(fence))
  const last = end < 0 ? lines.length : end
  return { block: { type: "code", text: lines.slice(from + 1, last).join("\n") }, next: last + 1 }
}

const readTable = (lines: ReadonlyArray<string>, from: number): Read => {
  let next = from + 2
  while (lines[next]?.trimStart().startsWith("|")) next += 1
  const rows = lines.slice(from + 2, next).map(cellsOf)
  return { block: { type: "table", head: cellsOf(lines[from] ?? ""), rows }, next }
}

/** One item: its first line and the lines indented under it. */
const readItem = (lines: ReadonlyArray<string>, from: number, width: number) => {
  let next = from + 1
  for (;;) {
    const line = lines[next]
    if (line === undefined) break
    const goesOn = isBlank(line)
      ? !isBlank(lines[next + 1]) && indentOf(lines[next + 1] ?? "") >= width
      : indentOf(line) >= width ||
        !(ITEM.test(line) || HEADING.test(line) || FENCE.test(line) || isBlank(lines[next - 1]))
    if (!goesOn) break
    next += 1
  }
  const [first = "", ...rest] = lines.slice(from, next)
  return { lines: [first.slice(width), ...rest.map((line) => line.slice(Math.min(width, indentOf(line))))], next }
}

const readList = (lines: ReadonlyArray<string>, from: number, number: string | undefined): Read => {
  const items: Array<ReadonlyArray<Block>> = []
  let next = from
  for (;;) {
    const at = isBlank(lines[next]) ? next + 1 : next
    const found = ITEM.exec(lines[at] ?? "")
    if (found === null || (found[1] === undefined) !== (number === undefined)) break
    const item = readItem(lines, at, found[0].length)
    items.push(blocksOf(item.lines.join("\n")))
    next = item.next
  }
  return { block: { type: "list", start: number === undefined ? null : Number(number), items }, next }
}

const begins = (line: string): boolean =>
  HEADING.test(line) || FENCE.test(line) || ITEM.test(line) || line.startsWith("|")

const readText = (lines: ReadonlyArray<string>, from: number): Read => {
  let next = from + 1
  while (next < lines.length && !isBlank(lines[next]) && !begins(lines[next] ?? "")) next += 1
  const text = lines
    .slice(from, next)
    .map((line) => line.trim())
    .join(" ")
  return { block: { type: "text", text }, next }
}

const readAt = (lines: ReadonlyArray<string>, from: number): Read => {
  const line = lines[from] ?? ""
  const [, fence] = FENCE.exec(line) ?? []
  if (fence !== undefined) return readCode(lines, from, fence)
  const [, signs = "", text = ""] = HEADING.exec(line) ?? []
  if (signs !== "")
    return { block: { type: "heading", level: signs.length, text, anchor: anchorOf(text) }, next: from + 1 }
  const item = ITEM.exec(line)
  if (item !== null) return readList(lines, from, item[1])
  if (line.startsWith("|") && RULE.test(lines[from + 1] ?? "")) return readTable(lines, from)
  return readText(lines, from)
}

/** The blocks of a text, without its comments. */
export const blocksOf = (text: string): ReadonlyArray<Block> => {
  const lines = text.replaceAll(/^<!--.*?-->\n?/gms, "").split("\n")
  const blocks: Array<Block> = []
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const { block, next } = readAt(lines, at)
    blocks.push(block)
    at = next
  }
  return blocks
}
