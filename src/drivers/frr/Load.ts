/**
 * Brings a candidate to the switch, has it checked and compared there. It then waits under its name; one with wrong lines is
 * removed by the script (docs/frr.md#loading-a-candidate).
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { clearForLoad, type ForeignSessions } from "../LoadChecks.ts"
import type { LineComparison, LoadRequest, LoadResult } from "../Driver.ts"
import {
  CommandRejected,
  type LoadError,
  MergeConfigException,
  type RejectedLine,
  ReplaceConfigException,
  UnexpectedAnswer
} from "../DriverErrors.ts"
import { maskAnswer, maskSecrets } from "../SecretMask.ts"
import { discard, runningConfig } from "./Commit.ts"
import { need } from "./Dialect.ts"
import type { Remote } from "./Answers.ts"
import { ask, NOT_ONE_FILE, REJECTED_LINES, sessions } from "./Sessions.ts"
import { type Edit, makeLineFinder, mayBeSilent, respelled, undefinedNeighbours, withoutSilent } from "./Spelling.ts"

// The difference of frr-reload.py, in the form that people and the change score read: added lines with a plus, removed ones with a
// minus, below their sections. It is no unified diff, because FRR gives no places.

const DELETES = "Lines To Delete"
const ADDS = "Lines To Add"
const logLine = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ /

/** The edits, each with all sections around it, from the outermost; a line without indentation begins the next edit. */
const editsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Edit> => {
  const told: Array<Array<string>> = []
  for (const line of lines) {
    if (line.trim() === "") continue
    const last = told.at(-1)
    if (last === undefined || !/^\s/.test(line)) told.push([line.trimEnd()])
    else last.push(line.trimEnd())
  }
  return told.map((words) => ({ section: words.slice(0, -1), line: words.at(-1) ?? "" }))
}

/** The line that a `no` removes. */
const withoutNo = (line: string): string => {
  const indent = /^\s*/.exec(line)?.[0] ?? ""
  const words = line.slice(indent.length)
  return `${indent}${words.startsWith("no ") ? words.slice(3) : `no ${words}`}`
}

const shown = (edits: ReadonlyArray<Edit>, sign: string): ReadonlyArray<string> => {
  let before = ""
  return edits.flatMap(({ line, section }) => {
    const around = section.join("\n")
    const heading = around === before ? [] : section.map((outer) => ` ${outer}`)
    // a section that is new was just shown, and its lines follow
    before = section.length === 0 ? line : around
    return [...heading, `${sign}${line}`]
  })
}

const between = (lines: ReadonlyArray<string>, from: string, to: string): ReadonlyArray<string> => {
  const start = lines.indexOf(from)
  if (start < 0) return []
  const rest = lines.slice(start + 2)
  const end = rest.indexOf(to)
  return end < 0 ? rest : rest.slice(0, end)
}

/** The edits that lead from what runs to the candidate. */
interface Difference {
  readonly removed: ReadonlyArray<Edit>
  readonly added: ReadonlyArray<Edit>
}

const readDifference = (told: string): Difference => {
  const lines = told.split("\n").filter((line) => !logLine.test(line))
  return {
    removed: editsOf(between(lines, DELETES, ADDS)).map(({ line, section }) => ({ section, line: withoutNo(line) })),
    added: editsOf(between(lines, ADDS, DELETES))
  }
}

const rendered = ({ added, removed }: Difference): string => [...shown(removed, "-"), ...shown(added, "+")].join("\n")

/** What frr-reload.py tells, for people; empty when nothing would change. */
export const differenceOf = (told: string): string => rendered(readDifference(told))

/** The same without the defaults that FRR does not show. Reads what runs only if that matters. */
const withoutDefaults = Effect.fnUntraced(function* (remote: Remote, told: string) {
  const { added, removed } = readDifference(told)
  const seen = mayBeSilent(added) ? withoutSilent(added, yield* runningConfig(remote)) : added
  return { removed, added: seen } satisfies Difference
})

/** The difference as lines of the candidate; frr-reload.py has removed routes and list entries among its added lines. */
const comparedLines = (text: string, { added, removed }: Difference): LineComparison => {
  const find = makeLineFinder(text)
  const found = added.map((edit) => ({ edit, lineNumber: find(edit) }))
  const isRemoved = ({ edit, lineNumber }: (typeof found)[number]) =>
    lineNumber === null && edit.line.trimStart().startsWith("no ")
  return {
    missing: found.flatMap((one) =>
      isRemoved(one) ? [] : [{ line: one.edit.line.trim(), lineNumber: one.lineNumber }]
    ),
    extra: [...removed.map(({ line }) => line), ...found.filter(isRemoved).map(({ edit }) => withoutNo(edit.line))].map(
      (line) => line.trim()
    )
  }
}

const mostRejected = 20
const WHOLE = "end of difference\n"

const complaint = /^line (\d+): (.*)$/

/** The lines that vtysh names, and what it says of them; it quotes the line behind its words. */
export const rejectedLines = (text: string, said: string): ReadonlyArray<RejectedLine> => {
  const source = text.split("\n")
  return said.split("\n").flatMap((words): ReadonlyArray<RejectedLine> => {
    const [, number, answer = ""] = complaint.exec(words) ?? []
    if (number === undefined) return []
    const line = source[Number(number) - 1] ?? ""
    const told = `${answer.replace(`: ${line}`, "").replace(/\[\d+\]$/, "")} at line ${number}`
    return [{ lineNumber: Number(number), line: maskSecrets(line), answer: maskAnswer(line, told) }]
  })
}

/** The candidate is refused for these lines; without any for what the switch says. */
const rejected = ({ target }: Remote, { mode }: LoadRequest, lines: ReadonlyArray<RejectedLine>, said: string) => {
  const message = lines[0]?.answer ?? maskSecrets(said.trim())
  const fields = { hostname: target.hostname, message, rejected: lines.slice(0, mostRejected) }
  return mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields)
}

/** See `DriverSession.load`. `inParts` has no effect: the candidate is a file, and its hash proves that all of it arrived. */
export const load: (
  remote: Remote,
  request: LoadRequest,
  foreign: ForeignSessions
) => Effect.Effect<LoadResult, LoadError> = Effect.fnUntraced(function* (remote, request, foreign) {
  const { hostname, removed } = remote.target
  const way = {
    hostname,
    removed,
    foreign,
    sessions: sessions(remote),
    discard: (name: string) => discard(remote, name)
  }
  const otherSessions = yield* clearForLoad(way, request)
  yield* need(remote, "frr-reload.py")
  const input = `${respelled(request.text).trimEnd()}\n`
  const words = ["load", request.name, request.mode, hash("sha256", input, "hex")]
  const { code, complaints, output } = yield* ask(remote, words, { input, seconds: remote.timeouts.load })
  const command = `load ${request.name}`
  if (code === REJECTED_LINES) return yield* rejected(remote, request, rejectedLines(request.text, output), output)
  if (code === NOT_ONE_FILE) return yield* rejected(remote, request, [], complaints)
  if (code !== 0) {
    const message = maskSecrets(complaints.trim().split("\n").slice(-3).join("\n"))
    return yield* new CommandRejected({ hostname, command, message })
  }
  if (!output.endsWith(WHOLE)) {
    return yield* new UnexpectedAnswer({ hostname, command, message: "the difference is cut off" })
  }
  const undefinedOnes = request.mode === "replace" ? undefinedNeighbours(request.text) : []
  if (undefinedOnes.length > 0) {
    yield* discard(remote, request.name)
    return yield* rejected(remote, request, undefinedOnes, "")
  }
  const difference = yield* withoutDefaults(remote, output.slice(0, -WHOLE.length))
  const compared = comparedLines(request.text, difference)
  return { diff: rendered(difference), willRun: null, compared, remarks: [], ...otherSessions }
})
