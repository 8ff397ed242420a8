/**
 * The problems of a settings repository as data: every problem has a kind, which decides the HTTP answer of a refresh
 * (docs/settings-repository.md#refresh), and its exact message (docs/settings-repository.md#messages).
 */
import { Schema } from "effect"
import { hiddenText, pythonText } from "./PythonText.ts"
import type { Fault } from "./SettingValidator.ts"
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair } from "yaml"
import { asNode, composeDocument, isMergeKey } from "./YamlFile.ts"
import { pathText, Remark, remark, remarkText, type TextPlace } from "../domain/Repository.ts"

// Mistakes and doubts in the settings, with the keys that lead to them. Line and column are looked up at the end, only for the
// findings that are shown (`locate`): ten thousand devices can share one wrong line.

/**
 * `files` are the files that may contain the value, in the order of their layers: its place is in the last one that does, or
 * with `onKey` that of its key there. `found` is a place that is already known.
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

/** A finding about the last key itself, for instance an unknown key. */
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

/** The findings as remarks. Each file with a finding is parsed once for all of them. */
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

/**
 * `structure`: a file or directory is missing or of the wrong type. `validation`: a value does not fit the model. `yaml`: a
 * file cannot be read. `content`: a readable file must not be used: its top is not a mapping, or a text in it may not travel
 * (`domain/Text.ts`). `groups`: the group definitions contradict each other. `vlan`: VLANs or VNIs collide. `strict`: a warning
 * that STRICT_SETTINGS makes an error. `other`: anything else.
 */
const ProblemKind = Schema.Literals(["structure", "validation", "yaml", "content", "groups", "vlan", "strict", "other"])
type ProblemKind = typeof ProblemKind.Type

/** One problem; `message` is the text for operators, `findings` the known places that it mentions. */
export const SettingsProblem = Schema.Struct({
  kind: ProblemKind,
  message: Schema.String,
  findings: Schema.optionalKey(Schema.Array(Finding))
})
export type SettingsProblem = typeof SettingsProblem.Type

const MAX_MESSAGE = 60_000

/** The settings cannot be used; a retry helps only after the repository has changed. At least one problem. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  problems: Schema.NonEmptyArray(SettingsProblem)
}) {
  override get message() {
    return this.problems[0].message
  }
}

/** The origin of a top-level setting, for messages. */
type OriginOf = (key: string) => string

/** The files that may contain a value that begins with this key, and the places in them. */
type SourceOf = (path: Fault["path"]) => Pick<Finding, "files" | "path">

const ruleOf = ({ description, message }: Fault): string =>
  description === undefined ? message : `${message}, field should be: ${description}`

const faultText = (fault: Fault, originOf: OriginOf): string => {
  const { bad, hidden, path } = fault
  const value = hidden === true && bad !== null ? hiddenText : pythonText(bad)
  const origin = originOf(String(path[0] ?? ""))
  return (
    `Validation error for setting ${path.join("->")}, bad value: ${value} (value origin: ${origin})\n` +
    `Message: ${ruleOf(fault)}\n`
  )
}

/** All faults as one message of docs/settings-repository.md#messages; very long lists of faults are cut. */
export const validationMessage = (faults: ReadonlyArray<Fault>, originOf: OriginOf): string => {
  let text = ""
  for (const [index, fault] of faults.entries()) {
    if (text.length > MAX_MESSAGE) return `${text}... and ${faults.length - index} more\n`
    text += faultText(fault, originOf)
  }
  return text
}

/** The faults as a problem of kind `validation`. */
export const validationProblem = (
  faults: ReadonlyArray<Fault>,
  originOf: OriginOf,
  sourceOf: SourceOf
): SettingsProblem => ({
  kind: "validation",
  message: validationMessage(faults, originOf),
  findings: faults.map((fault) => ({ ...sourceOf(fault.path), message: ruleOf(fault) }))
})

/** Every place in the problems; a problem without a known place is listed itself. */
export const problemRemarks = (
  problems: ReadonlyArray<SettingsProblem>,
  files: Parameters<typeof locate>[1]
): ReadonlyArray<Remark> =>
  locate(
    problems.flatMap(({ findings = [], message }) =>
      findings.length > 0 ? findings : [{ files: [], path: [], message }]
    ),
    files
  )

/** Warnings as problems. */
export const strictProblems = (warnings: ReadonlyArray<Remark>): ReadonlyArray<SettingsProblem> =>
  warnings.map((warning) => ({
    kind: "strict",
    message: remarkText(warning),
    findings: [located(warning)]
  }))

const PREFIXES: Partial<Record<ProblemKind, string>> = {
  structure: "Repository structure is invalid (VerifyPathException): ",
  validation: "Syntax error in repository: ",
  content: "Unusable file in repository: ",
  strict: "Refused by STRICT_SETTINGS: "
}

/** The answer to a refresh that met this problem: HTTP status and message (docs/settings-repository.md#refresh). */
export const refreshAnswer = (problem: SettingsProblem): { readonly status: 400 | 500; readonly message: string } => {
  const prefix = PREFIXES[problem.kind]
  return prefix === undefined
    ? { status: 500, message: `Error in repository: ${problem.message}` }
    : { status: 400, message: prefix + problem.message }
}

// Finds the place of a value in the text of a YAML file by the keys that lead to it. Places are needed only for problems, which
// are rare, so they are not stored: the text is parsed again for the first lookup.

/** A place, and whether all keys led to it; else the place of the last value on the way. */
interface FoundPlace extends TextPlace {
  readonly exact: boolean
}

/** Finds the place of keys and positions, with `onKey` that of the last key instead of its value; undefined for an unreadable text. */
type PlaceFinder = (path: ReadonlyArray<unknown>, onKey?: boolean) => FoundPlace | undefined

interface Step {
  readonly key: Node | null
  readonly value: Node | null
}

const MAX_ALIASES = 100

class Finder {
  readonly #document: Document
  readonly #lines: LineCounter

  constructor(text: string) {
    this.#lines = new LineCounter()
    this.#document = composeDocument(text, this.#lines)
  }

  find(path: ReadonlyArray<unknown>, onKey: boolean): FoundPlace {
    let node = asNode(this.#document.contents)
    let offset = node?.range?.[0] ?? 0
    for (const segment of path) {
      const step = this.#step(this.#target(node), segment)
      if (step === undefined) return { ...this.#place(offset), exact: false }
      // a mapping or a list begins on the next line: its key is the better place
      const isText = isScalar(step.value) && step.value.source !== "" && !onKey
      const place = isText ? step.value : (step.key ?? step.value)
      offset = place?.range?.[0] ?? offset
      node = step.value
    }
    return { ...this.#place(offset), exact: true }
  }

  #place(offset: number): TextPlace {
    const { col, line } = this.#lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  #target(node: Node | null): Node | null {
    let current = node
    for (let step = 0; isAlias(current) && step < MAX_ALIASES; step += 1)
      current = current.resolve(this.#document) ?? null
    return current
  }

  #step(node: Node | null, segment: unknown): Step | undefined {
    if (isSeq(node)) {
      const value = asNode(node.items[Number(segment)])
      return value === null ? undefined : { key: null, value }
    }
    return isMap(node) ? this.#entry(node.items, segment, 0) : undefined
  }

  /** The entry of a key, the last one of a duplicate key, or that of a merged mapping. */
  #entry(items: ReadonlyArray<Pair>, segment: unknown, depth: number): Step | undefined {
    const wanted = String(segment)
    const own = items.findLast(({ key }) => keyText(asNode(key)) === wanted)
    if (own !== undefined) return { key: asNode(own.key), value: asNode(own.value) }
    if (depth > MAX_ALIASES) return undefined
    for (const { key, value } of items) {
      if (!isMergeKey(asNode(key))) continue
      const merged = this.#target(asNode(value))
      for (const source of isSeq(merged) ? merged.items : [merged]) {
        const mapping = this.#target(asNode(source))
        const found = isMap(mapping) ? this.#entry(mapping.items, segment, depth + 1) : undefined
        if (found !== undefined) return found
      }
    }
    return undefined
  }
}

const keyText = (key: Node | null): string | undefined => {
  const merges: boolean = isMergeKey(key)
  if (merges || !isScalar(key)) return undefined
  return key.value === null ? "None" : String(key.value)
}

/** The places in this text. */
export const placesIn = (text: string): PlaceFinder => {
  let finder: Finder | undefined
  return (path, onKey = false) => {
    try {
      finder ??= new Finder(text)
      return finder.find(path, onKey)
    } catch {
      // An unreadable text has been reported with the place where reading ended.
      return undefined
    }
  }
}
