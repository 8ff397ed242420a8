/**
 * One rendering in progress: the text so far, its position, its depth, and the imported modules; with the templates that are ready
 * to run, the frames of their functions, and the names that they see beyond their own scopes. A file that is imported without
 * context runs once in a rendering, so that all importers share its state.
 */
import { Fault, type Position } from "../Failure.ts"
import { allocate, exceed, limits, spend } from "../Meter.ts"
import type { Library } from "../values/Builtin.ts"
import { type Dict, Omitted, type Undefined, type Value } from "../values/Value.ts"
import type { Module } from "./TemplateObjects.ts"

// The names that a template sees beyond its own scopes: names set at its top level, names passed by the including template, the
// variables of the rendering and the globals. Names of blocks belong here too, because a block can be replaced by a template that
// extends this one.

/** Looks up a name; undefined if it is not known. */
export interface Names {
  resolve(name: string): Value | undefined
  /** All names with their values, added to this map; inner ones win. */
  addTo(all: Map<string, Value>): void
}

/** The variables of a rendering before the globals. */
export class BaseNames implements Names {
  private readonly variables: Dict | undefined
  private readonly globals: ReadonlyMap<string, Value>

  constructor(variables: Dict | undefined, globals: ReadonlyMap<string, Value>) {
    this.variables = variables
    this.globals = globals
  }

  resolve(name: string): Value | undefined {
    const variable = this.variables?.getText(name)
    return variable === undefined ? this.globals.get(name) : variable
  }

  addTo(all: Map<string, Value>): void {
    for (const [name, value] of this.globals) all.set(name, value)
    for (const { key, value } of this.variables?.items() ?? []) if (typeof key === "string") all.set(key, value)
  }
}

/** The names that a template passes to another one, on top of the other's own. */
export class PassedNames implements Names {
  private readonly outer: Names
  private readonly locals: ReadonlyMap<string, Value>

  constructor(outer: Names, locals: ReadonlyMap<string, Value>) {
    this.outer = outer
    this.locals = locals
  }

  resolve(name: string): Value | undefined {
    const local = this.locals.get(name)
    return local === undefined ? this.outer.resolve(name) : local
  }

  addTo(all: Map<string, Value>): void {
    this.outer.addTo(all)
    for (const [name, value] of this.locals) all.set(name, value)
  }
}

/** The local names of a place in a template, read on demand, on top of the names of its context. */
export class LiveNames implements Names {
  private readonly outer: Names
  private readonly activation: Activation
  private readonly readers: ReadonlyMap<string, ReadVariable>

  constructor(outer: Names, activation: Activation, readers: ReadonlyMap<string, ReadVariable>) {
    this.outer = outer
    this.activation = activation
    this.readers = readers
  }

  resolve(name: string): Value | undefined {
    const local = this.readers.get(name)?.(this.activation)
    return local === undefined ? this.outer.resolve(name) : local
  }

  addTo(all: Map<string, Value>): void {
    this.outer.addTo(all)
    for (const [name, read] of this.readers) {
      const value = read(this.activation)
      if (value !== undefined) all.set(name, value)
    }
  }
}

/** All names with their present values, for objects that outlive the place where they were made. */
export const snapshot = (names: Names): Names => {
  const all = new Map<string, Value>()
  names.addTo(all)
  return new PassedNames(noNames, all)
}

/** The names of one run of a template. */
export class Context implements Names {
  readonly template: CompiledTemplate
  readonly exported = new Set<string>()
  readonly variables = new Map<string, Value>()
  readonly blocks: Map<string, ReadonlyArray<BlockFunction>>
  private readonly outer: Names

  constructor(template: CompiledTemplate, outer: Names, blocks?: ReadonlyMap<string, ReadonlyArray<BlockFunction>>) {
    this.template = template
    this.outer = outer
    this.blocks = blocks === undefined ? new Map() : new Map(blocks)
    if (blocks === undefined) this.addBlocks(template)
  }

  resolve(name: string): Value | undefined {
    const own = this.variables.get(name)
    return own === undefined ? this.outer.resolve(name) : own
  }

  addTo(all: Map<string, Value>): void {
    this.outer.addTo(all)
    for (const [name, value] of this.variables) all.set(name, value)
  }

  /** Adds the blocks of a template behind those that replace them. */
  addBlocks(template: CompiledTemplate): void {
    for (const [name, block] of template.blocks) this.blocks.set(name, [...(this.blocks.get(name) ?? []), block])
  }

  /** Sets a name at the top level; names with an underline in front are not exported. */
  assign(name: string, value: Value): void {
    this.variables.set(name, value)
    if (!name.startsWith("_")) this.exported.add(name)
  }

  /** Sets a name that an import has made; those are not exported. */
  assignImported(name: string, value: Value): void {
    this.variables.set(name, value)
    this.exported.delete(name)
  }

  /** A context for a scoped block, which sees local names too. */
  derived(names: Names): Context {
    return new Context(this.template, names, this.blocks)
  }
}

/** No names at all. */
const noNames: Names = { resolve: () => undefined, addTo: () => {} }

/** The parts of the environment that a rendering needs. */
export interface Surroundings {
  readonly filters: Library
  readonly tests: Library
  readonly globals: ReadonlyMap<string, Value>
  /** The template of this name; undefined if there is none. `from` is the name of the template that asks. */
  readonly find: (name: string, from: string) => CompiledTemplate | undefined
  /** Compiles a text without a file. */
  readonly compileText: (name: string, source: string) => CompiledTemplate
}

const mostNoted = 100

/** One rendering in progress. */
export class Rendering {
  readonly surroundings: Surroundings
  readonly modules = new Map<CompiledTemplate, Module>()
  /** Messages of the global function `log`, in order. */
  readonly log: Array<LogEntry> = []
  /** Undefined values that were printed as nothing, each place once. */
  readonly undefinedPrints = new Map<Position, string>()
  /** The place that is being evaluated. */
  at: Position
  /** The names that the filter being applied may use. */
  context: Names = noNames
  private text = ""
  private depth = 0

  constructor(surroundings: Surroundings, at: Position) {
    this.surroundings = surroundings
    this.at = at
  }

  /** Adds to the output. Fails with LimitExceeded when it grows too large. */
  write(text: string): void {
    // a reference to the text, because captured text may be kept
    allocate(2)
    this.text += text
    if (this.text.length > limits().output) exceed("output", `output is larger than ${limits().output} bytes`)
  }

  /** Records that nothing is printed here because a value is undefined, which is rarely intended. */
  printUndefined(value: Undefined, at: Position): void {
    if (this.undefinedPrints.size < mostNoted && !(value instanceof Omitted))
      this.undefinedPrints.set(at, value.message)
  }

  /** Runs something and returns what it wrote instead of adding that to the output. */
  capture(run: () => void): string {
    const before = this.text
    this.text = ""
    run()
    const written = this.text
    this.text = before
    return written
  }

  /** Runs another template or macro from here; a failure inside gets the place of the call. */
  enter<A>(run: () => A): A {
    const from = this.at
    try {
      const result = run()
      this.at = from
      return result
    } catch (cause) {
      if (cause instanceof Fault) {
        cause.position ??= this.at
        if (cause.via.length < 20) cause.via.push(from)
      }
      throw cause
    }
  }

  /** Like `enter`, for files, whose nesting is bounded. */
  enterFile<A>(run: () => A): A {
    spend(16)
    if (++this.depth > limits().depth) exceed("depth", `files are nested deeper than ${limits().depth}`)
    const result = this.enter(run)
    this.depth--
    return result
  }
}

/** A place where an undefined value was printed, and the sentence that says what is undefined. */
export interface UndefinedPrint {
  readonly message: string
  readonly at: Position
}

/** A message of the global function `log`. */
export interface LogEntry {
  readonly text: string
  readonly level: string
  readonly module: string
  readonly at: Position
}

// A template that is ready to run, as many times as wanted, and the frames its functions run in.

/** Runs a block of a template. */
export interface BlockFunction {
  readonly name: string
  readonly run: (context: Context, rendering: Rendering) => void
}

/** A template that is ready to run. */
export interface CompiledTemplate {
  readonly name: string
  readonly blocks: ReadonlyMap<string, BlockFunction>
  readonly run: (context: Context, rendering: Rendering) => void
}

/** The variables of one run of a function: a template's root, block, macro, recursive loop or loop condition. */
export class Activation {
  /** Undefined marks variables without a value. */
  readonly slots: Array<Value | undefined>
  /** The activation of the function that this one was defined in. */
  readonly outer: Activation | undefined
  readonly context: Context
  readonly rendering: Rendering
  /** The template that this one extends, once `extends` has been met. Of roots only. */
  parent: CompiledTemplate | undefined

  constructor(size: number, outer: Activation | undefined, context: Context, rendering: Rendering) {
    // Filled by pushing: for the few variables that functions have, that is the quickest way.
    this.slots = []
    for (let i = 0; i < size; i++) this.slots.push(undefined)
    this.outer = outer
    this.context = context
    this.rendering = rendering
  }

  /** The activation of the root of the template. */
  get root(): Activation {
    return this.outer === undefined ? this : this.outer.root
  }
}

/** Code that reads a variable; undefined when it has no value. */
export type ReadVariable = (activation: Activation) => Value | undefined

/** A compiled expression. */
export type Evaluate = (activation: Activation) => Value

/** A compiled statement. */
export type Execute = (activation: Activation) => void
