/** Sessions and handshakes with switches. */
import { counter, durations, gauge } from "./Family.ts"

export const sshSessions = gauge("switchyard_ssh_sessions", "SSH sessions that are open")
export const handshakes = durations(
  "switchyard_ssh_handshake_duration_seconds",
  "Time of connecting and logging in with all attempts; by outcome: connected, unreachable, refused, host_key",
  [0.02, 0.1, 0.5, 2, 10, 30],
  "outcome"
)

const OUTCOMES: Readonly<Record<string, string>> = {
  ConnectAuthError: "refused",
  HostKeyChanged: "host_key",
  HostKeyNotApproved: "host_key",
  WrongDevice: "host_key"
}

/** The outcome of a handshake that failed with an error of this tag. */
export const outcomeOfFailure = (tag: string): string => OUTCOMES[tag] ?? "unreachable"

export const textRemoved = counter(
  "switchyard_device_text_removed_total",
  "Characters that devices said and that no text may hold, such as controls; they were removed"
)

export const sshMetrics = [sshSessions, handshakes, textRemoved]
