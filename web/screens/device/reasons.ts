/** What a difference and a list of events say in a few words. Pure. */
import { sortedBy } from "../../../src/domain/Natural.ts"
import { counted } from "../../../src/domain/words/Units.ts"

/** The number of lines that a unified diff adds and removes. */
export const changedLines = (diff: string): number =>
  diff.split("\n").filter((line) => /^[+-](?![+-]{2})/.test(line)).length

interface PortEvent {
  readonly actor: string
  readonly key: string
}

const MOST = 3

/** `Ethernet22 and Ethernet31`, of the ports that somebody has changed since somebody else changed one; newest event first. */
export const portsChanged = (events: ReadonlyArray<PortEvent>, actor: string): string => {
  const other = events.findIndex((event) => event.actor !== actor)
  const own = other < 0 ? events : events.slice(0, other)
  const ports = sortedBy([...new Set(own.map(({ key }) => key).filter((key) => key !== ""))], (port) => port)
  if (ports.length > MOST) return counted(ports.length, "port")
  return ports.length < 2 ? (ports[0] ?? "") : `${ports.slice(0, -1).join(", ")} and ${ports.at(-1)}`
}
