/**
 * Which devices are no longer synchronized after the templates have changed (docs/templates.md#who-becomes-unsynchronized).
 * Pure.
 */
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { MappingEntry } from "./PlatformMapping.ts"
import { reachOf } from "./TemplateReferences.ts"
import { MAPPING_FILE, type TemplatePlatform, type TemplateSnapshot } from "./TemplateSnapshot.ts"

/** Devices of one type on one platform. */
export interface AffectedType {
  readonly platform: string
  readonly device_type: string
}

const entryIn = (platform: TemplatePlatform | undefined, type: string): MappingEntry | undefined =>
  platform !== undefined && Result.isSuccess(platform.mapping) ? platform.mapping.success.get(type) : undefined

const typesIn = (platform: TemplatePlatform | undefined): ReadonlyArray<string> =>
  platform !== undefined && Result.isSuccess(platform.mapping) ? [...platform.mapping.success.keys()] : []

const sameEntry = (a: MappingEntry | undefined, b: MappingEntry | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.entrypoint === b.entrypoint &&
  a.needsRunningConfig === b.needsRunningConfig &&
  [...a.dependencies].toSorted().join("\0") === [...b.dependencies].toSorted().join("\0")

/** Is one of these files among those that the entry is rendered with? `changed` are paths in the platform's directory. */
const dependsOn = (platform: TemplatePlatform | undefined, type: string, changed: ReadonlySet<string>): boolean => {
  const entry = entryIn(platform, type)
  if (platform === undefined || entry === undefined) return false
  const { computed, files } = reachOf(platform, [entry.entrypoint, ...entry.dependencies])
  if (!files.isDisjointFrom(changed)) return true
  return computed && [...changed].some((file) => file !== MAPPING_FILE)
}

const changedByPlatform = (changedPaths: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const platforms = new Map<string, Set<string>>()
  for (const path of changedPaths) {
    const slash = path.indexOf("/")
    if (slash <= 0) continue
    const name = path.slice(0, slash)
    const files = platforms.get(name) ?? new Set<string>()
    platforms.set(name, files.add(path.slice(slash + 1)))
  }
  return platforms
}

/**
 * The device types, by platform, whose configuration may differ: their entry point, a listed dependency or a file that
 * these lead to has changed, or their entry in the mapping has. A template that computes names of files counts as
 * depending on every file of its platform. `before` is the snapshot that was in force, if any.
 */
export const affectedTypes = (
  changedPaths: Iterable<string>,
  before: TemplateSnapshot | undefined,
  after: TemplateSnapshot
): ReadonlyArray<AffectedType> =>
  [...changedByPlatform(changedPaths)].flatMap(([name, changed]) => {
    const [old, current] = [before?.platforms.get(name), after.platforms.get(name)]
    const types = new Set([...typesIn(current), ...typesIn(old)])
    return [...types]
      .filter((type) => {
        const remapped = changed.has(MAPPING_FILE) && !sameEntry(entryIn(old, type), entryIn(current, type))
        return remapped || dependsOn(current, type, changed) || dependsOn(old, type, changed)
      })
      .map((type) => ({ platform: name, device_type: type }))
  })

/** The devices of these types, in the order given; state does not matter. */
export const devicesOfTypes = <D extends Pick<Device, "platform" | "device_type">>(
  affected: ReadonlyArray<AffectedType>,
  devices: ReadonlyArray<D>
): ReadonlyArray<D> => {
  const wanted = new Set(affected.map(({ device_type, platform }) => `${platform}\0${device_type}`))
  return devices.filter(({ device_type, platform }) => wanted.has(`${platform}\0${device_type}`))
}

/** The paths that differ between two snapshots, for when there are no commits to compare. */
export const changedTemplateFiles = (before: TemplateSnapshot, after: TemplateSnapshot): ReadonlyArray<string> => {
  const names = new Set([...before.platforms.keys(), ...after.platforms.keys()])
  return [...names].flatMap((name) => {
    const old = before.platforms.get(name)?.files ?? new Map<string, string>()
    const current = after.platforms.get(name)?.files ?? new Map<string, string>()
    const paths = new Set([...old.keys(), ...current.keys()])
    return [...paths].filter((path) => old.get(path) !== current.get(path)).map((path) => `${name}/${path}`)
  })
}
