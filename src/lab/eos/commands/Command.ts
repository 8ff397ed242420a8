/**
 * Commands as data: a pattern of words, the step it counts as, and what it prints as text and as JSON. Matching follows
 * the command line's own rules: words may be shortened while they stay unambiguous.
 */
import type { Step } from "../../Faults.ts"
import * as Flash from "../../Flash.ts"
import type { Output, Shell } from "../Shell.ts"
import type { Switch } from "../../Switch.ts"
import { expression } from "../Words.ts"
import type { Quirks } from "../Quirks.ts"

type Arguments = Readonly<Record<string, string>>

export interface Call {
  readonly shell: Shell
  readonly device: Switch
  readonly args: Arguments
}

export interface Command {
  readonly words: ReadonlyArray<string>
  readonly privileged: boolean
  readonly step: (shell: Shell, args: Arguments) => Step
  readonly text: (call: Call) => Output
  readonly json: ((call: Call) => unknown) | undefined
}

/**
 * A command. `pattern` is words and `<name>` for one free word, `<name...>` for the rest of the line.
 * Privileged unless `user` is set.
 */
export const command = (
  pattern: string,
  step: Step | ((shell: Shell, args: Arguments) => Step),
  text: (call: Call) => Output,
  options: { readonly json?: (call: Call) => unknown; readonly user?: boolean } = {}
): Command => ({
  words: pattern.split(" "),
  privileged: options.user !== true,
  step: typeof step === "string" ? () => step : step,
  text,
  json: options.json
})

interface CommandMatch {
  readonly command: Command
  readonly args: Arguments
  readonly filter: string | undefined
}

/** The command that a line means, or the error text that the switch prints. */
export const matchCommand = (
  commands: ReadonlyArray<Command>,
  line: string,
  privileged: boolean
): CommandMatch | string => {
  const pipe = /^ba(?:sh?)?\b/i.test(line) ? -1 : line.search(/[|>]/)
  const filter = pipe < 0 ? undefined : filterOf(line.slice(pipe))
  const tokens = (pipe < 0 ? line : line.slice(0, pipe)).trim().split(/\s+/)
  const found: Array<{ readonly candidate: Command; readonly match: WordMatch }> = []
  for (const candidate of commands) {
    const match = matchWords(candidate.words, tokens)
    if (match.complete) found.push({ candidate, match })
  }
  found.sort((a, b) => b.match.exact - a.match.exact || a.candidate.words.length - b.candidate.words.length)
  const [best, next] = found
  if (best === undefined) return explain(commands, tokens)
  if (
    next !== undefined &&
    next.match.exact === best.match.exact &&
    next.candidate.words.length === best.candidate.words.length
  ) {
    return "% Ambiguous command"
  }
  if (best.candidate.privileged && !privileged) return "% Invalid input (privileged mode required)"
  return { command: best.candidate, args: best.match.args, filter }
}

/** `> file` and `>> file` are words for filters. */
const filterOf = (text: string): string =>
  text.startsWith(">>")
    ? `append ${text.slice(2)}`
    : text.startsWith(">")
      ? `redirect ${text.slice(1)}`
      : text.slice(1).trim()

interface WordMatch {
  readonly complete: boolean
  /** How many tokens matched before the first that did not. */
  readonly depth: number
  readonly exact: number
  readonly args: Arguments
}

const matchWords = (words: ReadonlyArray<string>, tokens: ReadonlyArray<string>): WordMatch => {
  const args: Record<string, string> = {}
  let exact = 0
  let depth = 0
  for (const word of words) {
    const token = tokens[depth]
    if (token === undefined) return { complete: false, depth, exact, args }
    if (word.endsWith("...>")) {
      args[word.slice(1, -4)] = tokens.slice(depth).join(" ")
      return { complete: true, depth: tokens.length, exact, args }
    }
    const typed = token.toLowerCase()
    if (word.startsWith("<")) args[word.slice(1, -1)] = token
    else if (!word.startsWith(typed)) return { complete: false, depth, exact, args }
    else if (word === typed) exact += 1
    depth += 1
  }
  return { complete: tokens.length === words.length, depth: words.length, exact, args }
}

const explain = (commands: ReadonlyArray<Command>, tokens: ReadonlyArray<string>): string => {
  const depth = Math.max(...commands.map((candidate) => matchWords(candidate.words, tokens).depth))
  if (depth >= tokens.length) return "% Incomplete command"
  return `% Invalid input (at token ${depth}: '${tokens[depth] ?? ""}')`
}

/** Runs a matched command and passes its text through the filter behind `|`. */
export const runMatched = (shell: Shell, matched: CommandMatch): Output => {
  const call = { shell, device: shell.device, args: matched.args }
  const { filter, command } = matched
  if (filter !== undefined && /^js(?:on?)?\b/.test(filter)) {
    const document = command.json?.(call) ?? { errors: ["This is an unconverted command"] }
    return `${JSON.stringify(document, undefined, 4)}\n`
  }
  const output = command.text(call)
  if (filter === undefined) return output
  const filtered = (text: string) => writeAway(shell.device, filter, text) ?? applyFilter(text, filter)
  return typeof output === "string" ? filtered(output) : output.then(filtered)
}

/** Filters that write what they are given to a file: `redirect`, `tee` and `append`. */
const writeAway = ({ flash }: Switch, filter: string, text: string): string | undefined => {
  const [, word = "", path = ""] = /^\s*(re\w*|te\w*|ap\w*)\s+(\S+)$/.exec(filter) ?? []
  const kind = ["redirect", "tee", "append"].find((name) => word !== "" && name.startsWith(word))
  if (kind === undefined) return undefined
  const name = Flash.nameIn(path)
  if (name === undefined) return "% Invalid input\n"
  const before = kind === "append" ? (flash.files.get(name)?.content ?? Buffer.alloc(0)) : Buffer.alloc(0)
  Flash.writeBytes(flash, name, Buffer.concat([before, Buffer.from(text)]))
  return kind === "tee" ? text : ""
}

// Text filters behind `|`: include, exclude, begin, section, grep, no-more.

const FILTERS: Readonly<Record<string, (text: string, rest: string) => string>> = {
  "no-more": (text) => text,
  include: (text, rest) => keep(text, (line) => expression(rest).test(line)),
  exclude: (text, rest) => keep(text, (line) => !expression(rest).test(line)),
  begin: (text, rest) => {
    const lines = text.split("\n")
    const from = lines.findIndex((line) => expression(rest).test(line))
    return from < 0 ? "" : lines.slice(from).join("\n")
  },
  section: (text, rest) => sections(text, expression(rest)),
  grep: (text, rest) => grep(text, rest)
}

/** Applies `filter` (such as `include Ethernet`) to a text; an unknown filter is an error text. */
const applyFilter = (text: string, filter: string): string => {
  const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(filter) ?? []
  const names = Object.keys(FILTERS).filter((name) => name.startsWith(word))
  const apply = FILTERS[names.length === 1 ? (names[0] ?? "") : word]
  return apply === undefined || word === ""
    ? `% Invalid input (at token 0: '${word}')\n`
    : apply(text, unquote(rest.trim()))
}

const unquote = (text: string) => /^"(.*)"$/.exec(text)?.[1] ?? /^'(.*)'$/.exec(text)?.[1] ?? text

const keep = (text: string, test: (line: string) => boolean) =>
  text
    .split("\n")
    .filter((line) => line !== "" && test(line))
    .map((line) => `${line}\n`)
    .join("")

const grep = (text: string, rest: string): string => {
  const [, flags = "", pattern = ""] = /^((?:-\w+\s+)*)(.*)$/.exec(rest) ?? []
  const search = expression(unquote(pattern))
  if (flags.includes("o")) {
    const all = new RegExp(search.source, "g")
    return (text.match(all) ?? [])
      .filter((match) => match !== "")
      .map((match) => `${match}\n`)
      .join("")
  }
  return keep(text, (line) => search.test(line) !== flags.includes("v"))
}

const sections = (text: string, search: RegExp): string => {
  let inside = false
  return keep(text, (line) => {
    if (!line.startsWith(" ")) inside = search.test(line)
    return inside && line !== "!"
  })
}

// Answers as one switch words them: the spelling of its MAC addresses, and the keys that its JSON lacks (`Quirks.ts`).

type Spelling = Required<Quirks>["macSpelling"]

const ADDRESS = /\b(?:[\da-f]{2}(?::[\da-f]{2}){5}|[\da-f]{4}(?:\.[\da-f]{4}){2})\b/gi

const pairs = (hex: string, by: string) => (hex.match(/../g) ?? []).join(by)

const SPELLINGS: Readonly<Record<Spelling, (hex: string, shown: string) => string>> = {
  eos: (_hex, shown) => shown,
  dots: (hex) => (hex.match(/..../g) ?? []).join("."),
  colons: (hex) => pairs(hex, ":"),
  dashes: (hex) => pairs(hex, "-"),
  bare: (hex) => hex,
  upper: (hex) => pairs(hex, ":").toUpperCase()
}

const spelledAddresses = (textAnswer: string, spelling: Spelling): string =>
  spelling === "eos"
    ? textAnswer
    : textAnswer.replaceAll(ADDRESS, (shown) => SPELLINGS[spelling](shown.replaceAll(/[.:]/g, "").toLowerCase(), shown))

const wordedAnswer = (value: unknown, absent: ReadonlyArray<string>, spelling: Spelling): unknown => {
  if (typeof value === "string") return spelledAddresses(value, spelling)
  if (Array.isArray(value)) return value.map((item) => wordedAnswer(item, absent, spelling))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !absent.includes(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, wordedAnswer(item, absent, spelling)]))
}

/** A JSON answer as the switch gives it. */
export const jsonAnswer =
  (make: (call: Call) => unknown) =>
  (call: Call): unknown => {
    const { absentKeys, macSpelling } = call.device.behaviour.quirks
    const made = make(call)
    return absentKeys.length === 0 && macSpelling === "eos" ? made : wordedAnswer(made, absentKeys, macSpelling)
  }

/** A text answer as the switch gives it. */
export const textAnswer =
  (make: (call: Call) => string) =>
  (call: Call): Output =>
    spelledAddresses(make(call), call.device.behaviour.quirks.macSpelling)
