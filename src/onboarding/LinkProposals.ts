/**
 * Links of switches that exist already, proposed from what both ends report over LLDP (docs/onboarding.md#links). A link is in force only when a
 * person has accepted it. Pure.
 */
import type { Device } from "../domain/Device.ts"
import { isSameHostname } from "../domain/Network.ts"
import { longName } from "../domain/platforms/Platforms.ts"

/** A neighbour that a device has reported on a port. */
export interface HeardNeighbour {
  readonly device_id: number
  readonly port: string
  readonly name: string
  readonly peer_port: string
}

/** How sure a proposal is. A contradiction is never accepted as it is. */
export const agreements = ["both", "one", "contradiction"] as const
export type Agreement = (typeof agreements)[number]

export interface LinkProposal {
  readonly device_a: string
  readonly device_a_port: string
  readonly device_b: string
  readonly device_b_port: string
  readonly agreement: Agreement
  /** What the ends say, as a sentence. */
  readonly reason: string
}

/** A link that is stored. */
interface StoredLink {
  readonly device_a_id: number
  readonly device_a_port: string
  readonly device_b_id: number
  readonly device_b_port: string
}

type End = Pick<Device, "id" | "hostname" | "platform">

interface Heard {
  readonly from: End
  readonly port: string
  readonly to: End
  readonly toPort: string
}

const shortHostname = (name: string): string => name.split(".", 1)[0] ?? name

/** The links that are proposed for these devices, without those that are stored, in the order of their names. */
export const proposeLinks = (
  devices: ReadonlyArray<End>,
  heard: ReadonlyArray<HeardNeighbour>,
  stored: ReadonlyArray<StoredLink>
): ReadonlyArray<LinkProposal> => {
  const byId = new Map(devices.map((device) => [device.id, device]))
  const byName = new Map(devices.map((device) => [shortHostname(device.hostname).toLowerCase(), device]))
  const endOf = (id: number, port: string) => `${id} ${port}`
  const taken = new Set(
    stored.flatMap((link) => [endOf(link.device_a_id, link.device_a_port), endOf(link.device_b_id, link.device_b_port)])
  )
  const all = heard.flatMap(({ device_id, name, peer_port, port }): ReadonlyArray<Heard> => {
    const from = byId.get(device_id)
    const to = byName.get(shortHostname(name).toLowerCase())
    if (from === undefined || to === undefined || from.id === to.id) return []
    if (!isSameHostname(shortHostname(name), shortHostname(to.hostname))) return []
    return [{ from, port: longName(from.platform ?? "", port), to, toPort: longName(to.platform ?? "", peer_port) }]
  })
  const pairOf = ({ from, port, to, toPort }: Heard) =>
    [endOf(from.id, port), endOf(to.id, toPort)].toSorted().join("\n")
  const reports = new Map<string, Array<Heard>>()
  for (const one of all)
    for (const end of [endOf(one.from.id, one.port), endOf(one.to.id, one.toPort)])
      reports.set(end, [...(reports.get(end) ?? []), one])
  const found = new Map<string, LinkProposal>()
  for (const report of all) {
    const { from, port, to, toPort } = report
    const [one, other] = [endOf(from.id, port), endOf(to.id, toPort)]
    if (taken.has(one) || taken.has(other)) continue
    const key = pairOf(report)
    const about = [...(reports.get(one) ?? []), ...(reports.get(other) ?? [])]
    const isBack = about.some((answer) => answer.from.id === to.id && pairOf(answer) === key)
    const contrary = about.find((answer) => pairOf(answer) !== key)
    const agreement: Agreement = contrary !== undefined ? "contradiction" : isBack ? "both" : "one"
    const reason =
      contrary === undefined
        ? isBack
          ? "Both ends report it"
          : `Only ${from.hostname} reports it; ${to.hostname} reports nothing on ${toPort}`
        : `${from.hostname} reports ${to.hostname} ${toPort} on ${port}, but ${contrary.from.hostname} reports ${contrary.to.hostname} ${contrary.toPort} on ${contrary.port}`
    const [a, b] =
      from.hostname < to.hostname
        ? ([
            [from, port],
            [to, toPort]
          ] as const)
        : ([
            [to, toPort],
            [from, port]
          ] as const)
    if (found.has(key)) continue
    found.set(key, {
      device_a: a[0].hostname,
      device_a_port: a[1],
      device_b: b[0].hostname,
      device_b_port: b[1],
      agreement,
      reason
    })
  }
  return [...found.values()].toSorted((one, other) => {
    const [x, y] = [`${one.device_a} ${one.device_a_port}`, `${other.device_a} ${other.device_a_port}`]
    return x < y ? -1 : x > y ? 1 : 0
  })
}

// The network of a link between two routed switches, from the addresses that both ends run.

const toNumber = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)

const fromNumber = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".")

const addressOn = (config: string, port: string): string | undefined => {
  const section = config.split(/^(?=\S)/m).find((one) => one.startsWith(`interface ${port}\n`))
  return section === undefined ? undefined : /^\s+ip address ([\d.]+\/\d+)\s*$/m.exec(section)?.[1]
}

/** The /31 in which both ends have their address; undefined if they are in none. The end with the lower address becomes the first one. */
export const linkNetwork = (configA: string, portA: string, configB: string, portB: string) => {
  const [a, b] = [addressOn(configA, portA), addressOn(configB, portB)]
  if (a === undefined || b === undefined || !a.endsWith("/31") || !b.endsWith("/31")) return undefined
  const [one, other] = [toNumber(a.replace(/\/31$/, "")), toNumber(b.replace(/\/31$/, ""))]
  if (Math.floor(one / 2) !== Math.floor(other / 2) || one === other) return undefined
  return { ipv4_network: `${fromNumber(Math.min(one, other))}/31`, isFirst: one < other }
}
