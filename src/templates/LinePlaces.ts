/**
 * Which line of which template wrote each line of a configuration, and the variables that it used (docs/changes.md#blame). The templates are
 * rendered a second time with a mark at the beginning of the text of each line; the marks are found in the result. A rendering that differs
 * but for its marks proves nothing, so it names no place. Pure except for the rendering, which is an argument.
 */

/** A line of a template; `file` is a path in the directory of the platform. */
export interface TemplateLine {
  readonly file: string
  readonly line: number
}

/** A line of a rendered configuration, and the template lines that wrote it, the innermost last; none if that is unknown. */
export interface TracedLine {
  readonly text: string
  readonly places: ReadonlyArray<TemplateLine>
}

// No template writes these: they are code points without a meaning.
const BEGIN = "\uE000"
const BETWEEN = "\uE001"
const END = "\uE002"
const MARK = /\uE000(\d+)\uE001(\d+)\uE002/g

const CLOSES: Readonly<Record<string, string>> = { "{%": "%}", "{{": "}}", "{#": "#}" }

/** The text with a mark before the first character of each line that is no block; blanks and blocks before it stay as they are. */
export const markTemplate = (text: string, number: number): string => {
  let marked = ""
  let line = 1
  let isOpen = true
  let isRaw = false
  for (let at = 0; at < text.length;) {
    const two = text.slice(at, at + 2)
    const close = CLOSES[two]
    if (text[at] === "\n") {
      line += 1
      isOpen = true
      marked += "\n"
      at += 1
    } else if (close !== undefined && (!isRaw || /^\{%-?\s*endraw/.test(text.slice(at, at + 20)))) {
      const end = text.indexOf(close, at + 2)
      const tag = text.slice(at, end < 0 ? text.length : end + 2)
      // an expression that strips the blanks before it must stay beside them
      if (two === "{{" && isOpen && !tag.startsWith("{{-")) marked += `${BEGIN}${number}${BETWEEN}${line}${END}`
      if (two === "{{") isOpen = false
      if (/^\{%[-+]?\s*raw\b/.test(tag)) isRaw = true
      if (/^\{%[-+]?\s*endraw\b/.test(tag)) isRaw = false
      line += tag.split("\n").length - 1
      marked += tag
      at += tag.length
    } else {
      if (isOpen && !isRaw && /\S/.test(text[at] ?? "")) {
        marked += `${BEGIN}${number}${BETWEEN}${line}${END}`
        isOpen = false
      }
      marked += text[at]
      at += 1
    }
  }
  return marked
}

/** The lines of a rendering with their places, from the same rendering with marks in `files`, whose order gives their numbers. */
export const placesIn = (plain: string, marked: string, files: ReadonlyArray<string>): ReadonlyArray<TracedLine> => {
  const lines = plain.replace(/\n$/, "").split("\n")
  if (marked.replaceAll(MARK, "") !== plain) return lines.map((text) => ({ text, places: [] }))
  const withMarks = marked.replace(/\n$/, "").split("\n")
  return lines.map((text, index) => ({
    text,
    places: [...(withMarks[index] ?? "").matchAll(MARK)].flatMap(([, file, line]) => {
      const name = files[Number(file)]
      return name === undefined ? [] : [{ file: name, line: Number(line) }]
    })
  }))
}

// The variables of a line of a template.

const KEYWORDS: ReadonlySet<string> = new Set(
  "and or not in is if else elif for set true false none True False None recursive loop block endfor endif with call".split(
    " "
  )
)

/** The names at the beginning of paths in an expression: `a.b | f(c)` has `a` and `c`. */
const namesIn = (expression: string): ReadonlyArray<string> =>
  [
    ...expression
      .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, " ")
      .matchAll(/(?<![\w.]|\|\s*|\bis\s+(?:not\s+)?)([A-Za-z_]\w*)(?!\s*=[^=])/g)
  ].flatMap(([, name = ""]) => (KEYWORDS.has(name) ? [] : [name]))

/** A block around a line: the names that it gives, and those that it asks for. */
interface Around {
  readonly tag: string
  readonly gives: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
}

/** The blocks around a line of a template, and what was set before it. */
const around = (text: string, line: number) => {
  const open: Array<Around> = []
  const set = new Map<string, ReadonlyArray<string>>()
  let at = 1
  let from = 0
  for (const match of text.matchAll(/\{%[-+]?\s*(\w+)([\s\S]*?)[-+]?%\}/g)) {
    at += text.slice(from, match.index).split("\n").length - 1
    from = match.index
    if (at > line) break
    const [, tag = "", rest = ""] = match
    const [, targets = "", source = ""] = /^\s*([\w\s,()]+?)\s+in\s+([\s\S]*)$/.exec(rest) ?? []
    const [, name = "", value] = /^\s*(\w+)\s*=([\s\S]*)$/.exec(rest) ?? []
    if (tag === "for") open.push({ tag, gives: namesIn(targets), asks: namesIn(source) })
    else if (tag === "if" || tag === "elif") {
      if (tag === "elif") open.pop()
      open.push({ tag: "if", gives: [], asks: namesIn(rest) })
    } else if (tag === "set" && value !== undefined) set.set(name, namesIn(value))
    else if (tag === "endfor" || tag === "endif")
      open.splice(
        open.findLastIndex((one) => `end${one.tag}` === tag),
        1
      )
  }
  return { open, set }
}

/**
 * The variables that a line of a template prints, with loops and assignments followed to where they come from; for a line that prints none,
 * those of the loops and conditions around it.
 */
export const namesAt = (text: string, line: number): ReadonlySet<string> => {
  const own = text.split("\n")[line - 1] ?? ""
  const { open, set } = around(text, line)
  const printed = [...own.matchAll(/\{\{([\s\S]*?)\}\}/g)].flatMap(([, expression = ""]) => namesIn(expression))
  const loops = open.filter(({ tag }) => tag === "for")
  const wanted = printed.length > 0 ? [...printed] : open.flatMap(({ asks }) => asks)
  const found = new Set<string>()
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    const name = next
    if (found.has(name)) continue
    found.add(name)
    for (const loop of loops) if (loop.gives.includes(name)) wanted.push(...loop.asks)
    wanted.push(...(set.get(name) ?? []))
  }
  return found
}

// The lines of a settings file that gave a value.

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/[\s"'{}[\],]+/).filter((word) => word.length > 1)

const indentOf = (text: string): number => text.length - text.trimStart().length

const MOST = 5

/**
 * The lines below a key whose values a configuration line has, counted from 1; the line of the key itself if no value is recognised.
 * `template` is the line of the template, whose own words come from no setting.
 */
export const settingLines = (
  settings: string,
  key: number,
  { line, template }: { readonly line: string; readonly template: string }
): ReadonlyArray<number> => {
  const lines = settings.split("\n")
  const indent = indentOf(lines[key - 1] ?? "")
  const own = new Set(wordsOf(template.replaceAll(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, " ")))
  const words = wordsOf(line).filter((word) => !own.has(word))
  const counts = new Map<number, number>()
  for (let number = key; number <= lines.length; number += 1) {
    const text = lines[number - 1] ?? ""
    const isNext = number > key && text.trim() !== "" && indentOf(text) <= indent && !text.trimStart().startsWith("-")
    if (isNext) break
    const values = new Set(wordsOf(text.replace(/\s#.*$/, "")))
    const count = words.filter((word) => values.has(word)).length
    if (count > 0) counts.set(number, count)
  }
  const most = Math.max(0, ...counts.values())
  const best = [...counts].flatMap(([number, count]) => (count === most ? [number] : []))
  return best.length === 0 ? [key] : best.slice(0, MOST)
}
