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
    else if (inside !== null) yield* loginsIn(inside, path === "" ? words.join(" ") : path)
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

/**
 * The users of the second configuration who log in otherwise than by the first one, or who are new there; `root` among them. Of a user
 * who loses one of several logins, the others stay as they are.
 */
export const usersWithNewLogins = (before: string, after: string): ReadonlySet<string> => {
  const known = loginsOf(before)
  return new Set(
    [...loginsOf(after)].flatMap(([user, statements]) => {
      const old = known.get(user)
      return old !== undefined && [...statements].every((one) => old.has(one)) ? [] : [user]
    })
  )
}

/** The first words of all statements of a login: a whole configuration is read only for a line that has one of them. */
const ofLogin = /password|key|ssh-/

/** The same by the candidate and the difference that it makes: users with a login in one of the added lines. */
export const usersWithAddedLogins = (candidate: string, diff: string): ReadonlySet<string> => {
  const added = new Set(
    diff.split("\n").flatMap((line) => {
      if (!line.startsWith("+") || line.startsWith("+++")) return []
      if (!ofLogin.test(line)) return []
      const [statement] = readBraces(line.slice(1)).statements
      return statement === undefined || statement.below !== null ? [] : [statementLine(statement)]
    })
  )
  if (added.size === 0) return added
  return new Set(
    [...loginsOf(candidate)].flatMap(([user, statements]) =>
      [...statements].some((one) => added.has(one)) ? [user] : []
    )
  )
}
