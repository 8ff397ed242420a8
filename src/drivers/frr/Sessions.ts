/**
 * Candidates and the pending commit on a switch, as its script tells them. Candidates lie in directories under names of our
 * choice, so the text of a candidate is its name. Nobody else prepares candidates: who works with vtysh changes what runs.
 */
import { Effect } from "effect"
import type { ConfigSession, ConfigSessions, SessionLimits } from "../Driver.ts"
import { type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import { wholeList } from "../WholeDriver.ts"
import type { Remote } from "./Remote.ts"
import { must } from "./Script.ts"

const WHOLE = "end of state"
/** Candidates are files: as many as the disk holds, and the script saves nothing by itself. */
const limits: SessionLimits = { maxOpen: null, maxSaved: null, mergesAtCommit: false, savesAtCommit: false }

const row = /^(pending|reverting|open) (\S+) (\S*)$/

/** What the script tells; undefined when it is cut off. A commit that is being taken back counts as pending until it is gone. */
export const sessionsOf = (told: string): ConfigSessions | undefined => {
  const lines = told.trimEnd().split("\n")
  if (lines.at(-1) !== WHOLE) return undefined
  const sessions = lines.flatMap((line): ReadonlyArray<ConfigSession> => {
    const [, kind, name, user] = row.exec(line) ?? []
    return name === undefined ? [] : [{ name, state: kind === "open" ? "open" : "timed", user: user ?? "" }]
  })
  return wholeList(sessions, limits)
}

/** See `DriverSession.sessions`. */
export const sessions: (remote: Remote) => Effect.Effect<ConfigSessions, ReadError> = Effect.fnUntraced(
  function* (remote) {
    const found = sessionsOf(yield* must(remote, ["state"], { seconds: remote.timeouts.runningConfig }))
    if (found !== undefined) return found
    const message = "the list of candidates is not understood"
    return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: "state", message })
  }
)
