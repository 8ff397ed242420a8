/** Which calls a permission speaks of (docs/roles.md#permissions). Apart from the rest, because the web page asks it too. Pure. */
import { matchesGlob } from "./Glob.ts"
import type { Permission } from "./PermissionRule.ts"

/** `*` names everything. */
export const includes = (list: ReadonlyArray<string>, word: string): boolean =>
  list.includes("*") || list.includes(word)

export const matchesPath = (endpoints: ReadonlyArray<string>, path: string): boolean =>
  endpoints.some((glob) => glob === "*" || glob === path || matchesGlob(glob, path))

/**
 * Calls that need a right of their own beside their method and path: who may call everything else need not have it. Whoever says which host
 * key is a switch's says as well which switch gets the fleet's login.
 */
const ownRights: ReadonlyArray<{ readonly right: string; readonly method: string; readonly path: RegExp }> = [
  { right: "trust", method: "POST", path: /^\/device\/[^/]+\/(?:trust|hostkey\/approve)$/ },
  { right: "trust", method: "PUT", path: /^\/device\/[^/]+\/host_key$/ },
  { right: "trust", method: "POST", path: /^\/device_hostkeys\/approve$/ }
]

/** The right of its own that a call needs and a permission has not; undefined when there is none. */
export const missingRight = ({ rights = [] }: Permission, method: string, path: string): string | undefined =>
  ownRights.find((own) => own.method === method && own.path.test(path) && !includes(rights, own.right))?.right

/** Whether a permission speaks of this method and path, whatever else it narrows. */
export const speaksOf = (permission: Permission, method: string, path: string): boolean => {
  const { endpoints = [], methods = [] } = permission
  return (
    includes(methods, method) && matchesPath(endpoints, path) && missingRight(permission, method, path) === undefined
  )
}
