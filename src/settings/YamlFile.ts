/**
 * Reads one YAML file into ordered `Map`s, arrays and scalars (contract, settings §2). The size of the text, its depth
 * and the number of values after aliases are followed are bounded, and every error names the file, line and column.
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
import { pythonText, YamlFloat } from "./PythonText.ts"
import { yamlScalars } from "./YamlScalars.ts"
import { MAX_DEPTH, tokenize, YamlFault } from "./YamlTokens.ts"

/** The value of a file, and remarks that do not prevent its use, such as a key given twice. */
export interface YamlFile {
  readonly value: unknown
  readonly warnings: ReadonlyArray<string>
}

/** The longest file in characters. */
export const MAX_YAML_LENGTH = 2_000_000
const MAX_VALUES = 500_000
const MAX_WARNINGS = 20

const EMPTY_FILE = /^\s*(---\s*)?(\{\s*\}\s*)?$/

const composeDocument = (text: string, lines: LineCounter): Document => {
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
  readonly warnings: Array<string> = []
  readonly #anchors = new Map<string, { value: unknown; size: number } | null>()
  readonly #place: (offset: number) => string
  #values = 0

  constructor(place: (offset: number) => string) {
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
    if (isSeq(node)) return node.items.map((item) => this.read(asNode(item), depth + 1))
    if (isScalar(node)) return node.value ?? null
    throw new YamlFault("unsupported value", offset)
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
      if (own.has(name)) this.#warn(`key ${String(name).slice(0, 100)} is given more than once`, keyNode)
      own.set(name, this.read(asNode(value), depth + 1))
    }
    if (merged.length === 0) return own
    const result = new Map<unknown, unknown>()
    for (const source of [...merged, own]) for (const [name, value] of source) result.set(name, value)
    return result
  }

  #readKey(node: Node | null, depth: number): unknown {
    const name = this.read(node, depth + 1)
    if (name instanceof YamlFloat) return name.value
    if (name instanceof Date) return pythonText(name)
    if (typeof name === "object" && name !== null) throw new YamlFault("found unhashable key", node?.range?.[0] ?? 0)
    return name
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

  #warn(message: string, node: Node | null): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(`${this.#place(node?.range?.[0] ?? 0)}: ${message}`)
  }
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value) || isAlias(value)

const asNode = (value: unknown): Node | null => (isNode(value) ? value : null)

const isMergeKey = (node: Node | null): node is Scalar =>
  isScalar(node) && node.value === "<<" && node.type === Scalar.PLAIN

const placeIn =
  (path: string, lines: LineCounter) =>
  (offset: number): string => {
    const { col, line } = lines.linePos(offset)
    return `${path}, line ${Math.max(line, 1)}, column ${Math.max(col, 1)}`
  }

const describeError = (error: unknown, place: (offset: number) => string): string => {
  if (error instanceof YamlFault) return `${place(error.offset)}: ${error.message}`
  // The only other exceptions of the parser are exhausted stacks on hostile nesting.
  return `${place(0)}: the structure of the file is too complex to read`
}

/**
 * Reads the text of a YAML file; an empty file is null. Fails with a message that names the file, line and column.
 * `path` is only used in messages.
 */
export const readYaml = (path: string, text: string): Result.Result<YamlFile, string> => {
  if (EMPTY_FILE.test(text.slice(0, 64)) && text.length < 64) {
    return Result.succeed({ value: text.includes("{") ? new Map() : null, warnings: [] })
  }
  if (text.length > MAX_YAML_LENGTH)
    return Result.fail(`Could not parse ${path}: longer than ${MAX_YAML_LENGTH} characters`)
  const lines = new LineCounter()
  const place = placeIn(path, lines)
  try {
    const reader = new Reader(place)
    const value = reader.read(asNode(composeDocument(text, lines).contents), 0)
    return Result.succeed({ value, warnings: reader.warnings })
  } catch (error) {
    return Result.fail(`Could not parse ${describeError(error, place)}`)
  }
}
