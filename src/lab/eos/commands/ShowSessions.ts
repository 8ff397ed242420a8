/**
 * `show configuration sessions` in the two forms that EOS has had for a running commit timer. See
 * docs/switch-dialogues.md#eos-reading.
 */
import * as ConfigSessions from "../ConfigSessions.ts"
import { isAtLeast } from "../Release.ts"
import * as Switch from "../../Switch.ts"
import { type Call, type Command, command } from "./Command.ts"

const MAX_SAVED = 1

const document = ({ device }: Call) => {
  const recent = isAtLeast(device, 4, 32)
  const sessions: Record<string, unknown> = {}
  for (const session of device.sessions.values()) {
    const timed = session.state === "pendingCommitTimer"
    const { timer } = device
    sessions[session.name] = {
      state: timed && recent ? "committed" : session.state,
      ...(timed && !recent && timer !== undefined ? { commitBy: onUptimeScale(device, timer.expiresAt) } : {}),
      ...(session.completedAt === undefined ? {} : { completedTime: session.completedAt / 1000 }),
      commitUser: session.completedAt === undefined ? "" : session.user,
      description: "",
      instances:
        session.state === "pending"
          ? { "1": { user: session.user, terminal: session.terminal, currentTerminal: false } }
          : {}
    }
  }
  return {
    sessions,
    maxSavedSessions: MAX_SAVED,
    maxOpenSessions: ConfigSessions.MAX_PENDING,
    mergeOnCommit: false,
    saveToStartupConfigOnCommit: false,
    ...(recent && device.timer !== undefined
      ? {
          commitTimerSessionName: device.timer.session,
          commitTimerExpireTime: onUptimeScale(device, device.timer.expiresAt)
        }
      : {})
  }
}

/** Seconds since boot at a time given in milliseconds since 1970. */
const onUptimeScale = (device: Switch.Switch, at: number) => (at - device.bootedAt) / 1000

const text = ({ device, shell }: Call): string => {
  const lines = [
    `Maximum number of completed sessions: ${MAX_SAVED}`,
    `Maximum number of pending sessions: ${ConfigSessions.MAX_PENDING}`,
    "Merge on commit is disabled",
    "Autosave to startup-config on commit is disabled",
    ""
  ]
  if (device.timer !== undefined) {
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
