/**
 * The difference of two configurations as `show | compare` prints it: headings with the path of a section, lines that go and come,
 * and the entry before a new one in lists whose order counts. It is no unified diff.
 */
import * as Braces from "./Braces.ts"
import * as Config from "./Config.ts"
import type { Entry } from "./Config.ts"

const textOf = (one: Entry): string => Braces.linesOf(one).join("\n")

const isSection = ({ grammar, key }: Entry): boolean =>
  key !== undefined || grammar === undefined || grammar.kind === "container"

/** Lists stand one blank deeper than leaves; those that are deep in the tree deeper still. */
const indentOf = (one: Entry, depth: number): string => (one.key === undefined ? "  " : depth > 3 ? "       " : "   ")

const marked = (sign: string, one: Entry, depth: number, secrets: Braces.SecretView): ReadonlyArray<string> =>
  Braces.linesOf(one, secrets).map((line) => `${sign}${indentOf(one, depth)}${line}`)

/** The entry before a new one, where the order of the list counts. */
const context = (section: Entry, one: Entry, depth: number): ReadonlyArray<string> => {
  if (one.grammar?.kind !== "entry" || one.grammar.sorted) return []
  const list = Config.ordered(section).filter((other) => other.word === one.word)
  const before = list[list.indexOf(one) - 1]
  if (before === undefined) return []
  return [` ${indentOf(one, depth)}${Config.wordsOf(before)}${before.children.size === 0 ? ";" : " { ... }"}`]
}

const isSame = (a: Entry, b: Entry): boolean => textOf(a) === textOf(b)

/** Both have statements of their own, and are the same statement. */
const goesDeeper = (a: Entry, b: Entry) =>
  isSection(a) && isSection(b) && a.grammar?.oneLine !== true && (a.children.size > 0 || b.children.size > 0)

/** A section whose sections with two words (`family inet`) are its own. */
const flat = (section: Entry): Entry => ({
  ...section,
  children: new Map(
    Config.ordered(section).flatMap((one) =>
      one.grammar?.joined === true && !one.inactive
        ? Config.ordered(one).map((inner): readonly [string, Entry] => {
            const word = `${one.word} ${Config.wordsOf(inner)}`
            return [word, { ...inner, word, key: undefined }]
          })
        : [[Config.id(one), one] as const]
    )
  )
})

const walk = (
  older: Entry,
  newer: Entry,
  path: ReadonlyArray<string>,
  secrets: Braces.SecretView,
  lines: Array<string>
) => {
  const [before, after] = [flat(older), flat(newer)]
  differences(before, after, path, secrets, lines)
}

const differences = (
  before: Entry,
  after: Entry,
  path: ReadonlyArray<string>,
  secrets: Braces.SecretView,
  lines: Array<string>
) => {
  const own: Array<string> = []
  const deeper: Array<() => void> = []
  const depth = path.length
  for (const old of Config.ordered(before))
    if (!after.children.has(Config.id(old))) own.push(...marked("-", old, depth, secrets))
  for (const one of Config.ordered(after)) {
    const old = before.children.get(Config.id(one))
    if (old === undefined) own.push(...context(after, one, depth), ...marked("+", one, depth, secrets))
    else if (!isSame(old, one)) {
      if (old.inactive !== one.inactive)
        own.push(`!${indentOf(one, depth)}${one.inactive ? "inactive" : "active"}: ${Config.wordsOf(one)} { ... }`)
      if (goesDeeper(old, one)) deeper.push(() => walk(old, one, [...path, ...joinedWords(one)], secrets, lines))
      else if (old.inactive === one.inactive)
        own.push(...marked("-", old, depth, secrets), ...marked("+", one, depth, secrets))
    }
  }
  if (own.length > 0) lines.push(`[edit${path.map((word) => ` ${word}`).join("")}]`, ...own)
  for (const next of deeper) next()
}

const joinedWords = (one: Entry): ReadonlyArray<string> => [Config.wordsOf(one)]

/** What has to change in `before` so that it becomes `after`; empty when nothing has. */
export const compare = (before: Entry, after: Entry, secrets: Braces.SecretView = "marked"): string => {
  const lines: Array<string> = []
  walk(before, after, [], secrets, lines)
  return lines.map((line) => `${line}\n`).join("")
}

/** The changes of `mine` since `base` on top of what others made of it: the commit of a private copy. */
export const onTop = (base: Entry | undefined, mine: Entry, theirs: Entry): Entry => {
  const children = new Map(theirs.children)
  for (const id of base?.children.keys() ?? []) if (!mine.children.has(id)) children.delete(id)
  for (const [id, one] of mine.children) {
    const old = base?.children.get(id)
    if (old !== undefined && isSame(old, one)) continue
    const their = children.get(id)
    children.set(id, their !== undefined && one.children.size > 0 ? onTop(old, one, their) : one)
  }
  return { ...mine, children }
}
