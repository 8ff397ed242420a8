/** Reading `mapping.yml`: which template each device type of a platform starts from (contract, settings §1.2). */
import { Array as Arr, Result } from "effect"
import { pythonTypeName } from "../settings/PythonText.ts"
import { readYaml } from "../settings/YamlFile.ts"

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

type MappingOrFaults = Result.Result<PlatformMapping, Arr.NonEmptyReadonlyArray<string>>

const FILE = "mapping.yml"

const entryFault = (type: string, reason: string): string =>
  `Could not parse ${FILE} in template repo for ${type}, ${reason}`

const readEntry = (type: string, value: unknown): Result.Result<MappingEntry, string> => {
  if (!(value instanceof Map)) {
    return Result.fail(entryFault(type, `expected a mapping, not ${pythonTypeName(value)}`))
  }
  const entrypoint: unknown = value.get("entrypoint")
  if (entrypoint === undefined) return Result.fail(entryFault(type, "value not found: 'entrypoint'"))
  if (typeof entrypoint !== "string" || entrypoint === "") {
    return Result.fail(entryFault(type, `'entrypoint' must be the name of a file, not ${pythonTypeName(entrypoint)}`))
  }
  const dependencies: unknown = value.get("dependencies")
  return Result.succeed({
    entrypoint,
    dependencies: Array.isArray(dependencies) ? dependencies.filter((name) => typeof name === "string") : [],
    needsRunningConfig: Array.isArray(value.get("unmanaged_config_sections"))
  })
}

/**
 * The mapping in a text. `directory` is the platform's directory as messages name it. Fails with the exact messages of
 * contract, settings §7.3, all of them.
 */
export const readMapping = (directory: string, text: string): MappingOrFaults => {
  const unreadable = (reason: string): MappingOrFaults =>
    Result.fail(Arr.of(`Could not parse ${directory}/${FILE} in template repo: ${reason}`))
  const file = readYaml(FILE, text)
  if (Result.isFailure(file)) return unreadable(file.failure.replace(/^Could not parse /, ""))
  const { value } = file.success
  if (!(value instanceof Map)) return unreadable(`expected a mapping of device types, not ${pythonTypeName(value)}`)
  const entries = [...value].map(([type, entry]) => [String(type), readEntry(String(type), entry)] as const)
  const faults = entries.flatMap(([, entry]) => (Result.isFailure(entry) ? [entry.failure] : []))
  if (Arr.isReadonlyArrayNonEmpty(faults)) return Result.fail(faults)
  return Result.succeed(
    new Map(entries.flatMap(([type, entry]) => (Result.isSuccess(entry) ? [[type, entry.success] as const] : [])))
  )
}
