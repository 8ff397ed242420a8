/**
 * The text form of the list of configuration sessions, as its JSON form would show it
 * (docs/switch-dialogues.md#sessions-and-timers). A setting is found by its words, so that a release may print others beside it.
 */
import type { ShowSessions } from "./Sessions.ts"

const heading = /^Maximum number of (?:completed|pending) sessions:/m
const timerName = /^Session with pending commit timer:[ \t]*(\S+)/m
const maxOpen = /^Maximum number of pending sessions:[ \t]*(\d+)/m
const maxSaved = /^Maximum number of completed sessions:[ \t]*(\d+)/m
const merges = /^Merge on commit is (enabled|disabled)/m
const saves = /^Autosave to startup-config on commit is (enabled|disabled)/m

const row = /^[* ] (\S+)\s+(committed|completed|pending\w*|aborted)(?:\s+(.*))?$/
const date = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/

/** The text does not name the zone of its times: at the latest they are of the zone that is furthest behind. */
const ZONE_SECONDS = 12 * 3600

type Session = ShowSessions["sessions"][string]

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")

/** Behind the state stand user and terminal of whoever is in the session, the time of its end, and who committed it. */
const sessionOf = (state: string, rest: string): Session => {
  const time = date.exec(rest)?.[0]
  const [inside = "", after = ""] = time === undefined ? [rest] : rest.split(time)
  const users = wordsOf(inside)
  const session = { state, commitUser: wordsOf(after)[0] ?? users[0] ?? "" }
  if (state !== "pending") return session
  return {
    ...session,
    instances: users.length === 0 ? {} : { "1": users.join(" ") },
    ...(time === undefined ? {} : { completedTime: Date.parse(`${time.replace(" ", "T")}Z`) / 1000 + ZONE_SECONDS })
  }
}

const numberIn = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

const switchIn = (text: string, pattern: RegExp): boolean | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : found === "enabled"
}

/** The text form, as the JSON form would show it. Undefined when the text is something else. */
export const parseSessionText = (text: string): ShowSessions | undefined => {
  if (!heading.test(text)) return undefined
  const sessions: Record<string, Session> = {}
  for (const line of text.split("\n")) {
    const [, name, state, rest = ""] = row.exec(line.trimEnd()) ?? []
    if (name !== undefined && state !== undefined) sessions[name] = sessionOf(state, rest)
  }
  return {
    sessions,
    commitTimerSessionName: timerName.exec(text)?.[1],
    maxOpenSessions: numberIn(text, maxOpen),
    maxSavedSessions: numberIn(text, maxSaved),
    mergeOnCommit: switchIn(text, merges),
    saveToStartupConfigOnCommit: switchIn(text, saves)
  }
}
