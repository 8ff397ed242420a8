/**
 * Reads one YAML file into ordered `Map`s, arrays and scalars (docs/settings-repository.md#yaml). The size of the text, its
 * depth and the number of values after aliases are followed are bounded, and every error names the file, line and column.
 */
import { Result } from "effect"
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  Scalar,
  type ScalarTag
} from "yaml"
import { textFault, type TextKind, visible } from "../domain/Text.ts"
import { pythonText, YamlFloat } from "./PythonText.ts"
import { pathText, type Remark, remark, remarkText, type TextPlace } from "../domain/Repository.ts"

// The first pass over a YAML file: its tokens, counted and measured before anything is built from them. It refuses structures
// that would make the later passes slow or exhaust the stack (depth, heaps of tags, sheer number), with their place.

/** The deepest nesting, more than any repository needs. */
const MAX_DEPTH = 100
/** About six thousand VXLANs in one file. */
const MAX_TOKENS = 400_000
const MAX_PROPERTIES = 8

/** Why a file is unreadable, and where: an offset in characters, and the keys that lead there where known. */
class YamlFault extends Error {
  readonly offset: number
  readonly path: string | null
  constructor(message: string, offset: number, path: string | null = null) {
    super(message)
    this.offset = offset
    this.path = path
  }
}

type Item = CST.CollectionItem

/** Tags, anchors and indicators in front of one value. */
const properties = (start: ReadonlyArray<CST.SourceToken> = []): number => {
  let count = 0
  for (const { type } of start) if (type === "anchor" || type === "tag" || type.endsWith("-ind")) count += 1
  return count
}

const checkItem = ({ key, sep, start, value }: Item, depth: number, offset: number): void => {
  if (properties(start) > MAX_PROPERTIES || properties(sep) > MAX_PROPERTIES) {
    throw new YamlFault("too many tags, anchors or indicators before a value", start[0]?.offset ?? offset)
  }
  if (key !== null && key !== undefined) checkToken(key, depth + 1)
  if (value !== undefined) checkToken(value, depth + 1)
}

const checkToken = (token: CST.Token, depth: number): void => {
  if (depth > MAX_DEPTH) throw new YamlFault(`nested deeper than ${MAX_DEPTH} levels`, token.offset)
  if (token.type === "document") checkItem(token, depth, token.offset)
  if (token.type === "block-map" || token.type === "block-seq" || token.type === "flow-collection") {
    for (const item of token.items) checkItem(item, depth, token.offset)
  }
}

/** The tokens of a file; `lines` records the line starts. Throws YamlFault when there are too many or too deep. */
const tokenize = (text: string, lines: LineCounter): ReadonlyArray<CST.Token> => {
  const parser = new Parser(lines.addNewLine)
  const tokens: Array<CST.Token> = []
  let count = 0
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > MAX_TOKENS) throw new YamlFault(`more than ${MAX_TOKENS} tokens`, 0)
    tokens.push(...parser.next(lexeme))
  }
  tokens.push(...parser.end())
  for (const token of tokens) checkToken(token, 0)
  return tokens
}

// How plain YAML text becomes a value: exactly as the YAML 1.1 loader that the repositories were written for does it
// (docs/settings-repository.md#yaml). The library's own 1.1 schema differs in booleans (`y`), floats (`1e3`) and numbers with a
// leading zero, and a difference there writes another configuration without an error.

const BASES: ReadonlyArray<readonly [RegExp, number]> = [
  [/^0b([01_]+)$/, 2],
  [/^0x([0-9a-fA-F_]+)$/, 16],
  [/^0([0-7_]+)$/, 8],
  [/^(0|[1-9][0-9_]*)$/, 10]
]

const sexagesimal = (text: string): number => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0)

const signOf = (text: string): number => (text.startsWith("-") ? -1 : 1)

const unsigned = (text: string): string => text.replace(/^[+-]/, "")

const parseInteger = (text: string): number => {
  const body = unsigned(text)
  for (const [form, base] of BASES) {
    const digits = form.exec(body)?.[1]?.replaceAll("_", "")
    if (digits !== undefined) return signOf(text) * (digits === "" ? 0 : Number.parseInt(digits, base))
  }
  return signOf(text) * sexagesimal(body.replaceAll("_", ""))
}

const parseFloatText = (text: string): number => {
  const body = unsigned(text).replaceAll("_", "").toLowerCase()
  if (body === ".inf") return signOf(text) * Number.POSITIVE_INFINITY
  if (body === ".nan") return Number.NaN
  return signOf(text) * (body.includes(":") ? sexagesimal(body) : Number.parseFloat(body))
}

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const TIMESTAMP =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$/

/** The tags of plain scalars, in the order in which they are tried; any other text is a string. */
const yamlScalars: ReadonlyArray<ScalarTag> = [
  { tag: "tag:yaml.org,2002:null", default: true, test: /^(?:~|null|Null|NULL)?$/, resolve: () => null },
  {
    tag: "tag:yaml.org,2002:bool",
    default: true,
    test: /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
    resolve: (text) => /^(?:y|t|on)/i.test(text)
  },
  {
    tag: "tag:yaml.org,2002:int",
    default: true,
    test: /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    resolve: parseInteger
  },
  {
    tag: "tag:yaml.org,2002:float",
    default: true,
    test: /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    resolve: (text) => new YamlFloat(parseFloatText(text))
  },
  {
    tag: "tag:yaml.org,2002:timestamp",
    default: true,
    test: new RegExp(`${DATE.source}|${TIMESTAMP.source}`),
    resolve: (text) => new Date(DATE.test(text) ? `${text}T00:00:00Z` : text)
  }
]

/** The value of a file, and remarks that do not prevent its use, such as a key given twice. */
interface YamlFile {
  readonly value: unknown
  readonly warnings: ReadonlyArray<Remark>
}

/** The longest file in characters. */
export const MAX_YAML_LENGTH = 2_000_000
const MAX_VALUES = 500_000
const MAX_WARNINGS = 20

const EMPTY_FILE = /^\s*(---\s*)?(\{\s*\}\s*)?$/

/** The nodes of a text; `lines` records the line starts. Throws YamlFault when it is not a single valid document. */
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

  /** Escapes can produce characters that no file may contain directly. */
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

  /** The mappings of `<<`, the one that wins last. */
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
 * Reads the text of a YAML file; an empty file is null. Fails with the mistake and its place; see `unreadableText`. `path` is
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

/** Why a file is unreadable, as one text with its place. */
export const unreadableText = (fault: Remark): string => `Could not parse ${remarkText(fault)}`
