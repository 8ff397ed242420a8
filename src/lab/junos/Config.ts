/**
 * A Junos configuration as a tree of statements, and the way from words to a statement in it, which braces and set lines share. What
 * the grammar does not have is kept as it was written, where its section is open for that.
 */
import { type Grammar, mistake } from "./Grammar.ts"
import { kept } from "./Secrets.ts"
import { grammar as wholeGrammar } from "./Statements.ts"

export interface Entry {
  /** Undefined: taken as it was written. */
  readonly grammar: Grammar | undefined
  /** Keyword, or all words of a statement that the grammar does not have. Empty for an entry that is written by its key alone. */
  readonly word: string
  readonly key: string | undefined
  values: ReadonlyArray<string>
  readonly children: Map<string, Entry>
  inactive: boolean
  protected: boolean
  annotation: string | undefined
  /** A group that an inherited copy came from. */
  from: string | undefined
}

/** Something that the device says about a statement. */
export interface Issue {
  readonly severity: "error" | "warning"
  readonly message: string
  readonly badElement?: string
  /** `[edit interfaces ge-0/0/1]` */
  readonly path?: string
}

/** A word of a statement; `list` is what stands in brackets. */
export type Word = string | { readonly list: ReadonlyArray<string> }

/** An entry without anything in it. */
export const entry = (grammar: Grammar | undefined, word: string, key?: string): Entry => ({
  grammar,
  word,
  key,
  values: [],
  children: new Map(),
  inactive: false,
  protected: false,
  annotation: undefined,
  from: undefined
})

/** A configuration without a statement. */
export const empty = (): Entry => entry(wholeGrammar, "configuration")

/** A copy that shares nothing with the original. */
export const clone = (from: Entry): Entry => ({
  ...from,
  children: new Map([...from.children].map(([id, child]) => [id, clone(child)]))
})

const idOf = (word: string, key: string | undefined) =>
  key === undefined ? word : word === "" ? `*${key}` : `${word} ${key}`

/** The place of an entry in its section. */
export const id = ({ key, word }: Entry): string => idOf(word, key)

/** An entry of a section by the words that a person would write. */
export const child = (section: Entry | undefined, word: string, key?: string): Entry | undefined =>
  section?.children.get(idOf(word, key)) ?? (key === undefined ? section?.children.get(`*${word}`) : undefined)

/** The entry at the end of a path of such words; `unit 0` is one of them. */
export const at = (section: Entry | undefined, ...path: ReadonlyArray<string>): Entry | undefined =>
  path.reduce<Entry | undefined>((from, word) => child(from, word), section)

/** The value of a leaf below a section. */
export const value = (section: Entry | undefined, ...path: ReadonlyArray<string>): string | undefined =>
  at(section, ...path)?.values[0]

/** Entries of one word of a section (empty word: those that are written by their key). */
export const entriesOf = (section: Entry | undefined, word: string): ReadonlyArray<Entry> =>
  section === undefined
    ? []
    : [...section.children.values()].filter((one) => one.word === word && one.key !== undefined)

const text = (word: Word): string => (typeof word === "string" ? word : `[ ${word.list.join(" ")} ]`)

/** A word as it is written: in quotation marks where it must be. A backslash, such as that of `\n` in a message, stays as it was given. */
export const quoted = (value: string): string =>
  /^[\w.:/\-+*@,<>=%!?~^&|]+$/.test(value) ? value : `"${value.replaceAll('"', String.raw`\"`)}"`

const ranks = new WeakMap<Grammar, ReadonlyMap<string, number>>()

/** Groups are applied in the first line of a section, and behind the groups themselves at the top. */
const rankIn = (section: Grammar, word: string, index: number): readonly [string, number] => [
  word,
  word.startsWith("apply-groups") && section !== wholeGrammar ? -1 : index
]

const rankOf = (section: Grammar, one: Entry): number => {
  const known =
    ranks.get(section) ?? new Map([...section.children.keys()].map((word, index) => rankIn(section, word, index)))
  ranks.set(section, known)
  return known.get(one.word) ?? (one.word === "" && one.key !== undefined ? known.size : known.size + 1)
}

const natural = new Intl.Collator("en", { numeric: true })

/** The entries of a section as the device shows them: in the order of the grammar, names in natural order where it keeps them so. */
export const ordered = (section: Entry): ReadonlyArray<Entry> => {
  const all = [...section.children.values()]
  const { grammar } = section
  if (grammar === undefined || all.length < 2) return all
  return all.toSorted((a, b) => {
    const byRank = rankOf(grammar, a) - rankOf(grammar, b)
    if (byRank !== 0 || a.grammar !== b.grammar || a.grammar?.sorted !== true) return byRank
    return natural.compare(a.key ?? "", b.key ?? "")
  })
}

/** The words of an entry in its section. */
export const wordsOf = ({ key, word }: Entry): string =>
  key === undefined ? word : word === "" ? quoted(key) : `${word} ${quoted(key)}`

/** Where the walk along words has ended. */
export type Step = { readonly entry: Entry; readonly section: Entry } | Issue

export const isIssue = (step: Step): step is Issue => "severity" in step

const syntaxError = (badElement: string): Issue => ({ severity: "error", message: "syntax error", badElement })

const enter = (section: Entry, grammar: Grammar | undefined, word: string, key?: string): Entry => {
  const known = section.children.get(idOf(word, key))
  if (known !== undefined) return known
  const made = entry(grammar, word, key)
  section.children.set(idOf(word, key), made)
  return made
}

const setValues = (grammar: Grammar, found: Entry, words: ReadonlyArray<Word>): Issue | undefined => {
  const [first, ...others] = words
  if (first === undefined) return { severity: "error", message: "missing argument", badElement: found.word }
  const given = typeof first === "string" ? [first] : first.list
  if (grammar.kind === "leaf" && (typeof first !== "string" || others.length > 0))
    return syntaxError(text(others[0] ?? first))
  const all = [...given, ...others.map(text)]
  for (const one of all) {
    const wrong = mistake(grammar, one)
    if (wrong !== undefined) return { severity: "error", message: wrong, badElement: one }
  }
  found.values =
    grammar.kind === "leaf"
      ? all.map((one) => kept(grammar.type, one))
      : [...found.values, ...all.filter((one) => !found.values.includes(one))]
  return undefined
}

/**
 * Follows words below a section and makes what is missing on the way: the statement that they name. A password in clear becomes
 * its hash in the leaf beside it, as on the device. `opens`: a brace follows.
 */
export const follow = (root: Entry, words: ReadonlyArray<Word>, opens = false): Step => {
  let section = root
  let found = root
  for (let index = 0; index < words.length;) {
    const word = words[index] ?? ""
    const { grammar } = found
    const next = typeof word === "string" ? grammar?.children.get(word) : undefined
    section = found
    if (typeof word !== "string") return syntaxError("[")
    if (next === undefined && (grammar?.entry === undefined || isLeafLike(grammar))) {
      if (grammar !== undefined && !grammar.open) return syntaxError(word)
      const written = words.slice(index).map((one) => (typeof one === "string" ? quoted(one) : text(one)))
      return { section, entry: enter(section, undefined, written.join(" ")) }
    }
    const chosen = next ?? grammar?.entry
    if (chosen === undefined) return syntaxError(word)
    index += 1
    if (chosen.kind === "entry") {
      const key = chosen.bare ? word : words[index]
      if (!chosen.bare) index += 1
      if (typeof key !== "string") return { severity: "error", message: "missing argument", badElement: word }
      found = enter(section, chosen, chosen.bare ? "" : chosen.word, key)
      continue
    }
    if (isLeafLike(chosen)) {
      if (opens) return syntaxError("{")
      const made = clonedLeaf(section, chosen)
      // the statements of one line follow each other
      const end = grammar?.oneLine === true ? index + (chosen.kind === "flag" ? 0 : 1) : words.length
      const given = words.slice(index, end)
      const wrong = chosen.kind === "flag" ? extra(given[0]) : setValues(chosen, made, given)
      if (wrong !== undefined) return wrong
      section.children.set(chosen.word, made)
      if (end >= words.length) return { section, entry: hashedPassword(section, made) }
      index = end
      continue
    }
    found = enter(section, chosen, chosen.word)
  }
  return { section, entry: found }
}

const extra = (word: Word | undefined) => (word === undefined ? undefined : syntaxError(text(word)))

const isLeafLike = ({ kind }: Grammar) => kind === "leaf" || kind === "values" || kind === "flag"

/** A leaf is put into its section when its value is right. */
const clonedLeaf = (section: Entry, grammar: Grammar): Entry => {
  const known = section.children.get(grammar.word)
  return known === undefined ? entry(grammar, grammar.word) : { ...known }
}

const hashedPassword = (section: Entry, made: Entry): Entry => {
  const target = section.grammar?.children.get("encrypted-password")
  if (made.word !== "plain-text-password-value" || target === undefined) return made
  const hash = { ...entry(target, target.word), values: [kept("password", made.values[0] ?? "")] }
  section.children.delete(made.word)
  section.children.set(hash.word, hash)
  return hash
}

/** A list whose entries stand in braces behind its word (`interface { ge-0/0/0.0; }`), if these words are one. */
export const listHead = (
  root: Entry,
  words: ReadonlyArray<Word>
): { readonly section: Entry; readonly word: string } | undefined => {
  const word = words.at(-1)
  const before = words.slice(0, -1)
  if (typeof word !== "string" || !isContainerPath(root.grammar, before)) return undefined
  const step = before.length === 0 ? { entry: root } : follow(root, before)
  if ("severity" in step) return undefined
  const grammar = step.entry.grammar?.children.get(word)
  return grammar?.kind === "entry" && !grammar.bare ? { section: step.entry, word } : undefined
}

const isContainerPath = (grammar: Grammar | undefined, words: ReadonlyArray<Word>): boolean => {
  const [word, ...later] = words
  if (word === undefined) return grammar !== undefined
  const next = typeof word === "string" ? grammar?.children.get(word) : undefined
  return next?.kind === "container" && isContainerPath(next, later)
}

/** An entry that words name, made by nobody; with the value of a list that the last word names. */
export const find = (
  root: Entry,
  words: ReadonlyArray<string>
): { readonly section: Entry; readonly entry: Entry; readonly value: string | undefined } | undefined => {
  let section = root
  let found = root
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    section = found
    const plain = section.children.get(word) ?? section.children.get(`*${word}`)
    const pair = section.children.get(`${word} ${words[index + 1] ?? ""}`)
    const written = section.children.get(words.slice(index).map(quoted).join(" "))
    if (plain !== undefined && plain.grammar !== undefined && isLeafLike(plain.grammar)) {
      const rest = words.slice(index + 1)
      const [one] = rest
      return rest.length > 1 || (one !== undefined && !plain.values.includes(one))
        ? undefined
        : { section, entry: plain, value: one }
    }
    if (plain !== undefined) found = plain
    else if (pair !== undefined) {
      found = pair
      index += 1
    } else return written === undefined ? undefined : { section, entry: written, value: undefined }
  }
  return { section, entry: found, value: undefined }
}

/** Whether anything is left to say about a section; the device drops others. */
export const isEmpty = ({ children, grammar, inactive, key, values }: Entry): boolean =>
  key === undefined &&
  grammar?.kind === "container" &&
  !grammar.presence &&
  !inactive &&
  values.length === 0 &&
  [...children.values()].every(isEmpty)

/** Removes sections without contents. */
export const prune = (section: Entry): void => {
  for (const [id, one] of section.children) {
    prune(one)
    if (isEmpty(one)) section.children.delete(id)
  }
}
