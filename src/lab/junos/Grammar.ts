/**
 * What may stand where in a Junos configuration. The table of `Statements.ts` is read into a tree once; the loader, the printer of
 * braces, of set lines and of XML, and the order of statements all follow it.
 */

/** The values of a leaf that are checked when a text is loaded. */
export type ValueType = "text" | "secret" | "password" | "number" | "address" | "prefix"

/** One kind of statement. */
export interface Grammar {
  /** The keyword; also the name of its XML element. Entries without a keyword (`interfaces { ge-0/0/0 … }`) have an element only. */
  readonly word: string
  readonly kind: "container" | "flag" | "leaf" | "values" | "entry"
  /** An entry is written by its key alone. */
  readonly bare: boolean
  /** Its children are written behind it on its line (`family inet {`). */
  readonly joined: boolean
  /** It is written in one line with all that is in it (`route 0.0.0.0/0 next-hop 10.0.0.1;`). */
  readonly oneLine: boolean
  /** It is written in one line when one statement alone is in it (`then accept;`). */
  readonly short: boolean
  /** Its entries are kept in natural order of their keys; others keep the order in which they were made. */
  readonly sorted: boolean
  /** It means something without anything in it; others are left out when they are empty. */
  readonly presence: boolean
  /** Takes statements that the table does not have. */
  readonly open: boolean
  readonly type: ValueType
  readonly range: readonly [least: number, most: number] | undefined
  readonly children: Map<string, Grammar>
  /** The entries without a keyword. */
  entry: Grammar | undefined
}

/** Statements that may stand in every section. */
const EVERYWHERE = ["apply-groups", "apply-groups-except"] as const

const blank = (word: string, more: Partial<Grammar>): Grammar => ({
  word,
  kind: "container",
  bare: false,
  joined: false,
  oneLine: false,
  short: false,
  sorted: false,
  presence: false,
  open: false,
  type: "text",
  range: undefined,
  children: new Map(),
  entry: undefined,
  ...more
})

const groupNames = (word: string) => blank(word, { kind: "values" })

/** `=number(1..4094)` → the type and its range. */
const typeOf = (mark: string): Pick<Grammar, "type" | "range"> => {
  const [, name = "text", least, most] = /^=(\w+)?(?:\((\d+)\.\.(\d+)\))?$/.exec(mark) ?? []
  const types: ReadonlyArray<ValueType> = ["text", "secret", "password", "number", "address", "prefix"]
  return {
    type: types.find((type) => type === name) ?? "text",
    range: least === undefined ? undefined : [Number(least), Number(most)]
  }
}

const readMarks = (word: string, marks: ReadonlyArray<string>): Grammar => {
  const leaf = marks.find((mark) => mark.startsWith("="))
  const kind = marks.includes("{}")
    ? "container"
    : marks.includes("<>") || word.startsWith("*")
      ? "entry"
      : leaf !== undefined
        ? "leaf"
        : marks.includes("[]")
          ? "values"
          : "flag"
  return blank(word.replace(/^\*/, ""), {
    kind,
    bare: word.startsWith("*"),
    joined: marks.includes("&"),
    oneLine: marks.includes("-"),
    short: marks.includes("'"),
    sorted: marks.includes("~"),
    presence: marks.includes("{}") || marks.includes("..."),
    open: marks.includes("..."),
    ...(leaf === undefined ? {} : typeOf(leaf))
  })
}

interface Line {
  readonly depth: number
  readonly words: ReadonlyArray<string>
}

const INDENT = 2

const linesOf = (table: string): ReadonlyArray<Line> =>
  table
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => ({ depth: line.search(/\S/) / INDENT, words: line.trim().split(/\s+/) }))

/** A statement with statements in it is a container, whatever its marks leave open. */
const withChildren = (grammar: Grammar): Grammar =>
  grammar.kind === "flag" ? { ...grammar, kind: "container" } : grammar

/** Reads a table (see `Statements.ts`) into the grammar of a whole configuration. */
export const read = (table: string): Grammar => {
  const root = blank("configuration", {})
  const open: Array<Grammar> = [root]
  const lines = linesOf(table)
  for (const [at, { depth, words }] of lines.entries()) {
    const [word = "", ...marks] = words
    const hasChildren = (lines[at + 1]?.depth ?? 0) > depth
    const made = readMarks(word, marks)
    const grammar = hasChildren || made.open ? withChildren(made) : made
    const parent = open[depth] ?? root
    if (grammar.bare) parent.entry = grammar
    else parent.children.set(grammar.word, grammar)
    open[depth + 1] = grammar
    if (grammar.kind === "container" || grammar.kind === "entry")
      for (const name of EVERYWHERE) grammar.children.set(name, groupNames(name))
  }
  for (const name of EVERYWHERE) root.children.set(name, root.children.get(name) ?? groupNames(name))
  const groups = root.children.get("groups")
  // a group holds what a whole configuration does
  if (groups !== undefined) groups.entry = { ...root, word: "group", kind: "entry", bare: true }
  return root
}

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F:]*:[\da-fA-F:.]*)$/

const isAddress = (value: string) =>
  ADDRESS.test(value) && (value.includes(":") || value.split(".").every((octet) => Number(octet) <= 255))

/** Why a value cannot be one of this leaf, in the words of the device; undefined if it can. */
export const mistake = ({ range, type }: Grammar, value: string): string | undefined => {
  // a group may hold patterns
  if (value.startsWith("<") && value.endsWith(">")) return undefined
  const [address = "", length] = value.split("/")
  const longest = value.includes(":") ? 128 : 32
  if (type === "address" && !isAddress(value)) return `invalid ip address or hostname: ${value}`
  if (type === "prefix" && (!isAddress(address) || Number(length ?? longest) > longest))
    return `invalid prefix length or address: ${value}`
  if (type !== "number") return undefined
  if (!/^\d+[kmg]?$/.test(value)) return `Invalid numeric value: '${value}'`
  if (range !== undefined && (Number.parseInt(value) < range[0] || Number.parseInt(value) > range[1]))
    return `Value ${value} is not within range (${range[0]}..${range[1]})`
  return undefined
}
