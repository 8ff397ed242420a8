/**
 * Lays the files of a snapshot over each other (docs/settings-repository.md#layers). The layers of a device are cheap to find;
 * their result is computed once for each distinct set of layers and shared by all devices that have it, so that ten thousand
 * devices cost little more than their distinct combinations.
 */
import { Array as Arr, Predicate, Result } from "effect"
import { type Device, isFabricType } from "../domain/Device.ts"
import { MEMBER_FILES, modelFileName, type PathSet, type SettingsType, TYPE_DIRECTORIES } from "./RepositoryPaths.ts"
import { finding, type Finding, type SettingsProblem, validationProblem } from "./SettingsProblem.ts"
import { type Audience, filterFile, type Mentions, mentionsIn, type SettingsFile } from "./SettingsFile.ts"
import { type GroupMember, type Membership, membershipOf, type SettingsGroup } from "./SettingsGroups.ts"
import { completeSettings, type Fault, isSettingKey, settingKeys, type SettingValidator } from "./SettingValidator.ts"
import type { Settings } from "./SettingsModel.ts"

// How the values of layers are combined, and which file of several layers contains a value, for messages about it.

/** A file that sets a value, and its number of items in a list. */
interface Source {
  readonly file: string
  readonly items: number
}

/** The source of a value of one layer; none for a value from no file. */
const sourcesIn = (file: string | undefined, value: unknown): ReadonlyArray<Source> =>
  file === undefined ? [] : [{ file, items: Array.isArray(value) ? value.length : 0 }]

/** The place of a value. The position in a combined list counts from the beginning of its file's own part. */
export const sourceOfPath = (
  sources: ReadonlyArray<Source>,
  path: Finding["path"]
): Pick<Finding, "files" | "path"> => {
  const [key, position, ...rest] = path
  if (key === undefined || !Predicate.isNumber(position) || sources.length < 2) {
    return { files: sources.map(({ file }) => file), path }
  }
  let left = position
  for (const { file, items } of sources) {
    if (left < items) return { files: [file], path: [key, left, ...rest] }
    left -= items
  }
  return { files: [], path }
}

/** Two values of a merged key: mappings key by key, lists one after the other; other values do not merge. */
const merge = (before: unknown, after: unknown): unknown => {
  if (before instanceof Map && after instanceof Map) return new Map([...before, ...after])
  return Array.isArray(before) && Array.isArray(after) ? [...before, ...after] : undefined
}

/** Wrong values of one file. */
export const problemIn = (file: string, origin: string, faults: ReadonlyArray<Fault>): SettingsProblem =>
  validationProblem(
    faults,
    () => origin,
    (path) => ({ files: [file], path })
  )

/** The settings of a device or device type, and the origin of each top-level key. */
export interface EffectiveSettings {
  readonly settings: Settings
  /** The origin of each key in its long form, such as `global->base_system.yml`; unknown keys are listed too. */
  readonly origins: ReadonlyMap<string, string>
  /** The files of each key, in the order of their layers; more than one for a merged key. */
  readonly sources: ReadonlyMap<string, ReadonlyArray<string>>
}

/** The fields of a device that its settings depend on. A full device record fits. */
export type SettingsTarget = GroupMember & Pick<Device, "device_type"> & Partial<Pick<Device, "model">>

/** Settings, or every problem that was found on the way. */
export type LayeringResult<A = EffectiveSettings> = Result.Result<A, Arr.NonEmptyReadonlyArray<SettingsProblem>>

/** One layer: values by key with a common origin. `id` is equal for equal layers of one snapshot. */
interface Layer {
  readonly id: string
  readonly origin: string
  /** Undefined for values from no file. */
  readonly file?: string
  readonly values: ReadonlyMap<unknown, unknown>
}

interface PlacedValue {
  readonly value: unknown
  readonly origin: string
  readonly sources: ReadonlyArray<Source>
}

interface LayeredSettings extends EffectiveSettings {
  /** The vxlans before validation, for the distribution switches above an access switch. */
  readonly vxlans: unknown
}

/** The input of the layering. */
interface LayeringInput {
  readonly files: ReadonlyMap<string, SettingsFile>
  readonly paths: PathSet
  readonly groups: ReadonlyArray<SettingsGroup>
  readonly validator: SettingValidator
  readonly keysToMerge: ReadonlySet<string>
}

const DEFAULTS: Layer = {
  id: "default",
  origin: "default",
  values: new Map<string, unknown>([
    ["ntp_servers", []],
    ["radius_servers", []],
    ["syslog_servers", []],
    ["snmp_servers", []],
    ["dns_servers", []],
    ["vrfs", []],
    ["vxlans", new Map()]
  ])
}

/** The most cached results; beyond that the cache is emptied. */
const MAX_KEPT = 50_000

/** The most devices whose groups are cached: more than a server has, because a question about a group is a question about all devices. */
const MAX_MEMBERSHIPS = 500_000

const remember = <K, V>(known: Map<K, V>, key: K, make: () => V, most = MAX_KEPT): V => {
  const old = known.get(key)
  if (old !== undefined) return old
  const value = make()
  if (known.size >= most) known.clear()
  known.set(key, value)
  return value
}

const fail = (problem: SettingsProblem) => Result.fail(Arr.of(problem))

/** The layers of one snapshot. */
export class Layering {
  readonly #input: LayeringInput
  readonly #filtered = new Map<string, LayeringResult<Layer>>()
  readonly #mentions = new Map<string, Mentions>()
  readonly #memberships = new Map<string, Membership>()
  /** Each combination of groups once, because most devices share theirs with many others. */
  readonly #combinations = new Map<string, Membership>()
  readonly #results = new Map<string, LayeringResult<LayeredSettings>>()
  readonly #objectIds = new WeakMap<object, number>()
  #nextId = 0

  constructor(input: LayeringInput) {
    this.#input = input
  }

  /** The groups of a device and the primary one. */
  membership(device: GroupMember): Membership {
    const { device_type: type, hostname, model, os_version: version, platform } = device
    const key = [hostname, type, model, version, platform].join("\0")
    const find = () => {
      const found = membershipOf(this.#input.groups, device)
      return remember(this.#combinations, found.groups.join("\0"), () => found)
    }
    return remember(this.#memberships, key, find, MAX_MEMBERSHIPS)
  }

  /** The settings of a device type, or without one those for every device; nothing is filtered. */
  forType(type?: Device["device_type"]): LayeringResult {
    if (type === "UNKNOWN") {
      const message = "It's not possible to get settings for devices with type UNKNOWN"
      return fail({ kind: "other", message })
    }
    return this.#compose(this.#commonLayers(type, undefined), [], [])
  }

  /**
   * The settings of a device. `downstream` are the access switches linked to a distribution switch, in the order of the
   * linknets: their vxlans are added (docs/settings-repository.md#vxlans-from-below); for other types it has no meaning.
   */
  forDevice(device: SettingsTarget, downstream: ReadonlyArray<SettingsTarget> = []): LayeringResult {
    return this.#forDevice(device, downstream)
  }

  #forDevice(device: SettingsTarget, downstream: ReadonlyArray<SettingsTarget>): LayeringResult<LayeredSettings> {
    const membership = this.membership(device)
    const audience: Audience = { groups: membership.groupSet, hostname: device.hostname }
    const below: Array<ReadonlyMap<unknown, unknown>> = []
    for (const neighbor of device.device_type === "DIST" ? downstream : []) {
      const laid = this.#forDevice(neighbor, [])
      if (Result.isFailure(laid)) return Result.fail(laid.failure)
      if (laid.success.vxlans instanceof Map) below.push(laid.success.vxlans)
    }
    const own = [...this.#groupLayers(membership), ...this.#deviceLayers(device, audience)]
    return this.#compose(this.#commonLayers(device.device_type, audience), below, own)
  }

  #commonLayers(
    type: Device["device_type"] | undefined,
    audience: Audience | undefined
  ): ReadonlyArray<LayeringResult<Layer>> {
    const byGroup = audience && { ...audience, hostname: undefined }
    const ofType = type === undefined || type === "UNKNOWN" ? [] : [this.#ofType(type)]
    const optional = this.#input.files.has("global/access_lists.yml")
    return [
      Result.succeed(DEFAULTS),
      this.#layer("global/base_system.yml", "global->base_system.yml", byGroup),
      ...(isFabricType(type) ? [this.#layer("fabric/base_system.yml", "fabric->base_system.yml")] : []),
      ...ofType,
      this.#layer("global/routing.yml", "global->routing.yml", byGroup),
      this.#layer("global/vxlans.yml", "global->vxlans.yml", audience),
      ...(optional ? [this.#layer("global/access_lists.yml", "global->access_lists.yml", byGroup)] : [])
    ]
  }

  #ofType(type: SettingsType): LayeringResult<Layer> {
    return this.#layer(`${TYPE_DIRECTORIES[type]}/base_system.yml`, "devicetype->base_system.yml")
  }

  #groupLayers({ primary: { name } }: Membership): ReadonlyArray<LayeringResult<Layer>> {
    if (!this.#input.paths.isDirectory(`groups/${name}`)) return []
    return MEMBER_FILES.map((file) => this.#layer(`groups/${name}/${file}`, `groups->${name}->${file}`))
  }

  #deviceLayers(device: SettingsTarget, audience: Audience): ReadonlyArray<LayeringResult<Layer>> {
    const { device_type: type, hostname, model } = device
    if (this.#input.paths.isDirectory(`devices/${hostname}`)) {
      const byGroup = { ...audience, hostname: undefined }
      return MEMBER_FILES.map((file) =>
        this.#layer(
          `devices/${hostname}/${file}`,
          `device->${hostname}->${file}`,
          file === "routing.yml" ? byGroup : undefined
        )
      )
    }
    if ((type !== "DIST" && type !== "CORE") || model === null || model === undefined) return []
    const directory = TYPE_DIRECTORIES[type]
    const file = modelFileName(model)
    return this.#input.files.has(`${directory}/${file}`)
      ? [this.#layer(`${directory}/${file}`, `${directory}->${file}`)]
      : []
  }

  #layer(path: string, origin: string, audience?: Audience): LayeringResult<Layer> {
    const content = this.#input.files.get(path)?.content
    if (content === undefined) return fail({ kind: "structure", message: `File ${path} not found` })
    if (Result.isFailure(content)) return fail(content.failure)
    const { values } = content.success
    if (audience === undefined) return Result.succeed({ id: path, origin, file: path, values })
    const id = `${path}\0${this.#signature(path, values, audience)}`
    return remember(this.#filtered, id, () => this.#filter({ id, origin, file: path, values }, audience))
  }

  /** The result of filtering depends on which of the names in the file are this device or its groups. */
  #signature(path: string, values: ReadonlyMap<unknown, unknown>, { groups, hostname }: Audience): string {
    const mentions = remember(this.#mentions, path, () => mentionsIn(values))
    const named = mentions.groups.filter((name) => groups.has(name)).join(",")
    if (hostname === undefined) return named
    return `${named}\0${mentions.devices.has(hostname) ? hostname : ""}`
  }

  #filter({ file, id, origin, values }: Layer & { readonly file: string }, audience: Audience): LayeringResult<Layer> {
    const faults = this.#faultsIn(values)
    if (faults.length > 0) return fail(problemIn(file, origin, faults))
    return Result.mapBoth(filterFile(values, audience), {
      onFailure: (message) =>
        Arr.of<SettingsProblem>({ kind: "other", message, findings: [finding(file, [], message)] }),
      onSuccess: (kept) => ({ id, origin, file, values: kept })
    })
  }

  #faultsIn(values: ReadonlyMap<unknown, unknown>): ReadonlyArray<Fault> {
    return settingKeys.flatMap((key) => {
      if (!values.has(key) || !isSettingKey(key)) return []
      const outcome = this.#input.validator.setting(key, values.get(key))
      return Result.isFailure(outcome) ? outcome.failure : []
    })
  }

  #compose(
    common: ReadonlyArray<LayeringResult<Layer>>,
    downstream: ReadonlyArray<ReadonlyMap<unknown, unknown>>,
    own: ReadonlyArray<LayeringResult<Layer>>
  ): LayeringResult<LayeredSettings> {
    const first = Result.all(common)
    if (Result.isFailure(first)) return Result.fail(first.failure)
    const second = Result.all(own)
    if (Result.isFailure(second)) return Result.fail(second.failure)
    const ids = [
      ...first.success.map((layer) => layer.id),
      ...downstream.map((vxlans) => this.#idOf(vxlans)),
      ...second.success.map((layer) => layer.id)
    ]
    return remember(this.#results, ids.join("\u0001"), () => {
      const placed = new Map<string, PlacedValue>()
      for (const layer of first.success) this.#lay(placed, layer)
      addDownstream(placed, downstream)
      for (const layer of second.success) this.#lay(placed, layer)
      return this.#validate(placed)
    })
  }

  #idOf(object: object): number {
    const known = this.#objectIds.get(object)
    if (known !== undefined) return known
    this.#nextId += 1
    this.#objectIds.set(object, this.#nextId)
    return this.#nextId
  }

  #lay(placed: Map<string, PlacedValue>, { file, origin, values }: Layer): void {
    for (const [key, value] of values) {
      const name = String(key)
      const before = placed.get(name)
      const sources = sourcesIn(file, value)
      const merged = before !== undefined && this.#input.keysToMerge.has(name) ? merge(before.value, value) : undefined
      if (before === undefined || merged === undefined) placed.set(name, { value, origin, sources })
      else {
        const all = [...before.sources, ...sources]
        placed.set(name, { value: merged, origin: `${before.origin}, ${origin}`, sources: all })
      }
    }
  }

  #validate(placed: ReadonlyMap<string, PlacedValue>): LayeringResult<LayeredSettings> {
    const values = new Map<string, unknown>()
    const faults: Array<Fault> = []
    for (const key of settingKeys) {
      const given = placed.get(key)
      if (given === undefined || !isSettingKey(key)) continue
      const outcome = this.#input.validator.setting(key, given.value)
      if (Result.isSuccess(outcome)) values.set(key, outcome.success)
      else faults.push(...outcome.failure)
    }
    if (faults.length > 0) {
      const originOf = (key: string) => placed.get(key)?.origin ?? "unknown"
      const sourceOf = (path: Fault["path"]) => sourceOfPath(placed.get(String(path[0]))?.sources ?? [], path)
      return fail(validationProblem(faults, originOf, sourceOf))
    }
    const origins = new Map([...placed].map(([key, { origin }]) => [key, origin]))
    const sources = new Map([...placed].map(([key, { sources: all }]) => [key, all.map(({ file }) => file)]))
    const vxlans = placed.get("vxlans")?.value
    return Result.succeed({ settings: completeSettings(values), origins, sources, vxlans })
  }
}

const addDownstream = (
  placed: Map<string, PlacedValue>,
  downstream: ReadonlyArray<ReadonlyMap<unknown, unknown>>
): void => {
  const before = placed.get("vxlans")
  if (before === undefined || !(before.value instanceof Map) || downstream.length === 0) return
  const all = new Map<unknown, unknown>(before.value)
  for (const vxlans of downstream) for (const [name, vxlan] of vxlans) if (!all.has(name)) all.set(name, vxlan)
  if (all.size > before.value.size) placed.set("vxlans", { ...before, value: all })
}
