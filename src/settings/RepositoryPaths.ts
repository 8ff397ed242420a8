/**
 * The files of a settings repository, the place of each setting, and the check that the mandatory files and directories exist
 * (docs/settings-repository.md#files). Paths are relative to the repository, with `/`.
 */
import { finding, type SettingsProblem } from "./SettingsProblem.ts"
import { isHostname } from "../domain/Network.ts"

/** Files below a group's or a device's directory, in the order of their layers. */
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

/** The name of the file for a device model: `DCS-7050 X` → `interfaces_dcs_7050_x.yml`. */
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

/** Rules of alerts (docs/alerts.md): they come into force with the settings, and are not settings. */
export const ALERTS_FILE = "alerts.yml"

const SETTINGS_DIRECTORY = /^(?:global|fabric|core|dist|access|groups|devices)(?:\/|$)/

const SETTINGS_NAME =
  /^[^/.][^/]*\/(?:[^/]+\/)?(?:base_system|interfaces[^/]*|routing|vxlans|groups|access_lists)\.ya?ml$/

/** True for a file that looks like settings in an unknown directory, for instance because of a spelling mistake. */
const isMisplaced = (path: string): boolean => SETTINGS_NAME.test(path) && !SETTINGS_DIRECTORY.test(path)

/** True for a path below the directories of settings, placeholders included, and for misplaced ones; other files need not be loaded. */
export const isWithinSettings = (path: string): boolean =>
  path === ALERTS_FILE || SETTINGS_DIRECTORY.test(path) || isMisplaced(path)

const OPTIONAL_FILE = "global/access_lists.yml"

/** Why a file is never read; undefined when it may be, or for a file without settings, such as a README. */
export const whyUnused = (
  path: string,
  groups: ReadonlyMap<string, { readonly group_priority: number }>
): string | undefined => {
  if (/(^|\/)\./.test(path) || !/\.ya?ml$/.test(path)) return undefined
  if (path.endsWith(".yaml")) return "not used: only files that end in .yml are read"
  const [directory = "", name = "", file] = path.split("/")
  if (isMisplaced(path)) return `not used: there is no directory ${directory} among ${MANDATORY_DIRECTORIES.join(", ")}`
  if (file === undefined) {
    const fixed: ReadonlyArray<string> = [...MANDATORY_FILES, OPTIONAL_FILE]
    return fixed.includes(path) || MODEL_FILE.test(path) ? undefined : `not used: ${directory} has no file of this name`
  }
  if (directory === "groups" && !groups.has(name)) return `not used: there is no group ${name} in global/groups.yml`
  if (directory === "groups" && groups.get(name)?.group_priority === 0) {
    return `not used: group ${name} has no group_priority, so it is the primary group of no device`
  }
  if (directory === "devices" && !isHostname(name)) return `not used: ${name} is no hostname`
  const members: ReadonlyArray<string> = MEMBER_FILES
  return isSettingsPath(path) && members.includes(file)
    ? undefined
    : `not used: ${directory}/${name} has only the files ${MEMBER_FILES.join(", ")}`
}

/** Files of one commit by path. */
export interface PathSet {
  readonly has: (path: string) => boolean
  readonly isDirectory: (path: string) => boolean
  /** Names of the directories directly below `devices` or `groups`. */
  readonly children: (directory: "devices" | "groups") => ReadonlyArray<string>
}

/** Directories according to the paths of files: git stores no empty ones. */
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

/** The hostnames that have a directory below `devices`; other names are skipped. */
export const deviceDirectories = (paths: PathSet): ReadonlyArray<string> =>
  paths.children("devices").filter((name) => !name.startsWith(".") && isHostname(name))

/** A file or directory that is missing or of the wrong type. */
export const structureProblem = (path: string, message: string): SettingsProblem => ({
  kind: "structure",
  message,
  findings: [finding(path, [], message)]
})

const fileProblems = (paths: PathSet, path: string, root: string): ReadonlyArray<SettingsProblem> => {
  if (paths.has(path)) return []
  const full = `${root}/${path}`
  return [structureProblem(path, paths.isDirectory(path) ? `${full} is not a regular file` : `File ${full} not found`)]
}

const directoryProblems = (paths: PathSet, path: string, root: string): ReadonlyArray<SettingsProblem> => {
  if (paths.isDirectory(path)) return []
  const full = `${root}/${path}`
  return [structureProblem(path, paths.has(path) ? `${full} is not a directory` : `Directory ${full} not found`)]
}

/**
 * Everything that is missing or of the wrong type: the fixed files and directories, and the three files in each device's and
 * each defined group's directory. `root` is the prefix of paths in messages: the name of the repository, never a path of the
 * server.
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
