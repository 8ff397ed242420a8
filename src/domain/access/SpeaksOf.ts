/** Which calls a permission speaks of (docs/roles.md#permissions). Apart from the rest, because the web page asks it too. Pure. */
import { matchesGlob } from "./Glob.ts"
import type { Permission } from "./PermissionRule.ts"

/** `*` names everything. */
export const includes = (list: ReadonlyArray<string>, word: string): boolean =>
  list.includes("*") || list.includes(word)

export const matchesPath = (endpoints: ReadonlyArray<string>, path: string): boolean =>
  endpoints.some((glob) => glob === "*" || glob === path || matchesGlob(glob, path))

/** Whether a permission speaks of this method and path, whatever else it narrows. */
export const speaksOf = ({ endpoints = [], methods = [] }: Permission, method: string, path: string): boolean =>
  includes(methods, method) && matchesPath(endpoints, path)
