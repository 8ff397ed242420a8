/**
 * Edits of the settings repository that make onboarded switches get what they run (docs/onboarding.md#settings-from-what-runs): each
 * value at the most general level where it is right. Pure: whether an edit helps is measured by its caller, who renders with it.
 */
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"
import { isObject, type JsonObject } from "../domain/fields/Values.ts"
import { settingsToJson } from "../settings/FileModels.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { baseKeys, type Json, type ProposedKey, routingKeys, type RunningValues } from "./SettingsValues.ts"
import { deviceFiles, type Files, withDevices, withEntry, withItems, withKey } from "./SettingsEdits.ts"

/** What a proposal is judged by, and the settings that it is made for. */
export interface Trial {
  readonly files: Files
  readonly snapshot: SettingsSnapshot
}

const comparable = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).filter(([, one]) => one !== null)) : part
  )

const isRoutingKey = (key: ProposedKey): boolean => routingKeys.some((one) => one === key)

/** The name of the file for a key, in a directory of the settings. */
const fileFor = (directory: string, key: ProposedKey): string =>
  `${directory}/${isRoutingKey(key) ? "routing.yml" : "base_system.yml"}`

const TYPES = [
  ["ACCESS", "access"],
  ["DIST", "dist"],
  ["CORE", "core"]
] as const

const mostCommon = (values: ReadonlyArray<Json>): Json | undefined => {
  const groups = [...Map.groupBy(values, comparable).values()].toSorted((one, other) => other.length - one.length)
  return groups[0]?.[0]
}

/** One change of files, as a person reads it. */
export interface Edit {
  readonly key: string
  readonly why: string
  readonly apply: (files: Files) => Files
  readonly file: string
}

const setting = (files: Files, file: string, text: string): Files => new Map([...files, [file, text]])

const keyEdit = (file: string, key: string, value: Json, why: string): Edit => ({
  file,
  key,
  why,
  apply: (files) => setting(files, file, withKey(files.get(file), key, value))
})

const deviceEdit = (hostname: string, key: ProposedKey, value: Json): Edit => {
  const file = fileFor(`devices/${hostname}`, key)
  return {
    file,
    key,
    why: `${hostname} runs another value than the others`,
    apply: (files) =>
      setting(new Map([...files, ...deviceFiles(hostname, files)]), file, withKey(files.get(file), key, value))
  }
}

/** A switch and what it runs. */
export interface Wanted {
  readonly device: Device
  readonly values: RunningValues
}

/** The effective settings of a device, as JSON; empty where they are wrong. */
export const effectiveOf = ({ snapshot }: Trial, device: Device): JsonObject => {
  const found = snapshot.layering.forDevice(device)
  const json = Result.isSuccess(found) ? settingsToJson(found.success.settings) : {}
  return isObject(json) ? json : {}
}

const switches = (count: number): string => (count === 1 ? "1 switch runs" : `${count} switches run`)

/** Edits that add the names of users that the settings do not have, to all if most switches have them; existing users stay as they are. */
const userEdits = (trial: Trial, wanted: ReadonlyArray<Wanted>): ReadonlyArray<Edit> => {
  const names = (value: unknown): ReadonlySet<unknown> =>
    new Set(Array.isArray(value) ? value.map((user: unknown) => (isObject(user) ? user["username"] : undefined)) : [])
  const missing = wanted.flatMap(({ device, values }) => {
    const known = names(effectiveOf(trial, device)["users"])
    const users = values.keys.users
    return Array.isArray(users)
      ? users.flatMap((user: Json) => (isObject(user) && !known.has(user["username"]) ? [user] : []))
      : []
  })
  const common = [...Map.groupBy(missing, comparable).values()].filter((alike) => alike.length * 2 > wanted.length)
  const items = common.flatMap(([user]) => (user === undefined ? [] : [user]))
  const file = "global/base_system.yml"
  if (items.length === 0) return []
  const why = `most switches have ${items.length === 1 ? "this user" : "these users"}; add a hash or a key yourself`
  return [
    {
      file,
      key: "users",
      why,
      apply: (files) => setting(files, file, withItems(files.get(file), "users", items))
    }
  ]
}

/** Edits that give a key its value: for all, for types that differ, for devices that differ from their type. */
const keyEdits = (trial: Trial, wanted: ReadonlyArray<Wanted>, key: ProposedKey): ReadonlyArray<Edit> => {
  const known = wanted.flatMap(({ device, values }) => {
    const value = values.keys[key]
    return value === undefined ? [] : [{ device, value, now: comparable(effectiveOf(trial, device)[key] ?? null) }]
  })
  if (known.every(({ now, value }) => now === comparable(value))) return []
  const edits: Array<Edit> = []
  const isRouting = isRoutingKey(key)
  const common = mostCommon(known.map(({ value }) => value))
  const sharing = known.filter(({ value }) => comparable(value) === comparable(common))
  const isCommon = !isRouting && common !== undefined && sharing.length * 2 > known.length
  if (isCommon && sharing.some(({ now }) => now !== comparable(common)))
    edits.push(keyEdit(fileFor("global", key), key, common, `${switches(sharing.length)} it`))
  const after = (device: Device, now: string): string => {
    const own = trial.files.get(fileFor(`devices/${device.hostname}`, key)) ?? ""
    return isCommon && !own.includes(`${key}:`) ? comparable(common) : now
  }
  const typeValue = new Map<string, Json>()
  for (const [type, directory] of isRouting ? [] : TYPES) {
    const alike = known.filter(({ device }) => device.device_type === type)
    const value = mostCommon(alike.map((one) => one.value))
    if (value === undefined) continue
    const file = fileFor(directory, key)
    const hasOwn = (trial.files.get(file) ?? "").includes(`${key}:`)
    if (!hasOwn && isCommon && comparable(value) === comparable(common)) continue
    const sharers = alike.filter((one) => comparable(one.value) === comparable(value))
    const isNeeded = sharers.some((one) => after(one.device, one.now) !== comparable(one.value))
    if (!isNeeded || sharers.length * 2 <= alike.length) continue
    typeValue.set(type, value)
    edits.push(keyEdit(file, key, value, `most ${type} switches run it`))
  }
  for (const { device, now, value } of known) {
    const reached = typeValue.has(device.device_type)
      ? comparable(typeValue.get(device.device_type))
      : after(device, now)
    if (reached === comparable(value)) continue
    // a directory of its own would take the ports of its model from a fabric switch
    const hasDirectory = [...trial.files.keys()].some((path) => path.startsWith(`devices/${device.hostname}/`))
    if (device.device_type === "ACCESS" || hasDirectory) edits.push(deviceEdit(device.hostname, key, value))
  }
  return edits
}

const entryName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z\d_]+/g, "_")
    .replace(/^_+|_+$/g, "") || "vlan"

const VXLANS = "global/vxlans.yml"
const FIRST_VNI = 100_000

/** Edits that give access switches the VLANs that they run; those of management domains are not in the settings. */
const vlanEdits = (
  trial: Trial,
  wanted: ReadonlyArray<Wanted>,
  managements: ReadonlySet<number>
): ReadonlyArray<Edit> => {
  const access = wanted.filter(({ device }) => device.device_type === "ACCESS")
  const vnis = new Map(wanted.flatMap(({ values }) => [...values.vnis]))
  const all = Result.getOrUndefined(trial.snapshot.layering.forType())
  const everything = all === undefined ? undefined : settingsToJson(all.settings.vxlans)
  const known = new Map<number, string>()
  for (const [name, vxlan] of Object.entries(isObject(everything) ? everything : {}))
    if (isObject(vxlan) && typeof vxlan["vlan_id"] === "number") known.set(vxlan["vlan_id"], name)
  const lacking = new Map<number, { name: string; hostnames: Array<string> }>()
  for (const { device, values } of access) {
    const own = effectiveOf(trial, device)["vxlans"]
    const ids = new Set(
      Object.values(isObject(own) ? own : {}).flatMap((vxlan) => (isObject(vxlan) ? [vxlan["vlan_id"]] : []))
    )
    for (const { id, name } of values.vlans) {
      if (ids.has(id) || managements.has(id)) continue
      const found = lacking.get(id) ?? { name, hostnames: [] }
      found.hostnames.push(device.hostname)
      lacking.set(id, found)
    }
  }
  return [...lacking]
    .toSorted(([one], [other]) => one - other)
    .map(([id, { hostnames, name }]): Edit => {
      const existing = known.get(id)
      const why = `${switches(hostnames.length)} VLAN ${id}`
      if (existing !== undefined)
        return {
          file: VXLANS,
          key: `vxlans.${existing}.devices`,
          why,
          apply: (files) => setting(files, VXLANS, withDevices(files.get(VXLANS) ?? "", "vxlans", existing, hostnames))
        }
      const entry = entryName(name)
      const value = { vni: vnis.get(id) ?? FIRST_VNI + id, vlan_id: id, vlan_name: name, devices: hostnames }
      return {
        file: VXLANS,
        key: `vxlans.${entry}`,
        why,
        apply: (files) => setting(files, VXLANS, withEntry(files.get(VXLANS), "vxlans", entry, value))
      }
    })
}

/**
 * The edits for each key and for the VLANs, in order. Each step sees the settings with the edits of the steps before it. `managements`
 * are the VLANs of management domains.
 */
export const editSteps = (
  wanted: ReadonlyArray<Wanted>,
  managements: ReadonlySet<number>
): ReadonlyArray<(trial: Trial) => ReadonlyArray<Edit>> => [
  ...[...baseKeys, ...routingKeys].map(
    (key) => (trial: Trial) => (key === "users" ? userEdits(trial, wanted) : keyEdits(trial, wanted, key))
  ),
  (trial) => vlanEdits(trial, wanted, managements)
]
