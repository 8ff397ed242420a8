/**
 * Brings a candidate to the switch, has it checked and compared there. It then waits under its name; one with wrong lines is
 * removed by the script (docs/frr.md#loading-a-candidate).
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { clearTheWay } from "../ClearTheWay.ts"
import type { LoadRequest, LoadResult } from "../Driver.ts"
import {
  CommandRejected,
  type LoadError,
  MergeConfigException,
  type RejectedLine,
  ReplaceConfigException,
  UnexpectedAnswer
} from "../DriverErrors.ts"
import type { ForeignSessions } from "../ForeignSessions.ts"
import { maskAnswer, maskSecrets } from "../SecretMask.ts"
import { discard } from "./Commit.ts"
import { differenceOf } from "./Difference.ts"
import { need } from "./Programs.ts"
import type { Remote } from "./Remote.ts"
import { ask, REJECTED_LINES } from "./Script.ts"
import { sessions } from "./Sessions.ts"

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

/** See `DriverSession.load`. `inParts` means nothing here: the candidate is a file, and its hash says that all of it came. */
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
  const beside = yield* clearTheWay(way, request)
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
  return { diff: differenceOf(output.slice(0, -WHOLE.length)), remarks: [], ...beside }
})
