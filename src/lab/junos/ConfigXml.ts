/** Configuration as XML: written from a tree, read into one, and the part of a tree that a filter names. */
import type { SecretView } from "./Braces.ts"
import * as Config from "./Config.ts"
import type { Entry, Issue } from "./Config.ts"
import * as Xml from "./Xml.ts"

/** Names of elements begin with a letter. */
const elementName = (word: string): string => (/^\d/.test(word) ? `ieee-${word}` : word)

const HIDDEN = "/* SECRET-DATA */"

const marksOf = (one: Entry): Xml.Attributes => ({
  ...(one.inactive ? { inactive: "inactive" } : {}),
  ...(one.protected ? { protect: "protect" } : {}),
  ...(one.from === undefined ? {} : { "junos:group": one.from })
})

const writeWritten = (one: Entry, secrets: SecretView): string => {
  const [word = "", ...rest] = one.word.split(" ")
  const name = /^[A-Za-z_][\w.-]*$/.test(word) ? word : "undocumented"
  const text = (name === word ? rest : [word, ...rest]).join(" ")
  if (one.children.size === 0) return Xml.leaf(name, text === "" ? undefined : text, marksOf(one))
  return Xml.around(name, [text === "" ? "" : Xml.leaf("name", text), ...inside(one, secrets)], marksOf(one))
}

const inside = (section: Entry, secrets: SecretView): ReadonlyArray<string> =>
  Config.ordered(section).map((one) => write(one, secrets))

const write = (one: Entry, secrets: SecretView): string => {
  const { grammar } = one
  if (grammar === undefined) return writeWritten(one, secrets)
  const name = elementName(grammar.word)
  const comment = one.annotation === undefined ? "" : Xml.leaf("junos:comment", `/* ${one.annotation} */`)
  if (grammar.kind === "flag") return comment + Xml.leaf(name, undefined, marksOf(one))
  if (grammar.kind === "leaf" || grammar.kind === "values") {
    const isHidden = secrets === "hidden" && (grammar.type === "secret" || grammar.type === "password")
    return comment + one.values.map((value) => Xml.leaf(name, isHidden ? HIDDEN : value, marksOf(one))).join("")
  }
  const key = one.key === undefined ? "" : Xml.leaf("name", one.key)
  return comment + Xml.around(name, [key, ...inside(one, secrets)], marksOf(one))
}

/** The statements of a section as elements. */
export const print = (section: Entry, secrets: SecretView): string => inside(section, secrets).join("")

// Reading.

const wordOf = (element: Xml.Element): string => element.name.replace(/^ieee-(?=\d)/, "")

const isOn = ({ attributes }: Xml.Element, name: string): boolean =>
  attributes[name] === name || attributes["operation"] === name

/** The words of an element in its section: its keyword and its key, or its value. */
const wordsOf = (section: Entry, element: Xml.Element): ReadonlyArray<string> => {
  const word = wordOf(element)
  const grammar = section.grammar?.children.get(word) ?? section.grammar?.entry
  const key = Xml.textOf(element, "name")
  if (grammar?.kind === "entry") return grammar.bare ? [key ?? ""] : [word, key ?? ""]
  const text = element.children.length === 0 ? element.text.trim() : ""
  return [word, ...(key === undefined ? [] : [key]), ...(text === "" ? [] : [text])]
}

const remove = (section: Entry, words: ReadonlyArray<string>): ReadonlyArray<Issue> => {
  const found = Config.find(section, words)
  if (found === undefined)
    return [{ severity: "warning", message: "statement not found", badElement: words.at(-1) ?? "" }]
  found.section.children.delete(Config.id(found.entry))
  return []
}

/** Adds the statements of an element to a section and returns what is wrong with them. */
export const load = (section: Entry, from: Xml.Element): ReadonlyArray<Issue> =>
  from.children.flatMap((element) => {
    if (element.name === "name" && from.name !== "configuration") return []
    if (element.name === "comment") return []
    const words = wordsOf(section, element)
    if (isOn(element, "delete")) return remove(section, words)
    if (isOn(element, "replace")) remove(section, words)
    const below = element.children.filter(({ name }) => name !== "name")
    const step = Config.follow(section, words, below.length > 0)
    if (Config.isIssue(step)) return [step]
    if (isOn(element, "inactive")) step.entry.inactive = true
    if (isOn(element, "active")) step.entry.inactive = false
    return below.length === 0 ? [] : load(step.entry, element)
  })

/** The part of a configuration that a filter of elements names. */
export const filtered = (section: Entry, filter: Xml.Element): Entry => {
  const wanted = filter.children.filter(({ name }) => name !== "name")
  if (wanted.length === 0) return section
  const children = new Map<string, Entry>()
  for (const element of wanted) {
    const key = Xml.textOf(element, "name")
    for (const [id, one] of section.children) {
      const isNamed = (one.grammar?.word ?? one.word.split(" ")[0]) === wordOf(element)
      if (isNamed && (key === undefined || one.key === key)) children.set(id, filtered(one, element))
    }
  }
  return { ...section, children }
}
