/** The neighbours seen over LLDP against the planned links. Pure. */
import type { neighbourWords } from "../../../src/domain/words/DeviceWords.ts"
import { sortedBy } from "../../../src/domain/Natural.ts"

export interface Planned {
  readonly port: string
  readonly hostname: string
  readonly peerPort: string
}

export interface Compared {
  readonly port: string
  readonly name: string
  readonly peerPort: string
  readonly standing: keyof typeof neighbourWords
}

type SeenOn = Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>

/** Switches may announce themselves with their domain. */
const isSame = (seen: string, planned: string): boolean => seen === planned || seen.split(".", 1)[0] === planned

/** One row for each link that is planned or seen, by port. */
export const compared = (plan: ReadonlyArray<Planned>, seen: SeenOn): ReadonlyArray<Compared> => {
  const planned = new Map(plan.map((link) => [link.port, link]))
  const rows = Object.entries(seen).flatMap(([port, neighbours]) =>
    neighbours.map((neighbour): Compared => {
      const link = planned.get(port)
      const agrees = link !== undefined && isSame(neighbour.hostname, link.hostname) && neighbour.port === link.peerPort
      const standing = link === undefined ? "unexpected" : agrees ? "agreed" : "other"
      return { port, name: neighbour.hostname, peerPort: neighbour.port, standing }
    })
  )
  const missing = plan
    .filter(({ port }) => (seen[port] ?? []).length === 0)
    .map(({ hostname, peerPort, port }): Compared => ({ port, name: hostname, peerPort, standing: "missing" }))
  return sortedBy([...rows, ...missing], ({ port }) => port)
}
