/**
 * Objects that the engine gives to templates: `loop`, macros, imported modules, `self` and `super`.
 */
import { fail } from "../Failure.ts"
import { repr } from "../values/Printing.ts"
import { type Cursor, Dict, type Keywords, Native, Tuple, Undefined, type Value } from "../values/Value.ts"
import { type BlockFunction, type CompiledTemplate, Context, type Names, type Rendering } from "./Rendering.ts"
import { spend } from "../Meter.ts"
import { argument, BoundMethod, library } from "../values/Builtin.ts"
import { cursorOf, cursorOver, drain, equals, tryLength } from "../values/Protocols.ts"

/** An imported template: its exported names as attributes; it prints as its text. */
export class Module extends Native {
  readonly typeName = "TemplateModule"
  readonly template: CompiledTemplate
  readonly body: string
  private readonly exports: ReadonlyMap<string, Value>

  constructor(template: CompiledTemplate, body: string, exports: ReadonlyMap<string, Value>) {
    super()
    this.template = template
    this.body = body
    this.exports = exports
  }

  repr(): string {
    return `<TemplateModule ${repr(this.template.name)}>`
  }

  override str(): string {
    return this.body
  }

  override attribute(name: string): Value | undefined {
    return this.exports.get(name)
  }
}

/** Runs a template for the names it exports. */
export const makeModule = (template: CompiledTemplate, names: Names, rendering: Rendering): Module => {
  const context = new Context(template, names)
  const body = rendering.enterFile(() => rendering.capture(() => template.run(context, rendering)))
  const exports = new Map<string, Value>()
  for (const name of context.exported) {
    const value = context.variables.get(name)
    if (value !== undefined) exports.set(name, value)
  }
  return new Module(template, body, exports)
}

/** A block of this template or of one it extends, to be called for its text. */
class BlockReference extends Native {
  readonly typeName = "BlockReference"
  private readonly context: Context
  private readonly stack: ReadonlyArray<BlockFunction>
  private readonly depth: number

  constructor(context: Context, stack: ReadonlyArray<BlockFunction>, depth: number) {
    super()
    this.context = context
    this.stack = stack
    this.depth = depth
  }

  repr(): string {
    return "<BlockReference>"
  }

  override get callable(): boolean {
    return true
  }

  override attribute(name: string): Value | undefined {
    if (name !== "super") return undefined
    if (this.depth + 1 < this.stack.length) return new BlockReference(this.context, this.stack, this.depth + 1)
    return noParent(this.stack[this.depth]?.name ?? "")
  }

  override call(rendering: Rendering): Value {
    const block = this.stack[this.depth]
    if (block === undefined) return fail("TemplateRuntimeError", "block not found")
    return rendering.enter(() => rendering.capture(() => block.run(this.context, rendering)))
  }
}

const noParent = (name: string): Undefined => new Undefined(`there is no parent block called ${repr(name)}.`)

/** `super` in a block: the block that it replaces. */
export const superOf = (context: Context, block: BlockFunction): Value => {
  const stack = context.blocks.get(block.name) ?? []
  const index = stack.indexOf(block) + 1
  return index > 0 && index < stack.length ? new BlockReference(context, stack, index) : noParent(block.name)
}

/** `self`: the blocks by name. */
export class SelfReference extends Native {
  readonly typeName = "TemplateReference"
  private readonly context: Context

  constructor(context: Context) {
    super()
    this.context = context
  }

  repr(): string {
    return `<TemplateReference ${repr(this.context.template.name)}>`
  }

  override item(key: Value): Value | undefined {
    const stack = typeof key === "string" ? this.context.blocks.get(key) : undefined
    return stack === undefined ? undefined : new BlockReference(this.context, stack, 0)
  }
}

// A macro, or the body of a call block: takes its arguments in Jinja2's order and returns the text it writes.

/** The static shape of a macro, before a call. */
export interface MacroShape {
  /** None for the body of a call block. */
  readonly name: string | null
  readonly parameters: ReadonlyArray<string>
  /** Does the body use `caller`, `kwargs` or `varargs`? */
  readonly usesCaller: boolean
  readonly usesKeywords: boolean
  readonly usesRest: boolean
}

/** Arguments in the order parameters, caller, kwargs, varargs; undefined for those not given. */
type MacroBody = (args: ReadonlyArray<Value | undefined>, rendering: Rendering) => void

/** A macro. */
export class MacroFunction extends Native {
  readonly typeName = "Macro"
  private readonly shape: MacroShape
  private readonly body: MacroBody

  constructor(shape: MacroShape, body: MacroBody) {
    super()
    this.shape = shape
    this.body = body
  }

  repr(): string {
    return `<Macro ${this.shape.name === null ? "anonymous" : repr(this.shape.name)}>`
  }

  override get callable(): boolean {
    return true
  }

  override attribute(name: string): Value | undefined {
    const { shape } = this
    switch (name) {
      case "name":
        return shape.name
      case "arguments":
        return new Tuple(shape.parameters)
      case "caller":
        return shape.usesCaller
      case "catch_kwargs":
        return shape.usesKeywords
      case "catch_varargs":
        return shape.usesRest
      default:
        return undefined
    }
  }

  override call(rendering: Rendering, args: ReadonlyArray<Value>, keywords: Keywords | undefined): Value {
    spend(16)
    const bound = this.bind(args, keywords)
    return rendering.enter(() => rendering.capture(() => this.body(bound, rendering)))
  }

  private bind(args: ReadonlyArray<Value>, keywords: Keywords | undefined): ReadonlyArray<Value | undefined> {
    const { parameters, usesCaller, usesKeywords, usesRest } = this.shape
    const bound: Array<Value | undefined> = args.slice(0, parameters.length)
    const left = new Map(keywords)
    for (let i = bound.length; i < parameters.length; i++) bound.push(take(left, parameters[i] ?? ""))
    if (usesCaller && !parameters.includes("caller")) {
      bound.push(take(left, "caller") ?? new Undefined("No caller defined"))
    }
    if (usesKeywords) bound.push(Dict.of(left))
    else if (left.size > 0) this.refuseKeyword(left)
    if (usesRest) bound.push(new Tuple(args.slice(parameters.length)))
    else if (args.length > parameters.length) {
      fail("TypeError", `macro ${this.quoted} takes not more than ${parameters.length} argument(s)`)
    }
    return bound
  }

  private get quoted(): string {
    return repr(this.shape.name)
  }

  private refuseKeyword(left: Keywords): never {
    if (left.has("caller")) {
      return fail(
        "TypeError",
        `macro ${this.quoted} was invoked with two values for the special caller argument. This is most likely a bug.`
      )
    }
    const [name = ""] = left.keys()
    return fail("TypeError", `macro ${this.quoted} takes no keyword argument ${repr(name)}`)
  }
}

const take = (keywords: Map<string, Value>, name: string): Value | undefined => {
  const value = keywords.get(name)
  keywords.delete(name)
  return value
}

// The variable `loop`: the place in the iteration, and access to the next element.

/** Renders the body of a recursive loop over other elements, at this depth. */
export type Recurse = (over: Value, depth: number) => Value

/** The variable `loop`. */
export class LoopState extends Native implements Cursor {
  readonly typeName = "LoopContext"
  private readonly over: Value
  private source: Cursor
  private readonly recurse: Recurse | undefined
  private readonly depth0: number
  private index0 = -1
  private known: number | undefined
  // The element after the current one, once a template has asked for it.
  private after: Value | undefined
  private current: Value | undefined
  private before: Value | undefined
  private lastChanged: Tuple | undefined

  constructor(over: Value, recurse: Recurse | undefined, depth0: number) {
    super()
    this.over = over
    this.source = cursorOf(over)
    this.recurse = recurse
    this.depth0 = depth0
  }

  next(): Value | undefined {
    const item = this.peek()
    this.after = undefined
    if (item === undefined) return undefined
    this.index0++
    this.before = this.current
    this.current = item
    return item
  }

  private peek(): Value | undefined {
    this.after ??= this.after === null ? null : this.source.next()
    return this.after
  }

  private count(): number {
    this.known ??= tryLength(this.over)
    if (this.known === undefined) {
      const rest = drain(this.source)
      this.source = cursorOver(rest)
      this.known = rest.length + this.index0 + 1 + (this.after === undefined ? 0 : 1)
    }
    return this.known
  }

  repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.count()}>`
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case "index":
        return this.index0 + 1
      case "index0":
        return this.index0
      case "first":
        return this.index0 === 0
      case "last":
        return this.peek() === undefined
      case "length":
        return this.count()
      case "revindex":
        return this.count() - this.index0
      case "revindex0":
        return this.count() - this.index0 - 1
      case "depth":
        return this.depth0 + 1
      case "depth0":
        return this.depth0
      case "previtem":
        return this.before === undefined ? new Undefined("there is no previous item") : this.before
      case "nextitem": {
        const next = this.peek()
        return next === undefined ? new Undefined("there is no next item") : next
      }
      default: {
        const method = methods.get(name)
        return method === undefined ? undefined : new BoundMethod(this, method)
      }
    }
  }

  override length(): number {
    return this.count()
  }

  override cursor(): Cursor {
    return this
  }

  override get callable(): boolean {
    return true
  }

  override call(rendering: Rendering, args: ReadonlyArray<Value>): Value {
    const { recurse } = this
    if (recurse === undefined) {
      return fail("TypeError", "The loop must have the 'recursive' marker to be called recursively.")
    }
    return rendering.enter(() => recurse(argument(args, 0), this.depth0 + 1))
  }

  cycle(values: ReadonlyArray<Value>): Value {
    return values.length === 0
      ? fail("TypeError", "no items for cycling given")
      : argument(values, this.index0 % values.length)
  }

  changed(values: ReadonlyArray<Value>): boolean {
    const next = new Tuple(values)
    if (this.lastChanged !== undefined && equals(this.lastChanged, next)) return false
    this.lastChanged = next
    return true
  }
}

const rest = (value: Value | undefined): ReadonlyArray<Value> => (Array.isArray(value) ? value : [])

const loop = (value: Value | undefined): LoopState =>
  value instanceof LoopState ? value : fail("TypeError", "not a loop")

const methods = library({
  "cycle(self, *values)": ([self, values]) => loop(self).cycle(rest(values)),
  "changed(self, *values)": ([self, values]) => loop(self).changed(rest(values))
})
