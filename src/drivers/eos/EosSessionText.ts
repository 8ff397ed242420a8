/** The text form of `show configuration sessions detail` (contract device-cli §3.4), for a switch that gives no JSON. */
import type { ShowSessions } from "./EosAnswers.ts"

const heading = /^Maximum number of (?:completed|pending) sessions:/m
const timerName = /^Session with pending commit timer:\s*(\S+)/
// behind the state stands the user of an open session; of a completed one the time and who committed it
const row = /^[* ] (\S+)\s+(committed|completed|pending\w*|aborted)\s+(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s+)?(\S*)/

/** The sessions, as the JSON form would show them. Undefined when the text is something else. */
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
