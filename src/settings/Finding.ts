/**
 * What is wrong or doubtful in the settings, with the keys that lead to it. Line and column are looked up at the end, for
 * those findings alone that are shown (`locate`): ten thousand devices can share one wrong line.
 */
import { Schema } from "effect"
import { pathText, Remark, remark } from "../domain/Repository.ts"
import { type PlaceFinder, placesIn } from "./YamlPlaces.ts"

/**
 * `files` are the files that may hold the value, in the order of their layers: the last one that does is its place, or with
 * `onKey` its key there. `found` is there when the place is known already.
 */
export const Finding = Schema.Struct({
  files: Schema.Array(Schema.String),
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  message: Schema.String,
  onKey: Schema.optionalKey(Schema.Boolean),
  found: Schema.optionalKey(Remark)
})
export type Finding = typeof Finding.Type

/** Keys and positions in a file. */
export type KeyPath = Finding["path"]

/** A finding in one file. */
export const finding = (file: string, path: KeyPath, message: string): Finding => ({ files: [file], path, message })

/** A finding about the last key itself, which nothing knows for instance. */
export const findingOnKey = (file: string, path: KeyPath, message: string): Finding => ({
  ...finding(file, path, message),
  onKey: true
})

/** A finding whose place is known. */
export const located = (found: Remark): Finding => ({ files: [], path: [], message: found.message, found })

type Texts = ReadonlyMap<string, { readonly text: string }>

const find = (
  { files, message, onKey, path }: Finding,
  placesOf: (file: string) => PlaceFinder | undefined
): Remark => {
  const keys = path.length === 0 ? null : pathText(path)
  let best = remark(message, { file: files.at(-1) ?? null, path: keys })
  for (const file of files.toReversed()) {
    const place = path.length === 0 ? undefined : placesOf(file)?.(path, onKey)
    if (place === undefined) continue
    const { column, exact, line } = place
    if (exact) return remark(message, { file, line, column, path: keys })
    if (best.line === null) best = remark(message, { file, line, column, path: keys })
  }
  return best
}

/** The findings as remarks. Each file is parsed once for all of them, and only if a finding is in it. */
export const locate = (findings: Iterable<Finding>, texts: Texts): ReadonlyArray<Remark> => {
  const finders = new Map<string, PlaceFinder>()
  const placesOf = (file: string): PlaceFinder | undefined => {
    const text = texts.get(file)?.text
    if (text === undefined) return undefined
    const known = finders.get(file) ?? placesIn(text)
    finders.set(file, known)
    return known
  }
  return Array.from(findings, (one) => one.found ?? find(one, placesOf))
}
