/** Configuration as commands: `set`, `delete`, `activate`, `deactivate` and their like, read into a tree and written from one. */
import * as Braces from "./Braces.ts"
import * as Config from "./Config.ts"
import type { Entry, Issue, Word } from "./Config.ts"

const wordsOf = (line: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  let list: Array<string> | undefined
  for (const { kind, text } of Braces.tokens(line)) {
    if (kind === "[") list = []
    else if (kind === "]") {
      words.push({ list: list ?? [] })
      list = undefined
    } else if (kind === "word") {
      if (list === undefined) words.push(text)
      else list.push(text)
    } else if (kind !== "comment") words.push(text)
  }
  return words
}

const plain = (words: ReadonlyArray<Word>) => words.flatMap((word) => (typeof word === "string" ? [word] : word.list))

const notFound = (words: ReadonlyArray<string>): Issue => ({
  severity: "warning",
  message: "statement not found",
  badElement: words.at(-1) ?? ""
})

type Command = (root: Entry, words: ReadonlyArray<Word>) => Issue | undefined

const set: Command = (root, words) => {
  const step = Config.follow(root, words)
  return Config.isIssue(step) ? step : undefined
}

const remove: Command = (root, given) => {
  const words = plain(given)
  if (words.length === 0) {
    root.children.clear()
    return undefined
  }
  const found = Config.find(root, words)
  if (found === undefined) return notFound(words)
  const { entry, section, value } = found
  if (entry.protected)
    return { severity: "warning", message: "statement is protected, cannot be deleted", badElement: words.at(-1) ?? "" }
  if (value !== undefined && entry.values.length > 1) entry.values = entry.values.filter((one) => one !== value)
  else section.children.delete(Config.id(entry))
  Config.prune(root)
  return undefined
}

const marked =
  (change: (entry: Entry) => void): Command =>
  (root, given) => {
    const found = Config.find(root, plain(given))
    if (found === undefined) return notFound(plain(given))
    change(found.entry)
    return undefined
  }

/** `rename PATH to NEW`, `insert PATH before|after OTHER`: both move one entry within its section. */
const moved =
  (sign: ReadonlyArray<string>): Command =>
  (root, given) => {
    const words = plain(given)
    const at = words.findIndex((word) => sign.includes(word))
    const found = at < 0 ? undefined : Config.find(root, words.slice(0, at))
    if (found === undefined) return notFound(words)
    const { entry, section } = found
    const target = words.at(-1) ?? ""
    if (sign.includes("to")) {
      const step = Config.follow(section, entry.word === "" ? [target] : [entry.word, target])
      if (Config.isIssue(step)) return step
      for (const [id, child] of entry.children) step.entry.children.set(id, child)
      section.children.delete(Config.id(entry))
      return undefined
    }
    const others = [...section.children].filter(([id]) => id !== Config.id(entry))
    const place = others.findIndex(([, other]) => other.word === entry.word && other.key === target)
    if (place < 0) return notFound([target])
    others.splice(place + (words[at] === "after" ? 1 : 0), 0, [Config.id(entry), entry])
    section.children.clear()
    for (const [id, other] of others) section.children.set(id, other)
    return undefined
  }

const annotate: Command = (root, given) => {
  const words = plain(given)
  return marked((entry) => {
    entry.annotation = words.at(-1) === "" ? undefined : words.at(-1)
  })(root, words.slice(0, -1))
}

const COMMANDS: Readonly<Record<string, Command>> = {
  set,
  delete: remove,
  deactivate: marked((entry) => {
    entry.inactive = true
  }),
  activate: marked((entry) => {
    entry.inactive = false
  }),
  protect: marked((entry) => {
    entry.protected = true
  }),
  unprotect: marked((entry) => {
    entry.protected = false
  }),
  rename: moved(["to"]),
  insert: moved(["before", "after"]),
  annotate
}

/** True for a word that begins such a command. */
export const isCommand = (word: string): boolean => COMMANDS[word] !== undefined

/** Runs one command on a configuration, with its words below `path`. Returns what the device says about it. */
export const run = (root: Entry, line: string, path: ReadonlyArray<string> = []): Issue | undefined => {
  const [name, ...words] = wordsOf(line)
  const command = typeof name === "string" ? COMMANDS[name] : undefined
  if (command === undefined)
    return { severity: "error", message: "unknown command.", badElement: typeof name === "string" ? name : "[" }
  return command(root, [...path, ...words])
}

/** Runs the commands of a text in their order; empty lines and comments are no commands. */
export const read = (root: Entry, text: string): ReadonlyArray<Issue> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => run(root, line) ?? [])

// Writing.

const write = (one: Entry, before: string, lines: Array<string>, secrets: Braces.SecretView): void => {
  const path = `${before}${Config.wordsOf(one)}`
  if (one.grammar?.type === "secret" || one.grammar?.type === "password")
    lines.push(secrets === "hidden" ? `set ${path} /* SECRET-DATA */` : `set ${path} ${Braces.valuesOf(one)}`)
  else if (one.values.length > 0) for (const value of one.values) lines.push(`set ${path} ${Config.quoted(value)}`)
  else if (one.children.size === 0) lines.push(`set ${path}`)
  for (const next of Config.ordered(one)) write(next, `${path} `, lines, secrets)
  if (one.inactive) lines.push(`deactivate ${path}`)
  if (one.protected) lines.push(`protect ${path}`)
  if (one.annotation !== undefined) lines.push(`annotate ${path} ${Config.quoted(one.annotation)}`)
}

/** A section as set lines, below `path`. */
export const print = (
  section: Entry,
  path: ReadonlyArray<string> = [],
  secrets: Braces.SecretView = "plain"
): string => {
  const lines: Array<string> = []
  const before = path.map((word) => `${Config.quoted(word)} `).join("")
  for (const one of Config.ordered(section)) write(one, before, lines, secrets)
  return lines.map((line) => `${line}\n`).join("")
}
