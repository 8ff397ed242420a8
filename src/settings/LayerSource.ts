/** How the values of layers are put together, and which file of several layers a value stands in, for messages about it. */
import { Predicate } from "effect"
import type { Finding } from "./Finding.ts"
import { type SettingsProblem, validationProblem } from "./SettingsProblem.ts"
import type { Fault } from "./SettingValidator.ts"

/** A file that gives a value, and how many items of a list it gives. */
export interface Source {
  readonly file: string
  readonly items: number
}

/** The source of a value of one layer; what no file says has none. */
export const sourcesIn = (file: string | undefined, value: unknown): ReadonlyArray<Source> =>
  file === undefined ? [] : [{ file, items: Array.isArray(value) ? value.length : 0 }]

/** Where a value stands. The position in a list that was put together counts from the beginning of its file's own part. */
export const sourceOfPath = (
  sources: ReadonlyArray<Source>,
  path: Finding["path"]
): Pick<Finding, "files" | "path"> => {
  const [key, position, ...rest] = path
  if (key === undefined || !Predicate.isNumber(position) || sources.length < 2) {
    return { files: sources.map(({ file }) => file), path }
  }
  let left = position
  for (const { file, items } of sources) {
    if (left < items) return { files: [file], path: [key, left, ...rest] }
    left -= items
  }
  return { files: [], path }
}

/** Two values of a key that is merged: mappings key by key, lists one after the other; other values do not merge. */
export const merge = (before: unknown, after: unknown): unknown => {
  if (before instanceof Map && after instanceof Map) return new Map([...before, ...after])
  return Array.isArray(before) && Array.isArray(after) ? [...before, ...after] : undefined
}

/** Wrong values of one file. */
export const problemIn = (file: string, origin: string, faults: ReadonlyArray<Fault>): SettingsProblem =>
  validationProblem(
    faults,
    () => origin,
    (path) => ({ files: [file], path })
  )
