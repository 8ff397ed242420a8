/** What a difference and a list of events say in a few words. Pure. */
import { sortedBy } from "../../../src/domain/Natural.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { joined } from "../../../src/domain/words/Word.ts"

/** The number of lines that a unified diff adds and removes. */
export const changedLines = (diff: string): number =>
  diff.split("\n").filter((line) => /^[+-](?![+-]{2})/.test(line)).length

interface PortEvent {
  readonly actor: string
  readonly action: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly key: string
}

const MOST = 3

/** Seconds by which the event of a port may be older than the reason that it brought. */
const BEFORE = 5

const secondsOf = (at: string): number => Date.parse(`${at.replace(/Z?$/, "Z")}`) / 1000

/** `Ethernet22 and Ethernet31`: the ports that somebody has changed since then, in epoch seconds. */
export const portsChanged = (events: ReadonlyArray<PortEvent>, actor: string, since: number): string => {
  const own = events.filter(
    (event) => event.actor === actor && event.action === "updated" && secondsOf(event.at) >= since - BEFORE
  )
  const ports = sortedBy([...new Set(own.map(({ key }) => key).filter((key) => key !== ""))], (port) => port)
  if (ports.length > MOST) return counted(ports.length, "port")
  return joined(ports)
}
