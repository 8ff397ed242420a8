/**
 * Configuration sessions, which are what EOS has for candidates: their names, and how their list is read in its two JSON forms
 * and as text (docs/switch-dialogues.md#eos-modes-and-prompts and docs/switch-dialogues.md#eos-reading). EOS keeps some
 * sessions under names of our choice, so the text of a candidate is the name of its session.
 */
import { Effect, Option, Schema } from "effect"
import type { ConfigSession, ConfigSessions } from "../Driver.ts"
import type { ReadError } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import { decodeJson, jsonIsWhole, unexpected } from "./Answers.ts"

/** Only these characters of a session's name appear in the prompt. */
const shownNameLength = 6

/** The mode part of the prompt inside a configuration session. */
export const sessionMode = (name: string): string => `(config-s-${name.slice(0, shownNameLength)})#`

const Session = Schema.Struct({
  state: Schema.String,
  commitUser: Schema.optionalKey(Schema.String)
})

export const ShowSessions = Schema.Struct({
  sessions: Schema.Record(Schema.String, Session),
  commitTimerSessionName: Schema.optionalKey(Schema.String)
})
export type ShowSessions = typeof ShowSessions.Type

/** The session whose commit timer runs, if any. Up to 4.31 its state says so, later the top level. */
const timerOf = (answer: ShowSessions): string | undefined =>
  answer.commitTimerSessionName ??
  Object.entries(answer.sessions).find(([, { state }]) => state === "pendingCommitTimer")?.[0]

const sessionOf = (name: string, state: string, user: string, timed: boolean): ConfigSession => ({
  name,
  state: timed ? "timed" : state === "pending" ? "open" : "done",
  user
})

/** Both output shapes of `show configuration sessions detail`. */
export const sessionsOf = (answer: ShowSessions): ConfigSessions => {
  const timed = timerOf(answer)
  return {
    sessions: Object.entries(answer.sessions).map(([name, { state, commitUser }]) =>
      sessionOf(name, state, commitUser ?? "", name === timed)
    ),
    pending: Option.map(Option.fromUndefinedOr(timed), (name) => ({ name }))
  }
}

const heading = /^Maximum number of (?:completed|pending) sessions:/m
const timerName = /^Session with pending commit timer:\s*(\S+)/
// behind the state stands the user of an open session; of a completed one the time and who committed it
const row = /^[* ] (\S+)\s+(committed|completed|pending\w*|aborted)\s+(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s+)?(\S*)/

/** The text form, as the JSON form would show it. Undefined when the text is something else. */
export const parseSessionText = (text: string): ShowSessions | undefined => {
  if (!heading.test(text)) return undefined
  const sessions: Record<string, { readonly state: string; readonly commitUser: string }> = {}
  let name: string | undefined
  for (const line of text.split("\n")) {
    name = timerName.exec(line)?.[1] ?? name
    const [, session, state, commitUser] = row.exec(line) ?? []
    if (session !== undefined && state !== undefined) sessions[session] = { state, commitUser: commitUser ?? "" }
  }
  return name === undefined ? { sessions } : { sessions, commitTimerSessionName: name }
}

/** See `DriverSession.sessions`. */
export const sessions: (cli: Cli) => Effect.Effect<ConfigSessions, ReadError> = Effect.fnUntraced(function* (cli) {
  const command = "show configuration sessions detail"
  const text = yield* cli.query(`${command} | json`, { isWhole: jsonIsWhole })
  if (text.includes("{")) return sessionsOf(yield* decodeJson(cli, command, ShowSessions, text))
  const plain = parseSessionText(yield* cli.query(command))
  // an answer that got lost must not look like a switch without sessions, whose timer may be forgotten
  if (plain === undefined) return yield* unexpected(cli, command, `the answer to "${command}" is not understood`)
  return sessionsOf(plain)
})
