/**
 * What templates see of templates: imported modules, `self` and `super`.
 */
import { fail } from "../Failure.ts"
import { repr } from "../values/Printing.ts"
import { Native, Undefined } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"
import type { BlockFunction, CompiledTemplate } from "./CompiledTemplate.ts"
import { Context } from "./Context.ts"
import type { Names } from "./Context.ts"
import type { Rendering } from "./Rendering.ts"

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
export class BlockReference extends Native {
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

/** What `super` means in a block: the block that it replaces. */
export const superOf = (context: Context, block: BlockFunction): Value => {
  const stack = context.blocks.get(block.name) ?? []
  const index = stack.indexOf(block) + 1
  return index > 0 && index < stack.length ? new BlockReference(context, stack, index) : noParent(block.name)
}

/** What `self` means: the blocks by name. */
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
