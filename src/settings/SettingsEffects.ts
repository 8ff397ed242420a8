/**
 * The effects of new settings on groups, on the rules that name groups, and on the VLANs that ports name
 * (docs/settings-repository.md#effects). Pure; thousands of devices are processed in steps, between which a server does other
 * work.
 */
import { Predicate, Result } from "effect"
import { isDeepStrictEqual } from "node:util"
import {
  type CommitEffects,
  type GroupUse,
  MOST_LISTED,
  MOST_NAMES,
  type NamingPort,
  type RemovedKind,
  type VlanEffect
} from "../domain/CommitEffects.ts"
import type { Interface } from "../domain/Interface.ts"
import { matchesGlob } from "../domain/access/Glob.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"
import type { LayeringResult, SettingsTarget } from "./Layering.ts"
import { deviceDirectories } from "./RepositoryPaths.ts"
import { DEFAULT_GROUP, type SettingsGroup } from "./SettingsGroups.ts"
import { mentionsIn } from "./SettingsFile.ts"
import { type SettingsInterface, vlanIdOf, type Vxlan, vxlanKeyOf, type Vxlans } from "./SettingsModel.ts"

/** The fields of a device that effects depend on. A full device record fits. */
export type EffectDevice = SettingsTarget & { readonly id: number; readonly hostname: string }

/** A rule for the devices of groups: a window, a freeze, a permission of a role, or an alert rule. */
export interface GroupRule extends GroupUse {
  /** Null for any device. */
  readonly groups: ReadonlyArray<string> | null
  readonly deviceTypes: ReadonlyArray<string> | null
  readonly hostnames?: ReadonlyArray<string> | null
}

/** Settings before and after a commit, and the inventory. */
export interface SettingsChange {
  readonly before: SettingsSnapshot
  readonly after: SettingsSnapshot
  readonly devices: ReadonlyArray<EffectDevice>
  /** Access switches below each distribution switch, by its id. */
  readonly below: ReadonlyMap<number, ReadonlyArray<EffectDevice>>
  /** Devices whose settings differ. */
  readonly affected: ReadonlySet<string>
  /** Windows and roles: rules about groups outside the settings. */
  readonly rules: ReadonlyArray<GroupRule>
}

const DEVICES_PER_STEP = 200
/** The most ports of all VLANs that are listed; their numbers count all. */
const MOST_PORTS = 1_000

const first = (names: ReadonlyArray<string>): ReadonlyArray<string> => names.slice(0, MOST_NAMES)

/** Members before and after. */
class Membership {
  readonly #gained: Array<string> = []
  readonly #lost: Array<string> = []
  #before = 0
  #after = 0

  note(hostname: string, before: boolean, after: boolean): void {
    if (before) this.#before += 1
    if (after) this.#after += 1
    if (before && !after) this.#lost.push(hostname)
    if (!before && after) this.#gained.push(hostname)
  }

  get isMoved(): boolean {
    return this.#gained.length + this.#lost.length > 0
  }

  get moved() {
    const [gained, lost] = [this.#gained, this.#lost]
    return {
      before: this.#before,
      after: this.#after,
      gained: gained.length,
      lost: lost.length,
      gained_names: first(gained),
      lost_names: first(lost)
    }
  }
}

const alertRules = ({ alerts }: SettingsSnapshot): ReadonlyArray<GroupRule> =>
  (alerts?.rules ?? []).flatMap(({ deviceTypes, groups, hostnames, name }) =>
    groups === null ? [] : [{ kind: "alert rule", name, groups, deviceTypes, hostnames } as const]
  )

const isFor = (
  { deviceTypes, groups, hostnames = null }: GroupRule,
  device: EffectDevice,
  members: ReadonlySet<string>
): boolean =>
  (groups === null || groups.some((group) => group === "*" || members.has(group))) &&
  (deviceTypes === null || deviceTypes.includes("*") || deviceTypes.includes(device.device_type)) &&
  (hostnames === null || hostnames.some((glob) => matchesGlob(glob, device.hostname)))

/** The places where the settings themselves name groups: files with parts for some groups, and directories of groups. */
const settingsUses = (snapshot: SettingsSnapshot): ReadonlyMap<string, ReadonlyArray<GroupUse>> => {
  const uses = new Map<string, Array<GroupUse>>()
  const add = (group: string, use: GroupUse) => uses.set(group, [...(uses.get(group) ?? []), use])
  for (const file of snapshot.files.values()) {
    if (file.path === "global/groups.yml" || Result.isFailure(file.content)) continue
    const { groups } = mentionsIn(file.content.success.values)
    for (const name of groups) add(name, { kind: "settings", name: file.path })
  }
  const primaries = new Set(snapshot.definitions.groups.filter((group) => group.group_priority > 0).map(nameOf))
  for (const name of snapshot.paths.children("groups")) {
    if (primaries.has(name)) add(name, { kind: "settings", name: `groups/${name}` })
  }
  return uses
}

const nameOf = ({ name }: SettingsGroup): string => name

/** References to a group, before or after: a commit that empties a group may remove its references as well. */
const usesOf = ({ after, before, rules }: SettingsChange) => {
  const inFiles = [settingsUses(before), settingsUses(after)]
  const all = [...rules, ...alertRules(before), ...alertRules(after)]
  const branches = [...before.definitions.groups, ...after.definitions.groups]
  return (group: string): ReadonlyArray<GroupUse> => {
    const found = [
      ...all.filter(({ groups }) => groups?.includes(group) === true),
      ...branches.flatMap(({ name, templates_branch: branch }) =>
        name === group && branch !== null ? [{ kind: "templates_branch" as const, name: branch }] : []
      ),
      ...inFiles.flatMap((uses) => uses.get(group) ?? [])
    ]
    const uses = new Map(found.map(({ kind, name }) => [`${kind} ${name}`, { kind, name }]))
    return [...uses.values()].slice(0, MOST_NAMES)
  }
}

type GroupPart = Pick<CommitEffects, "groups" | "rules">

/** A rule before and after: alert rules change with the commit, the others do not. */
interface RuleChange {
  readonly use: GroupUse
  readonly before: ReadonlyArray<GroupRule>
  readonly after: ReadonlyArray<GroupRule>
}

const ruleChanges = ({ after, before, rules }: SettingsChange): ReadonlyArray<RuleChange> => {
  const sides = { before: [...rules, ...alertRules(before)], after: [...rules, ...alertRules(after)] }
  const keyOf = ({ kind, name }: GroupUse) => `${kind} ${name}`
  const uses = new Map([...sides.before, ...sides.after].map((rule) => [keyOf(rule), rule]))
  return [...uses].map(([key, { kind, name }]) => ({
    use: { kind, name },
    before: sides.before.filter((rule) => keyOf(rule) === key),
    after: sides.after.filter((rule) => keyOf(rule) === key)
  }))
}

const groupEffects = function* (change: SettingsChange): Generator<void, GroupPart> {
  const { after, before, devices } = change
  const isSame = (file: string) => before.files.get(file)?.text === after.files.get(file)?.text
  if (isSame("global/groups.yml") && isDeepStrictEqual(before.alerts, after.alerts)) return { groups: [], rules: [] }
  const names = new Set([...before.definitions.groups, ...after.definitions.groups].map(nameOf))
  names.delete(DEFAULT_GROUP)
  const groups = new Map([...names].map((name) => [name, new Membership()]))
  const rules = ruleChanges(change).map((rule) => ({ rule, members: new Membership() }))
  for (const [index, device] of devices.entries()) {
    if (index % DEVICES_PER_STEP === 0) yield
    const [was, is] = [before.layering.membership(device).groupSet, after.layering.membership(device).groupSet]
    for (const [name, members] of groups) members.note(device.hostname, was.has(name), is.has(name))
    for (const { members, rule } of rules) {
      const [had, has] = [
        rule.before.some((one) => isFor(one, device, was)),
        rule.after.some((one) => isFor(one, device, is))
      ]
      members.note(device.hostname, had, has)
    }
  }
  const uses = usesOf(change)
  return {
    groups: [...groups]
      .filter(([, members]) => members.isMoved)
      .map(([name, members]) => ({ name, ...members.moved, used_by: uses(name) }))
      .toSorted((a, b) => Number(b.after === 0) - Number(a.after === 0) || b.lost - a.lost),
    rules: rules
      .filter(({ members }) => members.isMoved)
      .map(({ members, rule }) => ({ ...rule.use, ...members.moved }))
      .toSorted((a, b) => Number(b.after === 0) - Number(a.after === 0) || b.lost - a.lost)
  }
}

type VlanChange = Omit<VlanEffect, "devices" | "ports" | "port_list">

const vlanChange = (key: string, before: Vxlan, after: Vxlans): VlanChange | undefined => {
  const { vlan_id, vlan_name } = before
  const known = { key, vlan_name, vlan_id, new_key: null, new_name: null, new_id: null }
  const same = after.get(key)
  if (same !== undefined) {
    const moved = { ...known, new_name: same.vlan_name, new_id: same.vlan_id }
    if (same.vlan_name !== vlan_name) return { ...moved, change: "renamed" }
    return same.vlan_id === vlan_id ? undefined : { ...moved, change: "renumbered" }
  }
  const other = [...after].find(([, one]) => one.vlan_name === vlan_name)
  if (other === undefined) return { ...known, change: "vanished" }
  return { ...known, change: "moved", new_key: other[0], new_name: other[1].vlan_name, new_id: other[1].vlan_id }
}

const hasId = (vxlans: Vxlans, id: number): boolean => [...vxlans.values()].some(({ vlan_id }) => vlan_id === id)

/** The key of the VLAN that a value means before and no longer means afterwards. */
const lostKey = (before: Vxlans, after: Vxlans, value: unknown): string | undefined => {
  if (Predicate.isNumber(value)) {
    const known = [...before].find(([, { vlan_id }]) => vlan_id === value)
    return known === undefined || hasId(after, value) ? undefined : known[0]
  }
  if (!Predicate.isString(value) || vlanIdOf(before, value) === vlanIdOf(after, value)) return undefined
  return vxlanKeyOf(before, value)
}

type Named = readonly [key: string, as: NamingPort["as"]]

/** The values of a port's data that mean another VLAN afterwards, or none. */
const lostBy = (before: Vxlans, after: Vxlans, data: Interface["data"]): ReadonlyArray<Named> => {
  const { tagged_vlan_list: tagged, untagged_vlan: untagged, vxlan } = data ?? {}
  const found = [
    [lostKey(before, after, untagged), "untagged"],
    ...(Array.isArray(tagged) ? tagged.map((one: unknown) => [lostKey(before, after, one), "tagged"] as const) : []),
    [Predicate.isString(vxlan) && before.has(vxlan) && !after.has(vxlan) ? vxlan : undefined, "vxlan"]
  ] as const
  return found.flatMap(([key, as]): ReadonlyArray<Named> => (key === undefined ? [] : [[key, as]]))
}

const spans = (value: string | number, id: number): boolean => {
  const [low = 0, high = low] = String(value).split("-").map(Number)
  return low <= id && id <= high
}

/** The same for a port in the settings, which name VLANs by their ids. */
const lostBySettings = (
  changes: ReadonlyArray<VlanChange>,
  after: Vxlans,
  { tagged_vlan_list: tagged, untagged_vlan: untagged }: SettingsInterface
): ReadonlyArray<Named> =>
  changes.flatMap(({ key, vlan_id: id }): ReadonlyArray<Named> => {
    if (hasId(after, id)) return []
    if (untagged === id) return [[key, "untagged"]]
    return tagged?.some((one) => spans(one, id)) === true ? [[key, "tagged"]] : []
  })

/** Two sets of VXLANs of a device before and after, and their differences. */
interface VlanPair {
  readonly before: Vxlans
  readonly after: Vxlans
  readonly changes: ReadonlyArray<VlanChange>
}

/** The VLANs that devices lose, and how to find the data of ports that name them. */
export interface VlanLosses {
  /** Ids of devices, each with its sets before and after. */
  readonly pairs: ReadonlyMap<number, VlanPair>
  /** Every text by which a port can name one of them. */
  readonly names: ReadonlyArray<string>
  /** The VLANs, with the ports of the database that name them. */
  readonly effects: (ports: ReadonlyArray<Interface>) => ReadonlyArray<VlanEffect>
  /** For each set of devices: the new name by the old one. */
  readonly renames: ReadonlyArray<{
    readonly ids: ReadonlyArray<number>
    readonly names: Readonly<Record<string, string>>
  }>
  readonly removed: RemovedKind
}

const vxlansOf = (layered: LayeringResult): Vxlans | undefined =>
  Result.isSuccess(layered) ? layered.success.settings.vxlans : undefined

const makePairs = () => {
  const known = new WeakMap<Vxlans, WeakMap<Vxlans, VlanPair>>()
  return (before: Vxlans, after: Vxlans): VlanPair => {
    const row = known.get(before) ?? new WeakMap<Vxlans, VlanPair>()
    known.set(before, row)
    const pair = row.get(after) ?? {
      before,
      after,
      changes: before === after ? [] : [...before].flatMap(([key, vxlan]) => vlanChange(key, vxlan, after) ?? [])
    }
    row.set(after, pair)
    return pair
  }
}

/** Keys of `vxlans` in any file. */
const keysInFiles = ({ files }: SettingsSnapshot): ReadonlyMap<string, unknown> => {
  const found = new Map<string, unknown>()
  for (const { content } of files.values()) {
    const vxlans: unknown = Result.isSuccess(content) ? content.success.values.get("vxlans") : undefined
    if (!(vxlans instanceof Map)) continue
    for (const [key, vxlan] of vxlans) {
      if (Predicate.isString(key)) found.set(key, vxlan instanceof Map ? vxlan.get("vlan_name") : undefined)
    }
  }
  return found
}

const effectsOf = (
  pairs: ReadonlyMap<number, VlanPair>,
  bySettings: ReadonlyArray<NamingPort & { readonly id: number; readonly key: string }>,
  hostnames: ReadonlyMap<number, string>
) => {
  const keyOf = (id: number, key: string) =>
    JSON.stringify(pairs.get(id)?.changes.find((change) => change.key === key) ?? null)
  return (ports: ReadonlyArray<Interface>): ReadonlyArray<VlanEffect> => {
    const found = new Map<string, VlanChange & { devices: number; ports: Array<NamingPort> }>()
    for (const { changes } of pairs.values()) {
      for (const change of changes) {
        const key = JSON.stringify(change)
        const known = found.get(key) ?? { ...change, devices: 0, ports: [] }
        known.devices += 1
        found.set(key, known)
      }
    }
    for (const { device_id: id, data, name } of ports) {
      const pair = pairs.get(id)
      const hostname = hostnames.get(id)
      if (pair === undefined || hostname === undefined) continue
      for (const [key, as] of lostBy(pair.before, pair.after, data)) {
        found.get(keyOf(id, key))?.ports.push({ hostname, interface: name, as })
      }
    }
    for (const { id, key, ...port } of bySettings) found.get(keyOf(id, key))?.ports.push(port)
    let left = MOST_PORTS
    return [...found.values()]
      .toSorted((a, b) => b.ports.length - a.ports.length || b.devices - a.devices)
      .map(({ ports: naming, ...vlan }) => {
        const port_list = naming.slice(0, Math.min(MOST_LISTED, left))
        left -= port_list.length
        return { ...vlan, ports: naming.length, port_list }
      })
  }
}

const renamesIn = (pairs: ReadonlyMap<number, VlanPair>): VlanLosses["renames"] => {
  const byNames = new Map<string, { ids: Array<number>; names: Readonly<Record<string, string>> }>()
  for (const [id, { changes }] of pairs) {
    const names = Object.fromEntries(
      changes.flatMap(({ change, new_name, vlan_name }) =>
        change === "renamed" && new_name !== null ? [[vlan_name, new_name] as const] : []
      )
    )
    if (Object.keys(names).length === 0) continue
    const key = JSON.stringify(names)
    const known = byNames.get(key) ?? { ids: [], names }
    known.ids.push(id)
    byNames.set(key, known)
  }
  return [...byNames.values()]
}

/** The VLANs that devices lose or get in another form. */
const vlanLosses = function* (change: SettingsChange): Generator<void, VlanLosses> {
  const { affected, after, before, below, devices } = change
  const pairOf = makePairs()
  const pairs = new Map<number, VlanPair>()
  const bySettings: Array<NamingPort & { readonly id: number; readonly key: string }> = []
  const had = new Set<string>()
  const has = new Set<string>()
  for (const [index, device] of devices.entries()) {
    if (index % DEVICES_PER_STEP === 0) yield
    if (device.device_type === "UNKNOWN") continue
    const was = before.layering.forDevice(device, below.get(device.id))
    const is = affected.has(device.hostname) ? after.layering.forDevice(device, below.get(device.id)) : was
    const [old, current] = [vxlansOf(was), vxlansOf(is)]
    if (old === undefined || current === undefined) continue
    for (const key of old.keys()) had.add(key)
    for (const [key, { vlan_name }] of current) has.add(key).add(`name ${vlan_name}`)
    const pair = pairOf(old, current)
    if (pair.changes.length === 0) continue
    pairs.set(device.id, pair)
    if (Result.isFailure(is)) continue
    for (const port of is.success.settings.interfaces) {
      for (const [key, as] of lostBySettings(pair.changes, current, port)) {
        bySettings.push({ id: device.id, key, hostname: device.hostname, interface: port.name, as })
      }
    }
  }
  const [inFiles, then] = [keysInFiles(before), keysInFiles(after)]
  const names = new Set(then.values())
  const all = new Set([...inFiles.keys(), ...had])
  const isGone = (key: string) => {
    const name = inFiles.get(key)
    if (!then.has(key) && inFiles.has(key)) return !names.has(name)
    return had.has(key) && !has.has(key) && !has.has(`name ${String(name)}`)
  }
  const gone = [...all].filter(isGone)
  const named = [...pairs.values()].flatMap(({ changes }) => changes)
  return {
    pairs,
    names: [...new Set(named.flatMap(({ key, vlan_id, vlan_name }) => [key, vlan_name, String(vlan_id)]))],
    effects: effectsOf(pairs, bySettings, new Map(devices.map(({ hostname, id }) => [id, hostname]))),
    renames: renamesIn(pairs),
    removed: { kind: "VLANs", before: all.size, removed: gone.length, names: first(gone) }
  }
}

/** The items of the first list that the second one lacks. */
export const removedOf = (
  kind: RemovedKind["kind"],
  before: Iterable<string>,
  after: Iterable<string>
): RemovedKind => {
  const all = new Set(before)
  const gone = [...all.difference(new Set(after))]
  return { kind, before: all.size, removed: gone.length, names: first(gone) }
}

/** Keys at the top of files that are no longer at the top of the same file. */
const lostKeys = ({ after, before }: SettingsChange): CommitEffects["keys"] =>
  [...before.files.values()].flatMap((file) => {
    const now = after.files.get(file.path)
    const directory = /^devices\/[^/]+/.exec(file.path)?.[0]
    // for a removed directory the name is enough
    if (file === now || Result.isFailure(file.content) || (directory && !after.paths.isDirectory(directory))) return []
    const kept = now !== undefined && Result.isSuccess(now.content) ? now.content.success.values : new Map()
    return [...file.content.success.values.keys()]
      .filter((key) => !kept.has(key))
      .map((key) => ({ file: file.path, key: String(key) }))
  })

/** The effects of the settings alone; `vlans.effects` adds the ports of the database. */
export const settingsEffects = function* (change: SettingsChange) {
  const { after, before } = change
  const { groups, rules } = yield* groupEffects(change)
  const vlans = yield* vlanLosses(change)
  const keys = lostKeys(change)
  const removed = [
    vlans.removed,
    removedOf("directories of devices", deviceDirectories(before.paths), deviceDirectories(after.paths)),
    removedOf("groups", before.definitions.groups.map(nameOf), after.definitions.groups.map(nameOf))
  ].filter((kind) => kind.removed > 0)
  return { groups, rules, keys, removed, vlans }
}
