/** VLAN ids by the names that ports use for them (docs/templates.md#variables-of-access-switches). */
import type { Settings } from "../settings/SettingsModel.ts"

type Vxlans = Settings["vxlans"]

const known = new WeakMap<Vxlans, ReadonlyMap<string, number>>()

const namesIn = (vxlans: Vxlans): ReadonlyMap<string, number> => {
  const ids = new Map<string, number>()
  for (const [key, { vlan_id: id, vlan_name: name }] of vxlans) {
    for (const alias of [name, key]) if (!ids.has(alias)) ids.set(alias, id)
  }
  return ids
}

const idsOf = (vxlans: Vxlans): ReadonlyMap<string, number> => {
  const before = known.get(vxlans)
  if (before !== undefined) return before
  const ids = namesIn(vxlans)
  known.set(vxlans, ids)
  return ids
}

/**
 * The id that a port means: that of the first vxlan whose VLAN name or key it is; an integer stands for itself; null for
 * an unknown name and for everything else.
 */
export const vlanIdOf = (vxlans: Vxlans, vlan: unknown): number | null => {
  if (typeof vlan === "number") return Number.isInteger(vlan) ? vlan : null
  return typeof vlan === "string" && vlan !== "" ? (idsOf(vxlans).get(vlan) ?? null) : null
}

/** The ids of a list of names, unknown ones left out; empty when it is no list. */
export const vlanIdsOf = (vxlans: Vxlans, vlans: unknown): ReadonlyArray<number> =>
  Array.isArray(vlans) ? vlans.map((vlan) => vlanIdOf(vxlans, vlan)).filter((id) => id !== null) : []
