/** Where a switch hangs, from what it hears and from the links that are known. Pure. */

export interface Place {
  readonly own: string
  readonly peer: string
  readonly peerPort: string
  /** The device whose link ended at this port. */
  readonly before: string | undefined
}

interface Known {
  readonly devices: ReadonlyArray<{ readonly id: number; readonly hostname: string }>
  readonly links: ReadonlyArray<{
    readonly device_a_id: number
    readonly device_a_port: string
    readonly device_b_id: number
    readonly device_b_port: string
  }>
}

type Heard = Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>

/** The places of the switch with this id, by its ports. */
export const placesOf = (id: number, heard: Heard, { devices, links }: Known): ReadonlyArray<Place> => {
  const idOf = new Map(devices.map((device) => [device.hostname, device.id]))
  const nameOf = new Map(devices.map((device) => [device.id, device.hostname]))
  const otherEnd = (peer: number | undefined, port: string): number | undefined => {
    const link = links.find(
      (one) =>
        (one.device_a_id === peer && one.device_a_port === port) ||
        (one.device_b_id === peer && one.device_b_port === port)
    )
    if (link === undefined) return undefined
    return link.device_a_id === peer ? link.device_b_id : link.device_a_id
  }
  return Object.entries(heard)
    .flatMap(([own, neighbours]) =>
      neighbours.map(({ hostname, port }) => {
        // switches may announce themselves with their domain
        const name = idOf.has(hostname) ? hostname : (hostname.split(".", 1)[0] ?? hostname)
        const was = otherEnd(idOf.get(name), port)
        return {
          own,
          peer: name,
          peerPort: port,
          before: was === undefined || was === id ? undefined : nameOf.get(was)
        }
      })
    )
    .toSorted((one, other) => one.own.localeCompare(other.own, "en", { numeric: true }))
}
