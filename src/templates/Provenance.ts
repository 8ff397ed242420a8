/**
 * Finds texts that templates derive from secrets by rendering twice (docs/security.md#what-is-stored): the second time every secret is
 * replaced by another one of the same shape, so that templates take the same branches; all differences are secret, whatever a template did
 * to them. Pure except for the rendering, which is an argument.
 */
import { TextDiff } from "effect"
import { type DerivedSecrets, isSecretVariable, type SecretLine } from "./TemplateSecrets.ts"
import type { RenderedDevice, RenderTask } from "./Rendering.ts"
import type { TemplatePlatform, TemplateSnapshot } from "./TemplateSnapshot.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

/** Shorter texts would be found within harmless words; for these the lines are known. */
const SHORTEST = 4

/** If more lines than this are in only one of the two renderings, all the rest counts as secret. */
const MOST_EDITS = 2_000

const rotated = (letter: string, first: string, count: number, by: number): string =>
  String.fromCharCode(first.charCodeAt(0) + ((letter.charCodeAt(0) - first.charCodeAt(0) + by) % count))

/** Another secret of the same length and with the same kinds of characters. */
const other = (secret: string): string =>
  secret.replaceAll(/[a-zA-Z0-9]/g, (letter) => {
    if (letter >= "a") return rotated(letter, "a", 26, 13)
    return letter >= "A" ? rotated(letter, "A", 26, 13) : rotated(letter, "0", 10, 5)
  })

const others = (value: unknown): unknown => {
  if (typeof value === "string") return other(value)
  return value instanceof Map ? new Map([...value].map(([name, secret]) => [name, others(secret)])) : value
}

/** The variables with other secrets. */
const withOthers = (variables: TemplateVariables): TemplateVariables =>
  new Map([...variables].map(([name, value]) => [name, isSecretVariable(name) ? others(value) : value]))

const known = new WeakMap<TemplatePlatform, boolean>()

/** Whether any template of the platform names a secret. Computed once per platform of a snapshot. */
const usesSecrets = (platform: TemplatePlatform): boolean => {
  const before = known.get(platform)
  if (before !== undefined) return before
  // a name can be computed: then the template uses its context, or looks variables up by name
  const found = [...platform.files.values()].some((text) => /TEMPLATE_SECRET|\bcontext\b|\bvars\b|\bself\b/.test(text))
  known.set(platform, found)
  return found
}

/** The rendering with other secrets; undefined if it would be the same. */
export const otherTask = (task: RenderTask): RenderTask | undefined =>
  usesSecrets(task.platform) && [...task.variables.keys()].some(isSecretVariable)
    ? { ...task, variables: withOthers(task.variables) }
    : undefined

interface Span {
  readonly from: number
  readonly to: number
}

/** The differing part of the first of two texts; all of it if the second only has more. */
const spanOf = (one: string, two: string): Span | undefined => {
  if (one === two) return undefined
  let from = 0
  while (from < one.length && one[from] === two[from]) from += 1
  let to = one.length
  for (let end = two.length; to > from && end > from && one[to - 1] === two[end - 1]; end -= 1) to -= 1
  return from < to ? { from, to } : { from: 0, to: one.length }
}

const words = (line: string): ReadonlyArray<string> => line.split(/\s+/)

/** The secret parts of a line, word by word if both have as many words. */
const valuesIn = (one: string, two: string): ReadonlyArray<string> => {
  const [own, theirs] = [words(one), words(two)]
  const pairs =
    own.length === theirs.length
      ? own.map((word, place) => [word, theirs[place] ?? ""] as const)
      : [[one, two] as const]
  return pairs.flatMap(([word, changed]) => {
    const span = spanOf(word, changed)
    return span === undefined ? [] : [word.slice(span.from, span.to)]
  })
}

const lineOf = (one: string, two: string): SecretLine => {
  const line = one.trim()
  const span = spanOf(line, two.trim()) ?? { from: 0, to: line.length }
  return { line, ...span }
}

/** Corresponding lines of both renderings; a line without a counterpart is secret as a whole. */
const pairsOf = (one: string, two: string): ReadonlyArray<readonly [own: string, theirs: string]> => {
  const [own, theirs] = [one.split("\n"), two.split("\n")]
  if (own.length === theirs.length) return own.map((line, place) => [line, theirs[place] ?? ""] as const)
  const pairs: Array<readonly [string, string]> = []
  let removed: ReadonlyArray<string> = []
  const alone = () => pairs.push(...removed.map((line) => [line, ""] as const))
  for (const edit of TextDiff.lines(one, two, { maxEdits: MOST_EDITS })) {
    const lines = edit.items.map((line) => line.replace(/\n$/, ""))
    if (edit._tag === "Delete") removed = lines
    else {
      const counterparts = edit._tag === "Insert" && lines.length === removed.length ? lines : []
      if (counterparts.length > 0)
        pairs.push(...removed.map((line, place) => [line, counterparts[place] ?? ""] as const))
      else alone()
      removed = []
    }
  }
  alone()
  return pairs
}

/** The secret parts of the first of two renderings with different secrets. */
export const derivedIn = (one: string, two: string): DerivedSecrets => {
  if (one === two) return { values: [], lines: [] }
  const secret = pairsOf(one, two).filter(([own, theirs]) => own !== theirs && own.trim() !== "")
  const values = secret.flatMap(([own, theirs]) => valuesIn(own, theirs)).filter(({ length }) => length >= SHORTEST)
  return { values: [...new Set(values)], lines: secret.map(([own, theirs]) => lineOf(own, theirs)) }
}

/** A message about a rendering, without the parts that differ in the message about the other rendering. */
export const commonMessage = (one: string, two: string): string => {
  const span = spanOf(one, two)
  return span === undefined ? one : `${one.slice(0, span.from)}<hidden>${one.slice(span.to)}`
}

// The origin of a line of a rendered configuration: the data of a port, a setting, or the line of a template. Looked up by its text, and
// only when a line is refused: a line with several possible origins is attributed to the first. Pure.

/** A rendering, and its templates. */
interface TracedRendering extends Pick<RenderedDevice, "variables"> {
  readonly snapshot: TemplateSnapshot
}

/** The path to a value among the variables, and the interface that it belongs to. */
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

/** The first text among the values that contains this line. */
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

/** The first identical line of a template of the platform. */
const templateText = (files: ReadonlyMap<string, string>, platform: string, wanted: string): string | undefined => {
  for (const [file, text] of files) {
    if (!text.includes(wanted)) continue
    const index = text.split("\n").findIndex((line) => line.trim() === wanted)
    if (index >= 0) return `the template ${platform}/${file}, line ${index + 1}`
  }
  return undefined
}

/** The origin of a line, such as `the port Ethernet5 (cli_append_str)`. */
export const originOf = ({ snapshot, variables }: TracedRendering, platform: string, line: string): string => {
  const wanted = line.trim()
  for (const [name, value] of variables) {
    const found = isSecretVariable(name) ? undefined : find(value, wanted, { path: [name], port: undefined })
    if (found !== undefined) return variableText(found)
  }
  const files = snapshot.platforms.get(platform)?.files ?? new Map<string, string>()
  return templateText(files, platform, wanted) ?? `the templates of ${platform}`
}
