/**
 * Brings a candidate to the switch, has it checked and compared there. It then waits under its name; one with wrong lines is
 * removed by the script (docs/frr.md#loading-a-candidate).
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { clearForLoad, type ForeignSessions } from "../LoadChecks.ts"
import type { LoadRequest, LoadResult } from "../Driver.ts"
import {
  CommandRejected,
  type LoadError,
  MergeConfigException,
  type RejectedLine,
  ReplaceConfigException,
  UnexpectedAnswer
} from "../DriverErrors.ts"
import { maskAnswer, maskSecrets } from "../SecretMask.ts"
import { discard } from "./Commit.ts"
import { need } from "./Dialect.ts"
import type { Remote } from "./Answers.ts"
import { ask, REJECTED_LINES, sessions } from "./Sessions.ts"

// The difference of frr-reload.py, in the form that people and the change score read: added lines with a plus, removed ones with a
// minus, below their sections. It is no unified diff, because FRR gives no places.

interface Edit {
  readonly section: ReadonlyArray<string>
  readonly line: string
}

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

/** The edits that lead from what runs to the candidate; empty when there are none. */
export const differenceOf = (told: string): string => {
  const lines = told.split("\n").filter((line) => !logLine.test(line))
  const removed = editsOf(between(lines, DELETES, ADDS)).map(({ line, section }) => ({
    section,
    line: withoutNo(line)
  }))
  return [...shown(removed, "-"), ...shown(editsOf(between(lines, ADDS, DELETES)), "+")].join("\n")
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

const rejected = ({ target }: Remote, { mode, text }: LoadRequest, said: string) => {
  const lines = rejectedLines(text, said).slice(0, mostRejected)
  const message = lines[0]?.answer ?? maskSecrets(said.trim())
  const fields = { hostname: target.hostname, message, rejected: lines }
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
  const input = `${request.text.trimEnd()}\n`
  const words = ["load", request.name, request.mode, hash("sha256", input, "hex")]
  const { code, complaints, output } = yield* ask(remote, words, { input, seconds: remote.timeouts.load })
  const command = `load ${request.name}`
  if (code === REJECTED_LINES) return yield* rejected(remote, request, output)
  if (code !== 0) {
    const message = maskSecrets(complaints.trim().split("\n").slice(-3).join("\n"))
    return yield* new CommandRejected({ hostname, command, message })
  }
  if (!output.endsWith(WHOLE)) {
    return yield* new UnexpectedAnswer({ hostname, command, message: "the difference is cut off" })
  }
  return { diff: differenceOf(output.slice(0, -WHOLE.length)), willRun: null, remarks: [], ...otherSessions }
})
