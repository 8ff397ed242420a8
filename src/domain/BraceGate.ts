/**
 * What a candidate of a platform with braces must not hold: the part of the gate (`CandidateGate.ts`) for texts in braces and in `set`
 * lines. A device takes such a text as data and runs no line of it, but it reads words that edit its configuration: they remove what the
 * text does not show. A text that closes more sections than it opens changes statements outside its own place. Pure.
 */
import { type BraceFault, type BraceStatement, readBraces, type StatementMark } from "./BraceText.ts"

/** The two notations of one configuration. */
export type BraceNotation = "braces" | "set"

/** The first words of `set` lines that a load takes. */
const LINE_VERBS = new Set(["set", "delete", "activate", "deactivate", "insert", "rename"])

/** Words that change the place of the lines after them. */
const MOVES = new Set(["edit", "top", "up", "exit", "quit"])

/** Words of the command line that are no statements at the top of a configuration or of a section of a port. */
const COMMANDS = new Set(
  "annotate clear commit configure copy file help load monitor op ping prompt protect replace request restart rollback run save scp show ssh start status telnet test traceroute unprotect update wildcard".split(
    " "
  )
)

const lineStart = /^(?!\s*(?:#|\/\*))[^\S\n]*\S.*$/m
const setLine = /^\s*(?:set|delete|activate|deactivate|insert|rename)\s+[^\s{;](?:[^"{;]|"(?:[^"\\]|\\.)*")*$/

/** The notation of a text, by its first line that is no comment. */
export const notationOf = (text: string): BraceNotation =>
  setLine.test((lineStart.exec(text)?.[0] ?? "").trimEnd()) ? "set" : "braces"

/** Statements without which the server, and the people who look after the device, cannot log in again. */
const LOGIN_PATHS: ReadonlyArray<ReadonlyArray<string>> = [
  ["system", "services", "ssh"],
  ["system", "services", "netconf", "ssh"],
  ["system", "root-authentication"],
  ["system", "login"]
]

/** Whether a path is one of these or is around one of them. */
const isAroundLogin = (path: ReadonlyArray<string>): boolean =>
  LOGIN_PATHS.some((login) => path.length <= login.length && path.every((word, at) => word === login[at]))

const CUTS_RULE = "takes away a way to log in to the device"
const COMMAND_RULE = "is a command, not configuration"
const MOVE_RULE = "changes the place of the lines after it"
const MARK_RULES = {
  delete: "removes a statement, and a candidate says what there is",
  active: "changes a statement that the candidate does not show",
  unprotect: "changes a statement that the candidate does not show",
  replace: "replaces statements outside the text of the port"
} as const

const verbRule = (word: string): string | undefined => {
  if (COMMANDS.has(word)) return COMMAND_RULE
  if (MOVES.has(word)) return MOVE_RULE
  return LINE_VERBS.has(word) ? "belongs to the notation of set lines, and the text is in braces" : undefined
}

// A text in braces.

const ruleOf = (mark: StatementMark, path: ReadonlyArray<string>, inPort: boolean): string | undefined => {
  if (mark === "inactive") return !inPort && isAroundLogin(path) ? CUTS_RULE : undefined
  return mark === "protect" || (mark === "replace" && !inPort) ? undefined : MARK_RULES[mark]
}

function* refusedBelow(
  statements: ReadonlyArray<BraceStatement>,
  around: ReadonlyArray<string>,
  inPort: boolean
): Generator<BraceFault> {
  for (const statement of statements) {
    const { below, lineNumber, marks, words } = statement
    const path = [...around, ...words]
    const [first = ""] = words
    const verb = around.length === 0 ? verbRule(first.toLowerCase()) : undefined
    if (verb !== undefined) yield { lineNumber, word: first, rule: verb }
    for (const mark of marks) {
      const rule = ruleOf(mark, path, inPort)
      if (rule !== undefined) yield { lineNumber, word: `${mark}: ${path.join(" ")}`, rule }
    }
    if (below !== null) yield* refusedBelow(below, path, inPort)
  }
}

const refusedInBraces = (text: string, inPort: boolean): ReadonlyArray<BraceFault> => {
  const { faults, statements } = readBraces(text)
  return [...faults, ...refusedBelow(statements, [], inPort)]
}

// A text of `set` lines.

const setToken = /"(?:[^"\\]|\\.)*"|[^\s"]+|"/g
const foreign = /^[{};]|[{};]$|^\|/

const refusedInLine = (line: string, lineNumber: number): ReadonlyArray<BraceFault> => {
  const words: ReadonlyArray<string> = line.match(setToken) ?? []
  const [verb = "", ...path] = words
  const refuse = (word: string, rule: string) => [{ lineNumber, word, rule }]
  if (words.includes('"')) return refuse('"', "begins a text in quotes that does not end")
  if (MOVES.has(verb.toLowerCase())) return refuse(verb, MOVE_RULE)
  if (!LINE_VERBS.has(verb)) {
    return refuse(verb, COMMANDS.has(verb.toLowerCase()) ? COMMAND_RULE : "begins no line of a text of set lines")
  }
  const other = path.find((word) => !word.startsWith('"') && foreign.test(word))
  if (other !== undefined) return refuse(other, "belongs to the notation in braces, and the text has set lines")
  if (path.length === 0) return refuse(verb, "names no statement")
  if (verb !== "delete" && verb !== "deactivate") return []
  if (isAroundLogin(path)) return refuse(words.join(" "), CUTS_RULE)
  return path.length === 1 ? refuse(words.join(" "), "takes away a whole part of the configuration") : []
}

const refusedInLines = (text: string): ReadonlyArray<BraceFault> =>
  text.split("\n").flatMap((line, index) => {
    const typed = line.trim()
    return typed === "" || typed.startsWith("#") ? [] : refusedInLine(typed, index + 1)
  })

/**
 * What a text must not hold, in the order of its lines. `inPort`: the text is put into the section of a port, so that it must be in
 * braces and in balance on its own.
 */
export const refusedStatements = (text: string, inPort: boolean): ReadonlyArray<BraceFault> => {
  const found = !inPort && notationOf(text) === "set" ? refusedInLines(text) : refusedInBraces(text, inPort)
  return found.toSorted((one, other) => one.lineNumber - other.lineNumber)
}

/** The words of each path of a configuration that leads to one of its statements, also of those in groups. */
function* pathsOf(statements: ReadonlyArray<BraceStatement>, around: ReadonlyArray<string>): Generator<string> {
  for (const { below, marks, words } of statements) {
    if (marks.includes("inactive")) continue
    const path = [...around, ...words]
    yield path.join(" ")
    // the name of a group stands before its statements
    if (below !== null) yield* pathsOf(below, path[0] === "groups" && path.length > 1 ? path.slice(2) : path)
  }
}

/**
 * The statements without which a device that runs this whole text in braces lets nobody log in again, as paths such as
 * `system services ssh`; empty for a text that has all.
 */
export const missingForLogin = (text: string): ReadonlyArray<string> => {
  const paths = new Set(pathsOf(readBraces(text).statements, []))
  const has = (wanted: string) => [...paths].some((path) => path === wanted || path.startsWith(`${wanted} `))
  return LOGIN_PATHS.map((path) => path.join(" ")).filter((path) => !has(path))
}

/**
 * The ways to log in that a device has by its running configuration, and would not have by this whole text in braces. Empty for a text
 * of `set` lines, which is no whole one.
 */
export const loginsCut = (text: string, running: string): ReadonlyArray<string> => {
  if (notationOf(text) === "set") return []
  const missing = missingForLogin(text)
  if (missing.length === 0) return []
  const missed = new Set(missingForLogin(running))
  return missing.filter((path) => !missed.has(path))
}

/** Why such a text is refused. */
export const cutRefusal = (path: string): string =>
  `the configuration lacks "${path}", which the device runs: this ${CUTS_RULE}`
