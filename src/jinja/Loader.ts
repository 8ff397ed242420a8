/**
 * Where templates come from, and how their names are resolved: relative to the directory of the file that asks, never above the
 * root. See docs/templates.md#files.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"

/** Gives the text of a template; undefined if there is none of this name. Names are relative to the root, with slashes. */
export interface Loader {
  readonly read: (name: string) => string | undefined
}

/**
 * The name that `name` means in the file `from`: joined to that file's directory; with a slash in front, counted from the
 * root. Undefined for names with a `..` segment, which lead nowhere.
 */
export const resolveName = (name: string, from: string): string | undefined => {
  if (/[\\\0]/.test(name)) return undefined
  const directory = name.startsWith("/") ? [] : from.split("/").slice(0, -1)
  const segments = [...directory, ...name.split("/")].filter((segment) => segment !== "" && segment !== ".")
  return segments.length === 0 || segments.includes("..") ? undefined : segments.join("/")
}

/** Templates held in memory: a map from name to text, such as the files of a commit. */
export const memoryLoader = (files: ReadonlyMap<string, string> | Readonly<Record<string, string>>): Loader => {
  const map = files instanceof Map ? files : new Map(Object.entries(files))
  return { read: (name) => map.get(name) }
}

const largestFile = 4 * 1024 * 1024

/** Templates in a directory. Symbolic links that lead out of it and files larger than 4 MiB are not found. */
export const directoryLoader = (directory: string): Loader => ({
  read: (name) => {
    try {
      const root = realpathSync(directory)
      const path = realpathSync(join(root, name))
      const stat = statSync(path)
      if (!path.startsWith(root + sep) || !stat.isFile() || stat.size > largestFile) return undefined
      return readFileSync(path, "utf8")
    } catch {
      return undefined
    }
  }
})
