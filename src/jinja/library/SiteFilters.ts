/** The filters of docs/templates.md#filters, beyond Jinja2's own, that need no knowledge of platforms. */
import { argument, integerArgument, type Library, library, softText } from "../values/Builtin.ts"
import { addressFilters } from "./AddressFilters.ts"
import { interfaceFilters, macFilters, vlanFilters } from "./NetworkFilters.ts"
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, reserveText, spend } from "../Meter.ts"
import { Dict, type Implementation, Tuple, type Value } from "../values/Value.ts"
import { regex, type Regex, type RegexMatch } from "./Regex.ts"
import { splitLines } from "../values/Text.ts"
import { createHash } from "node:crypto"
import { repr } from "../values/Printing.ts"
import { Context, PassedNames } from "../runtime/Rendering.ts"

// The filter `render_as_jinja`: a text rendered as a template with the current variables and those given.

const render: Implementation = (args, rendering) => {
  const source = softText(args, 0)
  const given = argument(args, 1)
  const locals = new Map<string, Value>()
  if (given instanceof Dict)
    for (const { key, value } of given.items()) if (typeof key === "string") locals.set(key, value)
  allocate(source.length * 4)
  const outer = rendering.context
  return rendering.enterFile(() => {
    const template = rendering.surroundings.compileText("text given to render_as_jinja", source)
    const context = new Context(template, new PassedNames(outer, locals))
    return rendering.capture(() => template.run(context, rendering))
  })
}

/** The filter `render_as_jinja`. */
const templateFilters: Library = library({ "render_as_jinja(text, **variables)": render })

// Hashes and base encodings. See docs/templates.md#filters.

const encodings: ReadonlyMap<string, BufferEncoding> = new Map<string, BufferEncoding>([
  ["utf8", "utf8"],
  ["ascii", "utf8"],
  ["latin1", "latin1"],
  ["iso88591", "latin1"],
  ["utf16le", "utf16le"]
])

const encodingOf = (value: Value, name: string): BufferEncoding =>
  encodings.get(name.toLowerCase().replace(/[-_]/g, "")) ?? fail("LookupError", `unknown encoding: ${repr(value)}`)

const bytesOf = (args: ReadonlyArray<Value>): Buffer => {
  const text = softText(args, 0)
  borrow(text.length / 2)
  const bytes = Buffer.from(text, encodingOf(argument(args, 1), softText(args, 1)))
  spend(bytes.length)
  return bytes
}

const decoded = (bytes: Buffer, args: ReadonlyArray<Value>): string => {
  const encoding = encodingOf(argument(args, 1), softText(args, 1))
  reserveText(bytes.length)
  const text = bytes.toString(encoding)
  return encoding === "utf8" && text.includes("\ufffd") && !bytes.includes("\ufffd")
    ? fail("ValueError", "the decoded bytes are no text in this encoding")
    : text
}

const hash =
  (algorithm: string): Implementation =>
  (args) =>
    createHash(algorithm).update(bytesOf(args)).digest("hex")

const encode = (args: ReadonlyArray<Value>, encoding: "base64" | "hex"): string => {
  const bytes = bytesOf(args)
  reserveText(bytes.length * 2)
  return bytes.toString(encoding)
}

const decode64: Implementation = (args) => {
  borrow(softText(args, 0).length)
  const text = softText(args, 0).replace(/[^A-Za-z0-9+/=]/g, "")
  if (text.replace(/=+$/, "").length % 4 === 1 || text.length % 4 !== 0) return fail("ValueError", "Incorrect padding")
  return decoded(Buffer.from(text, "base64"), args)
}

const decode16: Implementation = (args) => {
  const text = softText(args, 0)
  spend(text.length)
  if (text.length % 2 !== 0 || /[^0-9A-F]/.test(text)) return fail("ValueError", "Non-base16 digit found")
  return decoded(Buffer.from(text, "hex"), args)
}

/** Hashes and base encodings. */
const hashFilters: Library = library({
  "md5(value, encoding='utf-8')": hash("md5"),
  "sha1(value, encoding='utf-8')": hash("sha1"),
  "sha256(value, encoding='utf-8')": hash("sha256"),
  "sha512(value, encoding='utf-8')": hash("sha512"),
  "b64encode(value, encoding='utf-8')": (args) => encode(args, "base64"),
  "b64decode(value, encoding='utf-8')": decode64,
  "b16encode(value, encoding='utf-8')": (args) => encode(args, "hex").toUpperCase(),
  "b16decode(value, encoding='utf-8')": decode16
})

// Filters with regular expressions, as the Python package netutils has them: the pattern is the filtered value.

const reference = /\\(?:(\d{1,2})|g<(\w+)>|([^]))/g

const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" }

// Writes the replacement of a match, with \1 and \g<name> filled in.
const expand = (text: GrowingText, template: string, match: RegexMatch, compiled: Regex): void => {
  let position = 0
  for (const found of template.matchAll(reference)) {
    const [whole, number, name, letter] = found
    text.add(template.slice(position, found.index))
    position = found.index + whole.length
    if (letter !== undefined) text.add(letters[letter] ?? whole)
    else {
      const index = number ?? (name !== undefined && /^\d+$/.test(name) ? name : compiled.names.get(name ?? ""))
      if (index === undefined || Number(index) >= match.groups.length) {
        fail("ValueError", `invalid group reference in ${template}`)
      }
      text.add(match.groups[Number(index)] ?? "")
    }
  }
  text.add(template.slice(position))
}

const substitute: Implementation = (args) => {
  const compiled = regex(softText(args, 0))
  const template = softText(args, 1)
  const text = softText(args, 2)
  const most = integerArgument(args, 3)
  const result = new GrowingText()
  let position = 0
  for (const match of compiled.matches(text, most > 0 ? most : Infinity)) {
    result.add(text.slice(position, match.start))
    expand(result, template, match, compiled)
    position = match.end
  }
  result.add(text.slice(position))
  return result.toString()
}

const search: Implementation = (args) => {
  const [match] = regex(softText(args, 0)).matches(softText(args, 1), 1)
  return match?.groups[0] ?? null
}

const findAll: Implementation = (args) =>
  regex(softText(args, 0))
    .matches(softText(args, 1), Infinity)
    .map(({ groups }): Value => {
      const [whole = "", ...inner] = groups.map((group) => group ?? "")
      const [only] = inner
      return only === undefined ? whole : inner.length === 1 ? only : new Tuple(inner)
    })

/** Regular expressions. */
const regexFilters: Library = library({
  "regex_sub(pattern, repl, string, count=0)": substitute,
  "regex_search(pattern, string)": search,
  "regex_findall(pattern, string)": findAll
})

/** Network, hash and text filters, to be given to an environment as `filters: [siteFilters]`. */
export const siteFilters: Library = new Map([
  ...hashFilters,
  ...macFilters,
  ...addressFilters,
  ...vlanFilters,
  ...interfaceFilters,
  ...regexFilters,
  ...templateFilters
])

// The filter `get_config_section`: blocks of a device's configuration, found by their first line.

/** How a platform's configuration shows which lines belong to a block. */
export interface SectionNotation {
  readonly sections: "indentation" | "braces"
  /** Lines that begin so are comments. */
  readonly comment: string
}

/** Does this line continue a block that is `depth` braces deep? */
const belongs = ({ sections }: SectionNotation, line: string, depth: number): boolean =>
  sections === "indentation" ? /^\s/.test(line) : depth > 0

const braces = (line: string): number => (/\{\s*$/.test(line) ? 1 : /^\s*\}/.test(line) ? -1 : 0)

const section = (text: string, pattern: string, notation: SectionNotation): string => {
  const begins = regex(`^(?:${pattern})`)
  const kept: Array<string> = []
  let depth = 0
  let inside = false
  for (const line of splitLines(text)) {
    spend(4)
    const content = line.trimStart()
    if (content === "" || content.startsWith(notation.comment)) continue
    if (!belongs(notation, line, depth)) inside = begins.matches(line, 1).length > 0
    depth += braces(line)
    if (inside) kept.push(line.trimEnd())
  }
  return kept.join("\n")
}

/** The filter `get_config_section`, for the platforms of these names. */
export const sectionFilters = (notations: ReadonlyMap<string, SectionNotation>): Library =>
  library({
    "get_config_section(config, section, parser)": (args) => {
      const notation = notations.get(softText(args, 2))
      if (notation === undefined) return fail("ValueError", `no configuration parser for '${softText(args, 2)}'`)
      return section(softText(args, 0), softText(args, 1), notation)
    }
  })
