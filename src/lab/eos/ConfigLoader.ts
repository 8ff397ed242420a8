/**
 * Applies configuration lines to a tree in the order in which they are typed, as the command line does: follows sections,
 * replaces single values, removes by `no`, reads texts up to `EOF`, and refuses what the switch cannot do. The same loader
 * serves lines typed one by one and a text copied from the terminal.
 */
import {
  configLine,
  type ConfigLine,
  entryKey,
  isDefault,
  isGroupChange,
  isRemovable,
  isToggle,
  leavesSection,
  sectionTag
} from "./ConfigGrammar.ts"
import { empty, type Entry } from "./ConfigTree.ts"

/** How one switch restricts the language. */
export interface LoaderRules {
  /** Interface names that exist, or undefined to accept every name. */
  readonly hasInterface: ((name: string) => boolean) | undefined
  /** False: `poe` lines are refused. */
  readonly poe: boolean
  /** True: unknown first words at the top level are refused. */
  readonly strictWords: boolean
  /** True: lines that repeat a default are not kept. */
  readonly dropDefaults: boolean
  /** The line that the switch stores, if it stores secrets in another form than given. */
  readonly salt?: ((line: string) => string) | undefined
  /** Extra refusal (a fault): the error text for a line, or undefined. */
  readonly reject: ((line: string) => string | undefined) | undefined
}

/** Accepts everything: for texts that came from the switch itself. */
export const LENIENT: LoaderRules = {
  hasInterface: undefined,
  poe: true,
  strictWords: false,
  dropDefaults: true,
  reject: undefined
}

interface Level {
  readonly entry: Entry
  readonly indent: number
  readonly tag: string
  childIndent: number | undefined
  /** In a group-change mode: where the section goes when it is left. Until then the tree has it as it was, or not at all. */
  readonly takenInto: Map<string, Entry> | undefined
}

interface Heredoc {
  readonly command: string
  readonly lines: Array<string>
  /** Texts that are still to be ended by `EOF`. */
  texts: number
}

/** The loader's place in a tree. `heredoc` collects a text until `EOF`. */
export interface Loader {
  readonly root: Entry
  readonly rules: LoaderRules
  readonly levels: Array<Level>
  last: { readonly entry: Entry; readonly indent: number } | undefined
  heredoc: Heredoc | undefined
}

const topLevel = (entry: Entry): Level => ({
  entry,
  indent: -1,
  tag: "",
  childIndent: undefined,
  takenInto: undefined
})

/** A loader at the top level of `root`. */
export const make = (root: Entry, rules: LoaderRules): Loader => ({
  root,
  rules,
  levels: [topLevel(root)],
  last: undefined,
  heredoc: undefined
})

/** A tree from a text that is known to be good. */
export const parse = (text: string): Entry => {
  const root = empty()
  const loader = make(root, LENIENT)
  for (const line of text.split("\n")) feed(loader, line)
  finish(loader)
  return root
}

/** Tags of the sections that the loader is in, outermost first, each behind a hyphen. */
export const tags = (loader: Loader): string => {
  let text = ""
  for (const { tag } of loader.levels) if (tag !== "") text += `-${tag}`
  return text
}

/** Leaves one section, whose lines are taken; false at the top level. */
export const exit = (loader: Loader): boolean => {
  loader.last = undefined
  if (loader.levels.length === 1) return false
  const left = loader.levels.pop()
  left?.takenInto?.set(left.entry.text, left.entry)
  return true
}

/** Leaves all sections; true when one of them has waited for it. */
export const finish = (loader: Loader): boolean => {
  const takes = loader.levels.some(({ takenInto }) => takenInto !== undefined)
  while (exit(loader));
  return takes
}

/** Leaves the innermost group-change mode and discards its lines; false outside of such a mode. */
export const discard = (loader: Loader): boolean => {
  const at = loader.levels.findLastIndex(({ takenInto }) => takenInto !== undefined)
  if (at < 0) return false
  loader.levels.length = at
  loader.last = undefined
  return true
}

/** Applies one line. Returns the error text (`% …`) or undefined. */
export const feed = (loader: Loader, line: string): string | undefined => {
  if (loader.heredoc !== undefined) return feedHeredoc(loader, loader.heredoc, line)
  const trimmed = line.trim()
  if (trimmed === "" || trimmed === "end") return undefined
  if (trimmed.startsWith("!")) return trimmed.startsWith("!!") ? addComment(loader, trimmed) : undefined
  if (trimmed === "exit") {
    exit(loader)
    return undefined
  }
  const read = configLine(loader.rules.salt?.(line) ?? line)
  const { text } = read
  const parent = findParent(loader, read)
  const refused = loader.rules.reject?.(text) ?? refuse(loader.rules, parent.text, read)
  if (refused !== undefined) return refused
  if (read.isHeredoc) {
    loader.heredoc = { command: text, lines: [], texts: text.startsWith("protocol ") ? 2 : 1 }
    return undefined
  }
  return apply(loader, parent, read)
}

const current = (loader: Loader): Level => loader.levels[loader.levels.length - 1] ?? topLevel(loader.root)

const feedHeredoc = (loader: Loader, heredoc: Heredoc, line: string) => {
  if (line.trim() !== "EOF") {
    heredoc.lines.push(line.replace(/\r$/, ""))
    return undefined
  }
  heredoc.texts -= 1
  if (heredoc.texts > 0) {
    heredoc.lines.push("EOF")
    return undefined
  }
  loader.heredoc = undefined
  const { entry } = current(loader)
  if (heredoc.command === "comment") {
    for (const text of heredoc.lines) addComment(loader, `!! ${text}`)
    return undefined
  }
  const target = heredoc.command.startsWith("banner") ? loader.root : entry
  children(target).set(entryKey(heredoc.command), {
    text: heredoc.command,
    children: undefined,
    body: heredoc.lines
  })
  return undefined
}

const addComment = (loader: Loader, text: string) => {
  children(current(loader).entry).set(text, { text, children: undefined, body: undefined })
  return undefined
}

const findParent = (loader: Loader, line: ConfigLine): Entry => {
  const { last } = loader
  const { indent } = line
  if (last !== undefined && loader.levels.length === 1 && indent > last.indent && !line.mayLeave) {
    enter(loader, last.entry, last.indent, last.entry.text.replaceAll(" ", "-"))
  }
  while (loader.levels.length > 1) {
    const level = current(loader)
    if (staysIn(level, loader.levels.slice(0, -1), line)) {
      level.childIndent ??= indent
      return level.entry
    }
    exit(loader)
  }
  const top = current(loader)
  top.childIndent = indent
  return top.entry
}

/** Indentation decides where there is any; without it a line stays until one comes that only an outer section knows. */
const staysIn = (level: Level, outer: ReadonlyArray<Level>, line: ConfigLine) => {
  const { indent, text } = line
  if (indent > level.indent) return true
  const typedFlat = indent === level.indent && (level.childIndent === undefined || level.childIndent === indent)
  if (!typedFlat || (line.mayLeave && leavesSection(level.entry.text, text))) return false
  // a line that both sections know belongs to the inner one
  if (tagOf(level.entry, line) !== undefined) return true
  return !outer.some(({ entry }) => entry.text !== "" && tagOf(entry, line) !== undefined)
}

/** Tag of the section that a line opens below `parent`. */
const tagOf = (parent: Entry, line: ConfigLine): string | undefined => {
  if (parent.text === "") return line.tag
  return line.mayNest ? sectionTag(parent.text, line.text) : undefined
}

const repeatsDefault = (loader: Loader, parent: Entry, line: ConfigLine): boolean =>
  loader.rules.dropDefaults && line.mayBeDefault && isDefault(parent.text, line.text)

const enter = (loader: Loader, entry: Entry, indent: number, tag: string, takenInto?: Map<string, Entry>) => {
  entry.children ??= new Map()
  loader.levels.push({ entry, indent, tag, childIndent: undefined, takenInto })
  loader.last = undefined
}

const children = (entry: Entry): Map<string, Entry> => (entry.children ??= new Map())

const INVALID = "% Invalid input"

const refuse = (rules: LoaderRules, section: string, line: ConfigLine): string | undefined => {
  const { positive, text } = line
  if (line.isBare) return text === positive || positive === "interface" ? "% Incomplete command" : undefined
  if (section === "" && rules.strictWords && !line.isRootWord) return INVALID
  if (!rules.poe && line.isPoe && section.startsWith("interface ")) return INVALID
  if (line.interfaceName !== undefined && rules.hasInterface?.(line.interfaceName) === false) return INVALID
  return line.isOutOfRange ? INVALID : undefined
}

const apply = (loader: Loader, parent: Entry, line: ConfigLine): string | undefined => {
  const { text } = line
  loader.last = undefined
  if (text === "rollback clean-config") {
    loader.root.children = new Map()
    return undefined
  }
  if (text.startsWith("boot system ")) return undefined
  if (text.startsWith("default ")) {
    remove(parent, text.slice(8))
    return undefined
  }
  if (text.startsWith("no ")) {
    applyNo(loader, parent, line)
    return undefined
  }
  return applyPositive(loader, parent, line)
}

const section = (text: string): Entry => ({ text, children: new Map(), body: undefined })

const applyPositive = (loader: Loader, parent: Entry, line: ConfigLine): string | undefined => {
  const { indent, text } = line
  const siblings = children(parent)
  const tag = tagOf(parent, line)
  const key = tag === undefined ? line.key : text
  siblings.delete(line.negation)
  if (text === "poe") siblings.delete("poe disabled")
  const existing = siblings.get(key)
  if (tag !== undefined) {
    if (isGroupChange(text)) {
      enter(loader, existing === undefined ? section(text) : structuredClone(existing), indent, tag, siblings)
      return undefined
    }
    const entry = existing ?? section(text)
    siblings.set(key, entry)
    enter(loader, entry, indent, tag)
    return undefined
  }
  if (existing !== undefined && existing.text !== text && /^\d+ /.test(text)) return "% Duplicate sequence number"
  if (repeatsDefault(loader, parent, line)) {
    siblings.delete(key)
    return undefined
  }
  if (existing === undefined) {
    const entry: Entry = { text, children: undefined, body: undefined }
    siblings.set(key, entry)
    loader.last = { entry, indent }
  } else existing.text = text
  return undefined
}

const applyNo = (loader: Loader, parent: Entry, line: ConfigLine) => {
  const { text } = line
  const positive = text.slice(3)
  const removed = remove(parent, positive)
  if (repeatsDefault(loader, parent, line)) return
  if (!isToggle(positive) && (removed || isRemovable(positive))) return
  children(parent).set(text, { text, children: undefined, body: undefined })
}

/** Removes the line, or every line that begins with it. */
const remove = (parent: Entry, positive: string): boolean => {
  const siblings = children(parent)
  if (siblings.delete(positive)) return true
  const key = entryKey(positive)
  const single = siblings.get(key)
  if (single !== undefined && (single.text === positive || single.text.startsWith(`${positive} `)))
    return siblings.delete(key)
  let removed = false
  for (const [key, entry] of siblings) {
    if (entry.text === positive || entry.text.startsWith(`${positive} `)) removed = siblings.delete(key)
  }
  return removed
}
