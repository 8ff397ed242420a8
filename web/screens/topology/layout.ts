/**
 * The layout of the drawing: core above distribution above access; access switches below the same pair of uplinks are folded into one place
 * until the user opens it. Pure, and quick for thousands.
 */

import { inNaturalOrder, sortedBy } from "../../../src/domain/Natural.ts"
import { type Agreement, worse } from "./agreement.ts"

export interface NodeDevice {
  readonly id: number
  readonly hostname: string
  readonly device_type: string
}

export interface Cable {
  readonly a: number
  readonly b: number
  /** Agreed if it is omitted. */
  readonly agreement?: Agreement
}

/** A device, or several access switches below the same uplinks. */
export interface Spot {
  readonly id: string
  readonly devices: ReadonlyArray<NodeDevice>
  readonly layer: number
  readonly x: number
  readonly y: number
}

export interface Edge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly cables: number
  /** The worst of the cables. */
  readonly agreement: Agreement
}

export interface Drawing {
  readonly spots: ReadonlyArray<Spot>
  readonly edges: ReadonlyArray<Edge>
}

const LAYERS: Readonly<Record<string, number>> = { CORE: 0, DIST: 1 }
const WIDTH = 190
const HEIGHT = 150
/** The most access switches in one row of an opened place. */
const PER_ROW = 8
const ROW = 60

const layerOf = ({ device_type }: NodeDevice): number => LAYERS[device_type] ?? 2

const mean = (numbers: ReadonlyArray<number>): number | undefined =>
  numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** Neighbours by id. */
const neighboursOf = (cables: ReadonlyArray<Cable>): ReadonlyMap<number, ReadonlyArray<number>> => {
  const found = new Map<number, Array<number>>()
  const add = (from: number, to: number) => {
    const known = found.get(from)
    if (known === undefined) found.set(from, [to])
    else known.push(to)
  }
  for (const { a, b } of cables) {
    add(a, b)
    add(b, a)
  }
  return found
}

/** Access switches by the devices above them. */
const foldsOf = (
  access: ReadonlyArray<NodeDevice>,
  above: ReadonlySet<number>,
  neighbours: ReadonlyMap<number, ReadonlyArray<number>>
) =>
  Map.groupBy(access, ({ id }) =>
    [...new Set(neighbours.get(id) ?? [])]
      .filter((other) => above.has(other))
      .toSorted((one, other) => one - other)
      .join("+")
  )

/** All of them, in place of a folded place. */
export const ALL = "all"

/** The drawing; `open` holds the ids of folded places whose devices are drawn separately. */
export const drawn = (
  devices: ReadonlyArray<NodeDevice>,
  cables: ReadonlyArray<Cable>,
  open: ReadonlySet<string>
): Drawing => {
  const neighbours = neighboursOf(cables)
  const fabric = sortedBy(
    devices.filter((device) => layerOf(device) < 2),
    ({ hostname }) => hostname
  )
  const above = new Set(fabric.map(({ id }) => id))
  const xOf = new Map<number, number>()
  const spots: Array<Spot> = []
  for (const layer of [0, 1]) {
    const here = fabric.filter((device) => layerOf(device) === layer)
    const ordered = here
      .map((device) => ({
        device,
        wish: mean((neighbours.get(device.id) ?? []).flatMap((id) => xOf.get(id) ?? [])) ?? Number.MAX_VALUE
      }))
      .toSorted((one, other) => one.wish - other.wish || inNaturalOrder(one.device.hostname, other.device.hostname))
    for (const [place, { device }] of ordered.entries()) {
      xOf.set(device.id, place * WIDTH)
      spots.push({ id: String(device.id), devices: [device], layer, x: place * WIDTH, y: layer * HEIGHT })
    }
  }
  const folds = [
    ...foldsOf(
      devices.filter((device) => layerOf(device) === 2),
      above,
      neighbours
    )
  ]
    .map(([key, members]) => ({
      key: `below ${key}`,
      members,
      wish: mean(key.split("+").flatMap((id) => xOf.get(Number(id)) ?? [])) ?? Number.MAX_VALUE
    }))
    .toSorted((one, other) => one.wish - other.wish || inNaturalOrder(one.key, other.key))
  let x = 0
  for (const { key, members } of folds) {
    if (!(open.has(ALL) || open.has(key)) && members.length > 1) {
      spots.push({ id: key, devices: members, layer: 2, x, y: 2 * HEIGHT })
      x += WIDTH
      continue
    }
    for (const [place, device] of members.entries())
      spots.push({
        id: String(device.id),
        devices: [device],
        layer: 2,
        x: x + (place % PER_ROW) * WIDTH,
        y: 2 * HEIGHT + Math.floor(place / PER_ROW) * ROW
      })
    x += Math.min(members.length, PER_ROW) * WIDTH
  }
  return { spots, edges: edgesOf(spots, cables) }
}

/** Lines between places, from the upper to the lower one. */
const edgesOf = (spots: ReadonlyArray<Spot>, cables: ReadonlyArray<Cable>): ReadonlyArray<Edge> => {
  const spotOf = new Map(spots.flatMap((spot) => spot.devices.map((device) => [device.id, spot] as const)))
  const counted = new Map<string, Edge>()
  for (const { a, agreement = "agreed", b } of cables) {
    const [one, other] = [spotOf.get(a), spotOf.get(b)]
    if (one === undefined || other === undefined || one === other) continue
    const [upper, lower] = one.y < other.y || (one.y === other.y && one.id < other.id) ? [one, other] : [other, one]
    const id = `${upper.id} – ${lower.id}`
    const known = counted.get(id)
    counted.set(id, {
      id,
      from: upper.id,
      to: lower.id,
      cables: (known?.cables ?? 0) + 1,
      agreement: worse(known?.agreement ?? agreement, agreement)
    })
  }
  return [...counted.values()]
}
