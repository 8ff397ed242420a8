/**
 * What devices with the same trouble have in common: the switches by which they reach the core, according to the links of the
 * database and the neighbours that were read (`edgesOf`). Pure.
 */
import type { DeviceType } from "./Device.ts"
import { namesInOrder } from "./Natural.ts"

interface Node {
  readonly id: number
  readonly hostname: string
  readonly device_type: DeviceType
}

interface Edge {
  readonly a: number
  readonly b: number
}

/** The uplinks of each device by hostname: its neighbours that are one step nearer to the core. */
export type Uplinks = ReadonlyMap<string, ReadonlySet<string>>

/** Where the network begins: at the core, and in a part without one at the distribution layer. */
const TOP: ReadonlyArray<DeviceType> = ["CORE", "DIST"]

/** The steps from the top of its part of the network to each device that is connected to one. */
const stepsOf = (nodes: ReadonlyArray<Node>, neighbours: ReadonlyMap<number, ReadonlySet<number>>) => {
  const steps = new Map<number, number>()
  for (const type of TOP) {
    const tops = nodes.filter(({ device_type, id }) => device_type === type && !steps.has(id))
    let reached = tops.map(({ id }) => id)
    for (let step = 0; reached.length > 0; step += 1) {
      for (const id of reached) steps.set(id, step)
      const next = reached.flatMap((id) => [...(neighbours.get(id) ?? [])])
      reached = [...new Set(next)].filter((id) => !steps.has(id))
    }
  }
  return steps
}

/** The uplinks of these devices. */
export const uplinksOf = (nodes: ReadonlyArray<Node>, edges: ReadonlyArray<Edge>): Uplinks => {
  const neighbours = new Map(nodes.map(({ id }) => [id, new Set<number>()]))
  for (const { a, b } of edges) {
    neighbours.get(a)?.add(b)
    neighbours.get(b)?.add(a)
  }
  const steps = stepsOf(nodes, neighbours)
  const names = new Map(nodes.map(({ hostname, id }) => [id, hostname]))
  return new Map(
    nodes.map(({ hostname, id }) => {
      const own = steps.get(id) ?? 0
      const nearer = [...(neighbours.get(id) ?? [])].filter((other) => (steps.get(other) ?? own) < own)
      return [hostname, new Set(nearer.flatMap((other) => names.get(other) ?? []))]
    })
  )
}

/** Devices with a likely common cause. Both lists are in natural order. */
export interface CommonCause {
  readonly devices: ReadonlyArray<string>
  /** The switch among the devices behind which all others are; null without one. */
  readonly root: string | null
  /** Switches that are uplinks of all of them (of the root, if there is one); empty if they have nothing in common. */
  readonly uplinks: ReadonlyArray<string>
}

const sharedBy = (families: ReadonlyArray<string>, uplinks: Uplinks): ReadonlyArray<string> => {
  const [first, ...others] = families.map((name) => uplinks.get(name) ?? new Set<string>())
  return namesInOrder([...(first ?? [])].filter((name) => others.every((other) => other.has(name))))
}

/**
 * Groups devices by their likely common cause: a device whose uplinks are all among them counts to the first of these, and what is left
 * to the uplink that most of them share. Devices without anything in common are the last group.
 */
export const commonCauses = (hostnames: Iterable<string>, uplinks: Uplinks): ReadonlyArray<CommonCause> => {
  const names = namesInOrder(hostnames)
  const all = new Set(names)
  const rootOf = (name: string): string => {
    const own = namesInOrder(uplinks.get(name) ?? [])
    const [first] = own
    // each step leads nearer to the core, so it ends
    return first !== undefined && own.every((each) => all.has(each)) ? rootOf(first) : name
  }
  const families = Map.groupBy(names, rootOf)
  const causes: Array<CommonCause> = []
  const take = (roots: ReadonlyArray<string>) => {
    const [only] = roots
    const devices = namesInOrder(roots.flatMap((root) => families.get(root) ?? []))
    const root = roots.length === 1 && only !== undefined && devices.length > 1 ? only : null
    for (const each of roots) families.delete(each)
    causes.push({ devices, root, uplinks: sharedBy(roots, uplinks) })
  }
  for (;;) {
    const behind = Map.groupBy(
      [...families.keys()].flatMap((root) => [...(uplinks.get(root) ?? [])].map((uplink) => ({ root, uplink }))),
      ({ uplink }) => uplink
    )
    const [largest] = namesInOrder(behind.keys())
      .map((uplink) => (behind.get(uplink) ?? []).map(({ root }) => root))
      .toSorted((one, other) => other.length - one.length)
    if (largest === undefined || largest.length < 2) break
    take(largest)
  }
  for (const [root, members] of families) if (members.length > 1) take([root])
  if (families.size > 0) {
    const rest = namesInOrder(families.keys())
    causes.push({ devices: rest, root: null, uplinks: rest.length === 1 ? sharedBy(rest, uplinks) : [] })
  }
  return causes
}

/** `all on lhv-dist1`, `the others are behind lhv-dist1`, or null. */
export const causeSentence = ({ devices, root, uplinks }: CommonCause): string | null => {
  if (devices.length < 2) return null
  if (root !== null) return `the others are behind ${root}`
  return uplinks.length === 0 ? null : `all on ${uplinks.join(" and ")}`
}

/** `1 switch`, `7 switches`: how such sentences begin. */
export const switches = (count: number): string => `${count} ${count === 1 ? "switch" : "switches"}`
