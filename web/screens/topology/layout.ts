/**
 * The layout of the drawing: core above distribution above access; access switches below the same uplinks are one block of cells until the
 * user opens it. Distribution switches stand above their block. Pure, and quick for thousands.
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

/** A device, or the access switches below the same uplinks. */
export interface Spot {
  readonly id: string
  readonly devices: ReadonlyArray<NodeDevice>
  readonly layer: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Edge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly cables: number
  /** The worst of the cables. */
  readonly agreement: Agreement
  /** Both ends are beside each other. */
  readonly isBeside: boolean
}

export interface Drawing {
  readonly spots: ReadonlyArray<Spot>
  readonly edges: ReadonlyArray<Edge>
}

const LAYERS: Readonly<Record<string, number>> = { CORE: 0, DIST: 1 }
const SWITCH = { width: 148, height: 48 }
const GAP = 24
/** Between two blocks, and between their distribution switches. */
const APART = 36
const LAYER = 160

/** A block: cells of 17 pixels with 4 between, so many in a row. */
export const BLOCK = { perRow: 12, cell: 17, gap: 4, width: 282, head: 48, foot: 36 }
/** The most access switches in one row of an opened block. */
const PER_ROW = 6
const ROW = SWITCH.height + 14

export const blockHeight = (count: number): number =>
  BLOCK.head + Math.ceil(count / BLOCK.perRow) * (BLOCK.cell + BLOCK.gap) + BLOCK.foot

const layerOf = ({ device_type }: NodeDevice): number => LAYERS[device_type] ?? 2

/** Neighbours by id. */
export const neighboursOf = (cables: ReadonlyArray<Cable>): ReadonlyMap<number, ReadonlyArray<number>> => {
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

/** All of them, in place of a block. */
export const ALL = "all"

const placed = (device: NodeDevice, layer: number, x: number, y: number): Spot => ({
  id: String(device.id),
  devices: [device],
  layer,
  x,
  y,
  ...SWITCH
})

const widthOf = (count: number): number => count * SWITCH.width + (count - 1) * GAP

/** A row of switches around a middle. */
const rowAround = (devices: ReadonlyArray<NodeDevice>, layer: number, middle: number): ReadonlyArray<Spot> =>
  devices.map((device, place) =>
    placed(device, layer, middle - widthOf(devices.length) / 2 + place * (SWITCH.width + GAP), layer * LAYER)
  )

/** The drawing; `open` holds the ids of blocks whose devices are drawn separately. */
export const drawn = (
  devices: ReadonlyArray<NodeDevice>,
  cables: ReadonlyArray<Cable>,
  open: ReadonlySet<string>
): Drawing => {
  const neighbours = neighboursOf(cables)
  const ordered = sortedBy(devices, ({ hostname }) => hostname)
  const core = ordered.filter((device) => layerOf(device) === 0)
  const dist = ordered.filter((device) => layerOf(device) === 1)
  const above = new Set([...core, ...dist].map(({ id }) => id))
  const nameOf = new Map(devices.map(({ hostname, id }) => [String(id), hostname]))
  const folds = [
    ...foldsOf(
      ordered.filter((device) => layerOf(device) === 2),
      above,
      neighbours
    )
  ].toSorted(([one], [other]) =>
    inNaturalOrder(nameOf.get(one.split("+")[0] ?? "") ?? "~", nameOf.get(other.split("+")[0] ?? "") ?? "~")
  )
  const spots: Array<Spot> = []
  const stands = new Set<number>()
  let x = 0
  for (const [key, members] of folds) {
    const id = `below ${key}`
    const parents = dist.filter((device) => key.split("+").includes(String(device.id)) && !stands.has(device.id))
    const isOpen = open.has(ALL) || open.has(id) || members.length === 1
    const inRow = Math.min(members.length, PER_ROW)
    const width = Math.max(isOpen ? widthOf(inRow) : BLOCK.width, widthOf(parents.length))
    const middle = x + width / 2
    spots.push(...rowAround(parents, 1, middle))
    for (const { id: parent } of parents) stands.add(parent)
    if (isOpen)
      for (const [place, device] of members.entries())
        spots.push(
          placed(
            device,
            2,
            middle - widthOf(inRow) / 2 + (place % PER_ROW) * (SWITCH.width + GAP),
            2 * LAYER + Math.floor(place / PER_ROW) * ROW
          )
        )
    else
      spots.push({
        id,
        devices: members,
        layer: 2,
        x: middle - BLOCK.width / 2,
        y: 2 * LAYER,
        width: BLOCK.width,
        height: blockHeight(members.length)
      })
    x += width + APART
  }
  const others = dist.filter(({ id }) => !stands.has(id))
  for (const device of others) {
    spots.push(placed(device, 1, x, LAYER))
    x += SWITCH.width + GAP
  }
  spots.push(...rowAround(core, 0, Math.max(x - APART, widthOf(core.length)) / 2))
  return { spots, edges: edgesOf(spots, cables) }
}

/** Lines between places, from the upper to the lower one, or from the left to the right one. */
export const edgesOf = (spots: ReadonlyArray<Spot>, cables: ReadonlyArray<Cable>): ReadonlyArray<Edge> => {
  const spotOf = new Map(spots.flatMap((spot) => spot.devices.map((device) => [device.id, spot] as const)))
  const counted = new Map<string, Edge>()
  for (const { a, agreement = "agreed", b } of cables) {
    const [one, other] = [spotOf.get(a), spotOf.get(b)]
    if (one === undefined || other === undefined || one === other) continue
    const isBeside = one.layer === other.layer
    const isInOrder = isBeside ? one.x < other.x || (one.x === other.x && one.y < other.y) : one.layer < other.layer
    const [upper, lower] = isInOrder ? [one, other] : [other, one]
    const id = `${upper.id} – ${lower.id}`
    const known = counted.get(id)
    counted.set(id, {
      id,
      from: upper.id,
      to: lower.id,
      cables: (known?.cables ?? 0) + 1,
      agreement: worse(known?.agreement ?? agreement, agreement),
      isBeside
    })
  }
  return [...counted.values()]
}

/** Every device on a shortest way from a device to the core; only itself if there is no way. */
export const wayToCore = (
  from: number,
  devices: ReadonlyArray<NodeDevice>,
  cables: ReadonlyArray<Cable>
): ReadonlySet<number> => {
  const isCore = new Set(devices.filter((device) => layerOf(device) === 0).map(({ id }) => id))
  const neighbours = neighboursOf(cables)
  const steps = new Map([[from, 0]])
  const cores: Array<number> = []
  for (const [id, step] of steps) {
    if (isCore.has(id)) {
      cores.push(id)
      continue
    }
    for (const next of neighbours.get(id) ?? []) if (!steps.has(next)) steps.set(next, step + 1)
  }
  const nearest = Math.min(...cores.map((id) => steps.get(id) ?? Number.POSITIVE_INFINITY))
  const way = new Set([from])
  const back = cores.filter((id) => steps.get(id) === nearest)
  for (const id of back) {
    if (way.has(id)) continue
    way.add(id)
    for (const next of neighbours.get(id) ?? []) if (steps.get(next) === (steps.get(id) ?? 0) - 1) back.push(next)
  }
  return way
}
