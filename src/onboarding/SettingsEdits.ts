/**
 * Edits of settings files that leave everything else of a file as it is, and the patch for git that they make (docs/onboarding.md#settings-from-what-runs).
 * Pure.
 */
import { TextDiff } from "effect"
import type { Json } from "./SettingsValues.ts"

/** Files of the settings by their path. */
export type Files = ReadonlyMap<string, string>

const EMPTY = "---\n{}\n"

const quoted = (text: string): string =>
  /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text)

/** YAML in block style, each line below `indent` blanks. */
const yamlOf = (value: Json, indent: number): string => {
  const pad = " ".repeat(indent)
  if (typeof value === "string") return ` ${/^\d+(?:\.\d+){3}(?:\/\d+)?$/.test(value) ? value : quoted(value)}\n`
  if (typeof value === "number" || typeof value === "boolean") return ` ${value}\n`
  if (Array.isArray(value)) {
    const items: ReadonlyArray<Json> = value
    return `\n${items.map((item) => `${pad}-${itemOf(item, indent)}`).join("")}`
  }
  return `\n${Object.entries(value)
    .map(([key, part]) => `${pad}${key}:${yamlOf(part, indent + 2)}`)
    .join("")}`
}

const itemOf = (item: Json, indent: number): string => {
  if (typeof item !== "object" || Array.isArray(item)) return yamlOf(item, indent + 2)
  const [first = "", ...rest] = yamlOf(item, indent + 2)
    .trimStart()
    .split(/(?<=\n)/)
  return ` ${first}${rest.join("")}`
}

const lineStarts = (text: string): ReadonlyArray<string> => text.split(/(?<=\n)/)

/** The lines of a top-level key, as positions in the lines of its file; undefined without it. */
const blockOf = (lines: ReadonlyArray<string>, key: string) => {
  const from = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (from < 0) return undefined
  let to = from + 1
  while (to < lines.length && /^(?:\s|-|$)/.test(lines[to] ?? "") && !(lines[to] ?? "").startsWith("---")) to += 1
  // blank lines and comments before the next key belong to it
  while (to > from + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1] ?? "")) to -= 1
  return { from, to }
}

const withEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** A file with a top-level key set to a value; the rest stays, comments included. */
export const withKey = (text: string | undefined, key: string, value: Json): string => {
  const before = text === undefined || /^\s*(?:---\s*)?\{\s*\}\s*$/.test(text) ? "---\n" : withEnd(text)
  const lines = lineStarts(before)
  const made = `${key}:${yamlOf(value, 2)}`
  const block = blockOf(lines, key)
  if (block === undefined) return `${before}${before.trim() === "---" ? "" : "\n"}${made}`
  return [...lines.slice(0, block.from), made, ...lines.slice(block.to)].join("")
}

/** A new entry of a mapping at the top level, or the devices that are added to an existing one. */
export const withEntry = (text: string | undefined, key: string, name: string, value: Json): string => {
  const before = text === undefined || /^\s*(?:---\s*)?\{\s*\}\s*$/.test(text) ? "---\n" : withEnd(text)
  const lines = lineStarts(before)
  const block = blockOf(lines, key)
  const made = `  ${name}:${yamlOf(value, 4)}`
  if (block === undefined || (lines[block.from] ?? "").trim() !== `${key}:`)
    return withKey(text, key, { [name]: value })
  return [...lines.slice(0, block.to), made, ...lines.slice(block.to)].join("")
}

/** Adds devices to the list `devices` of an entry; the text unchanged if the entry is not written in block style. */
export const withDevices = (text: string, key: string, name: string, hostnames: ReadonlyArray<string>): string => {
  const lines = lineStarts(withEnd(text))
  const block = blockOf(lines, key)
  if (block === undefined) return text
  const from = lines.findIndex((line, at) => at > block.from && at < block.to && line.trimEnd() === `  ${name}:`)
  if (from < 0) return text
  let to = from + 1
  while (to < block.to && /^ {3,}|^\s*$/.test(lines[to] ?? "")) to += 1
  while (to > from + 1 && (lines[to - 1] ?? "").trim() === "") to -= 1
  const own = lines.slice(from + 1, to)
  const items = hostnames.map((hostname) => `      - ${hostname}\n`)
  const at = own.findIndex((line) => line.trimEnd() === "    devices:")
  if (at < 0) return [...lines.slice(0, to), "    devices:\n", ...items, ...lines.slice(to)].join("")
  let last = from + 1 + at + 1
  while (last < to && /^ {4,}- /.test(lines[last] ?? "")) last += 1
  const indent = /^ */.exec(lines[last - 1] ?? "")?.[0] ?? "      "
  return [...lines.slice(0, last), ...hostnames.map((one) => `${indent}- ${one}\n`), ...lines.slice(last)].join("")
}

/** Adds items to the list of a top-level key, after those that it has. */
export const withItems = (text: string | undefined, key: string, items: ReadonlyArray<Json>): string => {
  const lines = lineStarts(withEnd(text ?? ""))
  const block = blockOf(lines, key)
  if (block === undefined || (lines[block.from] ?? "").trim() !== `${key}:`) return withKey(text, key, items)
  const indent = /^ *(?=- )/.exec(lines.slice(block.from + 1, block.to).find((line) => /^ *- /.test(line)) ?? "  - ")
  const pad = indent?.[0] ?? "  "
  const made = items.map((item) => `${pad}-${itemOf(item, pad.length)}`)
  return [...lines.slice(0, block.to), ...made, ...lines.slice(block.to)].join("")
}

/** The files that a device directory needs beside the one that is set. */
export const deviceFiles = (hostname: string, known: Files): ReadonlyArray<readonly [string, string]> =>
  ["base_system.yml", "interfaces.yml", "routing.yml"].flatMap((file) => {
    const path = `devices/${hostname}/${file}`
    return known.has(path) ? [] : [[path, EMPTY] as const]
  })

/** Lines around a change; none where they would show a secret. */
const CONTEXT = 3

/**
 * A patch for `git apply --unidiff-zero` that makes one set of files from the other. A file whose lines around a change hold what `hide`
 * hides has its changes without lines around them.
 */
export const patchOf = (before: Files, after: Files, hide: (text: string) => string): string =>
  [...after]
    .filter(([path, text]) => before.get(path) !== text)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, text]) => {
      const old = before.get(path)
      const head = `diff --git a/${path} b/${path}\n${old === undefined ? "new file mode 100644\n" : ""}`
      const from = old === undefined ? "/dev/null" : `a/${path}`
      const edits = TextDiff.lines(old ?? "", text)
      const whole = TextDiff.unified(edits, { context: CONTEXT })
      const body = hide(whole) === whole ? whole : TextDiff.unified(edits, { context: 0 })
      return `${head}--- ${from}\n+++ b/${path}\n${withEnd(body)}`
    })
    .join("")
