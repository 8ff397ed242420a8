/**
 * Leaves out of a settings file what is not meant for a device: mappings that name `groups` or `devices`
 * (docs/settings-repository.md#groups-and-devices-in-files). What is kept unchanged keeps its identity, so that its validation
 * is shared.
 */
import { Predicate, Result } from "effect"
import { pythonText, pythonTypeName } from "./PythonText.ts"

/** For whom a file is read. Without a hostname the key `devices` has no meaning and is passed over. */
export interface Audience {
  readonly groups: ReadonlySet<string>
  readonly hostname: string | undefined
}

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return value instanceof Map && value.size === 0
}

class NotAList extends Error {}

const KEYS = { groups: "Groups", devices: "Devices" } as const

/** The names below `groups` or `devices`; undefined when nobody is named, which means everybody. */
const namesIn = (data: ReadonlyMap<unknown, unknown>, key: keyof typeof KEYS): ReadonlyArray<unknown> | undefined => {
  const names = data.get(key)
  if (isEmpty(names)) return undefined
  if (Array.isArray(names)) return names
  const type = pythonTypeName(names)
  throw new NotAList(`${KEYS[key]} field must be a list or empty (currently ${type}) in: ${pythonText(data)}`)
}

const isMeantFor = (data: ReadonlyMap<unknown, unknown>, { groups, hostname }: Audience): boolean => {
  const named = namesIn(data, "groups")
  const devices = hostname === undefined ? undefined : namesIn(data, "devices")
  if (named === undefined && devices === undefined) return true
  const member = named?.some((name) => Predicate.isString(name) && groups.has(name)) ?? false
  return member || (devices?.includes(hostname) ?? false)
}

const filterList = (items: ReadonlyArray<unknown>, audience: Audience): ReadonlyArray<unknown> => {
  const kept = items.map((item) => filterValue(item, audience))
  const unchanged = kept.every((item, position) => item === items[position] && !isEmpty(item))
  return unchanged ? items : kept.filter((item) => !isEmpty(item))
}

const filterMap = (data: ReadonlyMap<unknown, unknown>, audience: Audience): unknown => {
  if (!isMeantFor(data, audience)) return undefined
  const kept = new Map<unknown, unknown>()
  let changed = false
  for (const [key, value] of data) {
    const next =
      key === "groups" || (key === "devices" && audience.hostname !== undefined) ? value : filterValue(value, audience)
    const drop = isEmpty(next) && !isEmpty(value)
    if (!drop) kept.set(key, next)
    changed = changed || drop || next !== value
  }
  return changed ? kept : data
}

const filterValue = (value: unknown, audience: Audience): unknown => {
  if (Array.isArray(value)) return filterList(value, audience)
  return value instanceof Map ? filterMap(value, audience) : value
}

const NOTHING: ReadonlyMap<unknown, unknown> = new Map()

/** The file as its audience sees it; fails with a message where `groups` or `devices` is no list. */
export const filterFile = (
  data: ReadonlyMap<unknown, unknown>,
  audience: Audience
): Result.Result<ReadonlyMap<unknown, unknown>, string> => {
  try {
    const kept = filterMap(data, audience)
    return Result.succeed(kept instanceof Map ? kept : NOTHING)
  } catch (error) {
    if (error instanceof NotAList) return Result.fail(error.message)
    throw error
  }
}

/** The group names and hostnames that a file mentions: all that its filtering depends on. */
export interface Mentions {
  readonly groups: ReadonlyArray<string>
  readonly devices: ReadonlySet<string>
}

/** Collects the names below every `groups` and `devices` key. */
export const mentionsIn = (data: ReadonlyMap<unknown, unknown>): Mentions => {
  const groups = new Set<string>()
  const devices = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item)
    } else if (value instanceof Map) {
      for (const [key, item] of value) {
        if (key === "groups" || key === "devices") collect(item, key === "groups" ? groups : devices)
        else visit(item)
      }
    }
  }
  visit(data)
  return { groups: [...groups], devices }
}

const collect = (names: unknown, into: Set<string>): void => {
  if (!Array.isArray(names)) return
  for (const name of names) if (Predicate.isString(name)) into.add(name)
}
