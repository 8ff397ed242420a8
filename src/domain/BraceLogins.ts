/**
 * The logins of configurations in braces: a user and the user's secret stand in different lines, so that no line of a difference says
 * whose login it changes. Pure.
 */
import { notationOf } from "./BraceGate.ts"
import { type BraceStatement, readBraces, statementLine } from "./BraceText.ts"

const ROOT = "root"

function* statementsOf(statements: ReadonlyArray<BraceStatement>): Generator<BraceStatement> {
  for (const statement of statements) {
    if (statement.below === null) yield statement
    else yield* statementsOf(statement.below)
  }
}

function* loginsIn(
  statements: ReadonlyArray<BraceStatement>,
  around: string
): Generator<readonly [user: string, statements: ReadonlyArray<string>]> {
  for (const { below: inside, marks, words } of statements) {
    if (marks.includes("inactive")) continue
    const path = `${around} ${words.join(" ")}`.trim().replace(/^groups \S+ ?/, "")
    const [, user] = /^system login user (\S+) authentication$/.exec(path) ?? []
    const login = path === "system root-authentication" ? ROOT : user
    if (login !== undefined) yield [login, [...statementsOf(inside ?? [])].map(statementLine)]
    else if (inside !== null) yield* loginsIn(inside, path)
  }
}

const setLogin =
  /^\s*set\s+(?:groups\s+\S+\s+)?system\s+(?:login\s+user\s+(\S+)\s+authentication|root-authentication)\s+(.+)$/

function* loginsInLines(text: string): Generator<readonly [user: string, statements: ReadonlyArray<string>]> {
  for (const line of text.split("\n")) {
    const [, user, statement = ""] = setLogin.exec(line) ?? []
    if (statement !== "") yield [user ?? ROOT, readBraces(`${statement};`).statements.map(statementLine)]
  }
}

/** By user, the statements with which the user logs in; `root` among the users. */
const loginsOf = (text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  const logins = notationOf(text) === "set" ? loginsInLines(text) : loginsIn(readBraces(text).statements, "")
  for (const [user, statements] of logins) {
    const known = found.get(user) ?? new Set<string>()
    found.set(user, known)
    for (const statement of statements) known.add(statement)
  }
  return found
}

/** The first words of all statements of a login, and of its section: only for a line with one of them a whole configuration is read. */
const ofLogin = /password|key|ssh-|\buser\b/

/**
 * The users of a candidate who log in otherwise by the difference that it makes: those with a login in one of its added lines, and those
 * whose section has another heading, such as a new name above the same login. `root` among them.
 */
export const usersWithNewLogins = (candidate: string, diff: string): ReadonlySet<string> => {
  const logins = new Set<string>()
  const users = new Set<string>()
  for (const line of diff.split("\n")) {
    if (!line.startsWith("+") || line.startsWith("+++") || !ofLogin.test(line)) continue
    const [statement] = readBraces(line.slice(1)).statements
    if (statement === undefined) continue
    const [section, user] = statement.words
    if (statement.below === null) logins.add(statementLine(statement))
    else if (section === "user" && user !== undefined) users.add(user)
  }
  if (logins.size + users.size === 0) return users
  return new Set(
    [...loginsOf(candidate)].flatMap(([user, statements]) =>
      users.has(user) || [...statements].some((one) => logins.has(one)) ? [user] : []
    )
  )
}
