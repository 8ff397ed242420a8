/**
 * The names that a template sees beyond its own scopes: what it has set at its top level, what the including template
 * handed over, the variables of the rendering and the globals. Names of blocks belong here too, because a block can be
 * replaced by a template that extends this one.
 */
import type { Dict } from "../values/Dict.ts"
import type { Value } from "../values/Value.ts"
import type { Activation, BlockFunction, CompiledTemplate, ReadVariable } from "./CompiledTemplate.ts"

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

/** The names that a template hands to another one, laid over its own. */
export class HandedNames implements Names {
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

/** The local names of a place in a template, read when they are asked for, laid over the names of its context. */
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

/** All names as they are now: what somebody needs who outlives the place they are taken from. */
export const snapshot = (names: Names): Names => {
  const all = new Map<string, Value>()
  names.addTo(all)
  return new HandedNames(noNames, all)
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
export const noNames: Names = { resolve: () => undefined, addTo: () => {} }
