/**
 * Jinja2's global functions, and `raise` and `log` of the reference.
 */
import { fail } from "../Failure.ts"
import { allocate, reserveText } from "../Meter.ts"
import { argument, BoundMethod, Builtin, integerArgument, library, softText } from "../values/Builtin.ts"
import { updateDict } from "../values/Access.ts"
import { Dict, type Implementation, Markup, Native, type Value } from "../values/Value.ts"
import { makeRange, Namespace } from "../values/Objects.ts"

// Filler text for `lipsum()`.

const words = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore".split(
  " "
)

const pick = (): string => words[Math.floor(Math.random() * words.length)] ?? "lorem"

const paragraph = (least: number, most: number): string => {
  const count = least + Math.floor(Math.random() * Math.max(1, most - least))
  const text = Array.from({ length: Math.max(1, count) }, pick).join(" ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Paragraphs of filler text, with HTML tags around them if asked for. */
const lorem = (count: number, html: boolean, least: number, most: number): Value => {
  if (count > 1000 || least > 10_000 || most > 10_000) return fail("LimitExceeded", "too much filler text")
  reserveText(Math.max(0, count) * Math.max(1, least, most) * 12)
  const paragraphs = Array.from({ length: Math.max(0, count) }, () => paragraph(least, most))
  return html ? new Markup(paragraphs.map((text) => `<p>${text}</p>`).join("\n")) : paragraphs.join("\n\n")
}

const rest = (value: Value | undefined): ReadonlyArray<Value> => (Array.isArray(value) ? value : [])

const makeDict = (args: ReadonlyArray<Value>): Dict => {
  const [positional, keywords = null] = args
  const [pairs, ...others] = rest(positional)
  if (others.length > 0) fail("TypeError", `dict expected at most 1 argument, got ${others.length + 1}`)
  const dict = new Dict()
  updateDict(dict, pairs, keywords)
  return dict
}

class Cycler extends Native {
  readonly typeName = "Cycler"
  private readonly items: ReadonlyArray<Value>
  private position = 0

  constructor(items: ReadonlyArray<Value>) {
    super()
    this.items = items
    if (items.length === 0) fail("RuntimeError", "at least one item has to be provided")
  }

  repr(): string {
    return "<Cycler>"
  }

  override attribute(name: string): Value | undefined {
    if (name === "current") return argument(this.items, this.position)
    if (name === "pos") return this.position
    const method = cyclerMethods.get(name)
    return method === undefined ? undefined : new BoundMethod(this, method)
  }

  next(): Value {
    const item = argument(this.items, this.position)
    this.position = (this.position + 1) % this.items.length
    return item
  }

  reset(): null {
    this.position = 0
    return null
  }
}

const cycler = (value: Value | undefined): Cycler =>
  value instanceof Cycler ? value : fail("TypeError", "not a cycler")

const cyclerMethods = library({
  "next(self)": ([self]) => cycler(self).next(),
  "reset(self)": ([self]) => cycler(self).reset()
})

class Joiner extends Native {
  readonly typeName = "Joiner"
  private readonly separator: Value
  private used = false

  constructor(separator: Value) {
    super()
    this.separator = separator
  }

  repr(): string {
    return "<Joiner>"
  }

  override get callable(): boolean {
    return true
  }

  override call(): Value {
    if (this.used) return this.separator
    this.used = true
    return ""
  }
}

const range: Implementation = ([values]) => {
  const given = rest(values)
  if (given.length === 0) return fail("TypeError", "range expected at least 1 argument, got 0")
  return given.length > 3
    ? fail("TypeError", `range expected at most 3 arguments, got ${given.length}`)
    : makeRange(given)
}

// Messages go to a log, line by line.
const longestMessage = 4000

const functions: Readonly<Record<string, Implementation>> = {
  "range(*values)": range,
  "dict(*pairs, **keywords)": makeDict,
  "namespace(*pairs, **keywords)": (args) => {
    allocate(8)
    return new Namespace(makeDict(args))
  },
  "cycler(*items)": ([items]) => new Cycler(rest(items)),
  "joiner(sep=', ')": (args) => new Joiner(argument(args, 0)),
  "lipsum(n=5, html=true, min=20, max=100)": (args) =>
    lorem(integerArgument(args, 0), argument(args, 1) === true, integerArgument(args, 2), integerArgument(args, 3)),
  "raise(text)": (args) => fail("TemplateRuntimeError", softText(args, 0)),
  "log(text, level='INFO', module='')": (args, rendering) => {
    allocate(16)
    const [text = "", level = "", module = ""] = [0, 1, 2].map((index) =>
      softText(args, index).slice(0, longestMessage)
    )
    const entry = { text, level, module, at: rendering.at }
    if (rendering.log.length < 1000) rendering.log.push(entry)
    return ""
  }
}

/** All global functions by name. */
export const globals: ReadonlyMap<string, Value> = new Map(
  Object.entries(functions).map(([signature, implementation]) => {
    const builtin = new Builtin(signature, implementation, 0)
    return [builtin.name, builtin]
  })
)
