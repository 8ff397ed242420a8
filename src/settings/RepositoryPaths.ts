/**
 * Which files a settings repository consists of, where each setting belongs, and the check that the mandatory files and
 * directories are there (contract, settings §1.1). Paths are relative to the repository, with `/`.
 */
import { isHostname } from "../domain/Hostname.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"

/** Files below a group's or a device's directory, in the order in which they are layered. */
export const MEMBER_FILES = ["base_system.yml", "interfaces.yml", "routing.yml"] as const

const MANDATORY_FILES = [
  "global/base_system.yml",
  "global/groups.yml",
  "global/routing.yml",
  "global/vxlans.yml",
  "fabric/base_system.yml",
  "core/base_system.yml",
  "dist/base_system.yml",
  "access/base_system.yml"
] as const

const MANDATORY_DIRECTORIES = ["global", "fabric", "core", "dist", "access", "groups", "devices"] as const

/** The device types that have a directory of their own. */
export const TYPE_DIRECTORIES = { ACCESS: "access", DIST: "dist", CORE: "core" } as const

/** A device type that has settings of its own. */
export type SettingsType = keyof typeof TYPE_DIRECTORIES

const MODEL_FILE = /^(core|dist)\/interfaces_([^/]*)\.yml$/

/** The name of the file for a device model: `vEOS lab` → `interfaces_veos_lab.yml`. */
export const modelFileName = (model: string): string =>
  `interfaces_${model.trim().toLowerCase().replaceAll(/\s+/g, "_")}.yml`

/** The type and normalized model of a path such as `dist/interfaces_dcs-7050.yml`; undefined for any other path. */
export const modelOfPath = (path: string): { readonly type: "DIST" | "CORE"; readonly model: string } | undefined => {
  const match = MODEL_FILE.exec(path)
  return match === null ? undefined : { type: match[1] === "core" ? "CORE" : "DIST", model: match[2] ?? "" }
}

const SETTINGS_FILE = /^(global|fabric|core|dist|access)\/[^/]+\.yml$|^(groups|devices)\/[^/]+\/[^/]+\.yml$/

/** True for a path that is read as settings. */
export const isSettingsPath = (path: string): boolean => SETTINGS_FILE.test(path)

const SETTINGS_DIRECTORY = /^(?:global|fabric|core|dist|access|groups|devices)(?:\/|$)/

/** True for a path below the directories of settings, placeholders included; nothing else need be loaded. */
export const isWithinSettings = (path: string): boolean => SETTINGS_DIRECTORY.test(path)

/** Files of one commit by path. */
export interface PathSet {
  readonly has: (path: string) => boolean
  readonly isDirectory: (path: string) => boolean
  /** Names of the directories directly below `devices` or `groups`. */
  readonly children: (directory: "devices" | "groups") => ReadonlyArray<string>
}

/** Directories as they follow from the paths of files: git keeps no empty ones. */
export const pathSet = (paths: Iterable<string>): PathSet => {
  const files = new Set<string>()
  const directories = new Set<string>()
  for (const path of paths) {
    files.add(path)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end)
      if (directories.has(directory)) break
      directories.add(directory)
    }
  }
  const childrenOf = (parent: string) =>
    [...directories]
      .filter((directory) => directory.startsWith(`${parent}/`) && !directory.includes("/", parent.length + 1))
      .map((directory) => directory.slice(parent.length + 1))
  const known = { devices: childrenOf("devices"), groups: childrenOf("groups") }
  return {
    has: (path) => files.has(path),
    isDirectory: (path) => directories.has(path),
    children: (directory) => known[directory]
  }
}

/** The hostnames that have a directory below `devices`; other names are passed over. */
export const deviceDirectories = (paths: PathSet): ReadonlyArray<string> =>
  paths.children("devices").filter((name) => !name.startsWith(".") && isHostname(name))

const structureProblem = (message: string): SettingsProblem => ({ kind: "structure", message })

const fileProblems = (paths: PathSet, path: string, root: string): ReadonlyArray<SettingsProblem> => {
  if (paths.has(path)) return []
  const full = `${root}/${path}`
  return [structureProblem(paths.isDirectory(path) ? `${full} is not a regular file` : `File ${full} not found`)]
}

const directoryProblems = (paths: PathSet, path: string, root: string): ReadonlyArray<SettingsProblem> => {
  if (paths.isDirectory(path)) return []
  const full = `${root}/${path}`
  return [structureProblem(paths.has(path) ? `${full} is not a directory` : `Directory ${full} not found`)]
}

/**
 * Everything that is missing or of the wrong type: the fixed files and directories, and the three files in each
 * device's and each defined group's directory. `root` is put before the paths in messages.
 */
export const structureProblems = (
  paths: PathSet,
  groups: ReadonlyArray<string>,
  root: string
): ReadonlyArray<SettingsProblem> => {
  const defined = new Set(groups)
  const members = [
    ...paths.children("groups").flatMap((name) => (defined.has(name) ? [`groups/${name}`] : [])),
    ...deviceDirectories(paths).map((name) => `devices/${name}`)
  ]
  const directories = MANDATORY_DIRECTORIES.flatMap((path) => directoryProblems(paths, path, root))
  const missing = new Set(MANDATORY_DIRECTORIES.filter((path) => !paths.isDirectory(path)).map((path) => `${path}/`))
  const mandatory = MANDATORY_FILES.filter((path) => !missing.has(path.slice(0, path.indexOf("/") + 1)))
  return [
    ...directories,
    ...[...mandatory, ...members.flatMap((directory) => MEMBER_FILES.map((file) => `${directory}/${file}`))].flatMap(
      (path) => fileProblems(paths, path, root)
    )
  ]
}
