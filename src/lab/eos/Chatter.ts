/** What a switch says beside its answers: other words for a refused line (quirk `refusal`), log lines and remarks (`chatty`). */
import type { Switch } from "../Switch.ts"
import type { Quirks } from "./Quirks.ts"

const REFUSALS: Readonly<Record<NonNullable<Quirks["refusal"]>, (error: string) => string>> = {
  eos: (error) => `${error}\n`,
  error: () => "Error: this command is not taken here\n",
  percentError: () => "%Error this command is not taken here\n",
  denied: () => "Authorization denied for this command\n",
  silent: () => ""
}

/** The answer to a configuration line that is refused with this error. */
export const refusal = (device: Switch, error: string): string => REFUSALS[device.behaviour.quirks.refusal](error)

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A log message as a terminal monitor shows it. */
export const logLine = ({ facts }: Switch, text: string): string => {
  const now = new Date()
  const time = now.toISOString().slice(11, 19)
  return `${months[now.getUTCMonth()]} ${String(now.getUTCDate()).padStart(2)} ${time} ${facts.hostname} Ebra: ${text}\n`
}

const UP = "%LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet9, changed state to up"
const FAILED = "%AAA-4-LOGIN_FAILED: user guest failed to login [from: 192.0.2.9] [service: sshd]"

/** What comes with every so manieth line; the numbers have no common divisor. */
const BESIDE: ReadonlyArray<readonly [every: number, said: (device: Switch) => string]> = [
  [5, (device) => logLine(device, UP)],
  [7, () => "! Change takes effect with the next restart of the agent\n"],
  [9, () => "% Info: the line is kept for the next start\n"],
  [11, (device) => logLine(device, FAILED)],
  [13, () => "Ports of this group share one clock\n"]
]

/** What a chatty switch says to the configuration line with this number. */
export const besideLine = (device: Switch, number: number): string =>
  device.behaviour.quirks.chatty
    ? BESIDE.map(([every, said]) => (number % every === 0 ? said(device) : "")).join("")
    : ""

/** What a chatty switch says to a commit that it carries out. */
export const besideCommit = (device: Switch): string =>
  device.behaviour.quirks.chatty
    ? `${logLine(device, "%SYS-5-CONFIG_SESSION_COMMIT_SUCCESS: User has committed a session")}% Info: two agents are restarted\n`
    : ""

/** A log line ahead of what a chatty switch shows. */
export const besideShow = (device: Switch): string => (device.behaviour.quirks.chatty ? logLine(device, UP) : "")
