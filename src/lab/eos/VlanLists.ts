/**
 * VLANs in a configuration: each is a section of its own, or shares one with others (`vlan 10,20-22`). Whoever touches some of them
 * touches these only, so that a shared section may split.
 */
import type { Entry } from "./ConfigTree.ts"
import { listOf, numbersOf } from "./Ranges.ts"

const SECTION = /^vlan (\d[\d,-]*)$/

/** The sections of these VLANs, which are made if there are none. `text`: the line as it was typed. */
export const sections = (
  siblings: Map<string, Entry>,
  vlans: ReadonlyArray<number>,
  text: string
): ReadonlyArray<Entry> => {
  const exact = siblings.get(text)
  if (exact !== undefined) return [exact]
  const found: Array<Entry> = []
  const wanted = new Set(vlans)
  for (const { entry, members } of overlapping(siblings, wanted)) {
    const rest = members.filter((vlan) => !wanted.has(vlan))
    if (rest.length > 0) add(siblings, rest, structuredClone(entry.children))
    const touched = members.filter((vlan) => wanted.has(vlan))
    found.push(rest.length > 0 ? add(siblings, touched, entry.children, entry) : entry)
    for (const vlan of touched) wanted.delete(vlan)
  }
  if (wanted.size > 0) found.push(wanted.size === vlans.length ? insert(siblings, text) : add(siblings, wanted))
  return found
}

/** Takes these VLANs out. */
export const remove = (siblings: Map<string, Entry>, vlans: ReadonlyArray<number>): void => {
  const wanted = new Set(vlans)
  for (const { entry, members } of overlapping(siblings, wanted)) {
    const rest = members.filter((vlan) => !wanted.has(vlan))
    siblings.delete(entry.text)
    if (rest.length > 0) add(siblings, rest, entry.children)
  }
}

interface Section {
  readonly entry: Entry
  readonly members: ReadonlyArray<number>
}

const overlapping = (siblings: Map<string, Entry>, wanted: ReadonlySet<number>): ReadonlyArray<Section> => {
  const [only] = wanted
  // most VLANs have a section of their own
  const own = wanted.size === 1 ? siblings.get(`vlan ${only}`) : undefined
  if (own !== undefined && only !== undefined) return [{ entry: own, members: [only] }]
  return [...siblings.values()].flatMap((entry) => {
    const list = entry.text.startsWith("vlan ") ? SECTION.exec(entry.text)?.[1] : undefined
    const members = list === undefined || isOther(list, wanted, only) ? [] : numbersOf(list)
    return members.some((vlan) => wanted.has(vlan)) ? [{ entry, members }] : []
  })
}

/** A quick answer for a VLAN that stands next to another one. */
const isOther = (list: string, wanted: ReadonlySet<number>, only: number | undefined): boolean =>
  wanted.size === 1 && /^\d+$/.test(list) && Number(list) !== only

const insert = (siblings: Map<string, Entry>, text: string): Entry => {
  const entry: Entry = { text, children: new Map(), body: undefined }
  siblings.set(text, entry)
  return entry
}

const add = (
  siblings: Map<string, Entry>,
  vlans: Iterable<number>,
  children: Entry["children"] = new Map(),
  replaced?: Entry
): Entry => {
  if (replaced !== undefined) siblings.delete(replaced.text)
  const entry = insert(siblings, `vlan ${listOf(vlans)}`)
  entry.children = children
  return entry
}
