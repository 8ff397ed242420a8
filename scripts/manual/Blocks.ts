/**
 * The blocks of code in the documents that a test follows word by word (test/scenarios/manual/Walk.test.ts). A comment of the document right before
 * a block of shell says why it is not run, or that it runs until somebody stops it:
 *
 *   <!-- not run: it needs a second machine -->
 *   <!-- runs until it is stopped -->
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")

/** The documents that are followed, in order: what an administrator reads from the first look on. */
export const followed: ReadonlyArray<string> = [
  "README.md",
  "docs/installing.md",
  "docs/upgrading.md",
  "docs/operations.md",
  "docs/security.md",
  ...readdirSync(path.join(root, "deploy"))
    .map((name) => `deploy/${name}/README.md`)
    .filter((name) => readdirSync(path.join(root, path.dirname(name))).includes("README.md"))
    .toSorted()
]

export interface Block {
  readonly document: string
  /** The line of its fence, from 1. */
  readonly line: number
  /** `sh` for shell; empty where the document does not say. */
  readonly language: string
  readonly text: string
  /** Why it is not run; null if it is. */
  readonly notRun: string | null
  readonly isStopped: boolean
}

const FENCE = /^(\s*)```(\S*)\s*$/
const NOT_RUN = /^\s*<!-- not run: (.+) -->$/
const IS_STOPPED = /^\s*<!-- runs until it is stopped -->$/
/** Comments that mean one of these and are misspelt. */
const LIKE_ONE = /^\s*<!--\s*(?:not run|runs?\b)/i

/** The blocks of a text. Throws for a block that does not end, and a comment that stands before none or is misspelt. */
export const blocksIn = (document: string, text: string): ReadonlyArray<Block> => {
  const lines = text.split("\n")
  const blocks: Array<Block> = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const where = `${document}:${at + 1}`
    const isOne = NOT_RUN.test(line) || IS_STOPPED.test(line)
    if (LIKE_ONE.test(line) && !isOne) throw new Error(`${where} is no comment that a block can have: ${line.trim()}`)
    if (isOne && !FENCE.test(lines.slice(at + 1).find((later) => later.trim() !== "") ?? ""))
      throw new Error(`${where} stands before no block: ${line.trim()}`)
    const [, indent, language = ""] = FENCE.exec(line) ?? []
    if (indent === undefined) continue
    const end = lines.findIndex((later, index) => index > at && later.trim() === "```")
    if (end < 0) throw new Error(`${where} begins a block that does not end`)
    const before = lines.slice(0, at).findLast((earlier) => earlier.trim() !== "") ?? ""
    blocks.push({
      document,
      line: at + 1,
      language,
      text: lines
        .slice(at + 1, end)
        .map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one))
        .join("\n"),
      notRun: NOT_RUN.exec(before)?.[1] ?? null,
      isStopped: IS_STOPPED.test(before)
    })
    at = end
  }
  return blocks
}

/** The blocks of a document of this repository. */
export const blocksOf = (document: string): ReadonlyArray<Block> =>
  blocksIn(document, readFileSync(path.join(root, document), "utf8"))

/** The blocks of shell of the documents that are followed, in order. */
export const shellBlocks = (): ReadonlyArray<Block> =>
  followed.flatMap(blocksOf).filter(({ language }) => language === "sh")
