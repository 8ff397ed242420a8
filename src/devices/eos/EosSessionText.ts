/** The text form of `show configuration sessions detail` (contract device-cli §3.4), for a switch that gives no JSON. */
import type { ShowSessions } from "./EosAnswers.ts"

const timerName = /^Session with pending commit timer:\s*(\S+)/
const timerLeft = /^Time left until commit timer expiry: in (?:(\d+) days?, )?(\d+):(\d\d):(\d\d)/
const row = /^[* ] (\S+)\s+(committed|completed|pending\w*|aborted)\s+(\S*)/

const secondsLeft = (match: RegExpExecArray): number => {
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/** The sessions, with the timer's end counted from now; so `sessionsOf` takes them with an uptime of 0. */
export const parseSessionText = (text: string): ShowSessions => {
  const sessions: Record<string, { readonly state: string; readonly commitUser: string }> = {}
  let name: string | undefined
  let left = 0
  for (const line of text.split("\n")) {
    name = timerName.exec(line)?.[1] ?? name
    const time = timerLeft.exec(line)
    if (time !== null) left = secondsLeft(time)
    const [, session, state, commitUser] = row.exec(line) ?? []
    if (session !== undefined && state !== undefined) sessions[session] = { state, commitUser: commitUser ?? "" }
  }
  return name === undefined ? { sessions } : { sessions, commitTimerSessionName: name, commitTimerExpireTime: left }
}
