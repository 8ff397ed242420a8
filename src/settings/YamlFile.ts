/**
 * Reads one YAML file into ordered `Map`s, arrays and scalars (docs/settings-repository.md#yaml). The size of the text, its
 * depth and the number of values after aliases are followed are bounded, and every error names the file, line and column.
 */
import { Result } from "effect"
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Scalar
} from "yaml"
import { pathText, type Remark, remark, remarkText, type TextPlace } from "../domain/Repository.ts"
import { textFault, type TextKind, visible } from "../domain/Text.ts"
import { pythonText, YamlFloat } from "./PythonText.ts"
import { yamlScalars } from "./YamlScalars.ts"
import { MAX_DEPTH, tokenize, YamlFault } from "./YamlTokens.ts"

/** The value of a file, and remarks that do not prevent its use, such as a key given twice. */
export interface YamlFile {
  readonly value: unknown
  readonly warnings: ReadonlyArray<Remark>
}

/** The longest file in characters. */
export const MAX_YAML_LENGTH = 2_000_000
const MAX_VALUES = 500_000
const MAX_WARNINGS = 20

const EMPTY_FILE = /^\s*(---\s*)?(\{\s*\}\s*)?$/

/** The nodes of a text; `lines` learns where its lines begin. Throws YamlFault when it is no single sound document. */
export const composeDocument = (text: string, lines: LineCounter): Document => {
  const composer = new Composer({
    version: "1.1",
    schema: "failsafe",
    customTags: [...yamlScalars],
    resolveKnownTags: false,
    uniqueKeys: false,
    strict: true,
    stringKeys: false
  })
  const [document, another] = composer.compose(tokenize(text, lines), true, text.length)
  if (document === undefined) throw new YamlFault("not a YAML document", 0)
  if (another !== undefined) throw new YamlFault("expected a single document", another.range?.[0] ?? 0)
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw new YamlFault(fault.message, fault.pos[0])
  return document
}

/** Walks the parsed nodes of one file and builds plain values from them. */
class Reader {
  readonly warnings: Array<Remark> = []
  readonly #anchors = new Map<string, { value: unknown; size: number } | null>()
  readonly #file: string
  readonly #place: (offset: number) => TextPlace
  readonly #path: Array<unknown> = []
  #values = 0

  constructor(file: string, place: (offset: number) => TextPlace) {
    this.#file = file
    this.#place = place
  }

  read(node: Node | null | undefined, depth: number): unknown {
    if (node === null || node === undefined) return null
    const offset = node.range?.[0] ?? 0
    if (depth > MAX_DEPTH) throw new YamlFault(`nested deeper than ${MAX_DEPTH} levels`, offset)
    if (isAlias(node)) return this.#readAlias(node.source, offset)
    this.#count(1, offset)
    const anchor = node.anchor
    const before = this.#values
    if (anchor !== undefined) this.#anchors.set(anchor, null)
    const value = this.#readNode(node, depth, offset)
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#values - before + 1 })
    return value
  }

  #readNode(node: Node, depth: number, offset: number): unknown {
    if (isMap(node)) return this.#readMap(node.items, depth)
    if (isSeq(node)) return node.items.map((item, position) => this.#readPart(position, asNode(item), depth))
    if (isScalar(node)) return this.#travelling(node.value ?? null, "lines", offset)
    throw new YamlFault("unsupported value", offset)
  }

  /** Escapes can write what no file may hold as it is. */
  #travelling(value: unknown, kind: TextKind, offset: number): unknown {
    const fault = typeof value === "string" ? textFault(value, kind) : undefined
    if (fault === undefined) return value
    const path = pathText(this.#path.map((key) => visible(String(key))))
    throw new YamlFault(`the ${kind === "line" ? "key" : "text"} ${fault.message}`, offset, path)
  }

  #count(values: number, offset: number): void {
    this.#values += values
    if (this.#values > MAX_VALUES) throw new YamlFault(`more than ${MAX_VALUES} values after following aliases`, offset)
  }

  #readAlias(name: string, offset: number): unknown {
    const known = this.#anchors.get(name)
    if (known === undefined) throw new YamlFault(`found undefined alias '${name.slice(0, 100)}'`, offset)
    if (known === null) throw new YamlFault(`found recursive alias '${name.slice(0, 100)}'`, offset)
    this.#count(known.size, offset)
    return known.value
  }

  #readMap(items: ReadonlyArray<Pair>, depth: number): Map<unknown, unknown> {
    const merged: Array<ReadonlyMap<unknown, unknown>> = []
    const own = new Map<unknown, unknown>()
    for (const { key, value } of items) {
      const keyNode = asNode(key)
      if (isMergeKey(keyNode)) {
        merged.push(...this.#mergeSources(asNode(value), depth, keyNode.range?.[0] ?? 0))
        continue
      }
      const name = this.#readKey(keyNode, depth)
      const again = own.has(name)
      own.set(name, this.#readPart(name, asNode(value), depth))
      if (again) this.#warn(`key ${String(name).slice(0, 100)} is given more than once`, name, keyNode)
    }
    if (merged.length === 0) return own
    const result = new Map<unknown, unknown>()
    for (const source of [...merged, own]) for (const [name, value] of source) result.set(name, value)
    return result
  }

  #readPart(name: unknown, node: Node | null, depth: number): unknown {
    this.#path.push(name)
    const value = this.read(node, depth + 1)
    this.#path.pop()
    return value
  }

  #readKey(node: Node | null, depth: number): unknown {
    const name = this.read(node, depth + 1)
    if (name instanceof YamlFloat) return name.value
    if (name instanceof Date) return pythonText(name)
    if (typeof name === "object" && name !== null) throw new YamlFault("found unhashable key", node?.range?.[0] ?? 0)
    return this.#travelling(name, "line", node?.range?.[0] ?? 0)
  }

  /** The mappings behind `<<`, the one that wins last. */
  #mergeSources(node: Node | null, depth: number, offset: number): ReadonlyArray<ReadonlyMap<unknown, unknown>> {
    const value = this.read(node, depth + 1)
    const sources: ReadonlyArray<unknown> = Array.isArray(value) ? value.toReversed() : [value]
    return sources.map((source) => {
      if (source instanceof Map) return source
      throw new YamlFault("expected a mapping or list of mappings for merging", offset)
    })
  }

  #warn(message: string, name: unknown, node: Node | null): void {
    if (this.warnings.length >= MAX_WARNINGS) return
    const path = pathText([...this.#path, name])
    this.warnings.push(remark(message, { file: this.#file, ...this.#place(node?.range?.[0] ?? 0), path }))
  }
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value) || isAlias(value)

/** The value when it is a node. */
export const asNode = (value: unknown): Node | null => (isNode(value) ? value : null)

/** True for a plain `<<`. */
export const isMergeKey = (node: Node | null): node is Scalar =>
  isScalar(node) && node.value === "<<" && node.type === Scalar.PLAIN

const placeIn =
  (lines: LineCounter) =>
  (offset: number): TextPlace => {
    const { col, line } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

const describeError = (file: string, error: unknown, place: (offset: number) => TextPlace): Remark =>
  error instanceof YamlFault
    ? remark(error.message, { file, ...place(error.offset), path: error.path })
    : // The only other exceptions of the parser are exhausted stacks on hostile nesting.
      remark("the structure of the file is too complex to read", { file, ...place(0) })

/**
 * Reads the text of a YAML file; an empty file is null. Fails with what is wrong and where; see `unreadableText`. `path` is
 * only used in messages.
 */
export const readYaml = (path: string, text: string): Result.Result<YamlFile, Remark> => {
  if (EMPTY_FILE.test(text.slice(0, 64)) && text.length < 64) {
    return Result.succeed({ value: text.includes("{") ? new Map() : null, warnings: [] })
  }
  if (text.length > MAX_YAML_LENGTH)
    return Result.fail(remark(`longer than ${MAX_YAML_LENGTH} characters`, { file: path }))
  const unfit = textFault(text, "lines")
  if (unfit !== undefined) {
    const { column, line, message } = unfit
    return Result.fail(remark(`the file ${message}`, { file: path, line, column }))
  }
  const lines = new LineCounter()
  const place = placeIn(lines)
  try {
    const reader = new Reader(path, place)
    const value = reader.read(asNode(composeDocument(text, lines).contents), 0)
    return Result.succeed({ value, warnings: reader.warnings })
  } catch (error) {
    return Result.fail(describeError(path, error, place))
  }
}

/** Why a file cannot be read, as one text with its place. */
export const unreadableText = (fault: Remark): string => `Could not parse ${remarkText(fault)}`
