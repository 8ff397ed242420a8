/**
 * A template that is ready to run, as many times as wanted, and the frames its functions run in.
 */
import type { Value } from "../values/Value.ts"
import type { Context } from "./Context.ts"
import type { Rendering } from "./Rendering.ts"

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
