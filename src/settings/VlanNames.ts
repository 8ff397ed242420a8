/**
 * VLANs by the names that ports use for them (docs/templates.md#variables-of-access-switches): the name of the VLAN, or its key in `vxlans`.
 * A name counts before the key of another VLAN, so that a key that is added never takes a port away from its VLAN.
 */
import type { Settings } from "./SettingsModel.ts"

export type Vxlans = Settings["vxlans"]

const known = new WeakMap<Vxlans, ReadonlyMap<string, string>>()

const keysIn = (vxlans: Vxlans): ReadonlyMap<string, string> => {
  const keys = new Map<string, string>()
  for (const [key, { vlan_name: name }] of vxlans) if (!keys.has(name)) keys.set(name, key)
  for (const key of vxlans.keys()) if (!keys.has(key)) keys.set(key, key)
  return keys
}

/** The key of the VXLAN that a text means: the first one with this VLAN name, else the one with this key. */
export const vxlanKeyOf = (vxlans: Vxlans, vlan: string): string | undefined => {
  const keys = known.get(vxlans) ?? keysIn(vxlans)
  known.set(vxlans, keys)
  return keys.get(vlan)
}

/** The id that a port means; an integer stands for itself; null for an unknown name and for everything else. */
export const vlanIdOf = (vxlans: Vxlans, vlan: unknown): number | null => {
  if (typeof vlan === "number") return Number.isInteger(vlan) ? vlan : null
  const key = typeof vlan === "string" && vlan !== "" ? vxlanKeyOf(vxlans, vlan) : undefined
  return key === undefined ? null : (vxlans.get(key)?.vlan_id ?? null)
}

/** The ids of a list of names, unknown ones left out; empty when it is no list. */
export const vlanIdsOf = (vxlans: Vxlans, vlans: unknown): ReadonlyArray<number> =>
  Array.isArray(vlans) ? vlans.map((vlan) => vlanIdOf(vxlans, vlan)).filter((id) => id !== null) : []
