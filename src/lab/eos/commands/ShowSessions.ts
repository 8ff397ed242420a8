/**
 * `show configuration sessions` in the two forms that EOS has had for a running commit timer. See
 * docs/switch-dialogues.md#eos-reading.
 */
import * as ConfigSessions from "../ConfigSessions.ts"
import { isAtLeast } from "../Release.ts"
import * as Switch from "../../Switch.ts"
import { type Call, type Command, command } from "./Command.ts"

/** Where a release shows a timer that runs, unless the switch is peculiar. */
const placeOf = (device: Switch.Switch) => {
  const { timerShown } = device.behaviour.quirks
  return timerShown === "release" ? (isAtLeast(device, 4, 32) ? "top" : "session") : timerShown
}

const UNCONVERTED = { errors: ["This is an unconverted command"] }

const sessionDocument = (device: Switch.Switch, session: ConfigSessions.ConfigSession) => {
  const { timer } = device
  const shown = session.state === "pendingCommitTimer" && placeOf(device) === "session" ? timer : undefined
  const open = session.state === "pending"
  return {
    state: session.state === "pendingCommitTimer" && shown === undefined ? "committed" : session.state,
    ...(shown === undefined ? {} : { commitBy: onUptimeScale(device, shown.expiresAt) }),
    ...(session.completedAt === undefined ? {} : { completedTime: session.completedAt / 1000 }),
    commitUser: open ? "" : session.user,
    description: "",
    instances: open ? { "1": { user: session.user, terminal: session.terminal, currentTerminal: false } } : {}
  }
}

const document = ({ device }: Call) => {
  const { maxPending, maxSaved, mergesAtCommit, savesAtCommit, sessionsWithoutJson } = device.behaviour.quirks
  if (sessionsWithoutJson) return UNCONVERTED
  const timer = placeOf(device) === "top" ? device.timer : undefined
  return {
    sessions: Object.fromEntries(
      [...device.sessions.values()].map((session) => [session.name, sessionDocument(device, session)])
    ),
    maxSavedSessions: maxSaved,
    maxOpenSessions: maxPending,
    mergeOnCommit: mergesAtCommit,
    saveToStartupConfigOnCommit: savesAtCommit,
    ...(timer === undefined
      ? {}
      : {
          commitTimerSessionName: timer.session,
          commitTimerExpireTime: onUptimeScale(device, timer.expiresAt)
        })
  }
}

/** Seconds since boot at a time given in milliseconds since 1970. */
const onUptimeScale = (device: Switch.Switch, at: number) => (at - device.bootedAt) / 1000

const abled = (on: boolean) => (on ? "enabled" : "disabled")

const text = ({ device, shell }: Call): string => {
  const { maxPending, maxSaved, mergesAtCommit, savesAtCommit } = device.behaviour.quirks
  const lines = [
    `Maximum number of completed sessions: ${maxSaved}`,
    `Maximum number of pending sessions: ${maxPending}`,
    `Merge on commit is ${abled(mergesAtCommit)}`,
    `Autosave to startup-config on commit is ${abled(savesAtCommit)}`,
    ""
  ]
  if (device.timer !== undefined && placeOf(device) !== "never") {
    lines.push(`Session with pending commit timer: ${device.timer.session}`)
    lines.push(
      `Time left until commit timer expiry: in ${clock(Math.max(0, (device.timer.expiresAt - Date.now()) / 1000))}`,
      ""
    )
  }
  lines.push("  Name             State     User  Terminal Completed Time      Committed By")
  lines.push("- ---------------- --------- ----- -------- ------------------- ------------")
  for (const session of device.sessions.values())
    lines.push(row(session, shell.mode.kind === "session" && shell.mode.session === session))
  return `${lines.join("\n")}\n`
}

const row = (session: ConfigSessions.ConfigSession, mine: boolean) => {
  const open = session.state === "pending"
  const state = session.state === "pendingCommitTimer" ? "committed" : session.state
  const completed =
    session.completedAt === undefined ? "" : new Date(session.completedAt).toISOString().slice(0, 19).replace("T", " ")
  return (
    `${mine ? "*" : " "} ${session.name.padEnd(16)} ${state.padEnd(9)} ${(open ? session.user : "").padEnd(5)} ` +
    `${(open ? session.terminal : "").padEnd(8)} ${completed.padEnd(19)} ${open ? "" : session.user}`
  ).trimEnd()
}

const two = (value: number) => String(value).padStart(2, "0")

const clock = (seconds: number) => {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  command("show configuration sessions", "showSessions", text, { json: document }),
  command("show configuration sessions detail", "showSessions", text, { json: document })
]
