/**
 * The span of one command (docs/monitoring.md#traces). Its name is the kind of the command: the leading words of it that are in the
 * vocabulary below, and nothing else, because a line of a configuration may hold a secret anywhere.
 */
import { spanned } from "../../runtime/Spans.ts"

/** Words of commands and of our labels that tell what is done and never stand for a value. */
const VOCABULARY: ReadonlySet<string> = new Set(
  (
    "login prepare load enable show running-config startup-config session-config sessions configure session terminal commit timer " +
    "abort end exit copy write erase now reload force boot-config boot version inventory lldp neighbors detail interfaces status " +
    "diffs json dir verify delete security pki clock hostname bash install extensions flash " +
    "vtysh change set sh cat sha256sum ip ethtool uname uptime id rm mv cp mkdir for command lldpcli observe candidate check " +
    "commit-timed confirm discard save sessions-while-timed"
  ).split(" ")
)

const MOST_WORDS = 3

/** The kind of a command, such as `show running-config`; `other` when its first word says nothing. */
export const kindOf = (line: string): string => {
  const words = line
    .slice(0, 100)
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll("'", "").replace(/^.*\//, "").replace(/;$/, ""))
  const unknown = words.findIndex((word) => !VOCABULARY.has(word))
  const known = words.slice(0, Math.min(unknown < 0 ? words.length : unknown, MOST_WORDS))
  return known.length === 0 ? "other" : known.join(" ")
}

/** Makes a span of a command that is given to this device. */
export const commandSpan = (hostname: string, line: string) => {
  const kind = kindOf(line)
  return spanned(`ssh ${kind}`, { attributes: { "device.hostname": hostname, "ssh.command": kind } })
}
