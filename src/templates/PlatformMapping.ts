/** Reading `mapping.yml`: which template each device type of a platform starts from (docs/templates.md#files). */
import { Array as Arr, Result } from "effect"
import { pathText, type Remark, remark, remarkText } from "../domain/Repository.ts"
import { pythonTypeName } from "../settings/PythonText.ts"
import { readYaml } from "../settings/YamlFile.ts"
import { placesIn } from "../settings/YamlPlaces.ts"

/** What one device type is rendered with. */
export interface MappingEntry {
  /** Template file, relative to the platform's directory. */
  readonly entrypoint: string
  /** Further files whose change concerns the device type. */
  readonly dependencies: ReadonlyArray<string>
  /** Whether the running configuration has to be read from the device before rendering. */
  readonly needsRunningConfig: boolean
}

/** Entries by device type. */
export type PlatformMapping = ReadonlyMap<string, MappingEntry>

/** A mapping, or everything that is wrong with it. */
export type MappingOrFaults = Result.Result<PlatformMapping, Arr.NonEmptyReadonlyArray<Remark>>

/** Why an entry cannot be used: what is wrong, and below which keys. */
interface EntryFault {
  readonly message: string
  readonly path: ReadonlyArray<string>
}

const FILE = "mapping.yml"
const DEVICE_TYPES = ["ACCESS", "DIST", "CORE"] as const

const entryFault = (type: string, reason: string, ...keys: ReadonlyArray<string>): EntryFault => ({
  message: `Could not parse ${FILE} in template repo for ${type}, ${reason}`,
  path: [type, ...keys]
})

const readEntry = (type: string, value: unknown): Result.Result<MappingEntry, EntryFault> => {
  if (!(value instanceof Map)) {
    return Result.fail(entryFault(type, `expected a mapping, not ${pythonTypeName(value)}`))
  }
  const entrypoint: unknown = value.get("entrypoint")
  if (entrypoint === undefined) return Result.fail(entryFault(type, "value not found: 'entrypoint'"))
  if (typeof entrypoint !== "string" || entrypoint === "") {
    const reason = `'entrypoint' must be the name of a file, not ${pythonTypeName(entrypoint)}`
    return Result.fail(entryFault(type, reason, "entrypoint"))
  }
  const dependencies: unknown = value.get("dependencies")
  return Result.succeed({
    entrypoint,
    dependencies: Array.isArray(dependencies) ? dependencies.filter((name) => typeof name === "string") : [],
    needsRunningConfig: Array.isArray(value.get("unmanaged_config_sections"))
  })
}

const placedIn = (text: string, onKey = false) => {
  const places = placesIn(text)
  return ({ message, path }: EntryFault): Remark => {
    const place = places(path, onKey)
    return remark(message, {
      file: FILE,
      line: place?.line ?? null,
      column: place?.column ?? null,
      path: pathText(path)
    })
  }
}

const ENTRY_KEYS = ["entrypoint", "dependencies", "unmanaged_config_sections"]
const TYPES: ReadonlyArray<unknown> = DEVICE_TYPES

const entryDoubts = (type: unknown, entry: ReadonlyMap<unknown, unknown>): ReadonlyArray<EntryFault> => {
  const doubt = (key: unknown, message: string) => ({ message, path: [String(type), String(key)] })
  const dependencies: unknown = entry.get("dependencies")
  const isList = dependencies === undefined || Array.isArray(dependencies)
  return [
    ...[...entry.keys()]
      .filter((key) => typeof key !== "string" || !ENTRY_KEYS.includes(key))
      .map((key) => doubt(key, `nothing here has this name; known are ${ENTRY_KEYS.join(", ")}`)),
    ...(isList
      ? []
      : [doubt("dependencies", `not used: expected a list of files, not ${pythonTypeName(dependencies)}`)])
  ]
}

/** What is doubtful in a mapping that can be used: keys given twice, names that nothing knows. */
export const mappingRemarks = (text: string): ReadonlyArray<Remark> => {
  const file = readYaml(FILE, text)
  if (Result.isFailure(file) || !(file.success.value instanceof Map)) return []
  const doubts = [...file.success.value].flatMap(([type, entry]: readonly [unknown, unknown]) => [
    ...(TYPES.includes(type)
      ? []
      : [{ message: `no device has this type; known are ${DEVICE_TYPES.join(", ")}`, path: [String(type)] }]),
    ...(entry instanceof Map ? entryDoubts(type, entry) : [])
  ])
  return [...file.success.warnings, ...doubts.map(placedIn(text, true))]
}

/**
 * The mapping in a text. `directory` is the platform's directory as messages name it. Fails with the exact messages of
 * docs/templates.md#who-becomes-unsynchronized, all of them.
 */
export const readMapping = (directory: string, text: string): MappingOrFaults => {
  const unreadable = (reason: string, place: Partial<Remark>): MappingOrFaults =>
    Result.fail(
      Arr.of({ ...remark(`Could not parse ${directory}/${FILE} in template repo: ${reason}`, place), file: FILE })
    )
  const file = readYaml(FILE, text)
  if (Result.isFailure(file)) return unreadable(remarkText(file.failure), file.failure)
  const { value } = file.success
  if (!(value instanceof Map)) return unreadable(`expected a mapping of device types, not ${pythonTypeName(value)}`, {})
  const entries = [...value].map(([type, entry]) => [String(type), readEntry(String(type), entry)] as const)
  const faults = entries.flatMap(([, entry]) => (Result.isFailure(entry) ? [entry.failure] : []))
  if (Arr.isReadonlyArrayNonEmpty(faults)) return Result.fail(Arr.map(faults, placedIn(text)))
  return Result.succeed(
    new Map(entries.flatMap(([type, entry]) => (Result.isSuccess(entry) ? [[type, entry.success] as const] : [])))
  )
}
