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
  isToggle
} from "./ConfigGrammar.ts"
import { empty, type Entry } from "./ConfigTree.ts"
import { claim, innerKind, type Kind, tagOf } from "./Sections.ts"
import { numbered, resequence, sequenceOf, takeOut } from "./Sequences.ts"
import * as VlanLists from "./VlanLists.ts"

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

/** Where a section of a group-change mode goes when it is left. Until then the tree has it as it was, or not at all. */
interface Waiting {
  readonly into: Map<string, Entry>
  readonly key: string
}

interface Level {
  /** The sections that are open at once: one, or one for each interface or VLAN of a range. */
  readonly entries: readonly [Entry, ...ReadonlyArray<Entry>]
  readonly kind: Kind | undefined
  readonly indent: number
  readonly tag: string
  childIndent: number | undefined
  readonly waiting: Waiting | undefined
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
  /** The line before, if the next one may be inside of it. */
  last: { readonly entries: Level["entries"]; readonly indent: number } | undefined
  heredoc: Heredoc | undefined
}

const topLevel = (entry: Entry): Level => ({
  entries: [entry],
  kind: undefined,
  indent: -1,
  tag: "",
  childIndent: undefined,
  waiting: undefined
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
  left?.waiting?.into.set(left.waiting.key, left.entries[0])
  return true
}

/** Leaves all sections; true when one of them has waited for it. */
export const finish = (loader: Loader): boolean => {
  const takes = loader.levels.some(({ waiting }) => waiting !== undefined)
  while (exit(loader));
  return takes
}

/** Leaves the innermost group-change mode and discards its lines; false outside of such a mode. */
export const discard = (loader: Loader): boolean => {
  const at = loader.levels.findLastIndex(({ waiting }) => waiting !== undefined)
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
  const level = findLevel(loader, read)
  const refused = loader.rules.reject?.(text) ?? refuse(loader.rules, level.entries[0].text, read)
  if (refused !== undefined) return refused
  if (read.isHeredoc) {
    loader.heredoc = { command: text, lines: [], texts: text.startsWith("protocol ") ? 2 : 1 }
    return undefined
  }
  return apply(loader, level, read)
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
  if (heredoc.command === "comment") {
    for (const text of heredoc.lines) addComment(loader, `!! ${text}`)
    return undefined
  }
  const targets = heredoc.command.startsWith("banner") ? [loader.root] : current(loader).entries
  for (const target of targets)
    children(target).set(entryKey(heredoc.command), {
      text: heredoc.command,
      children: undefined,
      body: heredoc.lines
    })
  return undefined
}

const addComment = (loader: Loader, text: string) => {
  for (const entry of current(loader).entries) children(entry).set(text, { text, children: undefined, body: undefined })
  return undefined
}

const findLevel = (loader: Loader, line: ConfigLine): Level => {
  const { last } = loader
  const { indent } = line
  if (last !== undefined && indent > last.indent && mayBeInside(loader, last, line))
    enter(loader, last.entries, {
      kind: undefined,
      indent: last.indent,
      tag: last.entries[0].text.replaceAll(" ", "-")
    })
  while (loader.levels.length > 1) {
    const level = current(loader)
    if (staysIn(level, loader.levels.slice(1, -1), line)) {
      level.childIndent ??= indent
      return level
    }
    exit(loader)
  }
  const top = current(loader)
  top.childIndent = indent
  return top
}

/** A deeper indented line makes a section of the line before, of whatever kind, unless that is a value. */
const mayBeInside = (loader: Loader, last: NonNullable<Loader["last"]>, line: ConfigLine): boolean => {
  if (loader.levels.length === 1) return !line.mayLeave
  const { text } = last.entries[0]
  return current(loader).childIndent === last.indent && entryKey(text) === text
}

/** Indentation decides where there is any; without it a line stays until one comes that only an outer section knows. */
const staysIn = (level: Level, outer: ReadonlyArray<Level>, line: ConfigLine): boolean => {
  const { indent, positive } = line
  if (indent > level.indent) return true
  const typedFlat = indent === level.indent && (level.childIndent === undefined || level.childIndent === indent)
  if (!typedFlat) return false
  // a line that both sections know belongs to the inner one
  if (line.mayNest && innerKind(level.kind, positive) !== undefined) return true
  const claimed = claim(level.kind, positive)
  if (claimed !== "maybe") return claimed === "yes"
  return !line.mayLeave && !(line.mayNest && outer.some(({ kind }) => innerKind(kind, positive) !== undefined))
}

/** The section that a line opens on this level. */
const kindOf = (loader: Loader, level: Level, line: ConfigLine): Kind | undefined => {
  if (line.text !== line.positive) return undefined
  if (level.entries[0] === loader.root) return line.kind
  return line.mayNest ? innerKind(level.kind, line.text) : undefined
}

const repeatsDefault = (loader: Loader, parent: Entry, line: ConfigLine): boolean =>
  loader.rules.dropDefaults && line.mayBeDefault && isDefault(parent.text, line.text)

const enter = (
  loader: Loader,
  entries: Level["entries"],
  level: Pick<Level, "indent" | "kind" | "tag"> & Partial<Pick<Level, "waiting">>
) => {
  for (const entry of entries) entry.children ??= new Map()
  loader.levels.push({ waiting: undefined, ...level, entries, childIndent: undefined })
  loader.last = undefined
}

const children = (entry: Entry): Map<string, Entry> => (entry.children ??= new Map())

const INVALID = "% Invalid input"

const refuse = (rules: LoaderRules, section: string, line: ConfigLine): string | undefined => {
  const { positive, text } = line
  if (line.isBare) return text === positive || positive === "interface" ? "% Incomplete command" : undefined
  if (section === "" && rules.strictWords && !line.isRootWord) return INVALID
  if (!rules.poe && line.isPoe && section.startsWith("interface ")) return INVALID
  const { hasInterface } = rules
  if (hasInterface !== undefined && line.interfaceNames?.every(hasInterface) === false) return INVALID
  return line.isOutOfRange ? INVALID : undefined
}

const apply = (loader: Loader, level: Level, line: ConfigLine): string | undefined => {
  const { text } = line
  loader.last = undefined
  if (text === "rollback clean-config") {
    loader.root.children = new Map()
    return undefined
  }
  if (text.startsWith("boot system ")) return undefined
  const kind = kindOf(loader, level, line)
  if (kind !== undefined) {
    open(loader, level, line, kind)
    return undefined
  }
  const [first, ...others] = level.entries
  const outcome = applyTo(loader, first, line)
  // where a line is refused it is so in every section of a range, or it has been said once
  const left = others.map((parent) => applyTo(loader, parent, line)).filter((other) => typeof other === "object")
  if (typeof outcome !== "object") return outcome
  if (outcome.children === undefined) loader.last = { entries: [outcome, ...left], indent: line.indent }
  else enter(loader, [outcome, ...left], { kind: undefined, indent: line.indent, tag: text.replaceAll(" ", "-") })
  return undefined
}

/** Applies a line that opens no section of a known kind. Returns an error text, or the line that it left. */
const applyTo = (loader: Loader, parent: Entry, line: ConfigLine): string | Entry | undefined => {
  const { positive, text } = line
  const isRoot = parent === loader.root
  if (isRoot && line.oneLine !== undefined) return applyOneLine(children(parent), line, line.oneLine)
  if (text !== positive) {
    if (isRoot && line.vlans !== undefined) VlanLists.remove(children(parent), line.vlans)
    else if (text.startsWith("no ")) applyNo(loader, parent, line)
    else for (const each of line.each ?? [positive]) remove(parent, each)
    return undefined
  }
  const list = sequenceOf(parent.text)
  if (list === undefined) return applyPositive(loader, parent, line, text)
  if (resequence(list, children(parent), text)) return undefined
  return applyPositive(loader, parent, line, numbered(list, children(parent), text))
}

const applyOneLine = (
  siblings: Map<string, Entry>,
  { positive, text }: ConfigLine,
  { rule, section: name }: NonNullable<ConfigLine["oneLine"]>
): undefined => {
  const list = sequenceOf(name)
  const entry = siblings.get(name) ?? section(name)
  const lines = children(entry)
  if (list === undefined) return undefined
  if (text === positive) {
    const line = numbered(list, lines, rule)
    lines.set(entryKey(line), { text: line, children: undefined, body: undefined })
    siblings.set(name, entry)
  } else if (takeOut(list, lines, rule) && lines.size === 0) siblings.delete(name)
  return undefined
}

const section = (text: string): Entry => ({ text, children: new Map(), body: undefined })

const open = (loader: Loader, level: Level, line: ConfigLine, kind: Kind): void => {
  const { indent, text } = line
  const tag = tagOf(kind, text)
  const key = text.startsWith("route-map ") ? line.key : text
  const [parent] = level.entries
  for (const entry of level.entries) children(entry).delete(line.negation)
  if (isGroupChange(text)) {
    const existing = children(parent).get(key)
    const entry = existing === undefined ? section(text) : { ...structuredClone(existing), text }
    enter(loader, [entry], { kind, indent, tag, waiting: { into: children(parent), key } })
    return
  }
  const names = line.each ?? [key]
  const entries =
    parent === loader.root && line.vlans !== undefined
      ? VlanLists.sections(children(parent), line.vlans, text)
      : level.entries.flatMap((entry) => names.map((name) => sectionIn(children(entry), name)))
  const [first, ...more] = entries
  if (first !== undefined) enter(loader, [first, ...more], { kind, indent, tag })
}

const sectionIn = (siblings: Map<string, Entry>, name: string): Entry => {
  const entry = siblings.get(name) ?? section(name)
  siblings.set(name, entry)
  return entry
}

/** `text`: the line, with the number that the switch has given it. */
const applyPositive = (loader: Loader, parent: Entry, line: ConfigLine, text: string): string | Entry | undefined => {
  const siblings = children(parent)
  const key = text === line.text ? line.key : entryKey(text)
  siblings.delete(line.negation)
  if (text === "poe") siblings.delete("poe disabled")
  const existing = siblings.get(key)
  if (existing !== undefined && existing.text !== text && isTaken(parent, text)) return "% Duplicate sequence number"
  if (repeatsDefault(loader, parent, line)) {
    siblings.delete(key)
    return undefined
  }
  const entry = existing ?? { text, children: undefined, body: undefined }
  entry.text = text
  siblings.set(key, entry)
  return entry
}

/** Whether a line of another text may not have the number of an existing one. */
const isTaken = (parent: Entry, text: string): boolean =>
  /^\d+ /.test(text) && sequenceOf(parent.text)?.refusesTaken !== false

const applyNo = (loader: Loader, parent: Entry, line: ConfigLine): void => {
  const { positive, text } = line
  const list = sequenceOf(parent.text)
  if (list !== undefined && takeOut(list, children(parent), positive)) return
  let removed = false
  for (const each of line.each ?? [positive]) removed = remove(parent, each) || removed
  if (repeatsDefault(loader, parent, line)) return
  if (!isToggle(positive) && (removed || list !== undefined || isRemovable(positive))) return
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
