/** Small settings repositories as data: a valid one, and what a test changes in it. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Result } from "effect"
import type { EffectiveSettings, LayeringResult, SettingsTarget } from "../../src/settings/Layering.ts"
import type { SettingsProblem } from "../../src/settings/SettingsProblem.ts"
import { buildSnapshot, type SettingsSnapshot, type SnapshotInput } from "../../src/settings/SettingsSnapshot.ts"

/** Stands before paths in messages. */
export const root = "/data/settings"

const MINIMAL: Readonly<Record<string, string>> = {
  "global/base_system.yml": "",
  "global/groups.yml": "groups: []\n",
  "global/routing.yml": "",
  "global/vxlans.yml": "",
  "fabric/base_system.yml": "",
  "core/base_system.yml": "",
  "dist/base_system.yml": "",
  "access/base_system.yml": "",
  "groups/.gitkeep": "",
  "devices/.gitkeep": ""
}

/** The minimal repository with other files; `null` takes a file away. */
export const filesWith = (changes: Readonly<Record<string, string | null>>): ReadonlyMap<string, string> => {
  const files = new Map(Object.entries(MINIMAL))
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) files.delete(path)
    else files.set(path, text)
  }
  return files
}

/** The three files of a device's or group's directory. */
export const memberFiles = (
  directory: string,
  texts: Partial<Record<"base_system" | "interfaces" | "routing", string>>
) => ({
  [`${directory}/base_system.yml`]: texts.base_system ?? "",
  [`${directory}/interfaces.yml`]: texts.interfaces ?? "",
  [`${directory}/routing.yml`]: texts.routing ?? ""
})

export const success = <A, E>(result: Result.Result<A, E>): A => {
  if (Result.isSuccess(result)) return result.success
  throw new Error(`expected success, got ${JSON.stringify(result.failure)}`)
}

export const failure = <A, E>(result: Result.Result<A, E>): E => {
  if (Result.isFailure(result)) return result.failure
  throw new Error("expected a failure")
}

/** The snapshot of the minimal repository with changes. */
export const snapshotWith = (
  changes: Readonly<Record<string, string | null>>,
  options: Partial<SnapshotInput> = {}
): SettingsSnapshot => success(buildSnapshot({ files: filesWith(changes), root, ...options }))

export const settingsOf = (layered: LayeringResult): EffectiveSettings => success(layered)

export const messages = (problems: ReadonlyArray<SettingsProblem>): ReadonlyArray<string> =>
  problems.map((problem) => problem.message)

/** A device of a type, with nothing else known. */
export const device = (hostname: string, device_type: SettingsTarget["device_type"], model: string | null = null) => ({
  hostname,
  device_type,
  model
})

const examples = fileURLToPath(new URL("../../examples/settings", import.meta.url))

/** The files of the example repository that the project carries. */
export const exampleFiles = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(examples, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .map((path) => [path.slice(examples.length + 1), readFileSync(path, "utf8")])
  )
