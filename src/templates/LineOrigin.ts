/**
 * Where a line of a rendered configuration comes from: the data of a port, a setting, or the line of a template. Looked for only when
 * a line is refused, by its text: so a line that several places have in common is said to come from the first of them. Pure.
 */
import type { RenderedDevice } from "./Rendering.ts"
import { isSecretVariable } from "./TemplateSecrets.ts"
import type { TemplateSnapshot } from "./TemplateSnapshot.ts"

/** A rendering, and the templates that it was made from. */
export interface TracedRendering extends Pick<RenderedDevice, "variables"> {
  readonly snapshot: TemplateSnapshot
}

/** The way to a value among the variables, and the interface that it belongs to. */
interface Place {
  readonly path: ReadonlyArray<string>
  readonly port: string | undefined
}

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (value instanceof Map) return [...value].map(([key, inner]) => [String(key), inner] as const)
  if (Array.isArray(value)) return value.map((inner, index) => [String(index), inner] as const)
  return typeof value === "object" && value !== null ? Object.entries(value) : []
}

const nameOf = (value: unknown): string | undefined => {
  const name = entriesOf(value).find(([key]) => key === "name")?.[1]
  return typeof name === "string" ? name : undefined
}

const hasLine = (text: string, wanted: string): boolean =>
  text.includes(wanted) && text.split("\n").some((line) => line.trim() === wanted)

/** A value nested deeper than this belongs to no setting. */
const DEEPEST = 12

/** The first text among the values that has this line. */
const find = (value: unknown, wanted: string, place: Place): Place | undefined => {
  if (typeof value === "string") return hasLine(value, wanted) ? place : undefined
  if (place.path.length > DEEPEST) return undefined
  for (const [key, inner] of entriesOf(value)) {
    const port = place.path[0] === "interfaces" ? (place.port ?? nameOf(inner)) : undefined
    const found = find(inner, wanted, { path: [...place.path, key], port })
    if (found !== undefined) return found
  }
  return undefined
}

const variableText = ({ path, port }: Place): string => {
  const [, , ...rest] = path
  if (port !== undefined) return `the port ${port} (${rest.filter((key) => key !== "data").join(".")})`
  return `the setting ${path.join(".")}`
}

/** The first line of a template of the platform that is this one. */
const templateText = (files: ReadonlyMap<string, string>, platform: string, wanted: string): string | undefined => {
  for (const [file, text] of files) {
    if (!text.includes(wanted)) continue
    const index = text.split("\n").findIndex((line) => line.trim() === wanted)
    if (index >= 0) return `the template ${platform}/${file}, line ${index + 1}`
  }
  return undefined
}

/** Where a line comes from, such as `the port Ethernet5 (cli_append_str)`. */
export const originOf = ({ snapshot, variables }: TracedRendering, platform: string, line: string): string => {
  const wanted = line.trim()
  for (const [name, value] of variables) {
    const found = isSecretVariable(name) ? undefined : find(value, wanted, { path: [name], port: undefined })
    if (found !== undefined) return variableText(found)
  }
  const files = snapshot.platforms.get(platform)?.files ?? new Map<string, string>()
  return templateText(files, platform, wanted) ?? `the templates of ${platform}`
}
